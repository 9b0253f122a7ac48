// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Translation of every kind of map: the inline functions, those with checks and those in bulk.

#include <cstdint>
#include <vector>

#include "tests/component/rankmap/one_of_each.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using RankmapTranslation = RankmapOfEachKind;

INSTANTIATE_TEST_SUITE_P(All, RankmapTranslation, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapTranslation, WordIsThatOfTheProcess) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    ASSERT_EQ(avrm_rankmap_word(map.get(), rank), word_of(table[static_cast<std::size_t>(rank)])) << "rank " << rank;
  }
}

TEST_P(RankmapTranslation, AveIsTheElementOfTheProcess) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    const avrm_gpid_t gpid = table[static_cast<std::size_t>(rank)];
    ASSERT_EQ(avrm_rankmap_ave(map.get(), rank), avrm_av_ave(worlds.avs[gpid.pgid].get(), gpid.lpid))
        << "rank " << rank;
  }
}

TEST_P(RankmapTranslation, NodeIsThatOfTheProcess) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    ASSERT_EQ(avrm_rankmap_node(map.get(), rank), node_of(table[static_cast<std::size_t>(rank)])) << "rank " << rank;
  }
}

TEST_P(RankmapTranslation, GpidNeedsNoBinding) {
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_TRUE(agrees(map.get(), table));
}

// ---- checked ----

TEST_P(RankmapTranslation, CheckedAgreesWithUnchecked) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    std::uint64_t word = 0;
    const avrm_ave_t *ave = nullptr;
    avrm_gpid_t gpid{};
    ASSERT_EQ(avrm_rankmap_word_checked(map.get(), rank, &word), AVRM_OK);
    ASSERT_EQ(avrm_rankmap_ave_checked(map.get(), rank, &ave), AVRM_OK);
    ASSERT_EQ(avrm_rankmap_gpid_checked(map.get(), rank, &gpid), AVRM_OK);
    ASSERT_EQ(word, avrm_rankmap_word(map.get(), rank));
    ASSERT_EQ(ave, avrm_rankmap_ave(map.get(), rank));
    ASSERT_EQ(gpid, table[static_cast<std::size_t>(rank)]);
  }
}

TEST_P(RankmapTranslation, CheckedRefusesARankOutside) {
  for (const std::int32_t rank : {-1, size(), size() + 1, kIntMin, kIntMax}) {
    std::uint64_t word = 17;
    const avrm_ave_t *ave = worlds.avs[2]->elements;
    avrm_gpid_t gpid{5, 6};
    EXPECT_EQ(avrm_rankmap_word_checked(map.get(), rank, &word), AVRM_ERR_RANK) << rank;
    EXPECT_EQ(avrm_rankmap_ave_checked(map.get(), rank, &ave), AVRM_ERR_RANK) << rank;
    EXPECT_EQ(avrm_rankmap_gpid_checked(map.get(), rank, &gpid), AVRM_ERR_RANK) << rank;
    EXPECT_EQ(word, 17U);
    EXPECT_EQ(ave, worlds.avs[2]->elements);
    EXPECT_EQ(gpid, (avrm_gpid_t{5, 6}));
  }
}

TEST_P(RankmapTranslation, CheckedRefusesAnUnboundMap) {
  require(avrm_rankmap_unbind(map.get()));
  std::uint64_t word = 17;
  const avrm_ave_t *ave = worlds.avs[2]->elements;
  EXPECT_EQ(avrm_rankmap_word_checked(map.get(), 0, &word), AVRM_ERR_NOT_BOUND);
  EXPECT_EQ(avrm_rankmap_ave_checked(map.get(), 0, &ave), AVRM_ERR_NOT_BOUND);
  EXPECT_EQ(word, 17U);
  EXPECT_EQ(ave, worlds.avs[2]->elements);
}

TEST_P(RankmapTranslation, CheckedGpidNeedsNoBinding) {
  require(avrm_rankmap_unbind(map.get()));
  avrm_gpid_t gpid{};
  EXPECT_EQ(avrm_rankmap_gpid_checked(map.get(), size() - 1, &gpid), AVRM_OK);
  EXPECT_EQ(gpid, table.back());
}

// ---- in bulk ----

// Ranks in random order, with repetitions, the last one among them.
Ranks random_ranks(std::int32_t size) {
  std::mt19937_64 engine = seeded_engine();
  Ranks ranks = {size - 1, 0, size - 1};
  for (int i = 0; i < 5000; ++i) {
    ranks.push_back(static_cast<std::int32_t>(below(engine, static_cast<std::uint64_t>(size))));
  }
  return ranks;
}

TEST_P(RankmapTranslation, WordsInBulkAgree) {
  const Ranks ranks = random_ranks(size());
  std::vector<std::uint64_t> words(ranks.size());
  ASSERT_EQ(avrm_rankmap_words(map.get(), ranks.size(), ranks.data(), words.data()), AVRM_OK);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ASSERT_EQ(words[i], word_of(table[static_cast<std::size_t>(ranks[i])])) << "rank " << ranks[i];
  }
}

TEST_P(RankmapTranslation, GpidsInBulkAgree) {
  require(avrm_rankmap_unbind(map.get())); // not needed for this
  const Ranks ranks = random_ranks(size());
  Table gpids(ranks.size());
  ASSERT_EQ(avrm_rankmap_gpids(map.get(), ranks.size(), ranks.data(), gpids.data()), AVRM_OK);
  EXPECT_EQ(gpids, child_table(table, ranks));
}

TEST_P(RankmapTranslation, BulkWritesAsManyAsAsked) {
  const Ranks ranks = random_ranks(size());
  for (const std::size_t count : {0U, 1U, 2U, 3U, 17U}) {
    std::vector<std::uint64_t> words(20, 0);
    Table gpids(20, {-7, -7});
    ASSERT_EQ(avrm_rankmap_words(map.get(), count, ranks.data(), words.data()), AVRM_OK);
    ASSERT_EQ(avrm_rankmap_gpids(map.get(), count, ranks.data(), gpids.data()), AVRM_OK);
    EXPECT_EQ(std::count(words.begin(), words.end(), 0U), static_cast<std::ptrdiff_t>(20 - count));
    EXPECT_EQ(std::count(gpids.begin(), gpids.end(), avrm_gpid_t{-7, -7}), static_cast<std::ptrdiff_t>(20 - count));
  }
}

TEST_P(RankmapTranslation, BulkWithARankOutsideWritesNothing) {
  const Ranks good = random_ranks(size());
  for (const std::size_t place : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
    for (const std::int32_t bad : {-1, size(), kIntMin, kIntMax}) {
      Ranks ranks = good;
      ranks[place] = bad;
      std::vector<std::uint64_t> words(ranks.size(), 0);
      Table gpids(ranks.size(), {-7, -7});
      EXPECT_EQ(avrm_rankmap_words(map.get(), ranks.size(), ranks.data(), words.data()), AVRM_ERR_RANK);
      EXPECT_EQ(avrm_rankmap_gpids(map.get(), ranks.size(), ranks.data(), gpids.data()), AVRM_ERR_RANK);
      EXPECT_EQ(words, std::vector<std::uint64_t>(ranks.size(), 0));
      EXPECT_EQ(gpids, Table(ranks.size(), {-7, -7}));
    }
  }
}

TEST_P(RankmapTranslation, WordsOfAnUnboundMapAreRefused) {
  require(avrm_rankmap_unbind(map.get()));
  const std::int32_t rank = 0;
  std::uint64_t word = 17;
  EXPECT_EQ(avrm_rankmap_words(map.get(), 1, &rank, &word), AVRM_ERR_NOT_BOUND);
  EXPECT_EQ(word, 17U);
}

// ---- null pointers ----

class RankmapNull : public testing::Test {
protected:
  ThreeWorlds worlds;
  MapPtr map = make_direct(worlds.instance, 10);
  std::int32_t rank = 0;
  std::uint64_t word = 17;
  const avrm_ave_t *ave = nullptr;
  avrm_gpid_t gpid{5, 6};

  void SetUp() override { require(avrm_rankmap_bind(map.get())); }
};

TEST_F(RankmapNull, MapIsRefused) {
  EXPECT_EQ(avrm_rankmap_word_checked(nullptr, 0, &word), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_ave_checked(nullptr, 0, &ave), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_gpid_checked(nullptr, 0, &gpid), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_words(nullptr, 1, &rank, &word), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_gpids(nullptr, 1, &rank, &gpid), AVRM_ERR_NULL);
}

TEST_F(RankmapNull, OutputIsRefused) {
  EXPECT_EQ(avrm_rankmap_word_checked(map.get(), 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_ave_checked(map.get(), 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_gpid_checked(map.get(), 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_words(map.get(), 1, &rank, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_gpids(map.get(), 1, &rank, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapNull, RanksAreRefused) {
  EXPECT_EQ(avrm_rankmap_words(map.get(), 1, nullptr, &word), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_gpids(map.get(), 1, nullptr, &gpid), AVRM_ERR_NULL);
}

TEST_F(RankmapNull, OutputsStayAsTheyWere) {
  (void)avrm_rankmap_word_checked(nullptr, 0, &word);
  (void)avrm_rankmap_gpid_checked(nullptr, 0, &gpid);
  EXPECT_EQ(word, 17U);
  EXPECT_EQ(gpid, (avrm_gpid_t{5, 6}));
}

// ---- words of the UCX codec, and elements that are not connected ----

TEST(RankmapWord, IsWhatTheAvHoldsWhateverTheCodec) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10, AVRM_CODEC_UCX);
  alignas(16) static char endpoint[16];
  avrm_ave_t ave{};
  require(avrm_ucx_pack(endpoint, 3, &ave));
  require(avrm_av_set(av.get(), 7, &ave));
  const MapPtr map = make_stride(instance, 5, 9, -2);
  require(avrm_rankmap_bind(map.get()));
  EXPECT_TRUE(avrm_ucx_is_network(avrm_rankmap_word(map.get(), 1)));
  EXPECT_EQ(avrm_ucx_endpoint(avrm_rankmap_word(map.get(), 1)), endpoint);
}

TEST(RankmapWord, OfAPeerThatIsNotConnectedIsZero) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10);
  const MapPtr map = make_direct(instance, 10);
  require(avrm_rankmap_bind(map.get()));
  EXPECT_EQ(avrm_rankmap_word(map.get(), 9), 0U);
}

} // namespace
} // namespace avrankmap::test
