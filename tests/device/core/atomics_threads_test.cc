// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads of each process operate on one window.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "avrankmap/device/atomics.h"
#include "tests/device/core/job.h"
#include "tests/device/core/window.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kThreads = 3;
constexpr std::uint64_t kEach = 20;

// A word of a process's part, as two blocks that lie apart here.
std::uint64_t get_in_halves(const Window &window, int target, std::uint64_t offset) {
  std::array<std::uint32_t, 3> halves{};
  const avrm_layout_t apart{4, 2, 8};
  const avrm_layout_t together{4, 2, 4};
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_get_strided(window.get(), halves.data(), &apart, target, offset, &together, &request) == AVRM_OK);
  wait(request);
  const std::array<std::uint32_t, 2> both{halves[0], halves[2]};
  std::uint64_t word = 0;
  std::memcpy(&word, both.data(), sizeof word);
  return word;
}

// Adds to the counters of all processes, and puts beside them a number, which it gets again.
void use(const Process &process, const Window &window, std::size_t number) {
  const std::uint64_t one = 1;
  for (std::uint64_t i = 0; i < kEach; ++i) {
    for (int target = 0; target < process.size; ++target) {
      std::uint64_t old = 0;
      std::array<avrm_request_t *, 3> requests{};
      AVRM_MUST(avrm_accumulate(window.get(), &one, 1, AVRM_UINT64, AVRM_OP_SUM, target, 0, requests.data()) ==
                AVRM_OK);
      AVRM_MUST(avrm_fetch_and_op(window.get(), &one, &old, AVRM_UINT64, AVRM_OP_SUM, target, 8, &requests[1]) ==
                AVRM_OK);
      const std::uint64_t own = 8 * (2 + static_cast<std::uint64_t>(process.rank) * kThreads + number);
      AVRM_MUST(avrm_rput(window.get(), &i, sizeof i, target, own, &requests[2]) == AVRM_OK);
      AVRM_MUST(avrm_flush_local(window.get(), target) == AVRM_OK);
      AVRM_MUST(avrm_waitall(3, requests.data(), nullptr) == AVRM_OK);
      AVRM_MUST(get_in_halves(window, target, own) == i);
    }
  }
  AVRM_MUST(avrm_flush_all(window.get()) == AVRM_OK);
}

// All threads of all processes use one window.
void share(Process &process, unsigned flags) {
  const std::size_t lanes = static_cast<std::size_t>(process.size) * kThreads;
  Window window(process, 8 * (2 + lanes), true, flags);
  std::fill_n(window.base(), 8 * (2 + lanes), static_cast<unsigned char>(0));
  barrier(process);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { use(process, window, i); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  barrier(process);
  std::vector<std::uint64_t> expected(2 + lanes, kEach - 1);
  expected[0] = expected[1] = lanes * kEach;
  AVRM_MUST(std::memcmp(window.base(), expected.data(), 8 * expected.size()) == 0);
}

class AtomicsOfThreads : public testing::TestWithParam<Transport> {};

TEST_P(AtomicsOfThreads, AreAtomic) {
  run_job(
      GetParam(), 2, [](Process &process) { share(process, 0); }, -1, true);
}

TEST_P(AtomicsOfThreads, AreAtomicInTheNetwork) {
  run_job(
      GetParam(), 2, [](Process &process) { share(process, AVRM_WINDOW_NETWORK_ATOMICS); }, -1, true);
}

INSTANTIATE_TEST_SUITE_P(Every, AtomicsOfThreads, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

} // namespace
} // namespace avrankmap::test
