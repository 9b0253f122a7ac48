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
[[gnu::noinline, gnu::used]] bool avrm_test_has_waiting(avrm_device_t *device, std::int32_t lpid) {
  return device->deferred.has({avrankmap::detail::kOwnWorld, lpid});
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

// Expects that the function takes as many instructions if many messages to a stopped process wait
// as if few do. `call(device)` calls it.
template <typename Function, typename Call> void expect_the_same(Function *function, Call call) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<std::uint64_t> each;
  for (const int waiting : {2, 500}) {
    const auto run = [&] {
      Job job(3, AVRM_DEVICE_AV_TABLE, nullptr);
      job.open();
      static avrm_netmod_ops_t ops;
      ops = *job.device()->net->ops;
      ops.am_send = [](avrm_netmod_t *, std::uint64_t, const void *, std::size_t, const void *, std::size_t) {
        return AVRM_ERR_AGAIN;
      };
      job.device()->net->ops = &ops;
      detail::ActiveHeader header{};
      header.type = detail::ActiveType::kPutDone;
      for (int i = 0; i < waiting; ++i) {
        require(detail::send_active(job.device(), {detail::kOwnWorld, 1}, header, nullptr, 0, detail::Retry::kLater));
      }
      call(job.device());
    };
    const counters::Result<counters::StepCount> counted = counters::count_call(function, run, options);
    AVRM_ASSERT_COUNTED(counted);
    each.push_back(own_instructions(*counted));
  }
  EXPECT_LT(each[1], 2 * each[0]);
}

TEST(WaitingMessages, ToAStoppedProcessDoNotSlowProgress) {
  expect_the_same(avrm_test_flush_waiting, [](avrm_device_t *device) { (void)avrm_test_flush_waiting(device); });
}

// Looked up before each message.
TEST(WaitingMessages, ToAStoppedProcessDoNotSlowMessagesToOthers) {
  expect_the_same(avrm_test_has_waiting, [](avrm_device_t *device) { (void)avrm_test_has_waiting(device, 2); });
}

} // namespace
} // namespace avrankmap::test
#endif
