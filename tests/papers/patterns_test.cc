// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Patterns of communication between real processes. Each verifies its own result in every way to
// translate, and throws if a number is wrong.
#include "communicators/torus.h"
#include "papers/patterns/local_fft.h"
#include "papers/patterns/multigrid.h"
#include "papers/patterns/neighbourhood.h"
#include "papers/patterns/owned_comm.h"
#include "papers/patterns/pencils.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

const std::vector<Lookup> kAll = {Lookup::kTable, Lookup::kFunction, Lookup::kLinear16, Lookup::kPaperCache,
                                  Lookup::kOurs};

void expect_times(const std::vector<LookupTimes> &times, std::size_t parts) {
  ASSERT_EQ(times.size(), kAll.size() + 1);
  for (const LookupTimes &time : times) {
    ASSERT_EQ(time.seconds.size(), parts) << time.lookup;
    EXPECT_TRUE(std::all_of(time.seconds.begin(), time.seconds.end(), [](double s) { return s > 0; })) << time.lookup;
  }
  EXPECT_EQ(times.front().ratios, std::vector<double>(parts, 1));
  EXPECT_EQ(times.back().lookup, kAgain);
}

TEST(Pencils, TransformCubes) {
  for (const auto &[side, points] : {std::pair{1, 4}, {2, 4}, {2, 6}, {3, 6}}) {
    expect_times(measure_pencils({side, points, 3, 2}, kAll), 2);
  }
}
TEST(Pencils, TransformPlanesOfRows) {
  for (const PencilOptions &options :
       {PencilOptions{1, 4, 2, 2, 1, 3}, {2, 6, 2, 2, 3, 2}, {3, 3, 2, 2, 2, 1}, {4, 8, 2, 2, 1, 2}}) {
    expect_times(measure_pencils(options, kAll), 2);
  }
}
TEST(Pencils, HaveThePapersMessages) {
  for (const auto &[points, bytes] : {std::pair{512, 8192U}, {1024, 65536U}}) {
    const PencilOptions whole{64, points, 3, 1};
    const PencilOptions row{64, points, 2, 1, 1, points / 64};
    EXPECT_EQ(whole.message_bytes(), bytes);
    EXPECT_EQ(row.message_bytes(), bytes);
    EXPECT_EQ(whole.processes(), 4096);
    EXPECT_EQ(row.processes(), 64);
  }
}
TEST(Pencils, RefusePointsThatProcessesCannotShareEvenly) {
  EXPECT_THROW((void)measure_pencils({3, 4, 3, 1}, kAll), std::runtime_error);
  EXPECT_THROW((void)measure_pencils({0, 4, 3, 1}, kAll), std::runtime_error);
  EXPECT_THROW((void)measure_pencils({2, 4, 4, 1}, kAll), std::runtime_error);
}

TEST(LocalFft, OfAnImpulseIsOneEverywhere) {
  if (!LocalFft::is_available()) {
    GTEST_SKIP() << "built without FFTW";
  }
  Field field(8);
  field[4] = 1;
  LocalFft(4, 2).forward(field);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(field[i], std::complex<double>(i < 4 ? 0 : 1)) << i;
  }
}

TEST(Multigrid, SolvesOnAnyGridInEachWay) {
  for (const std::array<std::int32_t, 3> grid : {std::array{1, 1, 1}, {1, 2, 1}, {4, 2, 1}, {2, 2, 4}}) {
    const MultigridOptions options{grid, 2, 1, 1};
    const std::vector<LookupTimes> times = measure_multigrid(options, kAll);
    expect_times(times, 1);
    for (const LookupTimes &time : times) {
      EXPECT_EQ(time.verified, times.front().verified) << time.lookup;
    }
  }
}
// The same matrix and the same levels, wherever the points are.
TEST(Multigrid, TakesAsManyIterationsWithEightProcessesAsWithOne) {
  const std::vector<LookupTimes> one = measure_multigrid({{1, 1, 1}, 8, 1, 1}, {Lookup::kOurs});
  const std::vector<LookupTimes> eight = measure_multigrid({{2, 2, 2}, 4, 1, 1}, {Lookup::kOurs});
  EXPECT_GT(one[0].verified, 2);
  EXPECT_EQ(one[0].verified, eight[0].verified);
}
// Neighbours and parents are other processes on levels with fewer points than processes.
TEST(Multigrid, TakesAsManyIterationsWithSixteenProcessesAsWithTwo) {
  const std::vector<LookupTimes> two = measure_multigrid({{2, 1, 1}, 8, 1, 1}, {Lookup::kOurs});
  const std::vector<LookupTimes> sixteen = measure_multigrid({{4, 2, 2}, 4, 1, 1}, {Lookup::kOurs});
  EXPECT_EQ(two[0].verified, sixteen[0].verified);
}
TEST(Multigrid, ConvergesInFewIterations) {
  EXPECT_LE(measure_multigrid({{1, 1, 1}, 32, 1, 1}, {Lookup::kOurs})[0].verified, 25);
}
TEST(Multigrid, FigureOfMeritIsUnknownsTimesIterationsOverTime) {
  EXPECT_EQ(figure_of_merit({{4, 2, 2}, 8, 10, 1}, 2), 16 * 512 * 10 / 2);
}
TEST(Multigrid, RefusesWhatIsNoPowerOfTwo) {
  EXPECT_THROW((void)measure_multigrid({{3, 1, 1}, 8, 1, 1}, kAll), std::runtime_error);
  EXPECT_THROW((void)measure_multigrid({{2, 1, 1}, 6, 1, 1}, kAll), std::runtime_error);
}

TEST(Torus, RanksGoRoundInEachDimension) {
  const Torus torus{{4, 3, 2}};
  EXPECT_EQ(torus.size(), 24);
  EXPECT_EQ(torus.beside(0, {1, 0, 0}), 1);
  EXPECT_EQ(torus.beside(0, {-1, 0, 0}), 3);
  EXPECT_EQ(torus.beside(0, {0, -1, 1}), 8 + 12);
  EXPECT_EQ(torus.beside(23, {5, 4, 3}), 0);
}
TEST(Torus, ReversedCountsTheLastDimensionFastest) {
  EXPECT_EQ((Torus{{2, 3}}.reversed()), (std::vector<std::int32_t>{0, 3, 1, 4, 2, 5}));
}
// The fifth dimension of 512 nodes has two places, one step forward and back.
TEST(Torus, TenStepsOfThePapersTorusReachNineProcesses) {
  const Torus torus{{4, 4, 4, 4, 2}};
  std::set<std::int32_t> ranks;
  const std::vector<Extents> steps = next_steps(5, 5);
  for (const Extents &step : steps) {
    ranks.insert(torus.beside(100, step));
  }
  EXPECT_EQ(steps.size(), 10U);
  EXPECT_EQ(ranks.size(), 9U);
  EXPECT_EQ(ranks.count(100), 0U);
}

TEST(Neighbourhood, MessagesComeFromTheNeighbours) {
  NeighbourhoodOptions options;
  options.torus.extents = {3, 2, 1, 2, 2};
  options.steps = next_steps(5, 5);
  options.exchanges = 2;
  expect_times(measure_neighbourhood(options, kAll), 1);
}
TEST(Neighbourhood, OfSeveralHopsReachesEverybody) {
  NeighbourhoodOptions options;
  options.torus.extents = {3, 3, 3};
  options.steps = steps_within(1);
  EXPECT_EQ(options.steps.size(), 26U);
  expect_times(measure_neighbourhood(options, kAll), 1);
}
TEST(Neighbourhood, RefusesMessagesWithoutRoomForTheSender) {
  EXPECT_THROW((void)measure_neighbourhood({{{2}}, {{1}}, 4, 1, 1}, kAll), std::runtime_error);
}

/// Peers of the world whose ranks are said to be these.
class OnlyPeers final : public Workload {
public:
  OnlyPeers(avrm_comm_t *world, std::vector<std::int32_t> ranks, Lookup lookup)
      : peers_(world, world, {4}, std::move(ranks), lookup, 1) {}
  double verify() override { return peers_.sum(peers_.rank() + 1); }
  void run(int /*part*/) override {}

private:
  Peers peers_;
};

std::vector<WorkloadTimes> run_peers(std::vector<std::int32_t> ranks, Lookup lookup) {
  WorkloadJob job;
  job.processes = 4;
  job.make = [&](avrm_comm_t *world) {
    Workloads workloads;
    workloads.push_back(std::make_unique<OnlyPeers>(world, ranks, lookup));
    return workloads;
  };
  return run_workloads(job);
}

TEST(Peers, AddUp) {
  for (const Lookup lookup : kAll) {
    EXPECT_EQ(run_peers({0, 1, 2, 3}, lookup)[0].verified, 10) << name_of(lookup);
  }
}
TEST(Peers, RefuseRanksThatAreOtherProcesses) {
  for (const Lookup lookup : {Lookup::kTable, Lookup::kOurs}) {
    EXPECT_THROW((void)run_peers({3, 2, 1, 0}, lookup), std::runtime_error);
    EXPECT_THROW((void)run_peers({0, 1, 2}, lookup), std::runtime_error);
  }
}

TEST(Workloads, TellWhyAProcessFailed) {
  WorkloadJob job;
  job.processes = 2;
  job.make = [](avrm_comm_t *world) -> Workloads {
    if (avrm_comm_rank(world) == 1) {
      throw std::runtime_error("no such luck");
    }
    return {};
  };
  try {
    (void)run_workloads(job);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "workloads, process 1: no such luck");
  }
}

} // namespace
} // namespace avrankmap::bench
