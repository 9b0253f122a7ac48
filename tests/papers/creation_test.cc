// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Times of creation: figures 15 and 16 of the AV-Rankmap paper, their sentences and verdicts.
#include "papers/experiments/creation_rows.h"

#include "papers/conclusions/names.h"
#include "papers/conclusions/verdicts.h"
#include "sentences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace avrankmap::bench {
namespace {

/// A whole creation of 100 us, of which the maps of its table AV take 20.
Result creation_of_100_us() {
  Result result;
  result.table = creation_table();
  result.plots.push_back(creation_bars("whole4", "4 real processes"));
  add_real_creation(result.table, result.plots.back(),
                    {"dup, 4 real processes", "dup", 100e-6, {10e-6, 40e-6, 20e-6, 5e-6}, "3 to 6"});
  return result;
}

TEST(Creation, WithOtherMapsHasThoseInPlaceOfItsTableAvs) {
  const Result result = creation_of_100_us();
  const auto number = [&](const char *column) { return *number_here(result.table, "dup, 4 real processes", column); };
  EXPECT_NEAR(number(kWholeCreation), 100, 1e-6);
  EXPECT_NEAR(number(kStrictWhole), 100 * (120.0 / 90 - 1), 1e-6);
  EXPECT_NEAR(number(kOursWhole), 100 * (100.0 / 90 - 1), 1e-6);
  EXPECT_NEAR(number(kTableMapsOver), 2, 1e-6);
  EXPECT_NEAR(number(kImplicitMapsOver), 0.5, 1e-6);
  EXPECT_EQ(find_cell(result.table, "dup, 4 real processes", kStrictWhole)->paper, Value("3 to 6"));
}

TEST(Creation, CallsTheBarOfATableAvMeasured) {
  const Plot bars = creation_of_100_us().plots.back();
  for (const auto &[name, microseconds] : {std::pair("with maps of VC-VCRT (computed)", 90.0),
                                           {"with strict maps (computed)", 120.0},
                                           {"ours, table AV", 100.0},
                                           {"ours, implicit AV (computed)", 85.0}}) {
    const auto series =
        std::find_if(bars.series.begin(), bars.series.end(), [of = name](const Series &s) { return s.name == of; });
    ASSERT_NE(series, bars.series.end()) << name;
    EXPECT_NEAR(series->points.at(0).second, microseconds, 1e-6) << name;
  }
}

TEST(Conclusion, OfCreationCountsFasterRowsOfEachAddressVector) {
  Result result = numbers({kTableMapsOver, kImplicitMapsOver}, {{"dup", {0.5, 2}}, {"split", {0.25, 3}}});
  EXPECT_EQ(sentences("000/figure15", result),
            "The maps of ours with a table AV take 0.25 to 0.5 of the time of VC-VCRT's and are faster in 2 of 2 rows. "
            "The maps of ours with an implicit AV take 2 to 3 of the time of VC-VCRT's and are faster in 0 of 2 rows.");
  set(result, "split", kTableMapsOver, 1.5);
  EXPECT_NE(sentences("000/figure15", result)
                .find("with a table AV take 0.5 to 1.5 of the time of VC-VCRT's and are faster in 1 of 2 rows."),
            std::string::npos);
}

TEST(Conclusion, OfWholeCreationsTellsStrictMapsFromOurs) {
  Result result = numbers({kStrictWhole, kOursWhole}, {{"dup", {1.25, 0.75}}});
  EXPECT_EQ(sentences("000/figure16", result),
            "Whole creations of real processes take 1.25 % more time with strict maps than with VC-VCRT's, and 0.75 % "
            "with ours over a table AV.");
  set(result, "dup", kStrictWhole, 0.5);
  set(result, "dup", kOursWhole, 2.0);
  EXPECT_EQ(sentences("000/figure16", result),
            "Whole creations of real processes take 0.5 % more time with strict maps than with VC-VCRT's, and 2 % with "
            "ours over a table AV.");
}

TEST(Verdict, OfCreationNeedsProcessorsOfItsOwn) {
  Result result = numbers({kStrictWhole}, {{"dup", {4}}});
  cell_of(result.table, "dup", kStrictWhole).paper = "3 to 6, less than 5 in the earlier text";
  EXPECT_EQ(judge("000/figure15", result).paper, "3 to 6 %");
  result.note = "Measured: real processes, which share 2 CPUs.";
  EXPECT_EQ(judge("000/figure15", result).word, kNotMeasurable);
  EXPECT_TRUE(judge("000/figure15", result).sentence.starts_with("Whole creations are not measurable, "));
  result.note = "Measured.";
  EXPECT_EQ(judge("000/figure15", result).word, kReproduced);
  set(result, "dup", kStrictWhole, 20.0);
  EXPECT_EQ(judge("000/figure15", result).word, kContradicted);
}

TEST(Verdict, OfCreationHasTheTimesOfMapsAlone) {
  Result result = numbers({kStrictWhole, kStrictMapsOver}, {{"dup, 4 real processes", {4, 5}},
                                                            {"dup, 8 real processes", {4, 3}},
                                                            {"dup, 4,096 processes", {4, 0.5}},
                                                            {"merge, 4,096 processes", {4, 2}}});
  result.note = "Measured: real processes, which share 2 CPUs.";
  EXPECT_TRUE(
      judge("000/figure15", result)
          .sentence.starts_with("In the paper, AV-Rankmap makes every creation take longer; strict maps alone take 3 "
                                "to 5 times as long as VC-VCRT's with up to 16 processes, longer in 2 of 2 "
                                "rows, and 0.5 to 2 times as long as VC-VCRT's with 4,096 or more, longer in 1 "
                                "of 2 rows; whole creations"))
      << judge("000/figure15", result).sentence;
  set(result, "dup, 8 real processes", kStrictMapsOver, 0.75);
  EXPECT_NE(judge("000/figure15", result)
                .sentence.find("take 0.75 to 5 times as long as VC-VCRT's with up to 16 "
                               "processes, longer in 1 of 2 rows, "),
            std::string::npos)
      << judge("000/figure15", result).sentence;
}

TEST(Verdict, OfCreationCountsThePercentagesOutsideThePapers) {
  Result result = numbers({kStrictWhole}, {{"dup", {4}}, {"merge", {0.5}}, {"split", {6.5}}, {"of no paper", {9}}});
  for (const char *const row : {"dup", "merge", "split"}) {
    cell_of(result.table, row, kStrictWhole).paper = "3 to 6, less than 5 in the earlier text";
  }
  result.note = "Measured: real processes, which share 2 CPUs.";
  EXPECT_TRUE(
      judge("000/figure15", result).sentence.ends_with("; 2 of 3 computed percentages lie outside the paper's."))
      << judge("000/figure15", result).sentence;
}

} // namespace
} // namespace avrankmap::bench
