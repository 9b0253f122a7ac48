// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/rebuilt_comms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace avrankmap::survey {
namespace {

using Processes = std::vector<avrm_gpid_t>;

constexpr std::uint64_t kWorld = 1;
constexpr std::int32_t kSize = 1000;
constexpr std::size_t kStrict = 0, kExtended = 1, kVcVcrt = 2, kMpich5 = 3;

/// size processes of a process group, from offset on with a stride.
Processes affine(std::int32_t size, std::int32_t offset = 0, std::int32_t stride = 1, std::int32_t pgid = 0) {
  Processes processes;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    processes.push_back({pgid, offset + rank * stride});
  }
  return processes;
}

/// All processes of the world in an order without a pattern.
Processes shuffled(std::int32_t size) {
  Processes processes = affine(size);
  std::mt19937 random(1);
  std::shuffle(processes.begin(), processes.end(), random);
  return processes;
}

class SurveyRebuiltComms : public testing::Test {
protected:
  SurveyRebuiltComms() { world(comms_, kSize); }

  static void world(RebuiltComms &comms, std::int32_t size) {
    const Processes all = affine(size);
    comms.add({kWorld, 0, Made::kPredefined, "MPI_COMM_WORLD", all, {}});
  }

  const Row &add(std::uint64_t handle, std::uint64_t parent, Made made, const Processes &processes,
                 const Processes &remote = {}) {
    comms_.add({handle, parent, made, "call", processes, remote});
    return comms_.summary().rows.back();
  }

  RebuiltComms comms_{kSize, 0};
};

TEST_F(SurveyRebuiltComms, RegularCommunicatorsTakeARankmapAndNothingElse) {
  const Row &row = add(2, kWorld, Made::kSplit, affine(kSize / 2, 1, 2));
  EXPECT_EQ(row.strict, AVRM_MODE_STRIDE);
  EXPECT_EQ(row.extended, AVRM_MODE_STRIDE);
  EXPECT_EQ(row.bytes, (PerScheme{56, 56, 8 + 8 + 8 * kSize / 2, 56}));
  EXPECT_TRUE(row.composed);
}

TEST_F(SurveyRebuiltComms, IrregularOnesTakeATable) {
  const Row &row = add(2, kWorld, Made::kSplit, shuffled(kSize));
  EXPECT_EQ(row.strict, AVRM_MODE_LUT);
  EXPECT_EQ(row.extended, AVRM_MODE_LUT);
  EXPECT_EQ(row.bytes[kStrict], 56 + 16 + 4 * kSize);
  EXPECT_EQ(row.bytes[kExtended], 56 + 16 + 4 * kSize);
  EXPECT_EQ(row.bytes[kMpich5], 56 + 8 * kSize);
}

TEST_F(SurveyRebuiltComms, DuplicatesShareTheTable) {
  const Processes order = shuffled(kSize);
  add(2, kWorld, Made::kSplit, order);
  EXPECT_EQ(add(3, 2, Made::kDup, order).bytes, (PerScheme{56, 56, 8, 8}));
}

TEST_F(SurveyRebuiltComms, WhatIsFreedNoLongerCounts) {
  const PerScheme before = comms_.summary().peak_bytes;
  add(2, kWorld, Made::kSplit, affine(kSize, kSize - 1, -1));
  const PerScheme once = comms_.summary().peak_bytes;
  EXPECT_GT(once[kVcVcrt], before[kVcVcrt]);
  for (std::uint64_t handle = 3; handle < 100; ++handle) {
    comms_.remove(handle - 1);
    add(handle, kWorld, Made::kSplit, affine(kSize, kSize - 1, -1));
  }
  EXPECT_EQ(comms_.summary().peak_bytes, once);
  EXPECT_EQ(comms_.summary().live, 2);
  EXPECT_EQ(comms_.summary().most_live, 2);
  EXPECT_EQ(comms_.summary().made, 98);
}

TEST_F(SurveyRebuiltComms, AHandleThatComesAgainWasFreed) {
  add(2, kWorld, Made::kSplit, affine(10));
  add(2, kWorld, Made::kSplit, affine(20));
  EXPECT_EQ(comms_.summary().live, 2);
}

TEST_F(SurveyRebuiltComms, FreeingAnUnknownHandleChangesNothing) {
  comms_.remove(77);
  EXPECT_EQ(comms_.summary().live, 1);
}

TEST_F(SurveyRebuiltComms, ARenamedCommunicatorIsFreedUnderItsNewName) {
  add(2, kWorld, Made::kDup, affine(kSize));
  comms_.rename(2, 9);
  EXPECT_FALSE(comms_.knows(2));
  comms_.remove(9);
  EXPECT_EQ(comms_.summary().live, 1);
}

TEST_F(SurveyRebuiltComms, AParentThatLacksAMemberIsNotComposedWith) {
  add(2, kWorld, Made::kSplit, affine(10));
  EXPECT_FALSE(add(3, 2, Made::kCreate, affine(20)).composed);
}

TEST_F(SurveyRebuiltComms, IntercommunicatorsHaveTwoGroups) {
  const Row &row = add(2, kWorld, Made::kIntercomm, affine(500), affine(500, 500));
  EXPECT_EQ(row.strict, AVRM_MODE_OFFSET);
  EXPECT_EQ(row.bytes[kStrict], 112U);
  EXPECT_EQ(row.remote_size, 500);
}

TEST_F(SurveyRebuiltComms, AMergedIntercommunicatorIsAChildOfBothGroups) {
  const std::int32_t pgid = comms_.add_process_group(300);
  add(2, kWorld, Made::kDynamic, affine(kSize), affine(300, 0, 1, pgid));
  Processes all = affine(kSize);
  const Processes others = affine(300, 0, 1, pgid);
  all.insert(all.end(), others.begin(), others.end());
  const Row &row = add(3, 2, Made::kMerge, all);
  EXPECT_TRUE(row.composed);
  EXPECT_EQ(row.strict, AVRM_MODE_MLUT);
  EXPECT_EQ(row.extended, AVRM_MODE_SEGMENTS);
  EXPECT_EQ(comms_.summary().mismatched, 0U);
}

TEST_F(SurveyRebuiltComms, EveryMemberIsCheckedInEveryMap) {
  const std::uint64_t before = comms_.summary().members_checked;
  add(2, kWorld, Made::kSplit, shuffled(kSize));
  // Detected and composed, strict and extended.
  EXPECT_EQ(comms_.summary().members_checked - before, 4U * kSize);
  EXPECT_EQ(comms_.summary().mismatched, 0U);
}

TEST_F(SurveyRebuiltComms, RandomTreesOfCommunicatorsAgreeEverywhere) {
  std::mt19937 random(7);
  std::vector<Processes> known{affine(kSize)};
  for (std::uint64_t handle = 2; handle < 60; ++handle) {
    const std::size_t parent = random() % known.size();
    Processes child = known[parent];
    switch (random() % 4) {
    case 0: std::reverse(child.begin(), child.end()); break;
    case 1: std::shuffle(child.begin(), child.end(), random); break;
    case 2: child.resize(child.size() / 2 + 1); break;
    default:
      for (std::size_t i = 0; i < child.size(); ++i) {
        if (i % 2 == 0) {
          child[i / 2] = child[i];
        }
      }
      child.resize((child.size() + 1) / 2);
    }
    EXPECT_TRUE(add(handle, parent + 1, Made::kSplit, child).composed);
    known.push_back(child);
  }
  EXPECT_EQ(comms_.summary().mismatched, 0U);
}

TEST_F(SurveyRebuiltComms, AProcessThatOccursTwiceIsRefused) {
  // No group of MPI has one.
  Processes twice = affine(10);
  twice[9] = twice[0];
  EXPECT_THROW(comms_.add({2, kWorld, Made::kSplit, "call", twice, {}}), std::runtime_error);
  EXPECT_FALSE(comms_.knows(2));
  EXPECT_EQ(comms_.summary().live, 1);
}

TEST_F(SurveyRebuiltComms, AddressesOfAllProcessesAreCounted) {
  const PerScheme &bytes = comms_.summary().world_bytes;
  EXPECT_GT(bytes[kStrict], 12U * kSize);
  EXPECT_LT(bytes[kStrict], 12U * kSize + 3000);
  EXPECT_GT(bytes[kVcVcrt], 480U * kSize);
  EXPECT_GT(bytes[kMpich5], 32U * kSize);
}

// -------------------------------------------------------------------------------------------------

/// Bytes that a communicator adds in a world of `size`, in the order or the shape that
/// `processes` gives.
template <class F> Row row_of(std::int32_t size, std::int32_t target, F &&processes) {
  RebuiltComms comms(size, target);
  const Processes all = affine(size);
  comms.add({kWorld, 0, Made::kPredefined, "MPI_COMM_WORLD", all, {}});
  const Processes members = processes(size);
  comms.add({2, kWorld, Made::kSplit, "call", members, {}});
  return comms.summary().rows.back();
}

TEST(SurveyProjection, RegularModesStayAndTablesGrowWithTheirShareOfTheWorld) {
  for (const auto &processes :
       {+[](std::int32_t size) { return affine(size / 2, 1, 2); }, +[](std::int32_t size) { return shuffled(size); },
        +[](std::int32_t size) {
          Processes half = shuffled(size);
          half.resize(half.size() / 2);
          return half;
        }}) {
    const Row small = row_of(64, 4096, processes);
    const Row large = row_of(4096, 0, processes);
    ASSERT_EQ(small.strict, large.strict);
    ASSERT_EQ(small.extended, large.extended);
    EXPECT_EQ(small.projected, large.bytes);
  }
}

TEST(SurveyProjection, AddressesGrowWithTheWorld) {
  const RebuiltComms small(64, 4096);
  const RebuiltComms large(4096, 0);
  EXPECT_EQ(small.summary().projected_peak_bytes, large.summary().peak_bytes);
}

TEST(SurveyProjection, WhatIsFreedLeavesTheProjection) {
  RebuiltComms comms(64, 4096);
  const Processes order = shuffled(64);
  for (int i = 0; i < 10; ++i) {
    comms.add({2, 0, Made::kSplit, "call", order, {}});
    comms.add({3, 2, Made::kDup, "call", order, {}});
    const PerScheme peak = comms.summary().projected_peak_bytes;
    comms.remove(2); // its table stays with the duplicate
    comms.remove(3);
    if (i == 0) {
      EXPECT_GT(peak[kStrict], 4U * 4096);
    }
    EXPECT_EQ(comms.summary().projected_peak_bytes, peak);
  }
  RebuiltComms once(64, 4096);
  once.add({2, 0, Made::kSplit, "call", order, {}});
  once.add({3, 2, Made::kDup, "call", order, {}});
  EXPECT_EQ(comms.summary().projected_peak_bytes, once.summary().projected_peak_bytes);
}

TEST(SurveyProjection, ASmallerWorldIsNotProjectedTo) {
  const Projection projection(64, 32);
  EXPECT_EQ(projection.scaled(10), 10U);
}

TEST(SurveyProjection, LargestCountsDoNotOverflow) {
  const Projection projection(3, 2147483647);
  EXPECT_EQ(projection.scaled(3), 2147483647U);
  EXPECT_EQ(projection.scaled(4294967294), 3074457342754947073U);
}

} // namespace
} // namespace avrankmap::survey
