// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All processes send to all others, themselves included, in an order of their own.
#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <set>
#include <utility>

#include "avrankmap/device/comm.h"
#include "tests/device/programs/programs.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

// Around the limits up to which transports copy.
constexpr std::array<std::size_t, 10> kSizes{0, 1, 8, 63, 1000, 4096, 9000, 20000, 70000, 200000};

std::size_t size_of(int from, int to, int number) {
  return kSizes[static_cast<std::size_t>(7 * from + 3 * to + number) % kSizes.size()];
}

// Receives what comes, in two buffers at a time.
class Receiver {
public:
  explicit Receiver(Process &process, avrm_comm_t *comm) : process_(process), comm_(comm) {
    last_.fill(std::vector<int>(static_cast<std::size_t>(process.size), -1));
    buffers_.fill(Buffer(kSizes.back()));
  }

  void post(std::size_t slot) {
    Buffer &buffer = buffers_[slot];
    AVRM_MUST(avrm_irecv(comm_, buffer.data(), buffer.size(), AVRM_ANY_SOURCE, AVRM_ANY_TAG, &requests_[slot]) ==
              AVRM_OK);
  }

  // Takes `count` messages.
  void take(int count) {
    int posted = 0;
    for (std::size_t slot = 0; slot < requests_.size() && posted < count; ++slot, ++posted) {
      post(slot);
    }
    for (int taken = 0; taken < count; ++taken) {
      std::int32_t slot = 0;
      avrm_outcome_t outcome{};
      AVRM_MUST(avrm_waitany(static_cast<std::int32_t>(requests_.size()), requests_.data(), &slot, &outcome) ==
                AVRM_OK);
      verify(static_cast<std::size_t>(slot), outcome);
      if (posted < count) {
        post(static_cast<std::size_t>(slot));
        ++posted;
      }
    }
  }

private:
  // The tag is the number of the message. Receives that follow one another in a slot take messages
  // in the order in which they were sent; a long one may still arrive while the other slot goes on.
  void verify(std::size_t slot, const avrm_outcome_t &outcome) {
    int &last = last_[slot][static_cast<std::size_t>(outcome.source)];
    AVRM_MUST(outcome.tag > last);
    last = outcome.tag;
    AVRM_MUST(seen_.insert({outcome.source, outcome.tag}).second);
    const Buffer &buffer = buffers_[slot];
    const Buffer sent =
        content(outcome.source, process_.rank, outcome.tag, size_of(outcome.source, process_.rank, outcome.tag));
    AVRM_MUST(outcome.bytes == sent.size());
    AVRM_MUST(std::equal(sent.begin(), sent.end(), buffer.begin()));
  }

  Process &process_;
  avrm_comm_t *comm_;
  std::array<std::vector<int>, 2> last_;
  std::set<std::pair<int, int>> seen_;
  std::array<Buffer, 2> buffers_;
  std::array<avrm_request_t *, 2> requests_{};
};

} // namespace

void exchange_mixed_sizes(Process &process) {
  avrm_comm_t *comm = nullptr; // wildcards must not take messages of others
  AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_OK);
  const int messages = 10 * std::min(times_longer(), 10);
  std::mt19937_64 engine(seed() + static_cast<std::uint64_t>(process.rank));
  std::vector<int> order;
  for (int dest = 0; dest < process.size; ++dest) {
    order.insert(order.end(), static_cast<std::size_t>(messages), dest);
  }
  std::shuffle(order.begin(), order.end(), engine);
  std::vector<int> sent(static_cast<std::size_t>(process.size));
  std::deque<Buffer> buffers;
  std::vector<avrm_request_t *> requests;
  for (const int dest : order) {
    const int number = sent[static_cast<std::size_t>(dest)]++;
    const Buffer &buffer =
        buffers.emplace_back(content(process.rank, dest, number, size_of(process.rank, dest, number)));
    AVRM_MUST(avrm_isend(comm, buffer.data(), buffer.size(), dest, number, &requests.emplace_back()) == AVRM_OK);
  }
  Receiver(process, comm).take(messages * process.size);
  AVRM_MUST(avrm_waitall(static_cast<std::int32_t>(requests.size()), requests.data(), nullptr) == AVRM_OK);
  AVRM_MUST(avrm_comm_free(comm) == AVRM_OK);
}

} // namespace avrankmap::test
