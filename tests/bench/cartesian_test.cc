// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The experiments on Cartesian communicators and the modes of the survey.

#include "component/memory/survey_modes.h"
#include "component/memory/torus_split.h"
#include "component/translation/translation_cache_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

TEST(TranslationCaches, MultiHopNeighboursAreThoseOfThePaper) {
  for (const auto &[hops, count] : {std::pair{1, 26}, {2, 124}, {3, 342}, {4, 728}}) {
    const std::vector<std::int32_t> ranks = neighbours_within(hops);
    EXPECT_EQ(ranks.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(std::set<std::int32_t>(ranks.begin(), ranks.end()).size(), ranks.size());
  }
}

TEST(TranslationCaches, NodesOfEightProcessesAreNumberedOneByOne) {
  const std::vector<std::int32_t> ranks = neighbours_within(1, Numbering::kByNodes, {0, 0, 0});
  for (std::int32_t rank = 1; rank < 8; ++rank) {
    EXPECT_EQ(std::count(ranks.begin(), ranks.end(), rank), 1) << rank;
  }
  EXPECT_EQ(std::count(ranks.begin(), ranks.end(), 7 * 8 + 1), 1) << "round the first dimension";
}

// The paper: effectively no miss with three hops, hits of about 60 % with four.
TEST(TranslationCaches, NodesOfEightProcessesHaveThePapersHits) {
  EXPECT_EQ(hits_of_all(3, Numbering::kByNodes).least, 1);
  const CacheHits hits = hits_of_all(4, Numbering::kByNodes);
  EXPECT_NEAR(hits.mean, 0.6, 0.05);
  EXPECT_LT(hits.least, hits.mean);
  EXPECT_LT(hits.mean, hits.most);
}
TEST(TranslationCaches, RanksRowByRowHaveMoreHits) {
  EXPECT_EQ(hits_of_all(3, Numbering::kByRows).least, 1);
  EXPECT_NEAR(hits_of_all(4, Numbering::kByRows).mean, 0.85, 0.01);
}

TEST(TranslationCaches, EachSchemeIsMeasuredInEachExchange) {
  const std::vector<CacheRate> rates = measure_translation_caches(1, 2000);
  EXPECT_EQ(rates.size(), 2U * 7 * 5);
  for (const CacheRate &rate : rates) {
    EXPECT_GT(rate.nanoseconds, 0) << rate.scheme;
    EXPECT_GT(rate.nanoseconds_ours, 0) << rate.scheme;
    EXPECT_GT(rate.ours_over_theirs, 0) << rate.scheme;
    const bool fits = (rate.scheme == "linear 8" && rate.neighbours <= 8) ||
                      (rate.scheme == "linear 16" && rate.neighbours <= 16) ||
                      (rate.scheme == kPaperCache && rate.hops <= 3);
    if (fits) {
      EXPECT_EQ(rate.misses, 0U) << rate.scheme << " of " << rate.neighbours;
    }
    if (rate.scheme == kPaperCache && rate.hops == 4) {
      EXPECT_GT(rate.misses, 0U);
      EXPECT_GT(rate.hits, 0U);
    }
  }
}

void expect_small(const TorusSplit &split, int communicators) {
  EXPECT_EQ(split.communicators, communicators);
  EXPECT_LE(split.bytes, 32768U);
  EXPECT_EQ(split.checked, 1000000U);
}

TEST(TorusSplit, Figure3TakesAFewKilobytes) {
  const TorusSplit split = measure_torus_split(figure3_torus(), 1000000);
  EXPECT_EQ(split.processes, 262144);
  expect_small(split, 68);
}

// The tables of all communicators are 13 GB, one at a time: two seconds, but half a minute
// with a sanitizer.
TEST(TorusSplit, ExtrapolationTakesLessThan32Kilobytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "takes too long with a sanitizer";
#else
  const TorusSplit split = measure_torus_split(extrapolated_torus(), 1000000);
  EXPECT_EQ(split.processes, 16777216);
  expect_small(split, 252);
#endif
}

TEST(SurveyModes, AreNeverLargerThanStrict) {
  const std::vector<SurveyMode> modes = survey_modes(3072, survey(3072));
  ASSERT_EQ(modes.size() % 3, 0U);
  for (const SurveyMode &mode : modes) {
    EXPECT_LE(mode.extended.bytes, mode.strict.bytes) << mode.application << ", " << mode.communicator;
    const bool has_table = mode.strict.mode == "lut";
    EXPECT_EQ(has_table, mode.application.starts_with("LSMS") && mode.part == "node roots" && mode.ranks < 3072 / 4)
        << mode.application << ", " << mode.communicator << ", " << mode.part;
    if (!has_table) {
      EXPECT_EQ(mode.strict, mode.extended) << mode.application << ", " << mode.communicator << ", " << mode.part;
    }
  }
}

TEST(SurveyModes, LsmsNodeRootsAreCompressed) {
  for (const SurveyMode &mode : survey_modes(3072, survey(3072))) {
    if (mode.application == "LSMS, 16 walkers" && mode.communicator != "world" && mode.part == "node roots") {
      EXPECT_EQ(mode.strict.mode, "lut");
      EXPECT_EQ(mode.extended.mode, "segments");
      EXPECT_LE(mode.extended.bytes, 128U);
    }
  }
}

} // namespace
} // namespace avrankmap::bench
