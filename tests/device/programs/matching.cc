// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each process sends to the next one in a ring and receives from the one before it.
#include <array>

#include "tests/device/programs/programs.h"

namespace avrankmap::test {
namespace {

constexpr int kMessages = 50;

struct Ring {
  explicit Ring(Process &process)
      : next((process.rank + 1) % process.size), before((process.rank + process.size - 1) % process.size) {}
  int next;
  int before;
};

// Messages of one tag come in the order in which they were sent; those of others in that in which
// they are asked for.
void keep_order(Process &process, const Ring &ring) {
  std::array<int, 2 * kMessages> out{};
  std::array<avrm_request_t *, 2 * kMessages> requests{};
  for (int i = 0; i < 2 * kMessages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = i;
    const int tag = i < kMessages ? 0 : i;
    AVRM_MUST(avrm_isend(process.world, &out[at], sizeof out[at], ring.next, tag, &requests[at]) == AVRM_OK);
  }
  const auto take = [&](int tag) {
    int in = -1;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, &in, sizeof in, ring.before, tag, &request) == AVRM_OK);
    wait(request);
    return in;
  };
  for (int i = 2 * kMessages - 1; i >= kMessages; --i) {
    AVRM_MUST(take(i) == i);
  }
  for (int i = 0; i < kMessages; ++i) {
    AVRM_MUST(take(0) == i);
  }
  AVRM_MUST(avrm_waitall(2 * kMessages, requests.data(), nullptr) == AVRM_OK);
}

// A message that is too long leaves what is behind the buffer alone, and the next one whole.
void truncate(Process &process, const Ring &ring) {
  constexpr std::size_t kRoom = 100;
  constexpr unsigned char kUntouched = 0xee;
  for (const std::size_t bytes : {std::size_t{101}, std::size_t{5000}, std::size_t{100000}}) {
    const Buffer sent = content(process.rank, ring.next, 0, bytes);
    Buffer room(2 * kRoom, kUntouched);
    std::array<avrm_request_t *, 2> requests{};
    avrm_request_t *request = nullptr;
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_isend(process.world, sent.data(), bytes, ring.next, 1, &requests[0]) == AVRM_OK);
    AVRM_MUST(avrm_isend(process.world, sent.data(), kRoom, ring.next, 1, &requests[1]) == AVRM_OK);
    AVRM_MUST(avrm_irecv(process.world, room.data(), kRoom, ring.before, 1, &request) == AVRM_OK);
    AVRM_MUST(avrm_wait(&request, &outcome) == AVRM_ERR_TRUNCATED);
    AVRM_MUST(outcome.bytes == kRoom && outcome.source == ring.before && outcome.tag == 1);
    AVRM_MUST(room[kRoom] == kUntouched && room.back() == kUntouched);
    AVRM_MUST(avrm_irecv(process.world, room.data(), kRoom, ring.before, 1, &request) == AVRM_OK);
    wait(request);
    room.resize(kRoom);
    Buffer expected = content(ring.before, process.rank, 0, bytes);
    expected.resize(kRoom);
    AVRM_MUST(room == expected);
    AVRM_MUST(avrm_waitall(2, requests.data(), nullptr) == AVRM_OK);
  }
}

// A receive that was cancelled takes no message, and later ones do.
void cancel(Process &process, const Ring &ring) {
  int in = -1;
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_irecv(process.world, &in, sizeof in, ring.before, 2, &request) == AVRM_OK);
  AVRM_MUST(avrm_wait_for(&request, 1000, nullptr) == AVRM_ERR_TIMEOUT);
  AVRM_MUST(avrm_cancel(request) == AVRM_OK);
  AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED && in == -1);
  barrier(process); // nobody sends before
  const int out = process.rank;
  avrm_request_t *sent = nullptr;
  AVRM_MUST(avrm_isend(process.world, &out, sizeof out, ring.next, 2, &sent) == AVRM_OK);
  AVRM_MUST(avrm_irecv(process.world, &in, sizeof in, AVRM_ANY_SOURCE, 2, &request) == AVRM_OK);
  wait(request);
  wait(sent);
  AVRM_MUST(in == ring.before);
}

} // namespace

void match_truncate_and_cancel(Process &process) {
  const Ring ring(process);
  for (int round = 0; round < times_longer(); ++round) {
    keep_order(process, ring);
    truncate(process, ring);
    cancel(process, ring);
  }
}

} // namespace avrankmap::test
