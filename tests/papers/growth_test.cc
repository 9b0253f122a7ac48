// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes by number of communicators.
#include "component/memory/growth.h"

#include "component/memory/memory_use.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr GrowthKind kKinds[] = {GrowthKind::kSplit,    GrowthKind::kDup,   GrowthKind::kSplitInter,
                                 GrowthKind::kDupInter, GrowthKind::kInter, GrowthKind::kReordered,
                                 GrowthKind::kDynamic,  GrowthKind::kMerge, GrowthKind::kWholeInter,
                                 GrowthKind::kMergeOne};

const Growth &row_of(const std::vector<Growth> &all, const std::string &scheme) {
  for (const Growth &growth : all) {
    if (growth.scheme == scheme) {
      return growth;
    }
  }
  throw std::runtime_error(scheme);
}

TEST(Growth, AccountingAgreesWithTheAllocatorToTheByte) {
  for (const GrowthKind kind : kKinds) {
    const std::vector<Growth> all = measure_growth(kind, 1024, 3);
    for (const char *const scheme : {"strict", "table", "default"}) {
      EXPECT_EQ(row_of(all, scheme).asked_bytes, row_of(all, scheme).bytes.back()) << scheme;
    }
  }
}

TEST(Growth, VcVcrtTakesWhatItsLayoutSays) {
  constexpr std::uint64_t kVc = 480;
  constexpr std::uint64_t kMap = 8 + 8; // header of the table, and the communicator's pointer to it
  const Growth split = row_of(measure_growth(GrowthKind::kSplit, 1024, 2), "vc-vcrt");
  EXPECT_GT(split.address_bytes, 1024 * kVc);
  EXPECT_LT(split.address_bytes, 1024 * kVc + 100);
  // the evens, 8 on a node, 64 nodes
  EXPECT_EQ(split.bytes[1] - split.bytes[0], 3 * kMap + 8 * (512 + 8 + 64));
  const Growth dup = row_of(measure_growth(GrowthKind::kDup, 1024, 2), "vc-vcrt");
  EXPECT_EQ(dup.bytes[2] - dup.bytes[1], 8 + 2 * kMap + 8 * (16 + 64)); // shares the world's table
  const Growth inter = row_of(measure_growth(GrowthKind::kSplitInter, 1024, 2), "vc-vcrt");
  EXPECT_EQ(inter.bytes[2] - inter.bytes[1], 2 * (kMap + 8 * 256) + 8 + 2 * kMap + 8 * (4 + 64));
}

TEST(Growth, EntriesOfVcVcrtAreThoseOfItsTables) {
  for (const GrowthKind kind : kKinds) {
    const Growth theirs = row_of(measure_growth(kind, 1024, 3), "vc-vcrt");
    for (std::size_t i = 0; i <= 3; ++i) { // headers of tables and communicators aside
      const std::uint64_t maps = theirs.bytes[i] - theirs.address_bytes;
      EXPECT_GE(maps, 8 * theirs.entries[i]) << static_cast<int>(kind) << ", " << i;
      EXPECT_LE(maps, 8 * theirs.entries[i] + 16 * (6 * i + 8)) << static_cast<int>(kind) << ", " << i;
    }
  }
}

TEST(Growth, OpenMpiHasTheObjectsOfTheOtherJobsProcesses) {
  constexpr std::uint64_t kProcessAndEndpoint = 112 + 56;
  constexpr std::uint64_t kTables = 8 * (512 + 1024); // of the world and of both jobs
  for (const char *const scheme : {"ompi", "ompi-sparse"}) {
    const Growth growth = row_of(measure_growth(GrowthKind::kDynamic, 1024, 1), scheme);
    EXPECT_GE(growth.bytes[0], 512 * kProcessAndEndpoint + kTables) << scheme;
    EXPECT_LT(growth.bytes[0], 512 * kProcessAndEndpoint + kTables + 512) << scheme;
    EXPECT_EQ(growth.address_bytes, 512 * kProcessAndEndpoint) << scheme;
  }
}

TEST(Growth, AWorldThatIsMetBringsItsAddresses) {
  const std::vector<Growth> all = measure_growth(GrowthKind::kInterDynamic, 1024, 2);
  const auto grown = [&](const char *scheme) { return row_of(all, scheme).bytes[2] - row_of(all, scheme).bytes[1]; };
  EXPECT_GT(grown("vc-vcrt"), 512U * (480 + 8));
  EXPECT_LT(grown("vc-vcrt"), 512U * (480 + 8) + 1024);
  EXPECT_GT(grown("strict"), 512U * 12);
  EXPECT_LT(grown("strict"), 512U * 12 + 8192);
  EXPECT_EQ(row_of(all, "strict").asked_bytes, row_of(all, "strict").bytes.back());
}

TEST(Growth, TablesOfNodesAreEightBytesPerRank) {
  const Growth split = row_of(measure_growth(GrowthKind::kSplit, 1024, 2), "vc-vcrt");
  EXPECT_EQ(split.node_bytes, (std::vector<std::uint64_t>{8 * 1024, 8 * (1024 + 512), 8 * (1024 + 512 + 512)}));
}

TEST(Growth, AgreesWithTheMemoryExperiments) {
  for (const bool split : {true, false}) {
    const std::vector<MemoryUse> uses =
        measure_memory(1024, {split ? split_experiment(1024, 7) : dup_experiment(1024, 7)});
    const std::vector<Growth> all = measure_growth(split ? GrowthKind::kSplit : GrowthKind::kDup, 1024, 7);
    for (const MemoryUse &use : uses) {
      if (std::set<std::string>{"vc-vcrt", "mpich4", "mpich5", "ompi", "ompi-sparse"}.count(use.scheme) != 0) {
        EXPECT_EQ(row_of(all, use.scheme).bytes.back(), use.bytes) << use.scheme;
      }
    }
  }
}

TEST(Growth, IrregularMapsTakeATableInBothSchemes) {
  const std::vector<Growth> all = measure_growth(GrowthKind::kReordered, 4096, 1);
  const auto grown = [&](const char *scheme) { return row_of(all, scheme).bytes[1] - row_of(all, scheme).bytes[0]; };
  for (const char *scheme : {"strict", "default"}) {
    EXPECT_GT(grown(scheme), 4U * 4096) << scheme;
    EXPECT_LT(grown(scheme), 4U * 4096 + 2048) << scheme;
  }
}

} // namespace
} // namespace avrankmap::bench
