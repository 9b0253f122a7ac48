// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Communicators of some of the processes of another one, made in several ways.
#include "device/creation/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace avrankmap::bench {
namespace {

const CreationOp &op_of(const std::vector<CreationOp> &ops, const std::string &way, std::int32_t members) {
  return *std::find_if(ops.begin(), ops.end(),
                       [&](const CreationOp &op) { return op.op == way && op.members == members; });
}

TEST(GroupCreation, TakesOneReductionByItsMembersAndThreeAsAMulticommunicator) {
  const std::vector<CreationOp> ops = simulate_groups(64);
  for (const auto &[members, depth] : {std::pair(2, 1U), {8, 3U}, {32, 5U}}) {
    EXPECT_EQ(op_of(ops, kByMembers, members).depth, depth);
    EXPECT_EQ(op_of(ops, kMulti, members).depth, 3 * depth);
    EXPECT_EQ(op_of(ops, kByParent, members).depth, 6U);
  }
}

TEST(GroupCreation, StepByStepTakesMoreTheMoreLevelsThereAre) {
  const std::vector<CreationOp> ops = simulate_groups(64);
  // Of n levels, each with reductions and broadcasts over 1, 2, ... levels.
  const auto depth = [&](const char *way, std::int32_t members) {
    return static_cast<double>(*op_of(ops, way, members).depth);
  };
  for (const char *const way : {kMerging, kMergingAtOnce}) {
    EXPECT_GT(depth(way, 32) / depth(way, 8), 5.0 / 3) << way;
    EXPECT_GE(depth(way, 12), depth(way, 8)) << way;
  }
  for (const std::int32_t members : {2, 3, 8, 12, 32, 48}) {
    EXPECT_LT(depth(kMergingAtOnce, members), depth(kMerging, members)) << members;
    EXPECT_LE(depth(kByMembers, members), depth(kMergingAtOnce, members)) << members;
  }
}

TEST(GroupCreation, OfRealProcessesWorksInAllWaysAndSizes) {
  const std::vector<CreationOp> ops = measure_groups(6, 1);
  ASSERT_EQ(ops.size(), 4U * 5U);
  for (const std::int32_t members : {2, 3, 4, 6}) {
    for (const char *const way : {kByMembers, kByParent, kMerging, kMergingAtOnce, kMulti}) {
      EXPECT_GT(op_of(ops, way, members).seconds, 0) << way << ' ' << members;
    }
  }
}

TEST(GroupCreation, OfTooManyRealProcessesIsRefused) { EXPECT_THROW((void)measure_groups(65, 1), std::runtime_error); }

} // namespace
} // namespace avrankmap::bench
