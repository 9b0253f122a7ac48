// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of and waits for several requests.
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {

namespace {

constexpr int kInSet = 5;

struct Receives {
  static constexpr std::size_t kPlaces = kInSet + 1;
  std::vector<Buffer> buffers = std::vector<Buffer>(kPlaces, Buffer(64));
  std::vector<avrm_request_t *> requests = std::vector<avrm_request_t *>(kPlaces);
  std::vector<avrm_outcome_t> outcomes = std::vector<avrm_outcome_t>(kPlaces);
  std::vector<std::int32_t> indices = std::vector<std::int32_t>(kPlaces);

  // Receives with tags 1 .. kInSet, each at the place of its tag.
  Receives(Process &process, int peer) {
    for (int tag = 1; tag <= kInSet; ++tag) {
      const auto at = static_cast<std::size_t>(tag);
      AVRM_MUST(avrm_irecv(process.world, buffers[at].data(), 64, peer, tag, &requests[at]) == AVRM_OK);
    }
  }
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(requests.size()); }
};

// The partner sends what is asked for by its tag, so that the order is known.
void ask(Process &process, int tag) { send(process, Buffer(1, static_cast<unsigned char>(tag)), process.partner(), 9); }
void answer(Process &process) {
  for (int i = 0; i < kInSet; ++i) {
    Buffer wish(1);
    receive(process, wish, process.partner(), 9);
    send(process, content(process.rank, process.partner(), wish[0], 64), process.partner(), wish[0]);
  }
}

void wait_for_any(Process &process) {
  Receives set(process, process.partner());
  for (const int tag : {3, 1, 5, 2, 4}) {
    std::int32_t index = 0;
    bool done = true;
    AVRM_MUST(avrm_testany(set.count(), set.requests.data(), &index, &done, nullptr) == AVRM_OK);
    AVRM_MUST(!done && index == AVRM_UNDEFINED);
    ask(process, tag);
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_waitany(set.count(), set.requests.data(), &index, &outcome) == AVRM_OK);
    AVRM_MUST(index == tag && outcome.tag == tag && outcome.bytes == 64);
    AVRM_MUST(set.requests[static_cast<std::size_t>(tag)] == nullptr);
  }
  std::int32_t index = 0;
  bool done = false;
  AVRM_MUST(avrm_testany(set.count(), set.requests.data(), &index, &done, nullptr) == AVRM_OK);
  AVRM_MUST(done && index == AVRM_UNDEFINED);
  AVRM_MUST(avrm_waitany(set.count(), set.requests.data(), &index, nullptr) == AVRM_OK && index == AVRM_UNDEFINED);
}

void wait_for_some(Process &process) {
  Receives set(process, process.partner());
  std::vector<bool> seen(kInSet + 1);
  std::int32_t finished = 0;
  AVRM_MUST(avrm_testsome(set.count(), set.requests.data(), &finished, set.indices.data(), nullptr) == AVRM_OK);
  AVRM_MUST(finished == 0);
  for (int tag = kInSet; tag >= 1; --tag) {
    ask(process, tag);
  }
  for (int all = 0; all < kInSet; all += finished) {
    AVRM_MUST(avrm_waitsome(set.count(), set.requests.data(), &finished, set.indices.data(), set.outcomes.data()) ==
              AVRM_OK);
    AVRM_MUST(finished >= 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(finished); ++i) {
      AVRM_MUST(set.outcomes[i].tag == set.indices[i] && !seen[static_cast<std::size_t>(set.indices[i])]);
      seen[static_cast<std::size_t>(set.indices[i])] = true;
    }
  }
  AVRM_MUST(avrm_waitsome(set.count(), set.requests.data(), &finished, set.indices.data(), nullptr) == AVRM_OK);
  AVRM_MUST(finished == AVRM_UNDEFINED);
}

void wait_for_all(Process &process) {
  Receives set(process, process.partner());
  for (int tag = 1; tag < kInSet; ++tag) {
    ask(process, tag);
  }
  bool done = true;
  AVRM_MUST(avrm_testall(set.count(), set.requests.data(), &done, nullptr) == AVRM_OK && !done);
  AVRM_MUST(set.requests[1] != nullptr && set.requests[kInSet] != nullptr);
  AVRM_MUST(avrm_wait_for(&set.requests[kInSet], 1000, nullptr) == AVRM_ERR_TIMEOUT);
  ask(process, kInSet);
  AVRM_MUST(avrm_waitall(set.count(), set.requests.data(), set.outcomes.data()) == AVRM_OK);
  for (std::size_t tag = 1; tag <= kInSet; ++tag) {
    AVRM_MUST(set.requests[tag] == nullptr && set.outcomes[tag].tag == static_cast<std::int32_t>(tag));
    AVRM_MUST(set.buffers[tag] == content(process.partner(), process.rank, static_cast<int>(tag), 64));
  }
  AVRM_MUST(avrm_testall(set.count(), set.requests.data(), &done, nullptr) == AVRM_OK && done);
}

} // namespace

void several_requests_are_waited_for(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  if (process.rank % 2 == 0) {
    wait_for_any(process);
    wait_for_some(process);
    wait_for_all(process);
  } else {
    answer(process);
    answer(process);
    answer(process);
  }
}

void sets_with_wrong_arguments_are_refused(Process & /*process*/) {
  avrm_request_t *requests[1] = {};
  std::int32_t number = 7;
  bool done = false;
  AVRM_MUST(avrm_testany(-1, requests, &number, &done, nullptr) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_testany(1, nullptr, &number, &done, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_testany(1, requests, nullptr, &done, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_testany(1, requests, &number, nullptr, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_testsome(-1, requests, &number, &number, nullptr) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_testsome(1, requests, &number, nullptr, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_testsome(1, requests, nullptr, &number, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_testall(-1, requests, &done, nullptr) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_testall(1, requests, nullptr, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_waitany(-1, requests, &number, nullptr) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_waitany(1, requests, nullptr, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_waitsome(-1, requests, &number, &number, nullptr) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_waitsome(1, nullptr, &number, &number, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_waitall(-1, requests, nullptr) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_waitall(1, nullptr, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_wait_for(nullptr, 0, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_wait_for(requests, -1, nullptr) == AVRM_ERR_OPTION);
  AVRM_MUST(number == 7 && !done);
  AVRM_MUST(avrm_waitall(0, nullptr, nullptr) == AVRM_OK);
}

} // namespace avrankmap::test
