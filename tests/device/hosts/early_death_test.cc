// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process ends before it has opened its device, when no other process watches it yet. Then its
// launcher ends the job, or the others get an error, at the latest after AVRM_OPEN_TIMEOUT. The
// processes run early_death_job.cc.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/device/hosts/launchers.h"
#include "tests/device/launch/early_death.h"
#include "tests/support/settings.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

constexpr const char *kLimit = "AVRM_OPEN_TIMEOUT=4";
// In which a job must end. That of a process's alarm is longer.
constexpr int kLimitS = 150;
constexpr int kTimedOut = 124;

struct Death {
  const char *name;
  const char *when;
  const char *how;
};
constexpr Death kDeaths[] = {
    {"ExitsWellUnopened", "unopened", "0"},
    {"ExitsUnopened", "unopened", "3"},
    {"IsKilledUnopened", "unopened", "kill"},
    {"ExitsWell", "opened", "0"},
    {"Exits", "opened", "3"},
    {"IsKilled", "opened", "kill"},
};

std::ostream &operator<<(std::ostream &out, const Death &death) { return out << death.name; }

// The flag: the launcher is asked to let the others go on.
using Cell = std::tuple<Launcher, Death, bool>;

std::vector<Cell> cells() {
  std::vector<Cell> cells;
  for (const Launcher &launcher : kLaunchers) {
    for (const Death &death : kDeaths) {
      for (const bool goes_on : {false, true}) {
        // mpirun that is to go on lingers until the limit.
        const bool is_short =
            launcher.words != srun_pmix_placed &&
            (goes_on ? &death == &kDeaths[4] && launcher.words != mpirun_placed : &death == &kDeaths[0]);
        if (is_short || is_long()) {
          cells.emplace_back(launcher, death, goes_on);
        }
      }
    }
  }
  return cells;
}

std::string name_of(const testing::TestParamInfo<Cell> &info) {
  const auto &[launcher, death, goes_on] = info.param;
  return std::string(launcher.name) + "_" + death.name + (goes_on ? "_GoingOn" : "");
}

class EarlyDeath : public testing::TestWithParam<Cell> {};

TEST_P(EarlyDeath, EndsTheJobOrIsAnErrorOfTheOthers) {
  const auto &[launcher, death, goes_on] = GetParam();
  if (const std::string reason = lacks_for(launcher); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  const Placement placement = block(2, 2);
  std::vector<int> outcomes(placement.size(), kNoOutcome);
  const std::size_t bytes = outcomes.size() * sizeof outcomes[0];
  const SharedFile file(std::string(reinterpret_cast<const char *>(outcomes.data()), bytes));
  const int code =
      run_placed(launcher, placement, {}, {"env", kLimit, AVRM_EARLY_DEATH_JOB, file.path(), death.when, death.how},
                 goes_on ? Words{launcher.survive} : Words{}, kLimitS);
  if (code == kSkipped) {
    GTEST_SKIP() << lacks(transport_named("ucx_tcp"));
  }
  ASSERT_EQ(pread(file.descriptor(), outcomes.data(), bytes, 0), static_cast<ssize_t>(bytes));
  EXPECT_EQ(outcomes.back(), kNoOutcome);
  outcomes.pop_back();
  // hydra's exit code is 0 if it ends the job because the first process has given up.
  const auto is_error = [](int outcome) { return outcome < 0; };
  const bool was_ended = code != kTimedOut && (code != 0 || std::any_of(outcomes.begin(), outcomes.end(), is_error));
  for (const int outcome : outcomes) {
    EXPECT_TRUE(is_error(outcome) || (outcome == kNoOutcome && was_ended))
        << "exit code " << code << ", outcomes " << testing::PrintToString(outcomes);
  }
}

INSTANTIATE_TEST_SUITE_P(Under, EarlyDeath, testing::ValuesIn(cells()), name_of);

} // namespace
} // namespace avrankmap::test
