// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two processes that use each other's windows, and that both lack memory from some moment until all
// of their operations have ended: each does end, and what ends with AVRM_OK has moved its data.
// They wait for each other's answers, which they may not be able to send.
#include <random>

#include "tests/device/core/job.h"
#include "tests/device/core/window.h"
#include "tests/device/liveness/lacking_memory.h"
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
void use_windows(Process &process, LackingMemory &memory, std::mt19937_64 random) {
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
      memory.lacks = i >= lacks_from;
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
    memory.lacks = true;
    for (Operation &one : operations) {
      const avrm_status_t status = avrm_wait(&one.request, nullptr);
      AVRM_MUST(ends_clearly(status));
      if (one.is_get && one.place != SIZE_MAX && status == AVRM_OK) {
        AVRM_MUST(one.data == content(process.partner(), process.rank, static_cast<int>(one.place), kBytes));
      }
      one.place = status == AVRM_OK ? one.place : SIZE_MAX;
    }
    AVRM_MUST(ends_clearly(avrm_flush(window.get(), process.partner())));
    memory.lacks = false;
    // What was written is read back.
    for (const Operation &one : operations) {
      if (!one.is_get && one.place != SIZE_MAX) {
        AVRM_MUST(window.get_from(process.partner(), at(one.place), kBytes) == one.data);
      }
    }
  }
}

struct Parameters {
  const Transport *transport;
  std::uint64_t seed;
};

int run_lacking(avrm_boot_t *boot, void *user) {
  const auto *const parameters = static_cast<const Parameters *>(user);
  LackingMemory memory;
  const avrm_allocator_t hooks = memory.hooks();
  const avrm_device_options_t options = options_over(*parameters->transport, boot, &hooks);
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (means_lacking(status)) {
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  use_windows(process, memory, std::mt19937_64(parameters->seed + static_cast<std::uint64_t>(process.rank)));
  AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
  AVRM_MUST(memory.books.live_bytes() == 0);
  return 0;
}

class BothLackMemory : public testing::TestWithParam<Transport> {};

TEST_P(BothLackMemory, AndEachOperationEnds) {
  Parameters parameters{&GetParam(), seed()};
  avrm_fork_options_t options{};
  options.size = 2;
  options.per_node = parameters.transport->per_node;
  options.timeout_ms = job_timeout_ms();
  options.kill_on_failure = 1;
  std::vector<std::int32_t> codes(2);
  before_forking(*parameters.transport);
  ASSERT_EQ(AVRM_OK, avrm_boot_fork_run(&options, run_lacking, &parameters, codes.data()));
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(*parameters.transport);
  }
  EXPECT_EQ(codes, (std::vector<std::int32_t>{0, 0})) << "seed " << parameters.seed;
}

INSTANTIATE_TEST_SUITE_P(Over, BothLackMemory, testing::ValuesIn(transports_of(Suites::kAll)),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avrankmap::test
