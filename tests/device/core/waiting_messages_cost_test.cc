// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An attempt to send active messages that wait takes, for each of them, about as many instructions
// if many wait as if few do.
#if AVRM_WITH_COUNTERS
#include <vector>

#include "core/active.h"
#include "tests/device/core/synthetic_job.h"

extern "C" {
// What is counted.
[[gnu::noinline, gnu::used]] int avrm_test_flush_waiting(avrm_device_t *device) {
  return device->deferred.flush(device);
}
}

namespace avrankmap::test {
namespace {

// Each call of progress tries to send them.
TEST(WaitingMessages, ToManyUnreachableProcessesCostALinearTime) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<double> each;
  for (const int count : {10, 40}) {
    const auto run = [&] {
      Job job(count + 1, AVRM_DEVICE_AV_TABLE, nullptr);
      job.open();
      static avrm_netmod_ops_t ops;
      ops = *job.device()->net->ops;
      ops.insert = [](avrm_netmod_t *, std::size_t, const void *, std::size_t, std::size_t, std::uint64_t *) {
        return AVRM_ERR_NO_MEMORY;
      };
      job.device()->net->ops = &ops;
      detail::ActiveHeader header{};
      header.type = detail::ActiveType::kPutDone;
      for (int message = 0; message < 2; ++message) {
        for (std::int32_t peer = 1; peer <= count; ++peer) {
          require(
              detail::send_active(job.device(), {detail::kOwnWorld, peer}, header, nullptr, 0, detail::Retry::kLater));
        }
      }
      (void)avrm_test_flush_waiting(job.device());
    };
    const counters::Result<counters::StepCount> counted = counters::count_call(avrm_test_flush_waiting, run, options);
    AVRM_ASSERT_COUNTED(counted);
    each.push_back(static_cast<double>(own_instructions(*counted)) / count);
  }
  EXPECT_LT(each[1], 1.2 * each[0]);
}

} // namespace
} // namespace avrankmap::test
#endif
