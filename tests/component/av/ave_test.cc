// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The element and its two codecs: legal addresses survive a round trip, illegal ones are refused.
#include "avrankmap/ave.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <type_traits>
#include <vector>

#include "av/codec.h"
#include "tests/support/codec.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

constexpr std::uint32_t kNode = 0xa5c3f00f;
constexpr std::uint32_t kLocalRanks[] = {0, 1, 2, 0xffff, 0x10000, 0x7ffffff, 0x8000000, AVRM_LOCAL_RANKS - 1};
constexpr avrm_ave_t kBefore = {{0x11111111, 0x22222222, 0x33333333}};

// Legal addresses that are likely to reveal errors.
std::vector<std::uint64_t> interesting_addresses(const Codec &codec) {
  std::vector<std::uint64_t> addresses = {codec.least, codec.greatest};
  for (int bit = codec.lowest_bit; bit <= codec.highest_bit; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    addresses.push_back(power);                                  // a single bit
    addresses.push_back(codec.greatest & ~power);                // all but one
    addresses.push_back((power | (power - 1)) & codec.greatest); // all from here down
    if ((codec.greatest & (power - 1)) != 0) {
      addresses.push_back(codec.greatest & (power - 1)); // all below
    }
    for (int other = bit + 1; other <= codec.highest_bit; ++other) {
      addresses.push_back(power | std::uint64_t{1} << other); // a pair
    }
  }
  return addresses;
}

std::vector<std::uint64_t> random_addresses(const Codec &codec) {
  std::mt19937_64 engine = seeded_engine();
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 100000; ++i) {
    // All lengths alike.
    const std::uint64_t address = (engine() >> below(engine, 63)) & codec.greatest;
    addresses.push_back(address < codec.least ? codec.least : address);
  }
  return addresses;
}

std::vector<avrm_far_t> far_sides() {
  std::vector<avrm_far_t> list = {{AVRM_FAR_UNCONNECTED, 0}};
  for (const std::uint32_t local_rank : kLocalRanks) {
    list.push_back({AVRM_FAR_LOCAL, local_rank});
    list.push_back({AVRM_FAR_SELF, local_rank});
  }
  return list;
}

// The first of them that does not survive, or none.
testing::AssertionResult survive(const Codec &codec, const std::vector<std::uint64_t> &addresses) {
  for (const std::uint64_t address : addresses) {
    avrm_ave_t ave = kBefore;
    std::uint64_t back = ~address;
    std::uint32_t node = ~kNode;
    if (codec.pack(address, kNode, &ave) != AVRM_OK) {
      return testing::AssertionFailure() << address << " is refused";
    }
    if (codec.unpack(&ave, &back, &node) != AVRM_OK || back != address || node != kNode) {
      return testing::AssertionFailure() << address << " comes back as " << back << " with node " << node;
    }
  }
  return testing::AssertionSuccess();
}

TEST(Ave, HasTwelveBytes) { EXPECT_EQ(sizeof(avrm_ave_t), 12U); }

TEST(Ave, IsFourAligned) { EXPECT_EQ(alignof(avrm_ave_t), 4U); }

TEST(Ave, IsPlainData) { EXPECT_TRUE(std::is_trivial_v<avrm_ave_t> && std::is_standard_layout_v<avrm_ave_t>); }

TEST(Ave, NodeIdIsAtByteEight) { EXPECT_EQ(offsetof(avrm_ave_t, w) + 2 * sizeof(std::uint32_t), 8U); }

TEST(Ave, WordIsTheFirstEightBytes) {
  const std::uint64_t word = 0x0123456789abcdef;
  avrm_ave_t ave{};
  std::memcpy(&ave, &word, sizeof word);
  EXPECT_EQ(avrm_ave_word(&ave), word);
}

TEST(Ave, NodeIsTheLastFourBytes) {
  const avrm_ave_t ave = {{1, 2, kNode}};
  EXPECT_EQ(avrm_ave_node(&ave), kNode);
}

TEST(OfiCodec, WordIsTheAddressPlusOne) {
  EXPECT_EQ(avrm_ofi_address(43), 42U);
  const avrm_ave_t ave = network(ofi_codec(), 42);
  EXPECT_EQ(avrm_ave_word(&ave), 43U);
}

TEST(OfiCodec, GreatestAddressIsBelowTwoToTheSixtyThree) {
  EXPECT_TRUE(survive(ofi_codec(), {(std::uint64_t{1} << 63) - 1}));
}

TEST(OfiCodec, FarSideIsInTheHighHalf) {
  const avrm_ave_t ave = far_side(ofi_codec(), {AVRM_FAR_LOCAL, 7});
  EXPECT_EQ(avrm_ave_word(&ave), 0x9000000700000000U);
}

TEST(OfiCodec, EveryAddressWithTheTopBitIsRefused) {
  for (int bit = 0; bit < 63; ++bit) {
    avrm_ave_t ave = kBefore;
    EXPECT_EQ(avrm_ofi_pack(std::uint64_t{1} << 63 | std::uint64_t{1} << bit, kNode, &ave), AVRM_ERR_ADDRESS_BIT);
  }
}

TEST(OfiCodec, WordsThatAreBeingWrittenAreUnconnected) {
  for (const std::uint32_t low : kLocalRanks) {
    EXPECT_TRUE(is_unconnected(ofi_codec(), std::uint64_t{0xffffffff} << 32 | low)) << low;
  }
}

TEST(OfiCodec, FarWordsOfNoKindAreUnconnected) {
  for (const std::uint64_t kind : {3, 4, 5, 6, 7}) {
    EXPECT_TRUE(is_unconnected(ofi_codec(), std::uint64_t{1} << 63 | kind << 60 | std::uint64_t{5} << 32)) << kind;
  }
}

TEST(UcxCodec, WordIsThePointerLessOneWithTheTopBit) {
  const avrm_ave_t ave = network(ucx_codec(), 0x7fff00001230);
  EXPECT_EQ(avrm_ave_word(&ave), 0x80007fff0000122fU);
}

TEST(UcxCodec, RealPointersSurvive) {
  alignas(8) static char somewhere[64];
  for (int offset = 0; offset < 64; offset += 2) {
    avrm_ave_t ave{};
    void *back = nullptr;
    ASSERT_EQ(avrm_ucx_pack(somewhere + offset, kNode, &ave), AVRM_OK);
    ASSERT_EQ(avrm_ucx_unpack(&ave, &back, nullptr), AVRM_OK);
    EXPECT_EQ(back, somewhere + offset);
  }
}

TEST(UcxCodec, FarSideIsInTheLowHalf) {
  const avrm_ave_t ave = far_side(ucx_codec(), {AVRM_FAR_LOCAL, 7});
  EXPECT_EQ(avrm_ave_word(&ave), 7U << 4 | 1U << 2 | 2U);
}

TEST(UcxCodec, EveryOddAddressIsRefused) {
  for (int bit = 1; bit < 64; ++bit) {
    avrm_ave_t ave = kBefore;
    EXPECT_EQ(ucx_codec().pack(std::uint64_t{1} << bit | 1, kNode, &ave), AVRM_ERR_ADDRESS_BIT) << bit;
  }
}

TEST(UcxCodec, AddressesWithTheTopBitAreRefused) {
  for (int bit = 1; bit < 63; ++bit) {
    avrm_ave_t ave = kBefore;
    EXPECT_EQ(ucx_codec().pack(std::uint64_t{1} << 63 | std::uint64_t{1} << bit, kNode, &ave), AVRM_ERR_ADDRESS_BIT)
        << bit;
  }
}

TEST(UcxCodec, OneHalfOfAnEndpointIsUnconnected) {
  for (const std::uint64_t address : interesting_addresses(ucx_codec())) {
    const avrm_ave_t ave = network(ucx_codec(), address);
    const std::uint64_t word = avrm_ave_word(&ave);
    ASSERT_TRUE(is_unconnected(ucx_codec(), word >> 32 << 32)) << address;
    ASSERT_TRUE(is_unconnected(ucx_codec(), static_cast<std::uint32_t>(word))) << address;
    ASSERT_FALSE(avrm_ucx_is_local(word >> 32 << 32) || avrm_ucx_is_local(static_cast<std::uint32_t>(word))) << address;
  }
}

class Codecs : public CodecTest {};
AVRM_TEST_BOTH_CODECS(Codecs);

TEST_P(Codecs, EveryBitAndPairOfBitsSurvives) { EXPECT_TRUE(survive(codec(), interesting_addresses(codec()))); }

TEST_P(Codecs, RandomAddressesSurvive) { EXPECT_TRUE(survive(codec(), random_addresses(codec()))); }

TEST_P(Codecs, EveryNodeIdBitSurvives) {
  for (int bit = 0; bit < 32; ++bit) {
    const avrm_ave_t ave = network(codec(), codec().greatest, 1U << bit);
    EXPECT_EQ(avrm_ave_node(&ave), 1U << bit);
  }
}

TEST_P(Codecs, InlineTestAndDecodeAgreeWithUnpack) {
  for (const std::uint64_t address : interesting_addresses(codec())) {
    const avrm_ave_t ave = network(codec(), address);
    ASSERT_TRUE(codec().is_network(avrm_ave_word(&ave))) << address;
    ASSERT_EQ(codec().address(avrm_ave_word(&ave)), address);
  }
}

TEST_P(Codecs, NodeIsOptionalInUnpack) {
  const avrm_ave_t ave = network(codec(), codec().greatest, kNode);
  std::uint64_t address = 0;
  EXPECT_EQ(codec().unpack(&ave, &address, nullptr), AVRM_OK);
  EXPECT_EQ(address, codec().greatest);
}

TEST_P(Codecs, ElementsNeedNoEightAlignment) {
  alignas(8) unsigned char bytes[2 * sizeof(avrm_ave_t)];
  auto *const ave = new (bytes + 4) avrm_ave_t{};
  ASSERT_NE(reinterpret_cast<std::uintptr_t>(ave) % 8, 0U);
  ASSERT_EQ(codec().pack(codec().greatest, kNode, ave), AVRM_OK);
  EXPECT_EQ(codec().address(avrm_ave_word(ave)), codec().greatest);
  EXPECT_EQ(avrm_ave_node(ave), kNode);
}

TEST_P(Codecs, StolenBitsAreRefused) {
  avrm_ave_t ave{};
  EXPECT_EQ(codec().pack(codec().stolen_bits, kNode, &ave), AVRM_ERR_ADDRESS_BIT);
}

TEST_P(Codecs, StolenBitsLeaveTheElementAsItWas) {
  avrm_ave_t ave = kBefore;
  (void)codec().pack(codec().stolen_bits, kNode, &ave);
  EXPECT_EQ(ave, kBefore);
}

TEST_P(Codecs, SentinelIsRefused) {
  for (const std::uint64_t sentinel : codec().sentinels) {
    avrm_ave_t ave{};
    EXPECT_EQ(codec().pack(sentinel, kNode, &ave), AVRM_ERR_ADDRESS_SENTINEL);
  }
}

TEST_P(Codecs, SentinelLeavesTheElementAsItWas) {
  for (const std::uint64_t sentinel : codec().sentinels) {
    avrm_ave_t ave = kBefore;
    (void)codec().pack(sentinel, kNode, &ave);
    EXPECT_EQ(ave, kBefore);
  }
}

TEST_P(Codecs, PackIntoNullIsRefused) { EXPECT_EQ(codec().pack(codec().greatest, 0, nullptr), AVRM_ERR_NULL); }

TEST_P(Codecs, PackFarIntoNullIsRefused) { EXPECT_EQ(codec().pack_far({AVRM_FAR_SELF, 0}, 0, nullptr), AVRM_ERR_NULL); }

TEST_P(Codecs, UnpackOfNullIsRefused) {
  std::uint64_t address = 0;
  EXPECT_EQ(codec().unpack(nullptr, &address, nullptr), AVRM_ERR_NULL);
}

TEST_P(Codecs, UnpackIntoNullIsRefused) {
  const avrm_ave_t ave = network(codec(), codec().greatest);
  EXPECT_EQ(codec().unpack(&ave, nullptr, nullptr), AVRM_ERR_NULL);
}

TEST_P(Codecs, UnpackFarIntoNullIsRefused) { EXPECT_EQ(codec().unpack_far(0, nullptr), AVRM_ERR_NULL); }

TEST_P(Codecs, FarSidesSurvive) {
  for (const avrm_far_t &what : far_sides()) {
    const avrm_ave_t ave = far_side(codec(), what, kNode);
    avrm_far_t back{};
    ASSERT_EQ(codec().unpack_far(avrm_ave_word(&ave), &back), AVRM_OK);
    EXPECT_EQ(back, what);
    EXPECT_EQ(avrm_ave_node(&ave), kNode);
  }
}

TEST_P(Codecs, EveryLocalRankBitSurvives) {
  for (int bit = 0; bit < 28; ++bit) {
    const avrm_far_t what = {AVRM_FAR_LOCAL, 1U << bit};
    const avrm_ave_t ave = far_side(codec(), what);
    avrm_far_t back{};
    ASSERT_EQ(codec().unpack_far(avrm_ave_word(&ave), &back), AVRM_OK);
    EXPECT_EQ(back, what);
  }
}

TEST_P(Codecs, RandomLocalRanksSurvive) {
  std::mt19937_64 engine = seeded_engine();
  for (int i = 0; i < 10000; ++i) {
    const avrm_far_t what = {AVRM_FAR_LOCAL, static_cast<std::uint32_t>(engine()) % AVRM_LOCAL_RANKS};
    const avrm_ave_t ave = far_side(codec(), what);
    avrm_far_t back{};
    ASSERT_EQ(codec().unpack_far(avrm_ave_word(&ave), &back), AVRM_OK);
    ASSERT_EQ(back, what);
  }
}

TEST_P(Codecs, FarWordsTellLocalityAndLocalRankInline) {
  for (const avrm_far_t &what : far_sides()) {
    const avrm_ave_t ave = far_side(codec(), what);
    const std::uint64_t word = avrm_ave_word(&ave);
    ASSERT_EQ(avrm_word_is_local(codec().id, word), what.kind != AVRM_FAR_UNCONNECTED) << word;
    if (what.kind != AVRM_FAR_UNCONNECTED) {
      ASSERT_EQ(avrm_word_local_rank(codec().id, word), what.local_rank) << word;
    }
  }
}

// Stores of one half leave such words: that of the other half is still to come.
TEST_P(Codecs, WordsThatAreBeingWrittenAreNotLocal) {
  const detail::WriteOrder order = detail::write_order_of(codec().id);
  for (const std::uint32_t local_rank : kLocalRanks) {
    for (const avrm_far_kind_t kind : {AVRM_FAR_LOCAL, AVRM_FAR_SELF}) {
      avrm_ave_t ave = far_side(codec(), {kind, local_rank});
      ave.w[order.flag_half] = order.far_marker;
      EXPECT_FALSE(avrm_word_is_local(codec().id, avrm_ave_word(&ave))) << local_rank;
    }
  }
}

TEST_P(Codecs, LocalRankOfUnconnectedIsZero) {
  const avrm_ave_t ave = far_side(codec(), {AVRM_FAR_UNCONNECTED, 77});
  EXPECT_TRUE(is_unconnected(codec(), avrm_ave_word(&ave)));
}

TEST_P(Codecs, FarSidesHaveDifferentWords) {
  const std::vector<avrm_far_t> list = far_sides();
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(far_side(codec(), list[i]) == far_side(codec(), list[j])) << i << ' ' << j;
    }
  }
}

TEST_P(Codecs, LocalRanksThatDoNotFitAreRefused) {
  for (const avrm_far_kind_t kind : {AVRM_FAR_LOCAL, AVRM_FAR_SELF}) {
    for (const std::uint32_t local_rank : {AVRM_LOCAL_RANKS, UINT32_C(0x80000000), UINT32_MAX}) {
      avrm_ave_t ave = kBefore;
      EXPECT_EQ(codec().pack_far({kind, local_rank}, kNode, &ave), AVRM_ERR_RANK);
      EXPECT_EQ(ave, kBefore);
    }
  }
}

TEST_P(Codecs, UnknownFarKindIsRefused) {
  avrm_ave_t ave = kBefore;
  EXPECT_EQ(codec().pack_far({static_cast<avrm_far_kind_t>(3), 0}, kNode, &ave), AVRM_ERR_OPTION);
}

TEST_P(Codecs, UnknownFarKindLeavesTheElementAsItWas) {
  avrm_ave_t ave = kBefore;
  (void)codec().pack_far({static_cast<avrm_far_kind_t>(3), 0}, kNode, &ave);
  EXPECT_EQ(ave, kBefore);
}

TEST_P(Codecs, ZeroElementIsUnconnected) {
  const avrm_ave_t zero{};
  EXPECT_FALSE(codec().is_network(avrm_ave_word(&zero)));
  EXPECT_TRUE(is_unconnected(codec(), avrm_ave_word(&zero)));
}

TEST_P(Codecs, UnconnectedHasAZeroWord) {
  const avrm_ave_t ave = far_side(codec(), {AVRM_FAR_UNCONNECTED, 0}, kNode);
  EXPECT_EQ(avrm_ave_word(&ave), 0U);
}

TEST_P(Codecs, NetworkWordIsNeverTheWordOfZero) {
  for (const std::uint64_t address : interesting_addresses(codec())) {
    const avrm_ave_t ave = network(codec(), address);
    ASSERT_NE(avrm_ave_word(&ave), 0U) << address;
  }
}

TEST_P(Codecs, NetworkWordDoesNotUnpackAsFar) {
  for (const std::uint64_t address : interesting_addresses(codec())) {
    const avrm_ave_t ave = network(codec(), address);
    avrm_far_t what = {AVRM_FAR_SELF, 1};
    ASSERT_EQ(codec().unpack_far(avrm_ave_word(&ave), &what), AVRM_ERR_NOT_NETWORK) << address;
    ASSERT_EQ(what, (avrm_far_t{AVRM_FAR_SELF, 1})) << "the output was written";
  }
}

TEST_P(Codecs, FarWordDoesNotUnpackAsNetwork) {
  for (const avrm_far_t &what : far_sides()) {
    const avrm_ave_t ave = far_side(codec(), what, kNode);
    std::uint64_t address = 4711;
    std::uint32_t node = 4712;
    EXPECT_FALSE(codec().is_network(avrm_ave_word(&ave)));
    EXPECT_EQ(codec().unpack(&ave, &address, &node), AVRM_ERR_NOT_NETWORK);
    EXPECT_TRUE(address == 4711 && node == 4712) << "an output was written";
  }
}

TEST_P(Codecs, EveryWordIsOnExactlyOneSide) {
  std::mt19937_64 engine = seeded_engine();
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t word = engine() >> below(engine, 64);
    avrm_ave_t ave{};
    std::memcpy(&ave, &word, sizeof word);
    std::uint64_t address = 0;
    avrm_far_t what{};
    const bool near = codec().unpack(&ave, &address, nullptr) == AVRM_OK;
    ASSERT_EQ(near, codec().is_network(word)) << word;
    ASSERT_EQ(near, codec().unpack_far(word, &what) == AVRM_ERR_NOT_NETWORK) << word;
  }
}

// ---- functions for any codec ----

TEST_P(Codecs, PackByCodecIsTheCodecsOwn) {
  std::vector<std::uint64_t> addresses = interesting_addresses(codec());
  addresses.push_back(codec().stolen_bits);
  addresses.insert(addresses.end(), codec().sentinels.begin(), codec().sentinels.end());
  for (const std::uint64_t address : addresses) {
    avrm_ave_t own = kBefore;
    avrm_ave_t ave = kBefore;
    const avrm_status_t status = codec().pack(address, kNode, &own);
    ASSERT_EQ(avrm_ave_pack(codec().id, address, kNode, &ave), status) << address;
    ASSERT_EQ(ave, own) << address;
  }
}

TEST_P(Codecs, PackFarByCodecIsTheCodecsOwn) {
  for (const avrm_far_t &what : far_sides()) {
    avrm_ave_t ave = kBefore;
    ASSERT_EQ(avrm_ave_pack_far(codec().id, what, kNode, &ave), AVRM_OK);
    EXPECT_EQ(ave, far_side(codec(), what, kNode));
  }
  EXPECT_EQ(avrm_ave_pack_far(codec().id, {AVRM_FAR_SELF, 0}, kNode, nullptr), AVRM_ERR_NULL);
}

TEST_P(Codecs, WordsByCodecAreSplitAsTheCodecDoes) {
  std::mt19937_64 engine = seeded_engine();
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t word = engine() >> below(engine, 64);
    avrm_far_t own{};
    avrm_far_t what{};
    ASSERT_EQ(avrm_word_is_network(codec().id, word), codec().is_network(word)) << word;
    ASSERT_EQ(avrm_word_unpack_far(codec().id, word, &what), codec().unpack_far(word, &own)) << word;
    ASSERT_EQ(what, own) << word;
    if (codec().is_network(word)) {
      ASSERT_EQ(avrm_word_address(codec().id, word), codec().address(word)) << word;
    }
  }
}

TEST(UnknownCodec, IsRefused) {
  const auto codec = static_cast<avrm_codec_t>(2);
  avrm_ave_t ave = kBefore;
  avrm_far_t what = {AVRM_FAR_SELF, 1};
  EXPECT_EQ(avrm_ave_pack(codec, 42, kNode, &ave), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_ave_pack_far(codec, what, kNode, &ave), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_word_unpack_far(codec, 0, &what), AVRM_ERR_OPTION);
  EXPECT_EQ(ave, kBefore);
  EXPECT_EQ(what, (avrm_far_t{AVRM_FAR_SELF, 1}));
}

} // namespace

} // namespace avrankmap::test
