// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One address vector: creation, elements, bounds.
#include "avrankmap/av.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/codec.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr avrm_ave_t kSome = {{0x11111111, 0x22222222, 0x33333333}};

std::vector<avrm_ave_t> content(const avrm_av_t *av) { return {av->elements, av->elements + av->size}; }

// A small AV with a different value in each element.
class AddressVector : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 20;
  AddressVector() { fill(av_.get()); }
  avrm_av_t *av() { return av_.get(); }
  // Tries to write where it must not, and checks that nothing is written anywhere.
  avrm_status_t failed_range(std::int32_t first, std::int32_t count) {
    const std::vector<avrm_ave_t> before = content(av());
    // As many as could be written before the bound is met.
    const std::vector<avrm_ave_t> values(kSize + 1, kSome);
    const avrm_status_t status = avrm_av_set_range(av(), first, count, values.data());
    EXPECT_EQ(content(av()), before);
    return status;
  }

private:
  Instance instance_;
  AvPtr av_ = make_av(instance_, kSize);
};

class AvSizes : public testing::TestWithParam<std::int32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, AvSizes, testing::Values(1, 2, 3, 5, 6, 1000, 5455, 5456, 5457, 100000),
                         testing::PrintToStringParamName());

TEST_P(AvSizes, SizeIsTheOneAskedFor) {
  const Instance instance;
  EXPECT_EQ(make_av(instance, GetParam())->size, GetParam());
}

TEST_P(AvSizes, BytesAreSixtyFourAndTwelvePerProcess) {
  const Instance instance;
  const AvPtr av = make_av(instance, GetParam());
  EXPECT_EQ(avrm_av_bytes(av.get()), 64 + 12 * static_cast<std::uint64_t>(GetParam()));
}

TEST_P(AvSizes, BytesAreTheAccountedOnes) {
  const Instance instance;
  const AvPtr av = make_av(instance, GetParam());
  EXPECT_EQ(avrm_av_bytes(av.get()), instance.usage(AVRM_MEM_AV).live_bytes);
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_blocks, 1U);
}

TEST_P(AvSizes, ElementsAreSixtyFourAligned) {
  const Instance instance;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(make_av(instance, GetParam())->elements) % 64, 0U);
}

TEST_P(AvSizes, FreshElementsAreUnconnected) {
  const Instance instance;
  const AvPtr av = make_av(instance, GetParam());
  for (std::int32_t lpid = 0; lpid < GetParam(); ++lpid) {
    ASSERT_EQ(*avrm_av_ave(av.get(), lpid), avrm_ave_t{}) << lpid;
  }
}

TEST_P(AvSizes, ReusedMemoryIsUnconnected) {
  const Instance instance;
  fill(make_av(instance, GetParam()).get());
  const AvPtr av = make_av(instance, GetParam());
  for (std::int32_t lpid = 0; lpid < GetParam(); ++lpid) {
    ASSERT_EQ(*avrm_av_ave(av.get(), lpid), avrm_ave_t{}) << lpid;
  }
}

TEST_P(AvSizes, EveryElementHoldsItsOwnValue) {
  const Instance instance;
  const AvPtr av = make_av(instance, GetParam());
  for (std::int32_t lpid = 0; lpid < GetParam(); ++lpid) {
    const avrm_ave_t ave = ave_of({1, lpid});
    require(avrm_av_set(av.get(), lpid, &ave));
  }
  for (std::int32_t lpid = 0; lpid < GetParam(); ++lpid) {
    avrm_ave_t ave{};
    ASSERT_EQ(avrm_av_get(av.get(), lpid, &ave), AVRM_OK);
    ASSERT_EQ(ave, ave_of({1, lpid})) << lpid;
  }
}

TEST(AvCreate, NullIsRefused) {
  const Instance instance;
  avrm_av_t *av = untouched<avrm_av_t>();
  EXPECT_EQ(avrm_av_create(nullptr, 10, nullptr, &av), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_create(instance, 10, nullptr, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(av, untouched<avrm_av_t>());
}

TEST(AvCreate, SizeBelowOneIsRefused) {
  const Instance instance;
  for (const std::int32_t size : {0, -1, kMin}) {
    avrm_av_t *av = untouched<avrm_av_t>();
    EXPECT_EQ(avrm_av_create(instance, size, nullptr, &av), AVRM_ERR_SIZE) << size;
    EXPECT_EQ(av, untouched<avrm_av_t>());
  }
}

TEST(AvCreate, RefusedSizeCostsNothing) {
  CountingAllocator memory;
  const Instance instance(&memory);
  avrm_av_t *av = nullptr;
  (void)avrm_av_create(instance, 0, nullptr, &av);
  EXPECT_EQ(memory.calls(), 1U) << "the instance itself";
}

TEST(AvCreate, NullOptionsAreTheDefaults) {
  const Instance instance;
  avrm_av_t *av = nullptr;
  ASSERT_EQ(avrm_av_create(instance, 10, nullptr, &av), AVRM_OK);
  EXPECT_EQ(avrm_av_bytes(av), 64U + 12 * 10);
  avrm_av_release(av);
}

TEST(AvCreate, TakesOneBlock) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const std::uint64_t before = memory.calls();
  const AvPtr av = make_av(instance, 1000);
  EXPECT_EQ(memory.calls(), before + 1);
}

TEST(AvRelease, NullDoesNothing) { avrm_av_release(nullptr); }

TEST(AvBytes, NullHasNone) { EXPECT_EQ(avrm_av_bytes(nullptr), 0U); }

TEST_F(AddressVector, AveIsTheElement) {
  for (std::int32_t lpid = 0; lpid < kSize; ++lpid) {
    EXPECT_EQ(avrm_av_ave(av(), lpid), av()->elements + lpid);
  }
}

TEST_F(AddressVector, SetWritesOneElementOnly) {
  std::vector<avrm_ave_t> expected = content(av());
  expected[7] = kSome;
  EXPECT_EQ(avrm_av_set(av(), 7, &kSome), AVRM_OK);
  EXPECT_EQ(content(av()), expected);
}

TEST_F(AddressVector, SetOfZeroDisconnects) {
  const avrm_ave_t zero{};
  ASSERT_EQ(avrm_av_set(av(), 7, &zero), AVRM_OK);
  EXPECT_EQ(*avrm_av_ave(av(), 7), zero);
}

TEST_F(AddressVector, SetTakesAnElementOfTheSameTable) {
  ASSERT_EQ(avrm_av_set(av(), 7, avrm_av_ave(av(), 8)), AVRM_OK);
  EXPECT_EQ(*avrm_av_ave(av(), 7), ave_of({0, 8}));
}

TEST_F(AddressVector, SetOfTheElementItselfChangesNothing) {
  const std::vector<avrm_ave_t> before = content(av());
  ASSERT_EQ(avrm_av_set(av(), 7, avrm_av_ave(av(), 7)), AVRM_OK);
  EXPECT_EQ(content(av()), before);
}

TEST_F(AddressVector, SetOfNullIsRefused) {
  EXPECT_EQ(avrm_av_set(nullptr, 0, &kSome), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_set(av(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(AddressVector, SetOutsideIsRefused) {
  const std::vector<avrm_ave_t> before = content(av());
  for (const std::int32_t lpid : {-1, kSize, kSize + 1, kMin, kMax}) {
    EXPECT_EQ(avrm_av_set(av(), lpid, &kSome), AVRM_ERR_LPID) << lpid;
  }
  EXPECT_EQ(content(av()), before);
}

TEST_F(AddressVector, SetRangeWritesTheRangeOnly) {
  std::vector<avrm_ave_t> expected = content(av());
  const std::vector<avrm_ave_t> values = {ave_of({1, 0}), ave_of({2, 0}), ave_of({3, 0})};
  std::copy(values.begin(), values.end(), expected.begin() + 9);
  EXPECT_EQ(avrm_av_set_range(av(), 9, 3, values.data()), AVRM_OK);
  EXPECT_EQ(content(av()), expected);
}

TEST_F(AddressVector, SetRangeReachesBothEnds) {
  const std::vector<avrm_ave_t> values(kSize, kSome);
  EXPECT_EQ(avrm_av_set_range(av(), 0, kSize, values.data()), AVRM_OK);
  EXPECT_EQ(content(av()), values);
}

TEST_F(AddressVector, SetRangeOfNothingSucceedsUpToTheEnd) {
  EXPECT_EQ(failed_range(0, 0), AVRM_OK);
  EXPECT_EQ(failed_range(kSize - 1, 0), AVRM_OK);
  EXPECT_EQ(failed_range(kSize, 0), AVRM_OK);
}

TEST_F(AddressVector, SetRangeOfNothingBeyondTheEndIsRefused) {
  EXPECT_EQ(failed_range(kSize + 1, 0), AVRM_ERR_LPID);
  EXPECT_EQ(failed_range(-1, 0), AVRM_ERR_LPID);
}

TEST_F(AddressVector, SetRangeOfNegativeCountIsRefused) {
  EXPECT_EQ(failed_range(0, -1), AVRM_ERR_SIZE);
  EXPECT_EQ(failed_range(5, kMin), AVRM_ERR_SIZE);
}

TEST_F(AddressVector, SetRangeFromNegativeLpidIsRefused) {
  EXPECT_EQ(failed_range(-1, 2), AVRM_ERR_LPID);
  EXPECT_EQ(failed_range(kMin, 2), AVRM_ERR_LPID);
}

TEST_F(AddressVector, SetRangeBeyondTheEndIsRefused) {
  EXPECT_EQ(failed_range(0, kSize + 1), AVRM_ERR_LPID);
  EXPECT_EQ(failed_range(kSize - 1, 2), AVRM_ERR_LPID);
  EXPECT_EQ(failed_range(kSize, 1), AVRM_ERR_LPID);
}

TEST_F(AddressVector, SetRangeThatOverflowsIsRefused) {
  EXPECT_EQ(failed_range(kMax, kMax), AVRM_ERR_LPID);
  EXPECT_EQ(failed_range(1, kMax), AVRM_ERR_LPID);
  EXPECT_EQ(failed_range(kMax, 1), AVRM_ERR_LPID);
}

TEST_F(AddressVector, SetRangeOfNullIsRefused) {
  EXPECT_EQ(avrm_av_set_range(nullptr, 0, 1, &kSome), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_set_range(av(), 0, 1, nullptr), AVRM_ERR_NULL);
}

TEST_F(AddressVector, GetReadsTheElement) {
  avrm_ave_t ave{};
  EXPECT_EQ(avrm_av_get(av(), 7, &ave), AVRM_OK);
  EXPECT_EQ(ave, ave_of({0, 7}));
}

TEST_F(AddressVector, GetOfNullIsRefused) {
  avrm_ave_t ave = kSome;
  EXPECT_EQ(avrm_av_get(nullptr, 0, &ave), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_get(av(), 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(ave, kSome);
}

TEST_F(AddressVector, GetOutsideIsRefused) {
  for (const std::int32_t lpid : {-1, kSize, kSize + 1, kMin, kMax}) {
    avrm_ave_t ave = kSome;
    EXPECT_EQ(avrm_av_get(av(), lpid, &ave), AVRM_ERR_LPID) << lpid;
    EXPECT_EQ(ave, kSome);
  }
}

TEST(AvFilling, AnyOrderGivesTheSameTable) {
  constexpr std::int32_t kSize = 2000;
  std::mt19937_64 engine = seeded_engine();
  std::vector<std::int32_t> order(kSize);
  for (std::int32_t i = 0; i < kSize; ++i) {
    order[static_cast<std::size_t>(i)] = i;
  }
  std::shuffle(order.begin(), order.end(), engine);
  const Instance instance;
  const AvPtr av = make_av(instance, kSize);
  for (const std::int32_t lpid : order) {
    const avrm_ave_t ave = ave_of({0, lpid});
    require(avrm_av_set(av.get(), lpid, &ave));
  }
  for (std::int32_t lpid = 0; lpid < kSize; ++lpid) {
    ASSERT_EQ(*avrm_av_ave(av.get(), lpid), ave_of({0, lpid}));
  }
}

TEST(AvFilling, RangesAndSinglesAgreeWithAPlainTable) {
  constexpr std::int32_t kSize = 300;
  std::mt19937_64 engine = seeded_engine();
  for (const Codec *codec : {&ofi_codec(), &ucx_codec()}) {
    const Instance instance;
    const AvPtr av = make_av(instance, kSize, codec->id);
    std::vector<avrm_ave_t> twin(kSize);
    for (int step = 0; step < 1000; ++step) {
      const auto first = static_cast<std::int32_t>(below(engine, kSize));
      const auto count = 1 + static_cast<std::int32_t>(below(engine, static_cast<std::uint64_t>(kSize - first)));
      std::vector<avrm_ave_t> values;
      for (std::int32_t i = 0; i < count; ++i) {
        // Words of all lengths, zero among them, half of them network addresses.
        const std::uint64_t number = (engine() >> below(engine, 64)) & codec->greatest;
        const auto node = static_cast<std::uint32_t>(engine());
        values.push_back(
            number < codec->least || number % 4 == 0
                ? far_side(*codec, {static_cast<avrm_far_kind_t>(number / 4 % 3), node % AVRM_LOCAL_RANKS}, node)
                : network(*codec, number, node));
      }
      require(avrm_av_set_range(av.get(), first, count, values.data()));
      std::copy(values.begin(), values.end(), twin.begin() + first);
      ASSERT_EQ(content(av.get()), twin) << "step " << step << " of codec " << codec->name;
    }
  }
}

TEST(AvMemory, NeverMoves) {
  const Instance instance;
  const AvPtr av = make_av(instance, 1000);
  fill(av.get());
  const avrm_ave_t *const where = avrm_av_ave(av.get(), 0);
  const std::vector<avrm_ave_t> before = content(av.get());
  std::vector<AvPtr> others;
  for (int i = 0; i < 2000; ++i) {
    others.push_back(make_av(instance, 100));
    fill(others.back().get());
    if (i % 3 == 0) {
      others.erase(others.begin() + i / 6);
    }
  }
  EXPECT_EQ(avrm_av_ave(av.get(), 0), where);
  EXPECT_EQ(content(av.get()), before);
}

} // namespace

} // namespace avrankmap::test
