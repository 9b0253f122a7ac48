// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Other numbers, other verdicts.
#include "papers/conclusions/verdicts.h"

#include "papers/conclusions/names.h"
#include "papers/experiments/catalogue.h"
#include "sentences.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace avrankmap::bench {
namespace {

TEST(Verdict, IsOneOfFiveWordsAndOfAnEmptyResultNeverReproduced) {
  const std::set<std::string> words{kReproduced, kPartly, kContradicted, kNotMeasurable, kNoPaper};
  for (const Experiment &experiment : catalogue()) {
    const Verdict verdict = judge(experiment.id, {});
    EXPECT_EQ(words.count(verdict.word), 1U) << experiment.id;
    EXPECT_NE(verdict.word, kReproduced) << experiment.id;
  }
}

TEST(Verdict, OfEqualValuesLeavesZerosOut) {
  Result result = numbers({"a"}, {{"x", {0}}, {"y", {3}}});
  cell_of(result.table, "x", "a").paper = 0.0;
  cell_of(result.table, "y", "a").paper = 4.0;
  EXPECT_EQ(judge("004/table1", result).word, kContradicted);
  set(result, "y", "a", 4.0);
  EXPECT_EQ(judge("004/table1", result).word, kReproduced);
  EXPECT_EQ(judge("004/table1", result).sentence, "1 of 1 values that are not 0 equal the paper's.");
}

TEST(Verdict, OfInstructionsNamesThoseOutOfRange) {
  Result result = numbers({"direct", "lut"}, {{"switch", {12, 30}}});
  cell_of(result.table, "switch", "direct").paper = 9.0;
  cell_of(result.table, "switch", "lut").paper = 11.0;
  EXPECT_EQ(judge("000/table3", result).word, kPartly);
  EXPECT_NE(judge("000/table3", result).sentence.find("not: switch, lut"), std::string::npos);
  set(result, "switch", "lut", 14.0);
  EXPECT_EQ(judge("000/table3", result).word, kReproduced);
}

TEST(Verdict, OfRatesCountsSlowerMaps) {
  Result result = numbers({"direct", "mlut"}, {{"over VC-VCRT (8 procs, theoretical)", {1.2, 0.9}}});
  for (const char *const column : {"direct", "mlut"}) {
    cell_of(result.table, "over VC-VCRT (8 procs, theoretical)", column).paper = 1.5;
  }
  EXPECT_EQ(judge("000/table5", result).word, kPartly);
  EXPECT_NE(judge("000/table5", result).sentence.find("slower: over VC-VCRT (8 procs, theoretical), mlut (0.9)"),
            std::string::npos);
  set(result, "over VC-VCRT (8 procs, theoretical)", "mlut", 1.0);
  EXPECT_EQ(judge("000/table5", result).word, kReproduced);
}

TEST(Verdict, OfTheNegativeResultFollowsBothTables) {
  Result result = numbers({"100 communicators, MiB"},
                          {{"AV-Rankmap (strict)", {3.4}}, {"VC-VCRT", {5.3}}, {"VC-VCRT, tables of 4 bytes", {3.6}}});
  EXPECT_EQ(judge("000/figure14", result).word, kContradicted);
  set(result, "VC-VCRT, tables of 4 bytes", "100 communicators, MiB", 3.0);
  EXPECT_EQ(judge("000/figure14", result).word, kPartly);
  set(result, "VC-VCRT", "100 communicators, MiB", 3.0);
  EXPECT_EQ(judge("000/figure14", result).word, kReproduced);
}

TEST(Verdict, OfRandomOrderFollowsTheTables) {
  Result result = numbers({"maps of 100, bytes"},
                          {{"AV-Rankmap (strict)", {100}}, {"VC-VCRT", {200}}, {"VC-VCRT, tables of 4 bytes", {101}}});
  EXPECT_EQ(judge("000/figure13", result).word, kPartly);
  set(result, "VC-VCRT", "maps of 100, bytes", 105.0);
  EXPECT_EQ(judge("000/figure13", result).word, kReproduced);
}

TEST(Verdict, OfCreationNeedsProcessorsOfItsOwn) {
  Result result = numbers({kStrictWhole}, {{"dup", {4}}});
  result.note = "Measured: real processes, which share 2 CPUs.";
  EXPECT_EQ(judge("000/figure15", result).word, kNotMeasurable);
  result.note = "Measured.";
  EXPECT_EQ(judge("000/figure15", result).word, kReproduced);
  set(result, "dup", kStrictWhole, 20.0);
  EXPECT_EQ(judge("000/figure15", result).word, kContradicted);
}

TEST(Verdict, OfGenerationsAllowsATenth) {
  Result result = numbers({"0", "1", "4"}, {{"Open MPI, sparse groups", {1, 0.85, 0.55}}});
  EXPECT_EQ(judge("000/figure19", result).word, kReproduced);
  set(result, "Open MPI, sparse groups", "4", 0.4);
  EXPECT_EQ(judge("000/figure19", result).word, kPartly);
  set(result, "Open MPI, sparse groups", "4", 1.1);
  EXPECT_EQ(judge("000/figure19", result).word, kContradicted);
}

TEST(Verdict, OfRealProcessesIsNoneWhereChanceIsAsLarge) {
  const std::string row = std::string("10 neighbours") + kRealOverTable;
  Result result = numbers({"linear 16", "plain table, again"}, {{row, {1.008, 1.02}}});
  EXPECT_EQ(judge("002/figure5", result).word, kNotMeasurable);
  set(result, row, "plain table, again", 1.001);
  EXPECT_EQ(judge("002/figure5", result).word, kReproduced);
  set(result, row, "linear 16", 1.1);
  EXPECT_EQ(judge("002/figure5", result).word, kContradicted);
}

TEST(Verdict, OfProposalsNamesTheSlower) {
  Result result =
      numbers({"isend, million/s"}, {{"no-err-single-ipo", {20}}, {"global rank", {21}}, {"no match", {19}}});
  EXPECT_EQ(judge("003/figure6", result).word, kPartly);
  EXPECT_NE(judge("003/figure6", result).sentence.find("slower: no match (0.95)"), std::string::npos);
  set(result, "no match", "isend, million/s", 22.0);
  EXPECT_EQ(judge("003/figure6", result).word, kReproduced);
}

TEST(Verdict, OfModelsLeavesOutCellsThatTheMarksShape) {
  Result result;
  result.table = {"application",
                  {"Dup", "shape from"},
                  {{"SP", {{"lut", "x"}, {"the text"}}}, {"BT", {{"direct", "x"}, {"the marks"}}}}};
  EXPECT_EQ(judge("000/table1", result).word, kPartly);
  EXPECT_EQ(judge("000/table1", result).theirs, "1");
  set(result, "SP", "Dup", "direct");
  EXPECT_EQ(judge("000/table1", result).word, kReproduced);
}

TEST(Verdict, OfGroupsNeedsBothEnds) {
  Result result = numbers({"merging step by step", "by the parent"},
                          {{"2 of 8,192 simulated, us", {5, 13}}, {"8,192 of 8,192 simulated, us", {689, 13}}});
  EXPECT_EQ(judge("004/figure1", result).word, kReproduced);
  set(result, "2 of 8,192 simulated, us", "merging step by step", 14.0);
  EXPECT_EQ(judge("004/figure1", result).word, kPartly);
}

} // namespace
} // namespace avrankmap::bench
