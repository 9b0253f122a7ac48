// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who carries out the atomics of a window: what the processes of a job say, each for itself.
#include "avrankmap/atomics.h"
#include "tests/device/bodies.h"
#include "tests/device/job.h"
#include "tests/device/window.h"

namespace avrankmap::test {
namespace {

class NetworkAtomics : public testing::TestWithParam<Transport> {};

constexpr int kProcesses = 4;

// Runs a body in a job whose processes have called `prepare` with their rank.
void run_prepared(const Transport &transport, void (*prepare)(int rank), const std::function<void(Process &)> &body) {
  struct Prepared {
    Job job;
    void (*prepare)(int rank);
  };
  Prepared prepared{{&transport, &body, AVRM_OK}, prepare};
  const auto run = [](avrm_boot_t *boot, void *user) {
    auto *const mine = static_cast<Prepared *>(user);
    mine->prepare(avrm_boot_rank(boot));
    return run_process(boot, &mine->job);
  };
  avrm_fork_options_t options{};
  options.size = kProcesses;
  options.per_node = transport.per_node;
  options.timeout_ms = job_timeout_ms();
  options.kill_on_failure = 1;
  std::vector<std::int32_t> codes(kProcesses);
  ASSERT_EQ(avrm_boot_fork_run(&options, run, &prepared, codes.data()), AVRM_OK);
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(codes, std::vector<std::int32_t>(kProcesses, 0));
}

void use_windows(Process &process, bool by_network) {
  {
    const Window window(process, 8, true, AVRM_WINDOW_NETWORK_ATOMICS);
    AVRM_MUST(avrm_window_has_network_atomics(window.get()) == by_network);
  }
  each_ticket_is_drawn_once(process);
  a_lock_of_atomics_keeps_others_out(process);
  atomics_of_one_process_keep_their_order(process);
  narrow_atomics_agree_with_their_twin(process);
}

// UCX is not asked for them over TCP alone, unless somebody wants it.
TEST_P(NetworkAtomics, AreUsedWhereAllHaveThem) {
  run_prepared(
      GetParam(), [](int /*rank*/) { AVRM_MUST(setenv("AVRM_UCX_NO_RMA", "0", 1) == 0); },
      [](Process &process) { use_windows(process, true); });
}

TEST_P(NetworkAtomics, AreLeftToTheProcessorIfOneProcessSaysSo) {
  run_prepared(
      GetParam(),
      [](int rank) {
        AVRM_MUST(setenv("AVRM_UCX_NO_RMA", "0", 1) == 0);
        AVRM_MUST(rank != kProcesses - 1 || setenv("AVRM_ATOMICS", "processor", 1) == 0);
      },
      [](Process &process) { use_windows(process, false); });
}

INSTANTIATE_TEST_SUITE_P(Over, NetworkAtomics, testing::ValuesIn(transports_of(Suites::kAll, has_network)), kByName);

TEST(AtomicsSetting, AWordThatIsNoneIsRefused) {
  avrm_boot_t *boot = nullptr;
  ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = "null";
  avrm_device_t *device = nullptr;
  ASSERT_EQ(setenv("AVRM_ATOMICS", "hardware", 1), 0);
  EXPECT_EQ(avrm_device_open(&options, &device), AVRM_ERR_OPTION);
  EXPECT_EQ(device, nullptr);
  ASSERT_EQ(unsetenv("AVRM_ATOMICS"), 0);
  avrm_boot_close(boot);
}

} // namespace
} // namespace avrankmap::test
