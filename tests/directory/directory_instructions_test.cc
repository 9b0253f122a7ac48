// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions from a rank to base and key, by single-stepping: exact, and the same on every
// machine.
#include "bench/counters/single_step.h"
#include "tests/directory/directory_probes.h"
#include "tests/directory/directory_twin.h"
#include "tests/support/counted.h"

namespace avrankmap::test {
namespace {

using counters::InstructionKind;
using counters::Result;
using counters::StepCount;

// For the call that is not taken clang aligns the stack in all of the function, which a caller with
// calls of its own has done.
#if defined(__clang__)
constexpr std::uint64_t kFrame = 2;
#else
constexpr std::uint64_t kFrame = 0;
#endif

class DirectoryInstructions : public testing::Test {
protected:
  // Counts a lookup of a rank whose part is known.
  static Result<StepCount> target(const DirectoryPtr &directory, std::int32_t rank, const avrm_part_t &part) {
    const avrm_test_target_t found = avrm_test_count_target(directory.get(), rank);
    EXPECT_EQ(found.base, part.base);
    EXPECT_EQ(found.key, part.key);
    return counters::count_call(avrm_test_count_target, [&] { avrm_test_count_target(directory.get(), rank); });
  }
  static void expect(const Result<StepCount> &counted, std::uint64_t instructions) {
    AVRM_ASSERT_COUNTED(counted);
    const Result<StepCount> nothing = counters::count_call(avrm_test_count_return, [] { avrm_test_count_return(); });
    AVRM_ASSERT_COUNTED(nothing);
    EXPECT_EQ(counted->instructions - nothing->instructions, instructions + kFrame) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::call), 0U) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::divide), 0U) << counted->listing();
    EXPECT_EQ(counted->locked(), 0U) << counted->listing();
  }

  Instance instance;
};

TEST_F(DirectoryInstructions, UniformTakesFour) {
  const avrm_part_t part{1000, 77, 4096, 8};
  expect(target(of_rule(instance, 100, part, {}), 42, part), 4);
}

TEST_F(DirectoryInstructions, RegularTakesSeven) {
  const avrm_part_t part{1000, 77, 4096, 8};
  expect(target(of_rule(instance, 100, part, {64, 0, 0, 0}), 42, {1000 + 42 * 64, 77, 0, 0}), 7);
}

TEST_F(DirectoryInstructions, RecordTakesSixteen) {
  const avrm_part_t part{1000, 77, 4096, 8};
  const DirectoryPtr directory = of_nothing(instance, 100);
  require(avrm_directory_learn(directory.get(), 42, &part));
  expect(target(directory, 42, part), 16);
}

} // namespace
} // namespace avrankmap::test
