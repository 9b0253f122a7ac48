// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each process owns some words of every part of a window, so that it knows what they contain.
#include <vector>

#include "avrankmap/device/comm.h"
#include "tests/device/programs/programs.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kWords = 512; // of a process in each part
constexpr std::size_t kMost = 64;   // of one operation

using Words = std::vector<std::uint64_t>;

class Client {
public:
  Client(const Process &process, avrm_window_t *window)
      : window_(window), rank_(process.rank), engine_(seed() + static_cast<std::uint64_t>(process.rank)),
        known_(static_cast<std::size_t>(process.size), Words(kWords)) {}

  // A put whose buffer lives until the flush, or one that waits for the target.
  void put() {
    const Place place = draw();
    Words &words = buffers_.emplace_back(place.count);
    for (std::size_t i = 0; i < place.count; ++i) {
      words[i] = known_[place.target][place.first + i] = engine_();
    }
    const auto call = below(engine_, 4) == 0 ? avrm_rput : avrm_put;
    AVRM_MUST(call(window_, words.data(), place.bytes(), static_cast<std::int32_t>(place.target), offset(place),
                   &requests_.emplace_back()) == AVRM_OK);
    written_ = place.target;
  }

  // Waits for the puts, and then gets.
  void flush_and_get() {
    if (below(engine_, 2) == 0) {
      AVRM_MUST(avrm_flush_all(window_) == AVRM_OK);
    } else {
      AVRM_MUST(avrm_flush(window_, static_cast<std::int32_t>(written_)) == AVRM_OK);
    }
    finish();
    Place place = draw();
    place.target = written_;
    Words words(place.count);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_get(window_, words.data(), place.bytes(), static_cast<std::int32_t>(place.target), offset(place),
                       &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(std::memcmp(words.data(), &known_[place.target][place.first], place.bytes()) == 0);
  }

  void end() {
    AVRM_MUST(avrm_flush_local_all(window_) == AVRM_OK);
    finish();
    AVRM_MUST(avrm_flush_all(window_) == AVRM_OK);
  }

  [[nodiscard]] const Words &known(int target) const { return known_[static_cast<std::size_t>(target)]; }

private:
  struct Place {
    std::size_t target, first, count;
    [[nodiscard]] std::size_t bytes() const { return count * sizeof(std::uint64_t); }
  };

  Place draw() {
    const std::size_t count = 1 + below(engine_, kMost);
    return {below(engine_, known_.size()), below(engine_, kWords - count + 1), count};
  }
  [[nodiscard]] std::uint64_t offset(const Place &place) const {
    return (static_cast<std::uint64_t>(rank_) * kWords + place.first) * sizeof(std::uint64_t);
  }
  void finish() {
    AVRM_MUST(avrm_waitall(static_cast<std::int32_t>(requests_.size()), requests_.data(), nullptr) == AVRM_OK);
    requests_.clear();
    buffers_.clear();
  }

  avrm_window_t *window_;
  int rank_;
  std::mt19937_64 engine_;
  std::vector<Words> known_;
  std::vector<Words> buffers_; // their words stay where they are
  std::vector<avrm_request_t *> requests_;
  std::size_t written_ = 0;
};

// Every process compares its part with what the others say that they have put there.
void verify_part(Process &process, const Client &client, const std::uint64_t *part) {
  constexpr std::size_t kBytes = kWords * sizeof(std::uint64_t);
  for (int peer = 0; peer < process.size; ++peer) {
    Words told(kWords);
    avrm_request_t *requests[2];
    const int source = (process.rank + peer) % process.size;
    const int dest = (process.rank - peer + process.size) % process.size;
    AVRM_MUST(avrm_irecv(process.world, told.data(), kBytes, source, 1, &requests[0]) == AVRM_OK);
    AVRM_MUST(avrm_isend(process.world, client.known(dest).data(), kBytes, dest, 1, &requests[1]) == AVRM_OK);
    AVRM_MUST(avrm_waitall(2, requests, nullptr) == AVRM_OK);
    AVRM_MUST(std::memcmp(told.data(), part + static_cast<std::size_t>(source) * kWords, kBytes) == 0);
  }
}

void use(Process &process, avrm_window_t *window, const std::uint64_t *part) {
  AVRM_MUST(avrm_barrier(process.world) == AVRM_OK); // all parts are zero
  Client client(process, window);
  for (int round = 0; round < 10 * times_longer(); ++round) {
    for (int put = 0; put < 20; ++put) {
      client.put();
    }
    client.flush_and_get();
  }
  client.end();
  AVRM_MUST(avrm_barrier(process.world) == AVRM_OK);
  verify_part(process, client, part);
  AVRM_MUST(avrm_barrier(process.world) == AVRM_OK); // nobody gets any more
  AVRM_MUST(avrm_window_free(window) == AVRM_OK);
}

} // namespace

void put_and_get_at_random(Process &process) {
  Words own(static_cast<std::size_t>(process.size) * kWords);
  const std::size_t bytes = own.size() * sizeof(std::uint64_t);
  avrm_window_t *window = nullptr;
  AVRM_MUST(avrm_window_create(process.world, own.data(), bytes, 0, &window) == AVRM_OK);
  use(process, window, own.data());

  void *base = nullptr;
  AVRM_MUST(avrm_window_allocate(process.world, bytes, AVRM_WINDOW_EXCHANGE, &base, &window) == AVRM_OK);
  std::memset(base, 0, bytes);
  use(process, window, static_cast<const std::uint64_t *>(base));
}

} // namespace avrankmap::test
