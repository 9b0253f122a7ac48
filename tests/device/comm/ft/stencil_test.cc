// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/device/comm/ft/stencil.h"

#include <signal.h>
#include <unistd.h>

#include <numeric>

#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

constexpr int kSteps = 33;
constexpr int kProcesses = 5;

Cells rod_at_start() {
  Cells cells(103);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = static_cast<double>(i * 37 % 101);
  }
  return cells;
}

Cells rod_after(int steps) {
  Cells cells = rod_at_start();
  for (; steps > 0; --steps) {
    double left = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double right = i + 1 < cells.size() ? cells[i + 1] : 0;
      left = std::exchange(cells[i], cells[i] + 0.25 * (left - 2 * cells[i] + right));
    }
  }
  return cells;
}

// Every one of so many parts is with one survivor, and right.
void check_result(int count, const Rod &rod) {
  const Cells expected = rod_after(kSteps);
  std::uint64_t missing = (std::uint64_t{1} << count) - 1;
  for (const auto &[part, cells] : rod.parts()) {
    const std::size_t start = expected.size() * static_cast<std::size_t>(part) / static_cast<std::size_t>(count);
    AVRM_MUST(std::equal(cells.begin(), cells.end(), expected.begin() + static_cast<std::ptrdiff_t>(start)));
    missing &= ~(std::uint64_t{1} << part);
  }
  AVRM_MUST(avrm_comm_agree(rod.comm(), &missing) == AVRM_OK && missing == 0);
}

class Stencil : public testing::TestWithParam<Transport> {};

TEST_P(Stencil, WithoutDeathsIsRight) {
  run_job(GetParam(), kProcesses, [](Process &process) {
    Rod rod(process.world, rod_at_start());
    AVRM_MUST(rod.run(kSteps, [](int) {}));
    AVRM_MUST(rod.comm() == process.world && rod.parts().size() == 1);
    check_result(kProcesses, rod);
  });
}

// In the first step, in those with and without copies, and in the last one.
TEST_P(Stencil, EndsWithTheRightAnswerWhenAProcessDies) {
  const std::vector<std::pair<int, int>> deaths =
      is_slow(GetParam()) ? std::vector<std::pair<int, int>>{{2, 17}}
                          : std::vector<std::pair<int, int>>{{1, 0}, {0, 7}, {2, 10}, {4, 23}, {3, kSteps - 1}};
  for (const auto &[victim, step] : deaths) {
    run_job(
        GetParam(), kProcesses,
        [victim = victim, step = step](Process &process) {
          prepare_for_death(process, GetParam());
          Rod rod(process.world, rod_at_start());
          AVRM_MUST(rod.run(kSteps, [&](int now) {
            if (process.rank == victim && now == step) {
              kill(getpid(), SIGKILL);
            }
          }));
          AVRM_MUST(avrm_comm_size(rod.comm()) == kProcesses - 1);
          check_result(kProcesses, rod);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

// The spare has a part then. The last one is the process that has copies of process 3's.
TEST_P(Stencil, ASpareTakesThePartOfADeadProcess) {
  for (const auto &[victim, step] : {std::pair{1, 12}, std::pair{3, 7}}) {
    if (victim == 3 && is_slow(GetParam())) {
      continue;
    }
    run_job(
        GetParam(), kProcesses,
        [victim = victim, step = step](Process &process) {
          prepare_for_death(process, GetParam());
          Rod rod(process.world, rod_at_start(), 1);
          AVRM_MUST(rod.run(kSteps, [&](int now) {
            if (process.rank == victim && now == step) {
              kill(getpid(), SIGKILL);
            }
          }));
          AVRM_MUST(avrm_comm_size(rod.comm()) == kProcesses - 1 && rod.parts().size() == 1);
          check_result(kProcesses - 1, rod);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Over, Stencil,
                         testing::ValuesIn(transports_of(Suites::kAll, [](const Transport &) { return true; })),
                         kByName);

} // namespace
} // namespace avrankmap::test
