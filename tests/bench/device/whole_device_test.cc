// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The whole device in small jobs: the structures of others to the byte, ours without anything per
// process, and the projection against a measurement.

#include "device/job_memory/whole_device.h"

#include "baseline/per_rank.h"
#include "device/job_memory/own_device.h"
#include "device/job_memory/structures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

const Log kSilent = [](const std::string &) {};

LargeJob job_of(std::int32_t processes) {
  LargeJob job;
  job.processes = processes;
  return job;
}

// The world and 50 duplicates of all ranks, and 50 communicators of half of them.
constexpr std::uint64_t kRanksPerProcess = 1 + 50 + 25;

TEST(WholeDevice, OldMpichKeepsAllOfItsTables) {
  constexpr std::uint64_t kProcesses = 4096;
  const StructureUse vc = build_structures(job_of(kProcesses), "vc-vcrt");
  const StructureUse four = build_structures(job_of(kProcesses), "mpich4");
  EXPECT_GE(vc.addresses, 480 * kProcesses);
  EXPECT_GE(four.addresses, 72 * kProcesses);
  for (const StructureUse &use : {vc, four}) {
    EXPECT_EQ(use.hierarchies, 8 * kRanksPerProcess * kProcesses);
    EXPECT_EQ(use.windows, 10 * 24 * kProcesses);
  }
}

TEST(WholeDevice, Mpich5KeepsTablesOfNodesWhereTheyDiffer) {
  const StructureUse even = build_structures(job_of(4096), "mpich5");
  EXPECT_EQ(even.hierarchies, 0U);
  EXPECT_EQ(even.windows, 10U * 24 * 4096);
  EXPECT_GE(even.addresses, (32U + 4 * 8) * 4096);
  const StructureUse uneven = build_structures(job_of(4000), "mpich5"); // the last node is short
  EXPECT_EQ(uneven.hierarchies, 8 * kRanksPerProcess * 4000);
}

TEST(WholeDevice, OpenMpiKeepsGroupsAndTheProcessesThatWereMet) {
  const StructureUse sparse = build_structures(job_of(4096), "ompi-sparse");
  EXPECT_EQ(sparse.addresses, 1000U * (112 + 56));
  EXPECT_EQ(sparse.communicators, 8U * 101 + 80 + 8 * 4096 + 50 * 80);
  const StructureUse dense = build_structures(job_of(4096), "ompi");
  EXPECT_EQ(dense.addresses, sparse.addresses);
  EXPECT_EQ(dense.communicators, sparse.communicators + 50U * 8 * 2048);
  for (const StructureUse &use : {sparse, dense}) {
    EXPECT_EQ(use.hierarchies + use.windows, 0U);
  }
}

TEST(WholeDevice, Mpich41HasWiderEntries) {
  const StructureUse narrow = build_structures(job_of(4096), "mpich4");
  const StructureUse wide = build_structures(job_of(4096), "mpich4.1");
  EXPECT_EQ(wide.addresses - narrow.addresses, (4104U - 72) * 4096);
  EXPECT_EQ(wide.bytes() - wide.addresses, narrow.bytes() - narrow.addresses);
}

TEST(PerRankTables, NodesAreKeptIfNeededOnly) {
  for (const auto &[stride, needed] : {std::pair{1, false}, {2, false}, {128, false}, {96, true}, {3, true}}) {
    PerRankTables tables;
    tables.add_nodes(1024, stride, 128, true);
    EXPECT_EQ(tables.bytes(), needed ? 8U * 1024 : 0U) << stride;
    tables.add_nodes(1024, stride, 128, false);
    EXPECT_EQ(tables.bytes(), 8U * 1024 * (needed ? 2 : 1)) << stride;
  }
}

DeviceUse measured(std::int32_t processes, Connecting connecting) {
  DeviceUse use;
  EXPECT_EQ(measure_device(job_of(processes), connecting, "null", &use), DeviceOutcome::kMeasured);
  return use;
}

TEST(WholeDevice, OursKeepsNothingPerProcess) {
  const DeviceUse small = measured(16384, Connecting::kInOrder);
  const DeviceUse large = measured(262144, Connecting::kInOrder);
  EXPECT_TRUE(std::equal(std::begin(small.kinds), std::end(small.kinds), std::begin(large.kinds)));
  EXPECT_EQ(small.hierarchies, large.hierarchies);
}

TEST(WholeDevice, OursOnDemandKeepsTheTableAndThoseWhoWereMet) {
  const DeviceUse small = measured(16384, Connecting::kOnDemand);
  const DeviceUse large = measured(262144, Connecting::kOnDemand);
  for (int kind = 0; kind < AVRM_MEM_TOTAL; ++kind) {
    if (kind != AVRM_MEM_AV) {
      EXPECT_EQ(small.kinds[kind], large.kinds[kind]) << avrm_mem_kind_label(static_cast<avrm_mem_kind_t>(kind));
    }
  }
  EXPECT_LE(large.av, 12U * 262144 + (1U << 20));
}

TEST(WholeDevice, ProjectionMeetsTheMeasurement) {
  const auto rows_of_jobs = [](std::uint64_t memory) {
    WholeOptions options;
    options.processes = {1024, 4096, 32768};
    options.memory = memory;
    return measure_whole_device(options, kSilent, kSilent);
  };
  const std::vector<WholeDevice> all = rows_of_jobs(~std::uint64_t{0});
  const std::vector<WholeDevice> some = rows_of_jobs(4096);
  ASSERT_EQ(all.size(), some.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].scheme, some[i].scheme);
    EXPECT_TRUE(all[i].measured);
    EXPECT_EQ(some[i].measured, all[i].processes <= 4096 || !all[i].network.empty());
    if (all[i].network.empty()) {
      EXPECT_NEAR(static_cast<double>(some[i].resident), static_cast<double>(all[i].resident),
                  0.001 * static_cast<double>(all[i].resident));
    }
  }
}

} // namespace
} // namespace avrankmap::bench
