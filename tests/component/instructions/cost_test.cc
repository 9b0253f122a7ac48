// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls whose cost must not grow with a number: the count at 16 times that
// number is less than twice as high.
#include "bench/counters/single_step.h"
#include "tests/component/av/further.h"
#include "tests/component/group/group_twin.h"
#include "tests/support/counted.h"

namespace avrankmap::test {

namespace {

using counters::Result;
using counters::StepCount;

// Ranks 0, 3, 10, 15, 20, ... of a world: two runs, whose beginning looks like
// a cart with rows of two ranks.
Result<StepCount> count_range_incl(std::int32_t size) {
  const Instance instance(false, AVRM_COST_BYTES);
  const GroupPtr all = group_of(make_direct(instance, 5 * size + 1));
  const avrm_range_t ranges[2] = {{0, 3, 3}, {10, 5 * (size - 1), 5}};
  const auto select = [&] {
    avrm_group_t *group = nullptr;
    require(avrm_group_range_incl(all.get(), 2, ranges, &group));
    EXPECT_EQ(avrm_group_size(group), size);
    avrm_group_destroy(group);
  };
  return counters::count_call(avrm_group_range_incl, select);
}

TEST(Cost, OfTwoRangesDoesNotDependOnTheirLength) {
  const Result<StepCount> small = count_range_incl(1 << 9);
  const Result<StepCount> large = count_range_incl(1 << 13);
  AVRM_ASSERT_COUNTED(small);
  AVRM_ASSERT_COUNTED(large);
  EXPECT_LT(large->instructions, 2 * small->instructions);
}

// Connects a peer. If `is_irregular`, another declared word of the peer was set
// before.
Result<StepCount> count_connect(std::int32_t words, bool is_irregular) {
  const Instance instance;
  const AvPtr av = make_av(instance, 100);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), words, &rule));
  if (is_irregular) {
    set_one(av, 77, 3, 99);
  }
  const avrm_ave_t ave = ave_of({0, 77});
  return counters::count_call(avrm_av_set, [&] { require(avrm_av_set(av.get(), 77, &ave)); });
}

TEST(Cost, OfConnectingAPeerDoesNotDependOnTheDeclaredWords) {
  for (const bool is_irregular : {false, true}) {
    const Result<StepCount> few = count_connect(1 << 6, is_irregular);
    const Result<StepCount> many = count_connect(1 << 10, is_irregular);
    AVRM_ASSERT_COUNTED(few);
    AVRM_ASSERT_COUNTED(many);
    EXPECT_LT(many->instructions, 2 * few->instructions);
  }
}

} // namespace

} // namespace avrankmap::test
