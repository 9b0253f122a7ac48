// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transport test suite in forked jobs: every body over every transport.
#include <string_view>

#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {

std::ostream &operator<<(std::ostream &out, const Body &body) { return out << body.name; }

namespace {

class Device : public testing::TestWithParam<std::tuple<Transport, Body>> {};

TEST_P(Device, Does) {
  const auto &[transport, body] = GetParam();
  run_job(transport, body.size, body.run);
}

INSTANTIATE_TEST_SUITE_P(
    Every, Device, testing::Combine(testing::ValuesIn(transports_of(Suites::kDevice)), testing::ValuesIn(kBodies)),
    [](const auto &info) { return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name; });

// A job of one process reaches itself, over any netmod.
class DeviceAlone : public testing::TestWithParam<Transport> {};

TEST_P(DeviceAlone, ReachesItself) {
  run_job(GetParam(), 1, [](Process &process) {
    for (const Body &body :
         {Body{"", 1, a_process_can_send_to_itself}, Body{"", 1, a_receive_can_be_cancelled},
          Body{"", 1, messages_with_wrong_arguments_are_refused},
          Body{"", 1, a_synchronous_message_to_oneself_waits_for_its_receive},
          Body{"", 1, synchronous_messages_with_wrong_arguments_are_refused},
          Body{"", 1, a_list_without_gaps_takes_no_copy}, Body{"", 1, offsets_from_null_are_addresses},
          Body{"", 1, lists_with_wrong_arguments_are_refused}, Body{"", 1, sets_with_wrong_arguments_are_refused},
          Body{"", 1, probes_find_messages_from_nobody_and_from_oneself},
          Body{"", 1, probes_with_wrong_arguments_are_refused}, Body{"", 1, everyone_exchanges_with_everyone},
          Body{"", 1, random_traffic_arrives_intact}, Body{"", 1, windows_of_own_memory_take_puts_and_gets},
          Body{"", 1, puts_of_every_size_are_there_after_a_flush},
          Body{"", 1, fastpath_messages_arrive_intact_and_in_order},
          Body{"", 1, fastpath_messages_satisfy_receives_from_anybody},
          Body{"", 1, fastpath_messages_without_matching_come_as_they_are_sent},
          Body{"", 1, fastpath_puts_land_where_they_should}}) {
      body.run(process);
    }
  });
}

// Numbers of processes that leave a pair or a node incomplete.
TEST_P(DeviceAlone, IsFollowedByAnyNumberOfOthers) {
  for (const int size : {2, 3, 7}) {
    run_job(GetParam(), size, [](Process &process) {
      everyone_exchanges_with_everyone(process);
      a_receive_from_anybody_takes_each_message_once(process);
      communicators_do_not_mix_their_messages(process);
      windows_of_own_memory_take_puts_and_gets(process);
      fastpath_messages_satisfy_receives_from_anybody(process);
      fastpath_puts_land_where_they_should(process);
    });
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceAlone, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

TEST(DeviceBlocks, MayBeMoreThanAnIntCounts) {
  if (is_brief()) {
    GTEST_SKIP() << "takes long with assertions";
  }
  run_job(kNull, 1, lists_may_have_more_blocks_than_an_int_counts);
}

// The null netmod only issues: operations that need no answer work, and the process reaches itself.
class DeviceNull : public testing::TestWithParam<int> {};

TEST_P(DeviceNull, IssuesToEverybodyAndReachesItself) {
  run_job(kNull, GetParam(), [](Process &process) {
    everything_can_be_issued(process);
    a_process_can_send_to_itself(process);
    a_synchronous_message_to_oneself_waits_for_its_receive(process);
  });
}

INSTANTIATE_TEST_SUITE_P(Processes, DeviceNull, testing::Values(1, 2, 3, 7, 16), testing::PrintToStringParamName());

// Systems with and without a fabric may ask UCX for its puts and gets differently.
TEST(DeviceUcx, WindowsWorkBetweenProcessesWithAndWithoutUcxsOwnPutsAndGets) {
  const Transport &transport = transport_named("ucx_tcp");
  const std::function<void(Process &)> body = [](Process &process) {
    windows_of_allocated_memory_take_puts_and_gets(process);
    windows_of_own_memory_take_puts_and_gets(process);
    windows_that_are_exchanged_ask_nobody(process);
    puts_of_every_size_are_there_after_a_flush(process);
    fastpath_puts_land_where_they_should(process);
  };
  const auto run = [](avrm_boot_t *boot, void *user) {
    AVRM_MUST(setenv("AVRM_UCX_NO_RMA", avrm_boot_rank(boot) % 2 == 0 ? "0" : "1", 1) == 0);
    return run_process(boot, user);
  };
  Job job{&transport, &body, AVRM_OK};
  avrm_fork_options_t options{};
  options.size = 4;
  options.per_node = 1;
  options.timeout_ms = job_timeout_ms();
  options.kill_on_failure = 1;
  std::vector<std::int32_t> codes(4);
  ASSERT_EQ(avrm_boot_fork_run(&options, run, &job, codes.data()), AVRM_OK);
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(codes, std::vector<std::int32_t>(4, 0));
}

} // namespace
} // namespace avrankmap::test
