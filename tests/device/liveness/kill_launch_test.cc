// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths under mpirun that it does not report: its own, and, with --enable-recovery, those of
// processes. The processes run kill_job.cc, which has the checks.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/device/liveness/kill_tally.h"
#include "tests/device/liveness/shared_kill_record.h"
#include "tests/support/hosts.h"

namespace avrankmap::test {
namespace {

class KilledUnderMpirun : public testing::Test {
protected:
  void SetUp() override {
    if (!has_mpirun()) {
      GTEST_SKIP() << kNoMpirun;
    }
  }
  // All processes but `dead` must end well.
  void run(const Transport &transport, std::uint32_t number, const std::vector<std::string> &options,
           const std::string &scenario, int dead) {
    const int size = std::min(transport.at_a_death, kKilledJob);
    std::vector<std::string> words = mpirun_words(size);
    words.insert(words.begin() + 1, options.begin(), options.end());
    run(transport, number, words, size, scenario, dead);
  }
  void run(const Transport &transport, std::uint32_t number, const std::vector<std::string> &words, int size,
           const std::string &scenario, int dead) {
    SCOPED_TRACE(scenario + " over " + transport.name);
    const SharedKillRecord kill_record(number);
    const std::vector<int> codes = launch(words, {AVRM_KILL_JOB, transport.name, scenario, kill_record.path()});
    if (codes.front() == kSkipped) {
      std::puts(lacks(transport).c_str());
      return;
    }
    EXPECT_EQ(kill_record->survivors, size - dead) << testing::PrintToString(codes);
    tally_.add(transport, *kill_record);
  }

private:
  KillTally tally_;
};

TEST_F(KilledUnderMpirun, LosingTheLauncherEndsWhatIsUnderWay) {
  for (int i = 0; i < repetitions(); ++i) {
    run(transport_of(0, i), static_cast<std::uint32_t>(seed()) + static_cast<std::uint32_t>(i), {}, "Launcher", 0);
  }
}

// All scenarios together.
TEST_F(KilledUnderMpirun, ADeathThatTheLauncherHidesEndsWhatIsUnderWay) {
  for (int i = 0; i < repetitions(); ++i) {
    const std::uint32_t number = static_cast<std::uint32_t>(seed()) + static_cast<std::uint32_t>(i);
    run(transport_of(1, i), number, {"--enable-recovery"}, kScenarios[number % kScenarioCount].name, 1);
  }
}

// Revoking, agreeing and shrinking, at many points, over all transports by turns.
TEST_F(KilledUnderMpirun, RecoveriesFromADeathThatTheLauncherHidesAreUniform) {
  const int points = is_long() ? 200 : kSanitized ? 2 : 10;
  for (int i = 0; i < points && !HasFailure(); ++i) {
    const std::uint32_t number = static_cast<std::uint32_t>(seed()) + static_cast<std::uint32_t>(i);
    run(transport_of(2, i), number, {"--enable-recovery"}, "InARecovery", 1);
  }
}

// All processes of one host die, whom those of the other have never met.
TEST_F(KilledUnderMpirun, DeathsOnAnotherHostThatTheLauncherHidesAreFound) {
  if (!has_hosts()) {
    GTEST_SKIP() << kNoHosts;
  }
  std::vector<std::string> words = two_hosts_words();
  words.emplace_back("--enable-recovery");
  for (int i = 0; i < (is_long() ? 20 : 1); ++i) {
    const std::uint32_t number = static_cast<std::uint32_t>(seed()) + static_cast<std::uint32_t>(i);
    run(transport_named(i % 2 == 0 ? "ucx_tcp_and_posix" : "ofi_tcp_and_posix"), number, words, 4, "Host", 2);
  }
}

} // namespace
} // namespace avrankmap::test
