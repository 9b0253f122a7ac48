// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths under PMI-2 launchers, which report none. The processes run kill_job.cc, which has the
// checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/device/liveness/kill_tally.h"
#include "tests/device/liveness/shared_kill_record.h"

namespace avrankmap::test {
namespace {

// hydra ends a node's processes when a signal ends one of them, but goes on when one of them ends
// with an error. So a shell between them turns a death by a signal into an exit code. It handles
// hydra's signal, which its child would then inherit as not handled.
constexpr const char *kShell = R"(trap : USR1; "$@"; code=$?; [ $code -le 128 ] || exit 99; exit $code)";

class KilledUnderPmi2 : public testing::Test {
protected:
  // All processes but one must end well.
  void run(const Transport &transport, std::uint32_t number, Words words, int size, const std::string &scenario) {
    SCOPED_TRACE(scenario + " over " + transport.name);
    const SharedKillRecord kill_record(number);
    const std::vector<int> codes =
        launch(std::move(words), {AVRM_KILL_JOB, transport.name, scenario, kill_record.path(), "pmi2"});
    if (codes.front() == kSkipped) {
      std::puts(lacks(transport).c_str());
      return;
    }
    EXPECT_EQ(kill_record->survivors, size - 1) << testing::PrintToString(codes);
    tally_.add(transport, *kill_record);
  }
  static std::uint32_t number_of(int i) { return static_cast<std::uint32_t>(seed()) + static_cast<std::uint32_t>(i); }

private:
  KillTally tally_;
};

TEST_F(KilledUnderPmi2, HydrasOtherProcessesLearnOfADeathAndGoOn) {
  if (!has_hydra()) {
    GTEST_SKIP() << kNoHydra;
  }
  for (int i = 0; i < repetitions(); ++i) {
    const Transport &transport = transport_of(0, i);
    const int size = std::min(transport.at_a_death, kKilledJob);
    Words words = hydra_words(size);
    words.insert(words.begin() + 1, "-disable-auto-cleanup");
    words.insert(words.end(), {"sh", "-c", kShell, "sh"});
    const std::uint32_t number = number_of(i);
    run(transport, number, words, size, i == 0 ? "InARecovery" : kScenarios[number % kScenarioCount].name);
  }
}

TEST_F(KilledUnderPmi2, SlurmsOtherProcessesLearnOfADeathAndGoOn) {
  if (*AVRM_SRUN == '\0') {
    GTEST_SKIP() << "srun was not found at configure time (Debian and Ubuntu: slurm-client)";
  }
  if (!has_hosts()) {
    GTEST_SKIP() << kNoHosts;
  }
  for (int i = 0; i < (is_long() ? 20 : 1); ++i) {
    Words words = on_hosts(2, {"--slurm"});
    words.insert(words.end(), {AVRM_SRUN, "--mpi=pmi2", "--kill-on-bad-exit=0", "--no-kill", "--nodes=2",
                               "--ntasks-per-node=2", "-n", "4"});
    run(transport_named(i % 2 == 0 ? "ofi_tcp_and_posix" : "ucx_tcp_and_posix"), number_of(i), words, 4, "InARecovery");
  }
}

} // namespace
} // namespace avrankmap::test
