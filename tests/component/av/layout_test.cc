// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pins the sizes, offsets and constants that callers of the component compile in;
// tests/device/core/layout_test.cc pins the device's. A change of a number here requires a
// greater AVRM_LAYOUT (cmake/version.h.in), so that the library refuses callers compiled
// with older headers.
#include <gtest/gtest.h>

#include <climits>
#include <vector>

#include "avrankmap/av_inl.h"
#include "avrankmap/avrankmap.h"
#include "avrankmap/rankmap_inl.h"
#include "tests/support/instance.h"
#include "tests/support/layout.h"

namespace avrankmap::test {

namespace {

TEST(Layout, IsTheOneOfNumber18) {
  if (sizeof(void *) != 8) {
    GTEST_SKIP() << "the numbers are those of 64-bit pointers";
  }
  ASSERT_EQ(AVRM_LAYOUT, 18) << "the numbers below belong to another layout";
  const Numbers now = {
      AVRM_SIZE(avrm_ave_t),
      AVRM_SIZE(avrm_far_t),
      AVRM_SIZE(avrm_av_t),
      AVRM_OFFSET(avrm_av_t, elements),
      AVRM_OFFSET(avrm_av_t, size),
      AVRM_OFFSET(avrm_av_t, pgid),
      AVRM_OFFSET(avrm_av_t, further),
      AVRM_SIZE(avrm_av_options_t),
      AVRM_SIZE(avrm_av_info_t),
      AVRM_SIZE(avrm_further_t),
      AVRM_OFFSET(avrm_further_t, by_lpid),
      AVRM_OFFSET(avrm_further_t, step),
      AVRM_SIZE(avrm_addresses_rule_t),
      AVRM_SIZE(avrm_addresses_info_t),
      AVRM_SIZE(avrm_allocator_t),
      AVRM_SIZE(avrm_mem_usage_t),
      AVRM_SIZE(avrm_instance_options_t),
      AVRM_SIZE(avrm_gpid_t),
      AVRM_SIZE(avrm_pair_t),
      AVRM_SIZE(avrm_segment_t),
      AVRM_SIZE(avrm_cart_t),
      AVRM_SIZE(avrm_line_t),
      AVRM_OFFSET(avrm_line_t, step),
      AVRM_OFFSET(avrm_line_t, limit),
      AVRM_SIZE(avrm_rankmap_t),
      AVRM_OFFSET(avrm_rankmap_t, klass),
      AVRM_OFFSET(avrm_rankmap_t, size),
      AVRM_OFFSET(avrm_rankmap_t, at),
      AVRM_OFFSET(avrm_rankmap_t, as.affine.step),
      AVRM_OFFSET(avrm_rankmap_t, as.affine.line),
      AVRM_OFFSET(avrm_rankmap_t, as.affine.stride),
      AVRM_OFFSET(avrm_rankmap_t, as.lut.lpids),
      AVRM_OFFSET(avrm_rankmap_t, as.mlut.pairs),
      AVRM_OFFSET(avrm_rankmap_t, as.mlut.pgids),
      AVRM_OFFSET(avrm_rankmap_t, pgid),
      AVRM_OFFSET(avrm_rankmap_t, offset),
      AVRM_OFFSET(avrm_rankmap_t, instance),
      AVRM_SIZE(avrm_i_translation_t),
      AVRM_SIZE(avrm_rankmap_info_t),
      AVRM_SIZE(avrm_range_t),
  };
  const Numbers then = {
      {"avrm_ave_t", 12},
      {"avrm_far_t", 8},
      {"avrm_av_t", 24},
      {"avrm_av_t.elements", 0},
      {"avrm_av_t.size", 8},
      {"avrm_av_t.pgid", 12},
      {"avrm_av_t.further", 16},
      {"avrm_av_options_t", 20},
      {"avrm_av_info_t", 32},
      {"avrm_further_t", 24},
      {"avrm_further_t.by_lpid", 8},
      {"avrm_further_t.step", 16},
      {"avrm_addresses_rule_t", 32},
      {"avrm_addresses_info_t", 24},
      {"avrm_allocator_t", 24},
      {"avrm_mem_usage_t", 24},
      {"avrm_instance_options_t", 24},
      {"avrm_gpid_t", 8},
      {"avrm_pair_t", 8},
      {"avrm_segment_t", 16},
      {"avrm_cart_t", 16},
      {"avrm_line_t", 40},
      {"avrm_line_t.step", 8},
      {"avrm_line_t.limit", 32},
      {"avrm_rankmap_t", 56},
      {"avrm_rankmap_t.klass", 0},
      {"avrm_rankmap_t.size", 4},
      {"avrm_rankmap_t.at", 8},
      {"avrm_rankmap_t.as.affine.step", 16},
      {"avrm_rankmap_t.as.affine.line", 24},
      {"avrm_rankmap_t.as.affine.stride", 32},
      {"avrm_rankmap_t.as.lut.lpids", 16},
      {"avrm_rankmap_t.as.mlut.pairs", 16},
      {"avrm_rankmap_t.as.mlut.pgids", 24},
      {"avrm_rankmap_t.pgid", 40},
      {"avrm_rankmap_t.offset", 44},
      {"avrm_rankmap_t.instance", 48},
      {"avrm_i_translation_t", 40},
      {"avrm_rankmap_info_t", 176},
      {"avrm_range_t", 12},
  };
  EXPECT_EQ(now, then);
}

// Callers compile in the class numbers, too.
TEST(Layout, NumbersOfClassesAreThoseOfNumber17) {
  EXPECT_EQ((std::vector<int>{AVRM_CLASS_AFFINE, AVRM_CLASS_LUT, AVRM_CLASS_MLUT}), (std::vector<int>{0, 1, 2}));
}

// So is the encoding of address words.
TEST(Layout, AddressWordsAreThoseOfNumber17) {
  const auto network = [](avrm_codec_t codec) {
    avrm_ave_t ave{};
    EXPECT_EQ(avrm_ave_pack(codec, 42, 0, &ave), AVRM_OK);
    return avrm_ave_word(&ave);
  };
  const auto local = [](auto pack_far) {
    avrm_ave_t ave{};
    EXPECT_EQ(pack_far(avrm_far_t{AVRM_FAR_LOCAL, 3}, 0, &ave), AVRM_OK);
    return avrm_ave_word(&ave);
  };
  const std::vector<std::uint64_t> now = {network(AVRM_CODEC_OFI), network(AVRM_CODEC_UCX), local(avrm_ofi_pack_far),
                                          local(avrm_ucx_pack_far)};
  const std::vector<std::uint64_t> then = {43, 0x8000000000000029, 0x9000000300000000, 0x36};
  EXPECT_EQ(now, then);
}

TEST(Headers, OfAnotherLayoutAreRefused) {
  avrm_instance_t *instance = untouched<avrm_instance_t>();
  EXPECT_EQ(avrm_i_instance_create(nullptr, &instance, AVRM_I_HEADERS + (1ULL << 32)), AVRM_ERR_VERSION);
  EXPECT_EQ(instance, untouched<avrm_instance_t>());
}

TEST(Headers, OfAnotherMinorVersionAreRefused) {
  avrm_instance_t *instance = untouched<avrm_instance_t>();
  EXPECT_EQ(avrm_i_instance_create(nullptr, &instance, AVRM_I_HEADERS + (1000ULL << 32)), AVRM_ERR_VERSION);
  EXPECT_EQ(instance, untouched<avrm_instance_t>());
}

TEST(Headers, AreLookedAtBeforeTheOptions) {
  avrm_instance_t *instance = untouched<avrm_instance_t>();
  const auto *const unreadable = reinterpret_cast<const avrm_instance_options_t *>(8);
  EXPECT_EQ(avrm_i_instance_create(unreadable, &instance, AVRM_I_HEADERS + 1), AVRM_ERR_VERSION);
}

} // namespace

} // namespace avrankmap::test
