// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two processes that use each other's windows, and that both lack memory from some moment until all
// of their operations have ended: each does end, and what ends with AVRM_OK has moved its data.
// They wait for each other's answers, which they may not be able to send.
#include <random>

#include "tests/device/core/job.h"
#include "tests/device/core/window.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

constexpr int kRounds = 3;
constexpr int kOperations = 200; // of a process, in a round
constexpr std::size_t kBytes = 50000;

bool ends_clearly(avrm_status_t status) { return status == AVRM_OK || status == AVRM_ERR_NO_MEMORY; }

// An operation under way, and where its data are: read into `data`, or written from there.
struct Operation {
  avrm_request_t *request = nullptr;
  std::size_t place = 0;
  bool is_get = false;
  Buffer data;
};

// Each process reads the lower half of its partner's window, and writes the upper half.
void use_windows(Process &process, std::mt19937_64 random) {
  Window window(process, 2 * kOperations * kBytes, false);
  const auto at = [](std::size_t place) { return place * kBytes; };
  for (int i = 0; i < kOperations; ++i) {
    const Buffer content_here = content(process.rank, process.partner(), i, kBytes);
    std::copy(content_here.begin(), content_here.end(), window.base() + at(static_cast<std::size_t>(i)));
  }
  for (int round = 0; round < kRounds; ++round) {
    barrier(process);
    std::vector<Operation> operations(kOperations);
    const int lacks_from = kOperations / 2 + static_cast<int>(below(random, kOperations / 2 + 1));
    for (int i = 0; i < kOperations; ++i) {
      process.memory->refuse_all(i >= lacks_from);
      Operation &one = operations[static_cast<std::size_t>(i)];
      one.is_get = below(random, 2) == 0;
      one.place = static_cast<std::size_t>(i) + (one.is_get ? 0 : kOperations);
      one.data = one.is_get ? Buffer(kBytes) : content(process.partner(), round, i, kBytes);
      const avrm_status_t status =
          one.is_get ? avrm_get(window.get(), one.data.data(), kBytes, process.partner(), at(one.place), &one.request)
                     : avrm_put(window.get(), one.data.data(), kBytes, process.partner(), at(one.place), &one.request);
      AVRM_MUST(ends_clearly(status));
      one.place = status == AVRM_OK ? one.place : SIZE_MAX;
    }
    process.memory->refuse_all(true);
    for (Operation &one : operations) {
      const avrm_status_t status = avrm_wait(&one.request, nullptr);
      AVRM_MUST(ends_clearly(status));
      if (one.is_get && one.place != SIZE_MAX && status == AVRM_OK) {
        AVRM_MUST(one.data == content(process.partner(), process.rank, static_cast<int>(one.place), kBytes));
      }
      one.place = status == AVRM_OK ? one.place : SIZE_MAX;
    }
    AVRM_MUST(ends_clearly(avrm_flush(window.get(), process.partner())));
    process.memory->refuse_all(false);
    // What was written is read back.
    for (const Operation &one : operations) {
      if (!one.is_get && one.place != SIZE_MAX) {
        AVRM_MUST(window.get_from(process.partner(), at(one.place), kBytes) == one.data);
      }
    }
  }
}

class BothLackMemory : public testing::TestWithParam<Transport> {};

TEST_P(BothLackMemory, AndEachOperationEnds) {
  run_job(GetParam(), 2, [start = seed()](Process &process) {
    use_windows(process, std::mt19937_64(start + static_cast<std::uint64_t>(process.rank)));
  });
}

INSTANTIATE_TEST_SUITE_P(Over, BothLackMemory, testing::ValuesIn(transports_of(Suites::kAll)),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avrankmap::test
