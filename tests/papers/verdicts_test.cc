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
          .sentence.find("; for a direct map the switch takes 8 more than VC-VCRT (the paper: 2), and ours 3 more."),
      std::string::npos)
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

TEST(Verdict, OfRatesCountsTheMapsThatAreSlowerThanVcVcrtInlined) {
  const std::string row = "over VC-VCRT (8 procs, theoretical)";
  Result result =
      numbers({"direct", "lut"}, {{row, {1.2, 1.3}}, {"over VC-VCRT, inlined (8 procs, theoretical)", {1.1, 0.9}}});
  for (const char *const column : {"direct", "lut"}) {
    cell_of(result.table, row, column).paper = 1.5;
  }
  EXPECT_NE(judge("000/table5", result).sentence.find("in 1 of 2 as fast as VC-VCRT inlined;"), std::string::npos);
}

TEST(Verdict, OfRatesIsAtMostPartlyWithoutTheNetworks) {
  const std::string row = "over VC-VCRT (8 procs, theoretical)";
  Result result = numbers({"direct"}, {{row, {1.2}}});
  cell_of(result.table, row, "direct").paper = 1.5;
  EXPECT_EQ(judge("000/table5", result).word, kPartly);
  set(result, row, "direct", 0.8);
  EXPECT_EQ(judge("000/table5", result).word, kContradicted);
}

TEST(Verdict, OfDuplicateIntercommunicatorsComparesThemWithDuplicates) {
  const std::string column = "100 communicators, MiB";
  const std::string of_world = std::string(kOfTheWorld) + "VC-VCRT";
  Result result = numbers({column}, {{"VC-VCRT", {410}},
                                     {of_world, {404}},
                                     {"VC-VCRT, with its tables of nodes", {716}},
                                     {of_world + ", with its tables of nodes", {1010}},
                                     {"AV-Rankmap (strict)", {9}}});
  EXPECT_EQ(judge("000/figure12", result).word, kPartly);
  EXPECT_EQ(judge("000/figure12", result).here, "1.01 times");
  set(result, "VC-VCRT, with its tables of nodes", column, 1100.0);
  EXPECT_EQ(judge("000/figure12", result).word, kReproduced);
  set(result, "VC-VCRT, with its tables of nodes", column, 716.0);
  set(result, "VC-VCRT", column, 400.0);
  EXPECT_EQ(judge("000/figure12", result).word, kContradicted);
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
  cell_of(result.table, "dup", kStrictWhole).paper = "3 to 6, less than 5 in the earlier text";
  EXPECT_EQ(judge("000/figure15", result).paper, "3 to 6 %");
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

TEST(Verdict, OfProposalsNamesTheSavingsBelowThePapers) {
  Result result = numbers({"isend, million/s", "isend, saved"},
                          {{"no-err-single-ipo", {20, 0}}, {"global rank", {21, 13}}, {"no match", {22, 1}}});
  cell_of(result.table, "global rank", "isend, saved").paper = 10.0;
  cell_of(result.table, "no match", "isend, saved").paper = 5.0;
  EXPECT_EQ(judge("003/figure6", result).word, kPartly);
  EXPECT_NE(judge("003/figure6", result)
                .sentence.find("; 1 of 2 savings of instructions are below the paper's: no match isend (1; 5)."),
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
  EXPECT_NE(judge("000/table1", result).sentence.find("Of the 2 marked cells before Intercomm 1 are of applications"),
            std::string::npos);
  set(result, "SP", "Dup", "direct");
  EXPECT_EQ(judge("000/table1", result).word, kReproduced);
}

TEST(Verdict, OfStepsCountsStepThree) {
  Result result = numbers({"direct"}, {{"offset", {1}}, {"offset, step 3", {2}}});
  cell_of(result.table, "offset", "direct").paper = 1.0;
  cell_of(result.table, "offset, step 3", "direct").paper = 1.0;
  EXPECT_EQ(judge("000/table2", result).sentence,
            "1 of 1 values equal the paper's; after step 3, which the paper's table leaves out, 0 of 1.");
}

TEST(Verdict, OfStepsLeavesOutRowsOfOtherSettings) {
  Result result = numbers({"direct"}, {{"offset", {1}}, {"offset, all forms", {2}}});
  cell_of(result.table, "offset", "direct").paper = 1.0;
  cell_of(result.table, "offset, all forms", "direct").paper = 1.0;
  EXPECT_EQ(judge("000/table2", result).word, kReproduced);
  set(result, "offset", "direct", 2.0);
  EXPECT_EQ(judge("000/table2", result).word, kContradicted);
}

TEST(Verdict, OfMissesNeedsManyMoreInVcVcrt) {
  const std::string row = "L1D (8 procs, Blues)";
  Result result = numbers({"Baseline (VC-VCRT)", "direct"}, {{row, {5000, 20}}});
  EXPECT_EQ(judge("000/table4", result).word, kReproduced);
  set(result, row, "direct", 1000.0);
  EXPECT_EQ(judge("000/table4", result).word, kContradicted);
}

TEST(Verdict, OfListingsComparesInstructions) {
  Result result;
  result.listings = {{"direct", {9.0, 8.0}, ""}, {"ours", {40.0, {}}, ""}};
  EXPECT_EQ(judge("000/figure3", result).word, kReproduced);
  EXPECT_EQ(judge("000/figure3", result).paper, "8");
  EXPECT_EQ(judge("000/figure3", result).here, "9");
  result.listings[0].instructions.here = 11.0;
  EXPECT_EQ(judge("000/figure3", result).word, kPartly);
  result.listings[0].instructions.here = 6.0;
  EXPECT_EQ(judge("000/figure3", result).word, kPartly);
  result.listings[0].instructions.here = 17.0;
  EXPECT_EQ(judge("000/figure3", result).word, kContradicted);
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
  EXPECT_NE(judge("001/table6", result).sentence.find("in 0 of 1 as fast as VC-VCRT inlined."), std::string::npos);
}

/// Memory with 10 and 100 split communicators, as in the paper.
Result split_memory() {
  return numbers(
      {"10 communicators, MiB", "100 communicators, MiB"},
      {{"VC-VCRT, with its tables of nodes", {436, 10000}}, {"VC-VCRT", {400, 704}}, {"AV-Rankmap (strict)", {9, 9}}});
}

TEST(Verdict, OfSplitCommunicatorsNeedsAllStatements) {
  Result result = split_memory();
  EXPECT_EQ(judge("000/figure9", result).word, kReproduced);
  set(result, "VC-VCRT, with its tables of nodes", "10 communicators, MiB", 400.0);
  EXPECT_EQ(judge("000/figure9", result).word, kPartly);
  set(result, "VC-VCRT, with its tables of nodes", "100 communicators, MiB", 1010.0);
  set(result, "AV-Rankmap (strict)", "100 communicators, MiB", 500.0);
  EXPECT_EQ(judge("000/figure9", result).word, kContradicted);
  EXPECT_NE(judge("000/figure9", result).sentence.find("with 100 (9 MB): a factor of 2.02,"), std::string::npos);
}
TEST(Verdict, OfSplitCommunicatorsNeedsMoreThanTheMemoryOfAProcess) {
  Result result = split_memory();
  set(result, "VC-VCRT, with its tables of nodes", "100 communicators, MiB", 1010.0);
  EXPECT_EQ(judge("000/figure9", result).word, kPartly);
  EXPECT_NE(judge("000/figure9", result).sentence.find("98.6 % with 100 (exceeds it)"), std::string::npos);
}

TEST(Verdict, OfSplitIntercommunicatorsIsOfThePapersMemory) {
  const std::string column = "100 communicators, MiB";
  Result result = numbers(
      {column}, {{"VC-VCRT, with its tables of nodes", {866}}, {"VC-VCRT", {710}}, {"AV-Rankmap (strict)", {9}}});
  EXPECT_EQ(judge("000/figure11", result).word, kPartly);
  EXPECT_NE(judge("000/figure11", result).sentence.find("about 1.4 GB: here 866 MiB"), std::string::npos);
  set(result, "VC-VCRT, with its tables of nodes", column, 1316.0);
  EXPECT_EQ(judge("000/figure11", result).word, kReproduced);
  set(result, "AV-Rankmap (strict)", column, 1000.0);
  set(result, "VC-VCRT, with its tables of nodes", column, 866.0);
  EXPECT_EQ(judge("000/figure11", result).word, kContradicted);
}

TEST(Verdict, OfNek5000IsOfItsWholeMemory) {
  Result result = numbers({"VC-VCRT, MiB"}, {{"Nek5000, medium", {250}}, {"Nek5000, large", {266}}});
  EXPECT_EQ(judge("000/figure17", result).word, kReproduced);
  set(result, "Nek5000, large", "VC-VCRT, MiB", 400.0);
  EXPECT_EQ(judge("000/figure17", result).word, kPartly);
  set(result, "Nek5000, medium", "VC-VCRT, MiB", 100.0);
  EXPECT_EQ(judge("000/figure17", result).word, kContradicted);
}

TEST(Verdict, OfMiniappsShowsTheLastRowThatThePaperStates) {
  Result result = numbers({"VC-VCRT, MiB", "AV-Rankmap, MiB"},
                          {{"BT, 16,384 processes", {7.5, 4}}, {"BT, 32,768 processes", {15, 8}}});
  cell_of(result.table, "BT, 16,384 processes", "VC-VCRT, MiB").paper = "around 15";
  cell_of(result.table, "BT, 16,384 processes", "AV-Rankmap, MiB").paper = 4.0;
  const Verdict verdict = judge("001/figure17", result);
  EXPECT_EQ(verdict.word, kReproduced);
  EXPECT_EQ(verdict.paper, "around 15 MB");
  EXPECT_EQ(verdict.here, "7.5 MiB");
  set(result, "BT, 16,384 processes", "AV-Rankmap, MiB", 6.0);
  EXPECT_EQ(judge("001/figure17", result).word, kContradicted);
}

TEST(Verdict, OfMiniappsHasThePapersWords) {
  Result result = numbers({"VC-VCRT, MiB", "AV-Rankmap, MiB"}, {{"BT", {7.5, 4}}});
  cell_of(result.table, "BT", "AV-Rankmap, MiB").paper = 4.0;
  EXPECT_EQ(judge("001/figure17", result).sentence.find("rows where the paper has"), std::string::npos);
  cell_of(result.table, "BT", "VC-VCRT, MiB").paper = "around 15";
  EXPECT_NE(judge("001/figure17", result)
                .sentence.find("; VC-VCRT takes 7.5 MiB in the 1 rows where the paper has around 15."),
            std::string::npos);
}

TEST(Verdict, OfMiniappsNamesAColumnOnce) {
  Result result = numbers({"AV-Rankmap, MiB"}, {{"BT", {6}}, {"FT", {6}}, {"SP", {6}}});
  for (Row &row : result.table.rows) {
    row.cells[0].paper = 4.0;
  }
  EXPECT_NE(judge("000/figure18", result).sentence.find("; not: AV-Rankmap, MiB in 3 rows;"), std::string::npos);
}

TEST(Verdict, OfMiniappsTellsWhyOurTablesAreLarger) {
  Result result = numbers({"VC-VCRT, MiB", "AV-Rankmap, MiB"}, {{"BT", {249, 6}}});
  cell_of(result.table, "BT", "AV-Rankmap, MiB").paper = 4.0;
  EXPECT_NE(judge("000/figure18", result)
                .sentence.find("6 MiB in the row BT are 12 bytes per process, as the paper "
                               "describes its entries, and its 4 MB are 8."),
            std::string::npos);
  set(result, "BT", "AV-Rankmap, MiB", 4.0);
  EXPECT_EQ(judge("000/figure18", result).sentence.find("bytes per process"), std::string::npos);
}

TEST(Verdict, OfTransformsAndMeritsIsOfRealProcesses) {
  const std::string row = std::string("512") + kRealOverTable;
  Result transform = numbers({"2D Caching Comm", "again Comm"}, {{row, {1.03, 1.01}}, {"512", {9, 9}}});
  EXPECT_EQ(judge("002/table1", transform).word, kReproduced);
  set(transform, row, "2D Caching Comm", 1.2);
  EXPECT_EQ(judge("002/table1", transform).word, kContradicted);
  Result merit = numbers({"2D Caching", "again"}, {{row, {1.004, 0.998}}});
  EXPECT_EQ(judge("002/table2", merit).word, kReproduced);
  set(merit, row, "again", 0.9);
  EXPECT_EQ(judge("002/table2", merit).word, kNotMeasurable);
}

TEST(Verdict, OfATorusNamesThePapersLastRow) {
  Result result = numbers({"plain tables, MB", kRectangles, "ours, MB"}, {{"8,192", {52, 10, 1}}});
  EXPECT_EQ(judge("002/figure3", result).sentence.find("where the paper has"), std::string::npos);
  set(result, "64 x 64 x 64 x 64 processes", "plain tables, MB", 12616.0);
  cell_of(result.table, "64 x 64 x 64 x 64 processes", "plain tables, MB").paper = "about 2,000";
  EXPECT_NE(judge("002/figure3", result).sentence.find("plain tables take 12,616 MB, where the paper has about 2,000."),
            std::string::npos);
}

TEST(Verdict, OfATorusNeedsAThirdOfThePlainTables) {
  Result result = numbers({"plain tables, MB", kRectangles, "ours, MB"}, {{"8,192", {52, 10, 1}}});
  EXPECT_EQ(judge("002/figure3", result).word, kPartly);
  set(result, "8,192", kRectangles, 40.0);
  EXPECT_EQ(judge("002/figure3", result).word, kContradicted);
}

TEST(Verdict, OfLatencyNamesSlowerSchemesOfThePaper) {
  const std::string row = "8 bytes, over the plain table";
  Result result = numbers({"mapping function", "128 x 8", "ours"}, {{row, {1.3, 1.1, 1.2}}, {"8 bytes", {1, 2, 2}}});
  EXPECT_EQ(judge("002/figure4", result).word, kReproduced);
  set(result, row, "128 x 8", 1.4);
  EXPECT_EQ(judge("002/figure4", result).word, kContradicted);
  EXPECT_NE(judge("002/figure4", result)
                .sentence.find("; elsewhere 128 x 8 takes 1.400 times the plain table, the function 1.300 (8 bytes)"),
            std::string::npos);
}

TEST(Verdict, OfLatencyIsNoneWhereACacheIsAsMuchFasterByChance) {
  const std::string row = "8 bytes, over the plain table";
  Result result = numbers({"mapping function", "128 x 8"}, {{row, {1.04, 0.91}}});
  EXPECT_EQ(judge("002/figure4", result).word, kNotMeasurable);
  EXPECT_NE(judge("002/figure4", result).sentence.find("a cache measures up to 9.0 % faster"), std::string::npos);
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

TEST(Verdict, OfDuplicatesIsOfTheShareOfAddresses) {
  Result result =
      numbers({"addresses, MiB", "100 communicators, MiB"}, {{"VC-VCRT", {360, 404}},
                                                             {"VC-VCRT, tables of 4 bytes", {360, 382}},
                                                             {"VC-VCRT, with its tables of nodes", {360, 1010}},
                                                             {"AV-Rankmap (strict)", {9, 9}}});
  EXPECT_EQ(judge("000/figure10", result).word, kPartly);
  EXPECT_EQ(judge("000/figure10", result).here, "89.1 %");
  set(result, "VC-VCRT", "100 communicators, MiB", 380.0);
  EXPECT_EQ(judge("000/figure10", result).word, kReproduced);
  set(result, "VC-VCRT", "100 communicators, MiB", 800.0);
  set(result, "VC-VCRT, tables of 4 bytes", "100 communicators, MiB", 600.0);
  EXPECT_EQ(judge("000/figure10", result).word, kContradicted);
}

TEST(Verdict, OfTheNegativeResultHasFewCommunicators) {
  const Result result =
      numbers({"10 communicators, MiB", "100 communicators, MiB"},
              {{"AV-Rankmap (strict)", {0.5, 3}}, {"VC-VCRT", {2.5, 5}}, {"VC-VCRT, tables of 4 bytes", {2, 4}}});
  EXPECT_NE(judge("000/figure14", result).sentence.find("; with 10 it takes 0.5, VC-VCRT 2.5 and 2 (the paper: less"),
            std::string::npos);
}

TEST(Verdict, OfMiniappsHasNekbonesTables) {
  Result result = numbers({"VC-VCRT, MiB", "VC-VCRT, maps, bytes"},
                          {{"BT", {249, 8e6}}, {"FT", {245, 4e6}}, {"Nekbone", {246, 6e6}}});
  cell_of(result.table, "BT", "VC-VCRT, MiB").paper = 244.0;
  EXPECT_NE(
      judge("000/figure18", result).sentence.find("Nekbone's VCRTs take 0.75 to 1.5 times the bytes of the others'"),
      std::string::npos)
      << judge("000/figure18", result).sentence;
}

TEST(Verdict, OfTheNegativeResultComparesTheMapsAlone) {
  const Result result =
      numbers({"100 communicators, MiB", "maps of 100, bytes"},
              {{"AV-Rankmap (strict)", {3, 200}}, {"VC-VCRT", {5, 200}}, {"VC-VCRT, tables of 4 bytes", {4, 100}}});
  EXPECT_NE(judge("000/figure14", result)
                .sentence.find("1 times the bytes of VC-VCRT's with 8-byte entries and 2 times with 4-byte ones"),
            std::string::npos);
}

TEST(Verdict, OfApplicationsCountsTheRowsThatAreComparable) {
  const Result result = numbers({kGain}, {{"P = 1", {0.9}}, {"P = 2", {1.2}}});
  EXPECT_NE(judge("003/figure7", result)
                .sentence.find("the 2 rows whose rounds agree within 5 %, and are slower in 1 of them."),
            std::string::npos);
}

TEST(Verdict, OfOursHasAllSentences) {
  const Result result = numbers({"MPICH 5", "avrankmap, on demand"}, {{"1,024", {3, 7}}, {"786,432", {9, 5}}});
  const std::string sentence = judge("whole-device", result).sentence;
  EXPECT_NE(sentence.find("; with 786,432"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("; with 1,024"), std::string::npos) << sentence;
}

TEST(Verdict, OfOursHasTheNearestRival) {
  Result result =
      numbers({"MPICH 4", "MPICH 5", "avrankmap, on demand"}, {{"786,432", {9, 5, 7}}, {"1,024", {1, 2, 3}}});
  EXPECT_EQ(judge("whole-device", result).paper, "5 bytes (MPICH 5)");
  EXPECT_EQ(judge("whole-device", result).here, "7 (on demand)");
  EXPECT_EQ(judge("whole-device-rate", result).paper, "9 million/s (MPICH 4)");
  EXPECT_EQ(judge("bytes-per-process", result).paper, "1 bytes (MPICH 4)");
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
  EXPECT_EQ(judge("003/figure2", result).here, "70 to 50");
  set(result, "ours (no-err)", "MPI_ISEND", 80.0);
  EXPECT_EQ(judge("003/figure2", result).word, kContradicted);
}

TEST(Verdict, OfProposalsIsContradictedIfAllAreSlower) {
  Result result = numbers({"isend, million/s"}, {{"no-err-single-ipo", {20}}, {"no match", {19}}});
  EXPECT_EQ(judge("003/figure6", result).word, kContradicted);
  EXPECT_EQ(judge("003/figure6", result).sentence,
            "0 of 1 rows of proposals have a higher rate of isends than no-err-single-ipo, slower: no match (0.95).");
}

} // namespace
} // namespace avrankmap::bench
