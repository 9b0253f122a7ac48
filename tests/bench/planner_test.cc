// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/memory/memory_use.h"
#include "tools/plan/estimate.h"
#include "tools/plan/plan.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::planner {
namespace {

using Ranks = std::vector<std::int32_t>;

constexpr std::uint64_t kPlenty = std::numeric_limits<std::uint64_t>::max();

std::vector<Estimate> plan(const Job &job, const std::string &list) { return estimate(job, parse(list, job), kPlenty); }

const Estimate &of(const std::vector<Estimate> &estimates, const std::string &scheme) {
  const auto found =
      std::find_if(estimates.begin(), estimates.end(), [&](const Estimate &e) { return e.scheme == scheme; });
  EXPECT_NE(found, estimates.end()) << scheme;
  return found == estimates.end() ? estimates.front() : *found;
}

/// What a list is refused with.
std::string refusal(const std::string &list, const Job &job = {100, 4, 0, true}) {
  try {
    parse(list, job);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "accepted";
}

Ranks members(const std::string &list, const Job &job) {
  const std::vector<Communicator> comms = expand(parse(list, job).front(), job, 0);
  return comms.size() == 1 ? comms.front().world_ranks : Ranks{};
}

Ranks where(const Job &job, bool (*member)(std::int32_t)) {
  Ranks ranks;
  for (std::int32_t rank = 0; rank < job.processes; ++rank) {
    if (member(rank)) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

TEST(Planner, AgreesWithTheHarnessToTheByte) {
  const Job job{3072, 16, 0, true};
  const std::vector<bench::MemoryUse> uses = bench::measure_memory(
      job.processes, {bench::dup_experiment(job.processes, 20), bench::split_experiment(job.processes, 20)});
  const std::vector<Estimate> dups = plan(job, "dup:20");
  const std::vector<Estimate> splits = plan(job, "split-columns:2:20");
  int compared = 0;
  for (const bench::MemoryUse &use : uses) {
    if (use.scheme == "avrankmap-implicit") {
      continue; // the harness has its maps in the plain modes
    }
    const std::string scheme = use.scheme == "avrankmap" ? "ours, speed" : use.scheme;
    const Estimate &planned = of(use.application == "dup" ? dups : splits, scheme);
    EXPECT_EQ(planned.bytes, use.bytes) << scheme << ' ' << use.application;
    EXPECT_EQ(planned.address_bytes, use.world_bytes) << scheme;
    EXPECT_EQ(planned.communicators, use.communicators);
    ++compared;
  }
  EXPECT_EQ(compared, 18);
}

TEST(Planner, RegularCommunicatorsCostARankmapEach) {
  const Job job{1024, 16, 512, false};
  const std::vector<Estimate> estimates = plan(job, "dup:3,split-rows:8:2,split-columns:8,node,node-roots");
  for (const char *scheme : {"ours, strict", "ours, speed", "ours, extended"}) {
    const Estimate &ours = of(estimates, scheme);
    EXPECT_EQ(ours.communicators, 9) << scheme;
    EXPECT_EQ(ours.bytes - ours.address_bytes, 9U * 56) << scheme;
    EXPECT_EQ(ours.per_node, ours.bytes * 16) << scheme;
  }
}

TEST(Planner, AnImplicitAddressVectorHasNoTable) {
  const Job job{65536, 16, 0, false};
  EXPECT_LT(of(plan(job, "dup:10"), "ours, extended, implicit AV").bytes, 8192U);
}

TEST(Planner, RandomOrdersAreTablesAndNotShared) {
  const Job job{1024, 16, 512, false};
  const std::vector<Estimate> estimates = plan(job, "random:2");
  for (const char *scheme : {"ours, strict", "ours, extended"}) {
    const Estimate &ours = of(estimates, scheme);
    EXPECT_EQ(ours.bytes - ours.address_bytes, 56 + 2 * (56 + 16 + 1024 * 4)) << scheme;
  }
}

TEST(Planner, MergedWorldsCountTheAddressesOfBoth) {
  const Job job{1024, 16, 512, false};
  const std::vector<Estimate> estimates = plan(job, "merged:512:2");
  const Estimate &extended = of(estimates, "ours, extended");
  EXPECT_GE(extended.address_bytes, 12U * 1536);
  EXPECT_EQ(extended.modes.at("segments"), 2);
}

TEST(Planner, WhatDoesNotFitIsNotBuilt) {
  const Job job{1024, 16, 0, false};
  for (const Estimate &estimate : estimate(job, parse("dup", job), 1024)) {
    EXPECT_FALSE(estimate.built);
    EXPECT_GT(estimate.needs, 1024U);
  }
}

TEST(Planner, WhatDoesNotFitIsNotListed) {
  const Job job{1 << 27, 16, 0, true};
  const auto peak_kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak_kilobytes();
  for (const Estimate &estimate : estimate(job, parse("world,split-rows:2,cart2:8192x8192,failed:1", job), 1024)) {
    EXPECT_FALSE(estimate.built);
  }
  EXPECT_LT(peak_kilobytes(), before + (1 << 16));
}

TEST(Planner, NumberOfRanksIsThatOfTheExpansion) {
  for (const std::int32_t rank : {0, 37, 96, 99}) {
    const Job job{100, 8, rank, false};
    for (const Request &request : parse(
             "world,dup,split-rows:3,split-columns:3,cart2:4x20,cart3:5x4x5,random,merged:7,failed:10,node,node-roots",
             job)) {
      std::size_t ranks = 0;
      for (const Communicator &comm : expand(request, job, 0)) {
        ranks += comm.world_ranks.size();
      }
      EXPECT_EQ(world_ranks_of(request, job), static_cast<double>(ranks)) << request.text << " at " << rank;
    }
  }
}

TEST(Planner, SplitsAreThoseOfMpi) {
  const Job job{100, 8, 37, false};
  EXPECT_EQ(members("split-columns:10", job), where(job, [](std::int32_t rank) { return rank % 10 == 7; }));
  EXPECT_EQ(members("split-rows:10", job), where(job, [](std::int32_t rank) { return rank / 10 == 3; }));
  EXPECT_EQ(members("split-rows:7", job), where(job, [](std::int32_t rank) { return rank * 7 / 100 == 37 * 7 / 100; }));
  EXPECT_EQ(members("node", job), where(job, [](std::int32_t rank) { return rank / 8 == 4; }));
  EXPECT_EQ(members("node-roots", {100, 8, 16, false}), where(job, [](std::int32_t rank) { return rank % 8 == 0; }));
}

TEST(Planner, TheProcessIsInEveryCommunicatorThatCounts) {
  for (const std::int32_t rank : {0, 37, 99}) {
    const Job job{100, 8, rank, false};
    for (const Request &request : parse(
             "world,split-rows:3,split-columns:3,split-colours:3,cart2:5x20,cart3:5x4x5,random,failed:10,node", job)) {
      for (const Communicator &comm : expand(request, job, 0)) {
        const std::set<std::int32_t> distinct(comm.world_ranks.begin(), comm.world_ranks.end());
        EXPECT_EQ(distinct.size(), comm.world_ranks.size()) << request.text;
        EXPECT_TRUE(distinct.contains(rank)) << request.text;
        EXPECT_LT(*distinct.rbegin(), 100) << request.text;
      }
    }
  }
}

TEST(Planner, WhoIsNoNodeRootOrOutsideTheGridHasNone) {
  const Job job{100, 8, 37, false};
  EXPECT_TRUE(expand(parse("node-roots", job).front(), job, 0).empty());
  EXPECT_TRUE(expand(parse("cart2:6x6", job).front(), job, 0).empty());
}

TEST(Planner, AGridOfThreeDimensionsHasLinesAndPlanes) {
  const Job job{60, 4, 33, false}; // 33 = (1, 2, 3) of 3 x 4 x 5
  const std::vector<Communicator> comms = expand(parse("cart3:3x4x5", job).front(), job, 0);
  std::multiset<std::size_t> sizes;
  for (const Communicator &comm : comms) {
    sizes.insert(comm.world_ranks.size());
  }
  EXPECT_EQ(sizes, (std::multiset<std::size_t>{60, 3, 4, 5, 12, 15, 20}));
  EXPECT_EQ(comms[1].world_ranks, (Ranks{13, 33, 53}));
}

TEST(Planner, FailuresSpareTheProcessItself) {
  const Job job{10, 2, 4, false};
  EXPECT_EQ(members("failed:9", job), Ranks{4});
}

TEST(Planner, BadListsAreRefusedWithTheirReason) {
  EXPECT_NE(refusal("rows:3").find("\"rows\" is no kind of communicator; there are world, dup"), std::string::npos);
  EXPECT_NE(refusal("").find("accepted"), std::string::npos);
  EXPECT_EQ(refusal("split-rows"), "\"split-rows\" needs a parameter, as in split-rows:4");
  EXPECT_EQ(refusal("dup:0"), "\"dup:0\": \"0\" is not a count from 1 to 1000000");
  EXPECT_EQ(refusal("dup:1:2"), "\"dup:1:2\": nothing can follow the count");
  EXPECT_EQ(refusal("cart2:3"), "\"cart2:3\": cart2 takes 2 numbers joined by x, not 1");
  EXPECT_EQ(refusal("cart2:3xx"), "\"cart2:3xx\": \"\" is not a number from 1 to 2147483646");
  EXPECT_EQ(refusal("cart3:5x5x5"), "\"cart3:5x5x5\": the grid has more than the 100 processes there are");
  EXPECT_EQ(refusal("cart2:2147483646x2147483646"),
            "\"cart2:2147483646x2147483646\": the grid has more than the 100 processes there are");
  EXPECT_EQ(refusal("split-rows:101"), "\"split-rows:101\": 100 processes cannot be split into 101 parts");
  EXPECT_EQ(refusal("failed:100"), "\"failed:100\": of 100 processes at most 99 can fail");
  EXPECT_EQ(refusal("merged:2147483646"), "\"merged:2147483646\": a communicator has at most 2147483646 processes");
  EXPECT_NE(refusal("dup,,dup").find("\"\" is no kind"), std::string::npos);
  EXPECT_NE(refusal("dup", {0, 1, 0, true}).find("a job has 1 to"), std::string::npos);
  EXPECT_NE(refusal("dup", {8, 0, 0, true}).find("a node has at least 1 process"), std::string::npos);
  EXPECT_EQ(refusal("dup", {8, 1, 8, true}), "there is no process 8 among 8");
}

} // namespace
} // namespace avrankmap::planner
