// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several addresses per peer: regular ones, irregular ones, bytes, missing memory.
// addresses_twin_test.cc compares them with a plain table.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/component/av/further.h"

namespace avrankmap::test {

namespace {

constexpr std::int32_t kSize = 1000;

class Addresses : public testing::Test {
protected:
  // All peers connected, at 5 + 3 * lpid.
  AvPtr connected(std::int32_t size = kSize) {
    AvPtr av = make_av(instance, size);
    connect(av, [](std::int32_t lpid) { return 5 + 3 * number(lpid); });
    return av;
  }
  AvPtr scattered() {
    AvPtr av = make_av(instance, kSize);
    connect(av, [](std::int32_t lpid) { return number(lpid) * 0x9e3779b97f4a7c15 >> 20; });
    return av;
  }
  [[nodiscard]] std::uint64_t bytes() const { return memory.usage(AVRM_MEM_AV).live_bytes; }

  CountingAllocator memory;
  Instance instance{&memory};
};

TEST_F(Addresses, BadArgumentsAreRefused) {
  const AvPtr av = connected();
  const std::uint64_t address = 4;
  std::uint64_t result = 4711;
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 1, 0, 0};
  avrm_addresses_info_t info{};
  EXPECT_EQ(avrm_addresses_set(nullptr, 1, 0, 1, &address), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_set(av.get(), 1, 0, 1, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_set(av.get(), 0, 0, 1, &address), AVRM_ERR_RANGE);
  EXPECT_EQ(avrm_addresses_set(av.get(), AVRM_ADDRESSES_MOST, 0, 1, &address), AVRM_ERR_RANGE);
  EXPECT_EQ(avrm_addresses_set(av.get(), 1, 0, -1, &address), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_addresses_set(av.get(), 1, kSize, 1, &address), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_addresses_set(av.get(), 1, -1, 1, &address), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_addresses_set(av.get(), 1, 0, 0, &address), AVRM_OK);
  EXPECT_EQ(avrm_addresses_get(nullptr, 0, 1, &result), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_get(av.get(), 0, 1, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_get(av.get(), kSize, 1, &result), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_addresses_get(av.get(), 0, -1, &result), AVRM_ERR_RANGE);
  EXPECT_EQ(avrm_addresses_get(av.get(), 0, AVRM_ADDRESSES_MOST, &result), AVRM_ERR_RANGE);
  EXPECT_EQ(avrm_addresses_declare(nullptr, 2, &rule), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_declare(av.get(), 2, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_declare(av.get(), 1, &rule), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_addresses_declare(av.get(), AVRM_ADDRESSES_MOST + 1, &rule), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_addresses_clear(nullptr, 0), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_clear(av.get(), kSize), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_addresses_describe(nullptr, &info), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_addresses_describe(av.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(result, 4711U);
  EXPECT_EQ(further_of(av).count, 1);
}

TEST_F(Addresses, RuleOfAnUnknownKindIsRefused) {
  const AvPtr av = connected();
  avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 1, 0, 0};
  const int kind = 2;
  std::memcpy(&rule.kind, &kind, sizeof kind);
  EXPECT_EQ(avrm_addresses_declare(av.get(), 2, &rule), AVRM_ERR_OPTION);
}

TEST_F(Addresses, RuleThatLeavesTheCodecIsRefused) {
  const AvPtr ofi = connected();
  const avrm_addresses_rule_t above{AVRM_ADDRESSES_BY_LPID, 1, std::int64_t{1} << 54, 0};
  const avrm_addresses_rule_t sentinel{AVRM_ADDRESSES_BY_LPID, 1, 0, UINT64_MAX - 1};
  EXPECT_EQ(avrm_addresses_declare(ofi.get(), 2, &above), AVRM_ERR_ADDRESS_BIT);
  EXPECT_EQ(avrm_addresses_declare(ofi.get(), 2, &sentinel), AVRM_ERR_ADDRESS_SENTINEL);
  const AvPtr ucx = make_av(instance, 10, AVRM_CODEC_UCX);
  const avrm_addresses_rule_t odd{AVRM_ADDRESSES_AFTER_FIRST, 3, 0, 0};
  EXPECT_EQ(avrm_addresses_declare(ucx.get(), 2, &odd), AVRM_ERR_ADDRESS_BIT);
  const avrm_addresses_rule_t odd_at_second{AVRM_ADDRESSES_BY_LPID, 2, 1, 16};
  EXPECT_EQ(avrm_addresses_declare(ucx.get(), 2, &odd_at_second), AVRM_ERR_ADDRESS_BIT);
}

TEST_F(Addresses, RuleWhoseBaseIsNoAddressIsTakenIfAllItsAddressesAre) {
  const AvPtr av = make_av(instance, 1, AVRM_CODEC_OFI);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_BY_LPID, 2 - std::numeric_limits<std::int64_t>::max() - 1, 0,
                                   ~std::uint64_t{0} - 3};
  ASSERT_EQ(avrm_addresses_declare(av.get(), 3, &rule), AVRM_OK);
  std::uint64_t address = 0;
  ASSERT_EQ(avrm_addresses_get(av.get(), 0, 1, &address), AVRM_OK);
  EXPECT_EQ(address, (std::uint64_t{1} << 63) - 2);
  ASSERT_EQ(avrm_addresses_get(av.get(), 0, 2, &address), AVRM_OK);
  EXPECT_EQ(address, 0U);
}

TEST_F(Addresses, RuleThatWrapsAroundIsRefused) {
  const AvPtr av = make_av(instance, 5, AVRM_CODEC_OFI);
  // Legal at the first, second and last lpid, modulo 2^64.
  const avrm_addresses_rule_t quarter{AVRM_ADDRESSES_BY_LPID, 1, std::int64_t{1} << 62, 100};
  EXPECT_EQ(avrm_addresses_declare(av.get(), 2, &quarter), AVRM_ERR_ADDRESS_BIT);
  const avrm_addresses_rule_t below{AVRM_ADDRESSES_BY_LPID, -1, 0, 0};
  EXPECT_EQ(avrm_addresses_declare(av.get(), 2, &below), AVRM_ERR_ADDRESS_BIT);
}

TEST_F(Addresses, AddressThatTheCodecRefusesSetsNothing) {
  const AvPtr av = connected();
  const std::vector<std::uint64_t> addresses = {1, 2, std::uint64_t{1} << 63};
  EXPECT_EQ(avrm_addresses_set(av.get(), 1, 0, 3, addresses.data()), AVRM_ERR_ADDRESS_BIT);
  EXPECT_EQ(word_at(av, 0, 1), 0U);
}

TEST_F(Addresses, WithoutAnyThereIsWordZeroAlone) {
  const AvPtr av = connected();
  EXPECT_EQ(word_at(av, 7, 0), 5U + 21 + 1);
  EXPECT_EQ(word_at(av, 7, 1), 0U);
  EXPECT_EQ(word_at(av, 7, 1 << 20), 0U);
  EXPECT_EQ(address_at(av, 7, 0), 5U + 21);
  EXPECT_EQ(avrm_av_bytes(av.get()), 64U + 12 * kSize);
}

TEST_F(Addresses, InsertedOneNumberAfterTheOtherArePlain) {
  const AvPtr av = connected();
  for (std::int32_t k = 1; k < 8; ++k) {
    set_all(av, k, [k](std::int32_t lpid) { return 5 + 3 * number(lpid) + 3000 * number(k); });
  }
  EXPECT_EQ(further_of(av).plain, 8);
  EXPECT_EQ(further_of(av).kept, 0U);
  EXPECT_EQ(word_at(av, 999, 7), 5U + 3 * 999 + 21000 + 1);
}

TEST_F(Addresses, InsertedOnePeerAfterTheOtherArePlain) {
  const AvPtr av = scattered();
  for (std::int32_t k = 1; k < 8; ++k) {
    set_all(av, k, [k](std::int32_t lpid) { return 100 + 7 * number(lpid) + number(k); });
  }
  EXPECT_EQ(further_of(av).plain, 8);
  EXPECT_EQ(further_of(av).kept, 0U);
  EXPECT_EQ(word_at(av, 999, 7), 100U + 7 * 999 + 7 + 1);
  EXPECT_EQ(word_at(av, 999, 0), word_of_element(av, 999));
}

TEST_F(Addresses, FollowAnIrregularWordZero) {
  const AvPtr av = scattered();
  set_all(av, 1, [&](std::int32_t lpid) { return word_of_element(av, lpid) - 1 + 12; });
  EXPECT_EQ(further_of(av).plain, 2);
  EXPECT_EQ(further_of(av).kept, 0U);
}

TEST_F(Addresses, OfAnImplicitAddressVectorFollowItsFunction) {
  const AvPtr av = make_implicit_av(instance, kSize);
  connect(av, number);
  for (std::int32_t k = 1; k < 4; ++k) {
    set_all(av, k, [k](std::int32_t lpid) { return number(lpid) + number(kSize * k); });
  }
  EXPECT_EQ(further_of(av).plain, 4);
  EXPECT_EQ(info_of(av).kind, AVRM_AV_IMPLICIT);
  EXPECT_EQ(word_at(av, 20, 3), 20U + 3 * kSize + 1);
}

TEST_F(Addresses, AreIncompleteAndCorrectWhileTheyAreSet) {
  const AvPtr av = connected();
  for (std::int32_t lpid = 0; lpid < kSize; ++lpid) {
    ASSERT_EQ(word_at(av, lpid, 1), 0U);
    set_one(av, lpid, 1, 7000 + 3 * number(lpid));
    ASSERT_EQ(word_at(av, lpid, 1), 7001 + 3 * number(lpid));
    ASSERT_EQ(further_of(av).plain, lpid == kSize - 1 ? 2 : 1);
  }
}

TEST_F(Addresses, ProcessesOnTheFarSideDoNotDisturb) {
  const AvPtr av = make_av(instance, kSize);
  connect(av, number);
  for (std::int32_t lpid = 0; lpid < 40; ++lpid) { // from the first lpid on
    const avrm_ave_t ave = at_far_side(AVRM_FAR_LOCAL, static_cast<std::uint32_t>(lpid), 3);
    require(avrm_av_set(av.get(), lpid, &ave));
  }
  set_all(av, 1, [](std::int32_t lpid) { return kSize + number(lpid); });
  EXPECT_EQ(further_of(av).plain, 2);
  EXPECT_EQ(further_of(av).kept, 40U);
  EXPECT_EQ(address_at(av, 7, 1), kSize + 7U);
  EXPECT_EQ(address_at(av, 77, 1), kSize + 77U);
}

TEST_F(Addresses, OneIrregularPeerClosesItsNumberAndKeepsOneWord) {
  const AvPtr av = connected();
  for (std::int32_t k = 1; k < 5; ++k) {
    set_all(av, k, [k](std::int32_t lpid) { return 5 + 3 * number(lpid) + 3000 * number(k); });
  }
  set_one(av, 500, 3, 4242);
  EXPECT_EQ(further_of(av).plain, 3);
  EXPECT_EQ(further_of(av).kept, 1U);
  EXPECT_EQ(word_at(av, 500, 3), 4243U);
  EXPECT_EQ(word_at(av, 501, 3), 5U + 1503 + 9000 + 1);
  EXPECT_EQ(word_at(av, 500, 4), 5U + 1500 + 12000 + 1);
}

TEST_F(Addresses, StayWhenTheirPeerMoves) {
  const AvPtr av = connected();
  set_all(av, 1, [](std::int32_t lpid) { return 5005 + 3 * number(lpid); });
  const avrm_ave_t moved = at_address(1, 0);
  require(avrm_av_set(av.get(), 7, &moved));
  EXPECT_EQ(word_at(av, 7, 1), 5005U + 21 + 1);
  EXPECT_EQ(word_at(av, 8, 1), 5005U + 24 + 1);
  EXPECT_EQ(further_of(av).kept, 1U);
}

TEST_F(Addresses, StayWhenTheirPeerIsDisconnectedAndConnectedElsewhere) {
  const AvPtr av = connected();
  set_all(av, 1, [](std::int32_t lpid) { return 5005 + 3 * number(lpid); });
  const avrm_ave_t gone{};
  require(avrm_av_set(av.get(), 7, &gone));
  EXPECT_EQ(address_at(av, 7, 1), 5005U + 21);
  const avrm_ave_t elsewhere = at_address(99, 0);
  require(avrm_av_set(av.get(), 7, &elsewhere));
  EXPECT_EQ(word_at(av, 7, 1), 5005U + 21 + 1);
}

TEST_F(Addresses, DeclaredAfterTheFirstFollowIt) {
  const AvPtr av = make_av(instance, kSize);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 9, &rule));
  EXPECT_EQ(further_of(av).plain, 9);
  EXPECT_EQ(missing_at(av, 3, 5), AVRM_ERR_NOT_NETWORK);
  for (const std::uint64_t address : {100U, 7U}) {
    const avrm_ave_t ave = at_address(address, 0);
    require(avrm_av_set(av.get(), 3, &ave));
    EXPECT_EQ(word_at(av, 3, 5), address + 20 + 1);
    EXPECT_EQ(address_at(av, 3, 5), address + 20);
  }
  EXPECT_EQ(further_of(av).kept, 0U);
}

TEST_F(Addresses, DeclaredAfterTheFirstFollowTheFarAddress) {
  const AvPtr av = make_av(instance, kSize);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 9, &rule));
  const avrm_ave_t ave = at_far_side(AVRM_FAR_LOCAL, 2, 0);
  require(avrm_av_set(av.get(), 3, &ave));
  EXPECT_EQ(missing_at(av, 3, 5), AVRM_ERR_NOT_NETWORK);
  require(avrm_av_set_far_address(av.get(), 2, 1000));
  EXPECT_EQ(address_at(av, 3, 5), 1020U);
  EXPECT_EQ(address_at(av, 3, 0), 1000U);
}

TEST_F(Addresses, DeclaredByLpidNeedNoWordZero) {
  const AvPtr av = make_av(instance, kSize);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_BY_LPID, -1, 10, 50};
  require(avrm_addresses_declare(av.get(), 9, &rule));
  EXPECT_EQ(word_at(av, 3, 5), 50U + 30 - 5 + 1);
  EXPECT_EQ(word_at(av, 3, 0), 0U);
  EXPECT_EQ(further_of(av).plain, 9);
}

TEST_F(Addresses, DeclaredMayHaveExceptions) {
  const AvPtr av = connected();
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 9, &rule));
  set_one(av, 3, 5, 5 + 9 + 20); // as the rule says
  EXPECT_EQ(further_of(av).kept, 0U);
  set_one(av, 3, 5, 1);
  EXPECT_EQ(word_at(av, 3, 5), 2U);
  EXPECT_EQ(word_at(av, 4, 5), 5U + 12 + 20 + 1);
  EXPECT_EQ(word_at(av, 3, 6), 5U + 9 + 24 + 1);
  EXPECT_EQ(further_of(av).plain, 5);
}

TEST_F(Addresses, MayBeExtendedBeyondTheDeclaredOnes) {
  const AvPtr av = connected();
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 3, &rule));
  set_all(av, 3, [](std::int32_t lpid) { return 5 + 3 * number(lpid) + 77; });
  EXPECT_EQ(further_of(av).count, 4);
  EXPECT_EQ(further_of(av).plain, 4);
  EXPECT_EQ(word_at(av, 9, 3), 5U + 27 + 77 + 1);
}

TEST_F(Addresses, CanBeDeclaredOnce) {
  const AvPtr av = connected();
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 3, &rule));
  EXPECT_EQ(avrm_addresses_declare(av.get(), 3, &rule), AVRM_ERR_BUSY);
  const AvPtr other = connected();
  set_one(other, 0, 1, 8);
  EXPECT_EQ(avrm_addresses_declare(other.get(), 3, &rule), AVRM_ERR_BUSY);
}

TEST_F(Addresses, ClearForgetsThoseOfOnePeer) {
  const AvPtr av = connected();
  EXPECT_EQ(avrm_addresses_clear(av.get(), 4), AVRM_OK); // there are none
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 4, &rule));
  set_one(av, 4, 6, 1234);
  require(avrm_addresses_clear(av.get(), 4));
  for (std::int32_t k = 1; k < 8; ++k) {
    EXPECT_EQ(word_at(av, 4, k), 0U);
    EXPECT_EQ(missing_at(av, 4, k), AVRM_ERR_NOT_NETWORK);
  }
  EXPECT_EQ(word_at(av, 4, 0), 5U + 12 + 1);
  EXPECT_EQ(word_at(av, 5, 2), 5U + 15 + 8 + 1);
  set_one(av, 4, 2, 55);
  EXPECT_EQ(word_at(av, 4, 2), 56U);
}

// Words that a rule gives, words that were detected, and words that follow nothing: whether the
// peer is disconnected before or after it is cleared, it has no words until they are set.
TEST_F(Addresses, ClearAndDisconnectInAnyOrder) {
  const auto prepare = [&](int kind) {
    AvPtr av = connected();
    const avrm_addresses_rule_t rule{kind == 0 ? AVRM_ADDRESSES_AFTER_FIRST : AVRM_ADDRESSES_BY_LPID, 4, 2, 1000};
    if (kind < 2) {
      require(avrm_addresses_declare(av.get(), 4, &rule));
    }
    for (std::int32_t k = 1; kind >= 2 && k < 4; ++k) {
      set_all(av, k, [=](std::int32_t lpid) {
        return kind == 2 ? number(5 + 3 * lpid + k) : number(lpid + k) * 0x9e3779b97f4a7c15 >> 20;
      });
    }
    return av;
  };
  const avrm_ave_t none{};
  for (int kind = 0; kind < 4; ++kind) {
    const AvPtr one = prepare(kind);
    require(avrm_av_set(one.get(), 4, &none));
    require(avrm_addresses_clear(one.get(), 4));
    const AvPtr other = prepare(kind);
    require(avrm_addresses_clear(other.get(), 4));
    require(avrm_av_set(other.get(), 4, &none));
    for (const AvPtr *const av : {&one, &other}) {
      for (const bool reconnects : {false, true}) {
        if (reconnects) {
          const avrm_ave_t again = at_address(777, 0);
          require(avrm_av_set(av->get(), 4, &again));
        }
        for (std::int32_t k = 1; k < 5; ++k) {
          EXPECT_EQ(missing_at(*av, 4, k), AVRM_ERR_NOT_NETWORK) << "kind " << kind << ", k " << k;
        }
      }
      set_one(*av, 4, 2, 55);
      EXPECT_EQ(word_at(*av, 4, 2), 56U);
    }
  }
}

TEST_F(Addresses, OfUcxAreEndpoints) {
  const AvPtr av = make_av(instance, 100, AVRM_CODEC_UCX);
  const auto endpoint = [](std::int32_t lpid, std::int32_t k) { return 64 + number(lpid * 7919 % 100 + k * 100) * 32; };
  for (std::int32_t lpid = 0; lpid < 100; ++lpid) {
    avrm_ave_t ave{};
    require(avrm_ave_pack(AVRM_CODEC_UCX, endpoint(lpid, 0), 0, &ave));
    require(avrm_av_set(av.get(), lpid, &ave));
    set_one(av, lpid, 1, endpoint(lpid, 1));
    set_one(av, lpid, 2, endpoint(99 - lpid, 2));
  }
  for (std::int32_t lpid = 0; lpid < 100; ++lpid) {
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(avrm_ucx_endpoint(word_at(av, lpid, 1, AVRM_CODEC_UCX))),
              endpoint(lpid, 1));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(avrm_ucx_endpoint(word_at(av, lpid, 2, AVRM_CODEC_UCX))),
              endpoint(99 - lpid, 2));
  }
  EXPECT_EQ(further_of(av).plain, 2);
}

TEST_F(Addresses, GreatestNumberIsKept) {
  const AvPtr av = connected(3);
  set_one(av, 2, AVRM_ADDRESSES_MOST - 1, 99);
  EXPECT_EQ(word_at(av, 2, AVRM_ADDRESSES_MOST - 1), 100U);
  EXPECT_EQ(further_of(av).count, AVRM_ADDRESSES_MOST);
}

// ---- bytes ----

TEST_F(Addresses, RegularOnesTakeNoBytesPerPeer) {
  const AvPtr few = connected(100);
  const AvPtr many = connected(100000);
  const auto added = [&](const AvPtr &av) {
    const std::uint64_t before = bytes();
    for (std::int32_t k = 1; k < 4; ++k) {
      set_all(av, k, [&](std::int32_t lpid) { return word_of_element(av, lpid) + 1000000 * number(k); });
    }
    return bytes() - before;
  };
  const std::uint64_t of_few = added(few);
  EXPECT_EQ(added(many), of_few);
  EXPECT_LT(of_few, 1500U);
}

// 8 bytes per word, 4.3 per peer and power of two of words, and less than one doubling.
TEST_F(Addresses, IrregularOnesTakeEightBytesPerWordAndLittleMore) {
  const AvPtr av = connected(100000);
  const std::uint64_t before = bytes();
  for (std::int32_t k = 1; k < 4; ++k) {
    set_all(av, k, [k](std::int32_t lpid) { return number(lpid + k) * 0x9e3779b97f4a7c15 >> 20; });
  }
  const std::uint64_t words = 300000;
  EXPECT_GE(further_of(av).kept, words - 12);
  EXPECT_LE(bytes() - before, 2 * (8 * words + 9 * 100000));
}

TEST_F(Addresses, FewIrregularPeersTakeBytesForFew) {
  const AvPtr av = connected(1 << 20);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 2, &rule));
  const std::uint64_t before = bytes();
  for (std::int32_t i = 0; i < 10; ++i) {
    set_one(av, i * 100003, 1, 77);
  }
  EXPECT_LE(bytes() - before, 10U * 2 * (8 + 5 * 64));
}

TEST_F(Addresses, BytesAreAccountedToTheByte) {
  const AvPtr av = connected();
  const auto expect_bytes = [&] {
    EXPECT_EQ(avrm_av_bytes(av.get()), bytes());
    EXPECT_LE(further_of(av).bytes, bytes() - 64 - 12 * kSize);
  };
  set_all(av, 1, number);
  expect_bytes();
  set_one(av, 900, 40, 3);
  expect_bytes();
  set_one(av, 2, 5000, 3);
  expect_bytes();
}

// ---- missing memory ----

// Calls change() with each allocation refused in turn. The words must be as before each time.
template <typename Change> void refuse_each(CountingAllocator *memory, const AvPtr &av, Change change) {
  const std::vector<std::uint64_t> before = words_of(av, 12);
  const std::uint64_t bytes = avrm_av_bytes(av.get());
  for (std::uint64_t point = 0;; ++point) {
    memory->refuse_after(point);
    const avrm_status_t status = change();
    if (!memory->refused()) {
      memory->refuse_none();
      EXPECT_EQ(status, AVRM_OK);
      EXPECT_GT(point, 0U) << "no allocation";
      return;
    }
    memory->refuse_none();
    ASSERT_EQ(status, AVRM_ERR_NO_MEMORY) << "allocation " << point;
    ASSERT_EQ(words_of(av, 12), before) << "allocation " << point;
    ASSERT_EQ(avrm_av_bytes(av.get()), bytes);
    ASSERT_EQ(memory->usage(AVRM_MEM_AV).live_bytes, bytes);
  }
}

TEST_F(Addresses, WithoutMemoryNoWordIsSet) {
  const AvPtr av = connected(200);
  std::vector<std::uint64_t> addresses;
  for (std::int32_t lpid = 0; lpid < 200; ++lpid) {
    addresses.push_back(number(lpid) * 0x9e3779b97f4a7c15 >> 20);
  }
  for (const std::int32_t k : {2, 1, 5, 11}) {
    refuse_each(&memory, av, [&] { return avrm_addresses_set(av.get(), k, 0, 200, addresses.data()); });
  }
}

TEST_F(Addresses, WithoutMemoryNothingIsDeclared) {
  const AvPtr av = connected(200);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  refuse_each(&memory, av, [&] { return avrm_addresses_declare(av.get(), 20, &rule); });
}

TEST_F(Addresses, WithoutMemoryNothingIsCleared) {
  const AvPtr av = connected(200);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  require(avrm_addresses_declare(av.get(), 20, &rule));
  refuse_each(&memory, av, [&] { return avrm_addresses_clear(av.get(), 100); });
}

TEST_F(Addresses, WithoutMemoryNoPeerMoves) {
  const AvPtr av = connected(200);
  for (std::int32_t k = 1; k < 12; ++k) {
    set_all(av, k, [&](std::int32_t lpid) { return word_of_element(av, lpid) + 1000 * number(k); });
  }
  const avrm_ave_t moved = at_address(1, 0);
  const std::vector<std::uint64_t> before = words_of(av, 12);
  refuse_each(&memory, av, [&] { return avrm_av_set(av.get(), 100, &moved); });
  EXPECT_EQ(word_at(av, 100, 11), before[100 * 12 + 11]);
}

} // namespace

} // namespace avrankmap::test
