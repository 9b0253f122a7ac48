// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions of the questions to a layout, by single-stepping, with the probes' return: exact,
// and the same on every machine. Pinned for the compilers whose code was looked at.
#include "bench/counters/single_step.h"
#include "tests/hierarchy/hierarchy_probes.h"
#include "tests/hierarchy/hierarchy_twin.h"
#include "tests/support/counted.h"

namespace avrankmap::test {
namespace {

using counters::InstructionKind;
using counters::Result;
using counters::StepCount;

struct Pinned {
  std::uint64_t node, local, local_elsewhere, node_size, rank, leader;
};
#if defined(__clang__)
constexpr bool kPinned = __clang_major__ == 14;
constexpr Pinned kCounts{8, 22, 14, 18, 19, 7};
#else
constexpr bool kPinned = __GNUC__ == 12;
constexpr Pinned kCounts{8, 24, 17, 17, 19, 8};
#endif

class HierarchyInstructions : public testing::Test {
protected:
  template <typename Probe, typename... Arguments>
  void expect_count(std::uint64_t pinned, Probe *probe, Arguments... arguments) {
    const Result<StepCount> counted =
        counters::count_call(probe, [&] { probe(planes.get(), static_cast<std::int32_t>(arguments)...); });
    AVRM_ASSERT_COUNTED(counted);
    EXPECT_EQ(counted->count(InstructionKind::call), 0U) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::divide), 0U) << counted->listing();
    EXPECT_EQ(counted->locked(), 0U) << counted->listing();
    EXPECT_LE(counted->instructions, 24U) << counted->listing();
    if (kPinned) {
      EXPECT_EQ(counted->instructions, pinned) << counted->listing();
    }
  }

  Instance instance;
  // Rank 19 is the third of node 4's first block, of which each node has three.
  HierarchyPtr planes = of_layout(make_offset(instance, 118, 2), 10, 4);
};

TEST_F(HierarchyInstructions, OfEveryQuestionArePinned) {
  expect_count(kCounts.node, avrm_test_count_hierarchy_node, 19);
  expect_count(kCounts.local, avrm_test_count_hierarchy_local, 19);
  expect_count(kCounts.local_elsewhere, avrm_test_count_hierarchy_local_on, 4, 19);
  expect_count(kCounts.node_size, avrm_test_count_hierarchy_node_size, 4);
  expect_count(kCounts.rank, avrm_test_count_hierarchy_rank, 4, 2);
  expect_count(kCounts.leader, avrm_test_count_hierarchy_leader, 4);
}

} // namespace
} // namespace avrankmap::test
