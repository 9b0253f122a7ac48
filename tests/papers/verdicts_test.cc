// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Verdicts follow the numbers: each is given rows that agree with the paper and rows that do not.
#include "papers/conclusions/verdicts.h"

#include "counters/subprocess.h"
#include "papers/conclusions/names.h"
#include "papers/driver/store.h"
#include "papers/experiments/catalogue.h"
#include "sentences.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

TEST(Verdict, OfEachPublishedResultIsOneSentence) {
  const auto text = counters::read_file(AVRM_TEST_SOURCE "/bench/papers/RESULTS.json");
  ASSERT_TRUE(text);
  for (const auto &json : nlohmann::ordered_json::parse(*text)) {
    const Stored stored = stored_from_json(json);
    const std::string sentence = judge(stored.id, stored.result).sentence;
    EXPECT_TRUE(sentence.ends_with('.')) << stored.id << ": " << sentence;
    EXPECT_EQ(sentence.find(". "), std::string::npos) << stored.id << ": " << sentence;
  }
}

TEST(Verdict, OfEqualValuesLeavesZerosOut) {
  Result result = numbers({"a"}, {{"x", {0}}, {"y", {3}}});
  cell_of(result.table, "x", "a").paper = 0.0;
  cell_of(result.table, "y", "a").paper = 4.0;
  EXPECT_EQ(judge("004/table1", result).word, kContradicted);
  EXPECT_EQ(judge("004/table1", result).sentence, "0 of 1 values that are not 0 equal the paper's; others in: \"y\".");
  set(result, "y", "a", 4.0);
  EXPECT_EQ(judge("004/table1", result).word, kReproduced);
  EXPECT_EQ(judge("004/table1", result).sentence, "1 of 1 values that are not 0 equal the paper's.");
  result.table.rows.erase(result.table.rows.begin());
  EXPECT_EQ(judge("004/table1", result).sentence, "1 of 1 values equal the paper's.");
}

TEST(Verdict, OfInstructionsNamesThoseOutOfRange) {
  Result result = numbers({"direct", "lut"}, {{"switch", {12, 30}}});
  cell_of(result.table, "switch", "direct").paper = 9.0;
  cell_of(result.table, "switch", "lut").paper = 11.0;
  EXPECT_EQ(judge("000/table3", result).word, kPartly);
  EXPECT_EQ(judge("000/table3", result).sentence,
            "0 of 2 counts lie within a quarter of the paper's, 1 within a factor of 2; not: switch, lut.");
  set(result, "switch", "lut", 13.0);
  set(result, "switch", "direct", 10.0);
  EXPECT_EQ(judge("000/table3", result).word, kReproduced);
  set(result, "switch", "lut", 30.0);
  set(result, "switch", "direct", 30.0);
  EXPECT_EQ(judge("000/table3", result).word, kContradicted);
}

TEST(Verdict, OfInstructionsTellsWhatADirectMapCostsAboveVcVcrt) {
  Result result = numbers({"direct"}, {{"switch", {12}}, {"VC-VCRT", {4}}, {"ours", {7}}});
  cell_of(result.table, "switch", "direct").paper = 9.0;
  cell_of(result.table, "VC-VCRT", "direct").paper = 7.0;
  EXPECT_NE(
      judge("000/table3", result)
          .sentence.find("; switch takes 8 more than VC-VCRT for a direct map (the paper: 2); ours takes 3 more than "
                         "VC-VCRT for a direct map."),
      std::string::npos)
      << judge("000/table3", result).sentence;
}

TEST(Verdict, OfInstructionsCountsThoseOfVcVcrtOnce) {
  Result result = numbers({"direct", "lut"}, {{"switch", {9, 11}}, {"VC-VCRT", {4, 4}}});
  for (const char *const column : {"direct", "lut"}) {
    cell_of(result.table, "switch", column).paper = 9.0;
    cell_of(result.table, "VC-VCRT", column).paper = 7.0;
  }
  EXPECT_TRUE(judge("000/table3", result).sentence.starts_with("2 of 3 counts lie within a quarter of the paper's"))
      << judge("000/table3", result).sentence;
}

TEST(Verdict, OfInstructionsComparesStrides) {
  Result result = numbers({"direct", "stride"}, {{"switch", {12, 13}}});
  cell_of(result.table, "switch", "direct").paper = 9.0;
  EXPECT_TRUE(judge("000/table3", result)
                  .sentence.ends_with("; a stride takes 1 more than direct in the switch (the paper: 4)."));
}

TEST(Verdict, OfInstructionsTellsWhatOpenMpiTakesAsShipped) {
  Result result = numbers({"direct", "lut"}, {{"VC-VCRT", {4, 4}}, {"Open MPI, sparse", {29, 11}}});
  cell_of(result.table, "VC-VCRT", "direct").paper = 7.0;
  result.table.rows.push_back({"Open MPI, as shipped", {{8.0}, {9.0}}});
  EXPECT_TRUE(judge("000/table3", result)
                  .sentence.ends_with("; Open MPI, which has no sparse groups as shipped, takes 8 to 9, with the test "
                                      "whether a process was met, which the row of sparse groups lacks."))
      << judge("000/table3", result).sentence;
}

TEST(Verdict, OfInstructionsComparesTheWaysToDispatch) {
  Result result =
      numbers({"direct", "lut"}, {{"switch", {12, 14}}, {"hybrid", {8, 16}}, {"goto", {12, 15}}, {"ours", {7, 12}}});
  const double paper[][2] = {{9, 11}, {8, 18}, {22, 24}};
  for (std::size_t row = 0; row < 3; ++row) {
    result.table.rows[row].cells[0].paper = paper[row][0];
    result.table.rows[row].cells[1].paper = paper[row][1];
  }
  EXPECT_TRUE(judge("000/table3", result)
                  .sentence.ends_with("; goto takes 0 to 1 more than switch (the paper: 13); switch takes 4 more than "
                                      "hybrid for a direct map (the paper: 1)."))
      << judge("000/table3", result).sentence;
}

TEST(Verdict, OfRatesNamesSlowerMaps) {
  const std::string row = "over VC-VCRT (8 procs, theoretical)";
  Result result = numbers({"direct", "mlut"}, {{row, {1.2, 0.9}}});
  for (const char *const column : {"direct", "mlut"}) {
    cell_of(result.table, row, column).paper = 1.5;
  }
  EXPECT_EQ(judge("000/table5", result).word, kPartly);
  EXPECT_NE(judge("000/table5", result).sentence.find("slower: " + row + ", mlut (0.9)"), std::string::npos);
}

TEST(Verdict, OfRatesNamesSlowerMapsThatThePaperLacks) {
  const std::string row = "over VC-VCRT (8 procs, theoretical)";
  Result result = numbers({"direct", "blocked"}, {{row, {1.2, 0.9}}});
  cell_of(result.table, row, "direct").paper = 1.5;
  EXPECT_NE(judge("000/table5", result)
                .sentence.find(
                    "in 1 of the 1 cells for which the paper has a ratio; slower, where the paper has none: " + row +
                    ", blocked (0.9)"),
            std::string::npos)
      << judge("000/table5", result).sentence;
  set(result, row, "blocked", 1.1);
  EXPECT_EQ(judge("000/table5", result).sentence.find("slower"), std::string::npos);
}

TEST(Verdict, OfRatesCountsTheMapsThatAreSlowerThanVcVcrtInlined) {
  const std::string row = "over VC-VCRT (8 procs, theoretical)";
  Result result =
      numbers({"direct", "lut"}, {{row, {1.2, 1.3}}, {"over VC-VCRT, inlined (8 procs, theoretical)", {1.1, 0.9}}});
  for (const char *const column : {"direct", "lut"}) {
    cell_of(result.table, row, column).paper = 1.5;
  }
  EXPECT_NE(judge("000/table5", result).sentence.find("as fast as VC-VCRT inlined in 1 of 2 cells, and as "),
            std::string::npos);
}

TEST(Verdict, OfRatesIsAtMostPartlyWithoutTheNetworks) {
  const std::string row = "over VC-VCRT (8 procs, theoretical)";
  Result result = numbers({"direct"}, {{row, {1.2}}});
  cell_of(result.table, row, "direct").paper = 1.5;
  EXPECT_EQ(judge("000/table5", result).word, kPartly);
  set(result, row, "direct", 0.8);
  EXPECT_EQ(judge("000/table5", result).word, kContradicted);
}

TEST(Verdict, OfGenerationsAllowsATenth) {
  Result result = numbers({"0", "1", "4"}, {{"Open MPI, sparse groups", {1, 0.85, 0.55}}});
  EXPECT_EQ(judge("000/figure19", result).word, kReproduced);
  set(result, "Open MPI, sparse groups", "4", 0.4);
  EXPECT_EQ(judge("000/figure19", result).word, kPartly);
  EXPECT_EQ(judge("000/figure19", result).here, "loses 60 %");
  EXPECT_NE(judge("000/figure19", result).sentence.find("they lose 15 and 60 % where"), std::string::npos);
  EXPECT_TRUE(judge("000/figure19", result).sentence.ends_with("the paper's every second."));
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

TEST(Verdict, OfNearNeighboursTellsThatOursIsSlowerThanTheCache) {
  Result result = numbers({kOverPaperCache}, {{"6 neighbours", {1.6}}, {"8 neighbours", {1.8}}});
  result.table.columns.insert(result.table.columns.end(), {"linear 16", "plain table, again"});
  result.table.rows.push_back({std::string("10 neighbours") + kRealOverTable, {{}, {1.008}, {1.02}}});
  EXPECT_TRUE(
      judge("002/figure5", result)
          .sentence.ends_with(
              "; a translation by ours, with a table AV, takes 1.6 to 1.8 times as long as by the 128 x 8 cache."))
      << judge("002/figure5", result).sentence;
}

TEST(Verdict, OfProposalsNamesTheSlower) {
  Result result =
      numbers({"isend, million/s"}, {{"no-err-single-ipo", {20}}, {"global rank", {21}}, {"no match", {19}}});
  EXPECT_EQ(judge("003/figure6", result).word, kPartly);
  EXPECT_NE(judge("003/figure6", result).sentence.find("; slower: no match (0.95 times)"), std::string::npos);
  set(result, "no match", "isend, million/s", 22.0);
  EXPECT_EQ(judge("003/figure6", result).word, kReproduced);
}

TEST(Verdict, OfProposalsCountsThoseThatAreFasterByMoreThanRunsDiffer) {
  const Result result =
      numbers({"isend, million/s"}, {{"no-err-single-ipo", {100}}, {"global rank", {107}}, {"no match", {103}}});
  EXPECT_EQ(judge("003/figure6", result, 0.04).word, kPartly);
  EXPECT_EQ(judge("003/figure6", result, 0.04).sentence,
            "2 of 2 rows of proposals have a higher rate of isends than no-err-single-ipo, 1 of them by more than the "
            "4.0 % by which one number in ten differs from run to run.");
  EXPECT_EQ(judge("003/figure6", result, 0.02).sentence.find("in ten"), std::string::npos);
}

TEST(Verdict, OfProposalsNamesOneThatIsFasterThanAllTogether) {
  Result result = numbers({"isend, million/s"},
                          {{"no-err-single-ipo", {20}}, {"global rank", {25}}, {"all, constant count", {24}}});
  EXPECT_TRUE(judge("003/figure6", result)
                  .sentence.ends_with("; all proposals together have 24 million/s, fewer than global rank alone (25)."))
      << judge("003/figure6", result).sentence;
  set(result, "global rank", "isend, million/s", 23.0);
  EXPECT_EQ(judge("003/figure6", result).sentence.find("together"), std::string::npos);
}

TEST(Verdict, OfProposalsNamesTheSavingsBelowThePapers) {
  Result result = numbers({"isend, million/s", "isend, saved"},
                          {{"no-err-single-ipo", {20, 0}}, {"global rank", {21, 13}}, {"no match", {22, 1}}});
  cell_of(result.table, "global rank", "isend, saved").paper = 10.0;
  cell_of(result.table, "no match", "isend, saved").paper = 5.0;
  EXPECT_EQ(judge("003/figure6", result).word, kPartly);
  EXPECT_NE(judge("003/figure6", result)
                .sentence.find("; of the 2 savings of instructions for which the paper prints one number, 1 are below "
                               "it: no match isend (1; 5)."),
            std::string::npos)
      << judge("003/figure6", result).sentence;
  set(result, "no match", "isend, saved", 5.0);
  EXPECT_EQ(judge("003/figure6", result).word, kReproduced);
}

TEST(Verdict, OfModelsLeavesOutCellsThatTheMarksShape) {
  Result result;
  result.table = {"application",
                  {"Dup", "shape from"},
                  {{"SP", {{"lut", "x"}, {"the text"}}}, {"BT", {{"direct", "x"}, {"the marks"}}}}};
  EXPECT_EQ(judge("000/table1", result).word, kContradicted);
  EXPECT_EQ(judge("000/table1", result).paper, "1 cells");
  EXPECT_NE(judge("000/table1", result).sentence.find("Of the 2 marked cells before Intercomm 1 have shapes from"),
            std::string::npos);
  set(result, "SP", "Dup", "direct");
  EXPECT_EQ(judge("000/table1", result).word, kReproduced);
}

TEST(Verdict, OfModelsLeavesOutTheColumnsAloneThatTheMarksShape) {
  Result result;
  result.table = {
      "application",
      {"Dup", "split: Offset", "split: Stride", "shape from"},
      {{"BT", {{"direct", "x"}, {"direct", "x"}, {"lut", "x"}, {"the text: a square; columns by the marks"}}}}};
  EXPECT_NE(
      judge("000/table1", result)
          .sentence.find("Of the 3 marked cells before Intercomm 2 have shapes from the text, and 1 of these have "
                         "the paper's model (not BT in split: Offset, direct), as a part that begins at rank 0 is "
                         "direct here"),
      std::string::npos)
      << judge("000/table1", result).sentence;
}

TEST(Verdict, OfStepsIsOfTheLibrarysMaps) {
  Result result = numbers({"direct"}, {{"offset", {1}}, {"offset, step 3", {2}}});
  cell_of(result.table, "offset", "direct").paper = 1.0;
  cell_of(result.table, "offset, step 3", "direct").paper = 1.0;
  EXPECT_EQ(judge("000/table2", result).word, kContradicted);
  EXPECT_EQ(judge("000/table2", result).sentence,
            "The library's maps, for which step 3 scans every table, have 0 of 1 models of the paper's table; steps 1 "
            "and 2, written afresh to that table, have 1 of 1 by construction.");
  set(result, "offset, step 3", "direct", 1.0);
  EXPECT_EQ(judge("000/table2", result).word, kReproduced);
}

TEST(Verdict, OfStepsNeedsAllModels) {
  Result result;
  result.table.columns = {"direct"};
  for (int i = 0; i < 10; ++i) {
    result.table.rows.push_back({fmt::format("{}, step 3", i), {{i == 0 ? 2.0 : 1.0, 1.0}}});
  }
  EXPECT_EQ(judge("000/table2", result).word, kPartly);
}

TEST(Verdict, OfStepsLeavesOutRowsOfOtherSettings) {
  Result result = numbers({"direct"}, {{"offset, step 3", {1}}, {"offset, all forms", {2}}});
  cell_of(result.table, "offset, step 3", "direct").paper = 1.0;
  cell_of(result.table, "offset, all forms", "direct").paper = 1.0;
  EXPECT_EQ(judge("000/table2", result).word, kReproduced);
  set(result, "offset, step 3", "direct", 2.0);
  EXPECT_EQ(judge("000/table2", result).word, kContradicted);
}

TEST(Verdict, OfMissesNeedsManyMoreInVcVcrt) {
  const std::string row = "L1D (8 procs, Blues)";
  Result result = numbers({"Baseline (VC-VCRT)", "direct"}, {{row, {5000, 20}}});
  EXPECT_EQ(judge("000/table4", result).word, kReproduced);
  set(result, row, "direct", 1000.0);
  EXPECT_EQ(judge("000/table4", result).word, kContradicted);
}

TEST(Verdict, OfMissesNamesTheColumnWithoutThoseOfTheLibrary) {
  const std::string row = "L1D (8 procs, Blues)";
  Result result = numbers({"Baseline (VC-VCRT)", "direct"}, {{row, {5000, 20}}});
  EXPECT_EQ(judge("000/table4", result).sentence.find("blocked"), std::string::npos);
  result.table.columns.emplace_back("blocked");
  result.table.rows[0].cells.push_back({5.0});
  EXPECT_TRUE(judge("000/table4", result).sentence.ends_with(" that translates such a map were not counted."))
      << judge("000/table4", result).sentence;
  result.note = std::string("Simulated: per 8 million puts, ") + kWithLibrary;
  EXPECT_EQ(judge("000/table4", result).sentence.find("blocked"), std::string::npos);
}

TEST(Verdict, OfListingsComparesInstructions) {
  Result result;
  result.listings = {{"direct", {9.0, 8.0}, ""}, {"ours", {40.0, {}}, ""}};
  EXPECT_EQ(judge("000/figure3", result).word, kReproduced);
  EXPECT_EQ(judge("000/figure3", result).paper, "8");
  EXPECT_EQ(judge("000/figure3", result).here, "9");
  EXPECT_TRUE(judge("000/figure3", result).sentence.ends_with(": within a quarter."));
  result.listings[0].instructions.here = 11.0;
  EXPECT_EQ(judge("000/figure3", result).word, kPartly);
  result.listings[0].instructions.here = 6.0;
  EXPECT_EQ(judge("000/figure3", result).word, kPartly);
  EXPECT_TRUE(judge("000/figure3", result).sentence.ends_with(": within a factor of 2."));
  result.listings[0].instructions.here = 17.0;
  EXPECT_EQ(judge("000/figure3", result).word, kContradicted);
  EXPECT_TRUE(judge("000/figure3", result).sentence.ends_with(": beyond a factor of 2."));
}

TEST(Verdict, OfDispatchIsOfThePapersWays) {
  Result result = numbers({"direct"}, {{"switch, over VC-VCRT", {1.1}}, {"hybrid, over VC-VCRT", {1.2}}});
  cell_of(result.table, "switch, over VC-VCRT", "direct").paper = 1.5;
  cell_of(result.table, "hybrid, over VC-VCRT", "direct").paper = 1.5;
  EXPECT_EQ(judge("001/table6", result).word, kReproduced);
  set(result, "switch, over VC-VCRT", "direct", 0.5);
  EXPECT_EQ(judge("001/table6", result).word, kPartly);
  set(result, "hybrid, over VC-VCRT", "direct", 0.5);
  EXPECT_EQ(judge("001/table6", result).word, kContradicted);
}

TEST(Verdict, OfDispatchIsReproducedOnlyIfInlinedVcVcrtIsNoFaster) {
  Result result =
      numbers({"direct"}, {{"switch, over VC-VCRT", {1.1}}, {"Blues (switch)", {400}}, {"VC-VCRT, inlined", {390}}});
  cell_of(result.table, "switch, over VC-VCRT", "direct").paper = 1.5;
  EXPECT_EQ(judge("001/table6", result).word, kReproduced);
  set(result, "VC-VCRT, inlined", "direct", 410.0);
  EXPECT_EQ(judge("001/table6", result).word, kPartly);
  EXPECT_NE(judge("001/table6", result).sentence.find("as fast as VC-VCRT inlined in 0 of 1 cells, and as "),
            std::string::npos);
}

TEST(Verdict, OfTransformsAndMeritsIsOfRealProcesses) {
  const std::string row = std::string("512") + kRealOverTable;
  Result transform = numbers({"2D Caching Comm", "again Comm"}, {{row, {1.03, 1.01}}, {"512", {9, 9}}});
  EXPECT_EQ(judge("002/table1", transform).word, kReproduced);
  EXPECT_EQ(judge("002/table1", transform).sentence.find("brackets"), std::string::npos);
  transform.table.rows.push_back({"translation: here, over V1R2M0", {{4.0, 1.09}, {}}});
  EXPECT_TRUE(judge("002/table1", transform)
                  .sentence.ends_with("; in rows of translation alone ours has a table AV, and the brackets have the "
                                      "paper's Comm with all of its data, N = 512."));
  set(transform, row, "2D Caching Comm", 1.2);
  EXPECT_EQ(judge("002/table1", transform).word, kContradicted);
  Result merit = numbers({"2D Caching", "again"}, {{row, {1.004, 0.998}}});
  EXPECT_EQ(judge("002/table2", merit).word, kReproduced);
  set(merit, row, "again", 0.9);
  EXPECT_EQ(judge("002/table2", merit).word, kNotMeasurable);
}

/// Memory of a split torus with 8,192 nodes, and the paper's.
Result torus_memory(double plain, double rectangles) {
  Result result = numbers({"plain tables, MB", kRectangles, "ours, MB"}, {{"8,192", {plain, rectangles, 1}}});
  cell_of(result.table, "8,192", "plain tables, MB").paper = 60.0;
  cell_of(result.table, "8,192", kRectangles).paper = 20.0;
  return result;
}

TEST(Verdict, OfATorusIsOfWhatIsSaved) {
  EXPECT_EQ(judge("002/figure3", torus_memory(52, 1)).word, kReproduced);
  EXPECT_TRUE(judge("002/figure3", torus_memory(52, 1))
                  .sentence.starts_with("That paper's scheme saves 51 MB with 8,192 nodes (the paper: 40); with"))
      << judge("002/figure3", torus_memory(52, 1)).sentence;
  EXPECT_EQ(judge("002/figure3", torus_memory(52, 40)).word, kContradicted);
  EXPECT_EQ(judge("002/figure3", torus_memory(80, 1)).word, kContradicted);
}

TEST(Verdict, OfATorusBeginsWithThePapersExtrapolation) {
  constexpr const char *kLast = "64 x 64 x 64 x 64 processes";
  Result result = torus_memory(52, 1);
  set(result, kLast, "plain tables, MB", 12616.0);
  cell_of(result.table, kLast, "plain tables, MB").paper = "about 2,000";
  EXPECT_EQ(judge("002/figure3", result).word, kPartly);
  EXPECT_TRUE(judge("002/figure3", result)
                  .sentence.starts_with("With 64 x 64 x 64 x 64 processes plain tables take 12,616 MB, where the paper "
                                        "extrapolates to about 2,000; that paper's scheme saves 51 MB"))
      << judge("002/figure3", result).sentence;
  set(result, kLast, "plain tables, MB", 2100.0);
  EXPECT_EQ(judge("002/figure3", result).word, kReproduced);
}

TEST(Verdict, OfLatencyNamesSlowerSchemesOfThePaper) {
  const std::string row = "8 bytes, over the plain table";
  Result result = numbers({"mapping function", "128 x 8", "ours"}, {{row, {1.3, 1.1, 1.2}}, {"8 bytes", {1, 2, 2}}});
  EXPECT_EQ(judge("002/figure4", result).word, kReproduced);
  set(result, row, "128 x 8", 1.4);
  EXPECT_EQ(judge("002/figure4", result).word, kContradicted);
  EXPECT_NE(
      judge("002/figure4", result)
          .sentence.find(" (not where 128 x 8 takes 1.400 times the plain table and the function 1.300: 8 bytes)."),
      std::string::npos);
}

TEST(Verdict, OfLatencyIsNoneWhereACacheIsAsMuchFasterByChance) {
  const std::string row = "8 bytes, over the plain table";
  Result result = numbers({"mapping function", "128 x 8"}, {{row, {1.04, 0.91}}});
  EXPECT_EQ(judge("002/figure4", result).word, kNotMeasurable);
  EXPECT_NE(judge("002/figure4", result).sentence.find("and a cache up to 9.0 % faster."), std::string::npos);
  set(result, row, "128 x 8", 0.99);
  EXPECT_EQ(judge("002/figure4", result).word, kReproduced);
}

TEST(Verdict, OfLatencyLeavesOursOut) {
  const Result result = numbers({"mapping function", "ours"}, {{"8 bytes, over the plain table", {1.3, 1.4}}});
  EXPECT_EQ(judge("002/figure4", result).word, kReproduced);
}

TEST(Verdict, OfMeritIsNoneWhereThePlainTablesValuesDiffer) {
  Result merit = numbers({"V1R2M0", "2D Caching", "again"}, {{"64 real processes: here", {100, 98, 103}}});
  merit.table.rows.push_back({std::string("figure of merit") + kRealOverTable, {{1.0}, {0.98}, {1.0006}}});
  EXPECT_EQ(judge("002/table2", merit).word, kNotMeasurable);
  set(merit, "64 real processes: here", "again", 100.1);
  EXPECT_EQ(judge("002/table2", merit).word, kContradicted);
}

TEST(Verdict, OfApplicationsCountsTheRowsThatAreComparable) {
  const Result result = numbers({kGain}, {{"P = 1", {0.9}}, {"P = 2", {1.2}}});
  EXPECT_NE(
      judge("003/figure7", result)
          .sentence.find("slower than our default build in 1 of the 2 rows whose rounds agree within 5 %, and have "
                         "0.9 to 1.2 times its rate, the most in \"P = 2\"."),
      std::string::npos);
}

TEST(Verdict, OfOursHasAllSentences) {
  const Result result = numbers({"MPICH 5", "avrankmap, on demand"}, {{"1,024", {3, 7}}, {"786,432", {9, 5}}});
  const std::string sentence = judge("whole-device", result).sentence;
  EXPECT_NE(sentence.find("; with 786,432"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("; with 1,024"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("; MPICH is built for libfabric: for UCX"), std::string::npos) << sentence;
}

TEST(Verdict, OfOursHasTheMemoryOfANetworksLibrary) {
  Result result = numbers({"MPICH 5", "avrankmap, on demand", "avrankmap, implicit AV"}, {{"786,432", {9, 5, 1}}});
  EXPECT_EQ(judge("whole-device", result).sentence.find("the table lacks"), std::string::npos);
  result.note = "Measured. Over ofi:tcp;ofi_rxm the process of avrankmap, on demand has 1,000 bytes more in a job of "
                "786,432: the provider's own. In a job of 786,432 avrankmap, implicit AV has 5 bytes of address space. "
                "Over ofi:tcp;ofi_rxm the process of avrankmap, implicit AV has 3,000 bytes more in a job of 786,432: "
                "the provider's own.";
  EXPECT_NE(judge("whole-device", result)
                .sentence.find("; with what ofi:tcp;ofi_rxm adds for 786,432 processes, which the table lacks, ours "
                               "take 1,005 (on demand) and 3,001 (implicit AV) bytes, an implicit AV the more since "
                               "it connects all peers; MPICH"),
            std::string::npos)
      << judge("whole-device", result).sentence;
  result.note.replace(result.note.find("3,000"), 5, "7");
  EXPECT_NE(judge("whole-device", result).sentence.find("1,005 (on demand) and 8 (implicit AV) bytes; MPICH"),
            std::string::npos)
      << judge("whole-device", result).sentence;
}

TEST(Verdict, OfOursHasTheNearestRival) {
  Result result =
      numbers({"MPICH 4", "MPICH 5", "avrankmap, on demand"}, {{"786,432", {9, 5, 7}}, {"1,024", {1, 2, 3}}});
  EXPECT_EQ(judge("whole-device", result).paper, "5 bytes (MPICH 5), 786,432 processes");
  EXPECT_EQ(judge("whole-device", result).here, "7 (on demand)");
  EXPECT_EQ(judge("whole-device-rate", result).paper, "9 million/s (MPICH 4), 786,432 processes");
  EXPECT_EQ(judge("bytes-per-process", result).paper, "1 bytes (MPICH 4), 1,024 processes");
}

TEST(Verdict, OfRatesOfAWholeDeviceNamesTheSlowerOfOurs) {
  Result result = numbers({"MPICH 4", "MPICH 5", "avrankmap, implicit AV"}, {{"1,024", {3, 4, 2}}, {"4", {1, 1, 2}}});
  EXPECT_EQ(judge("whole-device-rate", result).sentence,
            "Slower than the fastest of the others: implicit AV with 1,024 processes (2; MPICH 5 4).");
  set(result, "1,024", "avrankmap, implicit AV", 5.0);
  EXPECT_EQ(judge("whole-device-rate", result).sentence, "Ours are at least as fast as all others in all rows.");
}

TEST(Verdict, OfHitsIsOfRanksByNodes) {
  const std::string row = std::string("728 neighbours") + kByNodes;
  Result result = numbers({"hits of 128 x 8, %"}, {{row, {61}}});
  EXPECT_EQ(judge("002/figure6", result).word, kPartly);
  set(result, row, "hits of 128 x 8, %", 80.0);
  EXPECT_EQ(judge("002/figure6", result).word, kContradicted);
}

TEST(Verdict, OfHitsHasBothOrdersOfRanks) {
  Result result = numbers({"hits of 128 x 8, %"}, {{std::string("728 neighbours") + kByNodes, {61}}});
  EXPECT_EQ(judge("002/figure6", result).sentence.find("row by row"), std::string::npos);
  set(result, std::string("728 neighbours") + kByRows, "hits of 128 x 8, %", 85.0);
  EXPECT_EQ(judge("002/figure6", result).here, "61.0 to 85.0 %");
  EXPECT_NE(judge("002/figure6", result).sentence.find("61.0 % of 728 neighbours with ranks by nodes and 85.0 % with "),
            std::string::npos);
}

TEST(Verdict, OfHitsNamesRowsInWhichTheCacheIsSlowerThanTheFunction) {
  Result result =
      numbers({"mapping function", "128 x 8"}, {{"26 neighbours", {8, 2}}, {"26 neighbours, real processes", {1, 2}}});
  result.table.columns.emplace_back("hits of 128 x 8, %");
  result.table.rows[0].cells.emplace_back();
  result.table.rows[1].cells.emplace_back();
  set(result, std::string("728 neighbours") + kByNodes, "hits of 128 x 8, %", 61.0);
  EXPECT_EQ(judge("002/figure6", result).sentence.find("longer than the function"), std::string::npos);
  set(result, "26 neighbours", "128 x 8", 9.0);
  EXPECT_NE(judge("002/figure6", result).sentence.find("longer than the function with 26 neighbours (9 ns; 8);"),
            std::string::npos);
}

TEST(Verdict, OfPurposesTellsWhyACountIsNegative) {
  Result result = numbers({"MPI_ISEND"}, {{"Error checking", {3}}, {"in all", {9}}});
  EXPECT_EQ(judge("003/table1", result).sentence.find("below 0"), std::string::npos);
  EXPECT_NE(judge("003/table1", result).sentence.find("217 where its text has 215"), std::string::npos);
  set(result, "Error checking", "MPI_ISEND", -2.0);
  EXPECT_NE(
      judge("003/table1", result).sentence.find("below 0 where the leaner one takes more: Error checking, MPI_ISEND."),
      std::string::npos);
}

TEST(Verdict, OfBuildsNamesCountsAboveThePapers) {
  Result result = numbers({"MPI_ISEND", "MPI_PUT"}, {{"ours (default)", {70, 80}}, {"ours (no-err)", {50, 60}}});
  cell_of(result.table, "ours (no-err)", "MPI_PUT").paper = 44.0;
  EXPECT_NE(judge("003/figure2", result).sentence.find("greater than the paper's in ours (no-err), put (60; 44),"),
            std::string::npos);
  set(result, "ours (no-err)", "MPI_PUT", 40.0);
  EXPECT_EQ(judge("003/figure2", result).sentence.find("greater"), std::string::npos);
  set(result, "ours (no-err)", "MPI_PUT", 90.0);
  EXPECT_EQ(judge("003/figure2", result).word, kContradicted);
}

TEST(Verdict, OfGainsHasThePapersWordsAndOursOverOurs) {
  const std::string original = "ours (no-err-single-ipo) over MPICH/Original";
  Result result = numbers({"isend", "put"}, {{"ours (default)", {10, 10}},
                                             {"ours (no-err-single-ipo)", {20, 30}},
                                             {"ours (no-err-single-ipo) over ours (default)", {2, 3}}});
  cell_of(result.table, original, "isend").paper = "nearly 1.5";
  cell_of(result.table, original, "put").paper = "close to 4";
  EXPECT_EQ(judge("003/figure3", result).paper, "nearly 1.5 and close to 4 times MPICH/Original");
  EXPECT_EQ(judge("003/figure3", result).here, "2 to 3 times our default build");
  cell_of(result.table, original, "isend").paper = cell_of(result.table, original, "put").paper = "several orders";
  EXPECT_EQ(judge("003/figure5", result).paper, "several orders");
  EXPECT_EQ(judge("003/figure5", result).here, "2 to 3 times our default build");
}

TEST(Verdict, OfBuildsNeedsFallingCounts) {
  Result result = numbers({"MPI_ISEND"}, {{"ours (default)", {70}}, {"ours (no-err)", {50}}, {"less than", {90}}});
  EXPECT_EQ(judge("003/figure2", result).word, kPartly);
  EXPECT_EQ(judge("003/figure2", result).here, "70 to 50 (isend), - (put)");
  set(result, "ours (no-err)", "MPI_ISEND", 80.0);
  EXPECT_EQ(judge("003/figure2", result).word, kContradicted);
}

TEST(Verdict, OfProposalsIsContradictedIfAllAreSlower) {
  Result result = numbers({"isend, million/s"}, {{"no-err-single-ipo", {20}}, {"no match", {19}}});
  EXPECT_EQ(judge("003/figure6", result).word, kContradicted);
  EXPECT_EQ(
      judge("003/figure6", result).sentence,
      "0 of 1 rows of proposals have a higher rate of isends than no-err-single-ipo; slower: no match (0.95 times).");
}

} // namespace
} // namespace avrankmap::bench
