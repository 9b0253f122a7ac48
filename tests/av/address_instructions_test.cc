// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions from word 0 of a peer to its word k, by single-stepping: exact, and the same on
// every machine.
#include <gtest/gtest.h>

#include "bench/counters/single_step.h"
#include "tests/av/address_probes.h"
#include "tests/av/further.h"
#include "tests/support/counted.h"

namespace avrankmap::test {

namespace {

using counters::InstructionKind;
using counters::Result;
using counters::StepCount;

class AddressInstructions : public testing::Test {
protected:
  AddressInstructions() { connect(av, number); }

  void declare(avrm_addresses_kind_t kind) {
    const avrm_addresses_rule_t rule{kind, 4, 16, 1000};
    require(avrm_addresses_declare(av.get(), 8, &rule));
  }

  [[nodiscard]] Result<StepCount> further(std::size_t k) const {
    return counters::count_call(avrm_test_count_further, [&] { avrm_test_count_further(av.get(), 77, 78, k); });
  }
  [[nodiscard]] Result<StepCount> only() const {
    return counters::count_call(avrm_test_count_only, [&] { avrm_test_count_only(av.get(), 77, 78, 3); });
  }
  [[nodiscard]] Result<StepCount> element() const {
    return counters::count_call(avrm_test_count_element, [&] { avrm_test_count_element(av.get(), 77); });
  }

  Instance instance;
  AvPtr av = make_av(instance, 100);
};

TEST_F(AddressInstructions, AfterTheFirstTakesFourMore) {
  declare(AVRM_ADDRESSES_AFTER_FIRST);
  ASSERT_EQ(avrm_test_count_further(av.get(), 77, 78, 3), 78U + 12);
  const Result<StepCount> counted = further(3);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, only()->instructions + 4) << counted->listing();
  EXPECT_EQ(counted->count(InstructionKind::call), 0U) << counted->listing();
  EXPECT_EQ(counted->locked(), 0U) << counted->listing();
}

TEST_F(AddressInstructions, ByLpidTakesAtMostFourMoreThanTheElement) {
  declare(AVRM_ADDRESSES_BY_LPID);
  ASSERT_EQ(avrm_test_count_further(av.get(), 77, 78, 3), 1000U + 16 * 77 + 12 + 1);
  const Result<StepCount> counted = further(3);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_LE(counted->instructions, element()->instructions + 4) << counted->listing();
  EXPECT_EQ(counted->count(InstructionKind::call), 0U) << counted->listing();
  EXPECT_EQ(counted->locked(), 0U) << counted->listing();
}

TEST_F(AddressInstructions, WordZeroTakesNoMoreThanAnyOther) {
  declare(AVRM_ADDRESSES_BY_LPID);
  ASSERT_EQ(avrm_test_count_further(av.get(), 77, 78, 0), 78U);
  const Result<StepCount> counted = further(0);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_LE(counted->instructions, only()->instructions + 4) << counted->listing();
}

TEST_F(AddressInstructions, IrregularWordsTakeNoLockAndNoDivision) {
  declare(AVRM_ADDRESSES_AFTER_FIRST);
  set_one(av, 77, 3, 99);
  ASSERT_EQ(avrm_test_count_further(av.get(), 77, 78, 3), 100U);
  const Result<StepCount> counted = further(3);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->locked(), 0U) << counted->listing();
  EXPECT_EQ(counted->count(InstructionKind::divide), 0U) << counted->listing();
  EXPECT_EQ(counted->count(InstructionKind::syscall), 0U) << counted->listing();
}

} // namespace

} // namespace avrankmap::test
