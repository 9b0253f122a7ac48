// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions from word 0 of a peer to its word k, and to its local rank, by single-stepping:
// exact, and the same on every machine.
#include <gtest/gtest.h>

#include "bench/counters/single_step.h"
#include "tests/av/address_probes.h"
#include "tests/av/further.h"
#include "tests/support/counted.h"

extern "C" {
int avrm_test_count_network(uint64_t /*address*/) { return 4242; }
int avrm_test_count_local(uint32_t local_rank) { return static_cast<int>(local_rank); }
}

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

// Up to the functions that get them.
TEST(LocalRankInstructions, AreAtMostFourMoreThanThoseOfANetworkAddress) {
  struct {
    avrm_codec_t codec;
    decltype(avrm_test_count_ofi_send) *send;
  } const cases[] = {{AVRM_CODEC_OFI, avrm_test_count_ofi_send}, {AVRM_CODEC_UCX, avrm_test_count_ucx_send}};
  for (const auto &c : cases) {
    avrm_ave_t network{};
    avrm_ave_t local{};
    require(avrm_ave_pack(c.codec, 4242, 0, &network));
    require(avrm_ave_pack_far(c.codec, {AVRM_FAR_LOCAL, 7}, 0, &local));
    ASSERT_EQ(c.send(avrm_ave_word(&local)), 7);
    const auto up_to = [&c](const void *end, const avrm_ave_t &ave) {
      counters::StepOptions options;
      options.stop_at = end;
      return counters::count_call(
          c.send, [&] { c.send(avrm_ave_word(&ave)); }, options);
    };
    const Result<StepCount> to_address = up_to(reinterpret_cast<const void *>(avrm_test_count_network), network);
    const Result<StepCount> to_local_rank = up_to(reinterpret_cast<const void *>(avrm_test_count_local), local);
    AVRM_ASSERT_COUNTED(to_address);
    ASSERT_TRUE(to_local_rank.ok());
    EXPECT_LE(to_local_rank->instructions, to_address->instructions + 4) << to_local_rank->listing();
  }
}

} // namespace

} // namespace avrankmap::test
