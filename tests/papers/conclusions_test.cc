// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Other numbers, other sentences: each sentence is computed from a result that makes it true, and
// from one that would make it false.
#include "papers/conclusions/conclusions.h"

#include "sentences.h"

#include "papers/experiments/catalogue.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {
namespace {

TEST(Conclusion, OfEveryExperimentBearsAResultWithoutNumbers) {
  for (const Experiment &experiment : catalogue()) {
    for (const std::string &sentence : conclude(experiment.id, {})) {
      EXPECT_FALSE(sentence.empty()) << experiment.id;
    }
  }
}

TEST(Conclusion, OfAnUnknownNameIsNone) { EXPECT_TRUE(conclude("000/table99", {}).empty()); }

TEST(Conclusion, OfBytesPerProcessNamesTheNearestRival) {
  Result result = numbers({"MPICH 4.0.2", "MPICH 5", "avrankmap, table AV", "avrankmap, implicit AV"},
                          {{"1,024", {1, 2, 3, 4}}, {"4,096", {600, 300, 20, 10}}});
  EXPECT_EQ(sentences("bytes-per-process", result),
            "The least of the others is exceeded by avrankmap, table AV in 1 of 2 rows (1,024) and avrankmap, implicit "
            "AV in 1 of 2 rows (1,024); with 4,096 processes the least is 300 bytes (MPICH 5), the most 600 (MPICH "
            "4.0.2), ours table AV 20, implicit AV 10; with 1,024 processes the least is 1 bytes (MPICH 4.0.2), the "
            "most 2 (MPICH 5), ours table AV 3, implicit AV 4.");
  set(result, "4,096", "MPICH 4.0.2", 15.0);
  expect_part_of_sentences("bytes-per-process", result, "exceeded by avrankmap, table AV in 2 of 2 rows and");
  expect_part_of_sentences("bytes-per-process", result, "the least is 15 bytes (MPICH 4.0.2)");
}
TEST(Conclusion, OfBytesPerProcessIsAboutWhatWasMeasured) {
  Result result = numbers({"MPICH 4.0.2", "MPICH 5", "avrankmap, implicit AV"}, {{"4,096", {600, 300, 10}}});
  set(result, "4,096", "MPICH 5", {});
  EXPECT_NE(sentences("bytes-per-process", result).find("is 600 bytes (MPICH 4.0.2), the most 600 (MPICH 4.0.2)"),
            std::string::npos);
  set(result, "4,096", "avrankmap, implicit AV", {});
  EXPECT_EQ(sentences("bytes-per-process", result), "");
}

TEST(Conclusion, OfAWholeDeviceReadsProjectedNumbers) {
  Result result;
  result.table = {"", {"MPICH 5", "avrankmap, implicit AV"}, {{"786,432", {{"~1,000"}, {"500"}}}}};
  EXPECT_EQ(
      sentences("whole-device", result),
      "Ours take less than all others in all rows; with 786,432 processes the least is 1,000 bytes (MPICH 5), the most "
      "1,000 (MPICH 5), ours implicit AV 500.");
  set(result, "786,432", "avrankmap, implicit AV", "2,000");
  expect_part_of_sentences("whole-device", result, "exceeded by avrankmap, implicit AV in 1 of 1 rows;");
  EXPECT_NE(sentences("whole-device", result).find("implicit AV 2,000."), std::string::npos);
}

/// Table I of two applications.
Result mapping_models() {
  Result result;
  result.table = {"application",
                  {"Dup", "split: Offset", "split: Stride", "split: Irreg.", "Topo", "Intercomm", "the library's own",
                   "all forms", "bytes, strict", "bytes, ours"},
                  {{"LSMS", {{}, {"offset", "x"}, {}, {"lut", "x"}, {}, {}, {"lut"}, {"lut"}, {100.0}, {20.0}}},
                   {"SP", {{"direct", "x"}, {"direct", "x"}, {}, {}, {}, {}, {}, {"direct"}, {50.0}, {40.0}}}}};
  return result;
}

TEST(Conclusion, OfMappingModelsCountsTables) {
  Result result = mapping_models();
  EXPECT_NE(sentences("000/table1", result).find("strict 1 (LSMS); with all forms 1 (LSMS)."), std::string::npos);
  set(result, "LSMS", "all forms", "segments");
  EXPECT_NE(sentences("000/table1", result).find("strict 1 (LSMS); with all forms 0."), std::string::npos);
  set(result, "SP", "Dup", "lut");
  EXPECT_NE(sentences("000/table1", result).find("strict 2 (LSMS, SP);"), std::string::npos);
}
TEST(Conclusion, OfMappingModelsNamesCellsThatAreNotAsMarked) {
  Result result = mapping_models();
  EXPECT_NE(sentences("000/table1", result).find("In 3 of the 4 marked cells"), std::string::npos);
  EXPECT_NE(sentences("000/table1", result).find("The others: SP in split: Offset, direct."), std::string::npos);
  set(result, "SP", "split: Offset", "offset");
  EXPECT_NE(sentences("000/table1", result).find("In 4 of the 4 marked cells"), std::string::npos);
  EXPECT_EQ(sentences("000/table1", result).find("The others"), std::string::npos);
}
TEST(Conclusion, OfMappingModelsTellsCellsThatTheMarksShape) {
  Result result = mapping_models();
  EXPECT_NE(sentences("000/table1", result).find("; 0 of the cells are of applications that the marks"),
            std::string::npos);
  result.table.columns.emplace_back("shape from");
  for (Row &row : result.table.rows) {
    row.cells.push_back({row.label == "SP" ? "the marks" : "the text"});
  }
  EXPECT_NE(sentences("000/table1", result).find("; 2 of the cells are of applications that the marks"),
            std::string::npos);
}
TEST(Conclusion, OfMappingModelsAddsBytes) {
  Result result = mapping_models();
  set(result, "SP", "bytes, ours", 45.0);
  EXPECT_NE(sentences("000/table1", result).find("take 150 bytes strict and 65 bytes with all forms."),
            std::string::npos);
}

TEST(Conclusion, OfMappingModelsKeepsRecordedRunsApart) {
  Result result = mapping_models();
  const std::string before = sentences("000/table1", result);
  const std::string run = std::string("CP2K, 8 processes") + kRecorded;
  set(result, run, "Intercomm", "no call");
  EXPECT_EQ(sentences("000/table1", result),
            before + " Of 1 recorded runs 0 have irregular maps when strict, 0 need a table with all forms, and 0 make "
                     "intercommunicators.");
  set(result, run, "split: Irreg.", "30 maps");
  set(result, run, "all forms", "direct, lut");
  set(result, run, "Intercomm", "2 calls");
  EXPECT_EQ(sentences("000/table1", result),
            before + " Of 1 recorded runs 1 have irregular maps when strict, 1 need a table with all forms, and 1 make "
                     "intercommunicators.");
}

TEST(Conclusion, OfChildModelsTellsSettingsApart) {
  Result result;
  result.table = {
      "parent",
      {"Offset"},
      {{"stride", {{"lut", "lut"}}}, {"stride, step 3", {{"stride", "lut"}}}, {"stride, all forms", {{"stride"}}}}};
  EXPECT_EQ(sentences("000/table2", result),
            "Steps 1 and 2: 1 of 1 values equal the paper's. Step 3: 0 of 1 values equal the paper's. "
            "With all forms 0 of 1 models are others than after step 3.");
  set(result, "stride", "Offset", "stride");
  set(result, "stride, step 3", "Offset", "lut");
  EXPECT_EQ(sentences("000/table2", result),
            "Steps 1 and 2: 0 of 1 values equal the paper's. Step 3: 1 of 1 values equal the paper's. "
            "With all forms 1 of 1 models are others than after step 3.");
}

TEST(Conclusion, OfInstructionCountsFollowsTheRowOfOurs) {
  Result result = numbers({"direct", "lut"}, {{"switch", {8, 12}}, {"ours", {6, 9}}});
  cell_of(result.table, "switch", "direct").paper = 9.0;
  EXPECT_EQ(sentences("000/table3", result),
            "1 of 1 numbers are lower than the paper's. Ours takes 6 to 9 instructions.");
  set(result, "switch", "direct", 10.0);
  set(result, "ours", "lut", 30.0);
  EXPECT_EQ(sentences("000/table3", result),
            "0 of 1 numbers are lower than the paper's. Ours takes 6 to 30 instructions.");
}

TEST(Conclusion, OfCacheMissesIsOfTheCommunicatorThatOutgrowsTheCaches) {
  Result result = numbers({"Baseline (VC-VCRT)", "stride"},
                          {{"L1D (8 procs, Blues)", {1, 1}}, {"L1D (65,536 ranks)", {16e6, 4e6}}});
  EXPECT_EQ(sentences("000/table4", result),
            "L1D (65,536 ranks): a put misses 2 times in Baseline (VC-VCRT), 0.5 times "
            "in our stride map.");
  set(result, "L1D (65,536 ranks)", "stride", 24e6);
  EXPECT_EQ(sentences("000/table4", result),
            "L1D (65,536 ranks): a put misses 2 times in Baseline (VC-VCRT), 3 times in "
            "our stride map.");
}

TEST(Conclusion, OfIssueRatesNamesThoseThatAreBehind) {
  Result result = numbers({"direct", "lut"}, {{"over VC-VCRT (8 procs, theoretical)", {1.5, 1.25}},
                                              {"over VC-VCRT, inlined (8 procs, theoretical)", {1.25, 0.5}}});
  const std::string inlined =
      " On the null network 1 of 2 maps are at least as fast as VC-VCRT, inlined (0.5 to 1.25 of "
      "its rate); slower: lut (8 procs, theoretical) (0.5).";
  EXPECT_EQ(sentences("000/table5", result),
            "On the null network 2 of 2 maps are at least as fast as VC-VCRT (1.25 to 1.5 of its rate)." + inlined);
  set(result, "over VC-VCRT (8 procs, theoretical)", "lut", 0.75);
  EXPECT_EQ(sentences("000/table5", result),
            "On the null network 1 of 2 maps are at least as fast as VC-VCRT (0.75 to 1.5 of its rate); slower: lut (8 "
            "procs, theoretical) (0.75)." +
                inlined);
}

TEST(Conclusion, OfIssueRatesOnNetworksAreOfTheirOwnRows) {
  const std::string row = "Blues (8 procs, real)";
  Result result = numbers({"direct", "lut"}, {{row, {5, 7}},
                                              {row + kOverVcVcrtOnNetwork, {1.5, 0.5}},
                                              {row + kOfKnownAddresses, {1, 0.5}},
                                              {row + kIssuingOnNetwork, {0.75, 1.25}}});
  EXPECT_EQ(sentences("001/table7", result),
            "On networks rates are 0.5 to 1.5 of VC-VCRT's, 1 in the middle of 2. "
            "On networks rates are 0.5 to 1 of those with addresses known beforehand, 0.75 in the middle of 2. "
            "On networks a put takes 0.75 to 1.25 of the processor time that it takes with VC-VCRT, 1 in the middle of "
            "2.");
  set(result, row + kOverVcVcrtOnNetwork, "direct", 0.25);
  set(result, row + kOfKnownAddresses, "lut", 0.25);
  set(result, row + kIssuingOnNetwork, "lut", 3.25);
  EXPECT_EQ(sentences("001/table7", result),
            "On networks rates are 0.25 to 0.5 of VC-VCRT's, 0.375 in the middle of 2. "
            "On networks rates are 0.25 to 1 of those with addresses known beforehand, 0.625 in the middle of 2. "
            "On networks a put takes 0.75 to 3.25 of the processor time that it takes with VC-VCRT, 2 in the middle of "
            "2.");
}

TEST(Conclusion, OfDispatchRatesIsTheMeanOfARow) {
  Result result = numbers({"direct", "lut"}, {{"switch, over VC-VCRT", {1, 2}}});
  EXPECT_EQ(sentences("001/table6", result), "Means of the last rows: switch, over VC-VCRT 1.5.");
  set(result, "switch, over VC-VCRT", "lut", 0.5);
  EXPECT_EQ(sentences("001/table6", result), "Means of the last rows: switch, over VC-VCRT 0.75.");
}

TEST(Conclusion, OfGrowthIsARatio) {
  Result result = numbers({"100 communicators, MiB"},
                          {{"VC-VCRT", {100}}, {"AV-Rankmap (strict)", {50}}, {"ours, implicit AV", {10}}});
  EXPECT_EQ(sentences("000/figure9", result),
            "With 100 communicators VC-VCRT takes 2 times as much as AV-Rankmap (strict), 10 times as much as ours, "
            "implicit AV.");
  set(result, "ours, implicit AV", "100 communicators, MiB", 200.0);
  EXPECT_EQ(sentences("000/figure9", result),
            "With 100 communicators VC-VCRT takes 2 times as much as AV-Rankmap (strict), 0.5 times as much as ours, "
            "implicit AV.");
}
TEST(Conclusion, OfDynamicProcessesTellsWhoTakesMore) {
  Result result = numbers(
      {"100 communicators, MiB"},
      {{"VC-VCRT", {5}}, {"VC-VCRT, tables of 4 bytes (computed)", {3}}, {"AV-Rankmap (strict)", {4}}, {"ours", {1}}});
  EXPECT_NE(sentences("000/figure14", result).find("takes no more than VC-VCRT."), std::string::npos);
  EXPECT_NE(sentences("000/figure14", result).find("takes more than VC-VCRT, tables of 4 bytes (computed)."),
            std::string::npos);
  set(result, "AV-Rankmap (strict)", "100 communicators, MiB", 2.0);
  EXPECT_NE(sentences("000/figure14", result).find("takes no more than VC-VCRT, tables of 4 bytes (computed)."),
            std::string::npos);
}

TEST(Conclusion, OfGenerationsIsOfTheFirstAndTheLastOne) {
  Result result = numbers({"0", "4"}, {{"Open MPI, default", {1, 1}}, {"ours", {1, 1.25}}});
  EXPECT_EQ(sentences("000/figure19", result), "Generation 0: ours 1. Generation 4: ours 1.25.");
  set(result, "ours", "4", 0.5);
  EXPECT_EQ(sentences("000/figure19", result), "Generation 0: ours 1. Generation 4: ours 0.5.");
}

TEST(Conclusion, OfGrowthComparesAddresses) {
  Result result = numbers({"addresses, MiB"}, {{"VC-VCRT", {360}}, {"AV-Rankmap (strict)", {9}}});
  EXPECT_EQ(sentences("000/figure9", result),
            "Its addresses take 40 times as much as AV-Rankmap (strict); in the paper 40 times, 480 bytes and 12.");
  set(result, "AV-Rankmap (strict)", "addresses, MiB", 18.0);
  EXPECT_NE(sentences("000/figure9", result).find("take 20 times as much"), std::string::npos);
}
TEST(Conclusion, OfDuplicatesTellsTheShareOfAddresses) {
  Result result = numbers({"100 communicators, MiB", "addresses, MiB"},
                          {{"VC-VCRT", {400, 360}}, {"VC-VCRT, tables of 4 bytes (computed)", {375, 360}}});
  EXPECT_EQ(
      sentences("000/figure10", result),
      "With 100 duplicates addresses are 90 % of all bytes of VC-VCRT; in the paper nearly 95 %. With 100 "
      "duplicates addresses are 96 % of all bytes of VC-VCRT, tables of 4 bytes (computed); in the paper nearly 95 %.");
  set(result, "VC-VCRT", "100 communicators, MiB", 720.0);
  EXPECT_NE(sentences("000/figure10", result).find("are 50 % of all bytes of VC-VCRT;"), std::string::npos);
}
TEST(Conclusion, OfMiniappsComparesNekboneWithTheOthers) {
  Result result = numbers({"VC-VCRT, maps, bytes"}, {{"BT", {600}}, {"AMG2013", {400}}, {"Nekbone", {600}}});
  EXPECT_EQ(sentences("000/figure18", result),
            "Nekbone's VCRTs take 1 to 1.5 times the bytes of the others'; in the paper about 1.5 times.");
  set(result, "Nekbone", "VC-VCRT, maps, bytes", 1200.0);
  EXPECT_NE(sentences("000/figure18", result).find("take 2 to 3 times"), std::string::npos);
}

TEST(Conclusion, OfMiniappsIsOfThePlot) {
  Result result;
  result.plots = {{"", "", "", "", true, true, {}, {{"BT, ours", {{16384, 500}, {524288, 500}}, true}}}};
  EXPECT_EQ(sentences("001/figure17", result),
            "Our maps of one application take 500 bytes with 16,384 processes and 500 bytes with 524,288.");
  result.plots[0].series[0].points[1].second = 9000;
  EXPECT_EQ(sentences("001/figure17", result),
            "Our maps of one application take 500 bytes with 16,384 processes and 9,000 bytes with 524,288.");
}

TEST(Conclusion, OfMiniappsTellsAtWhichSizeVcVcrtTakesThePapersBytes) {
  Result result = numbers({"VC-VCRT, MiB"}, {{"BT, 16,384 processes", {7.5}}, {"BT, 32,768 processes", {15.5}}});
  EXPECT_EQ(sentences("001/figure17", result), "The paper's 15 MB for 16K processes: VC-VCRT takes 7.5 MiB with 16,384 "
                                               "processes and 15.5 MiB with 32,768.");
  set(result, "BT, 16,384 processes", "VC-VCRT, MiB", 15.0);
  EXPECT_NE(sentences("001/figure17", result).find("takes 15 MiB with 16,384 processes"), std::string::npos);
}
TEST(Conclusion, OfMiniappsComparesDirectTables) {
  Result result = numbers({"VCRTs, direct, bytes"},
                          {{"AMG2013, 524,288 processes", {1000}}, {"Nekbone, 524,288 processes", {1000}}});
  EXPECT_NE(sentences("001/figure17", result).find("take 1 times the bytes"), std::string::npos);
  set(result, "Nekbone, 524,288 processes", "VCRTs, direct, bytes", 7000.0);
  EXPECT_NE(sentences("001/figure17", result).find("take 7 times the bytes"), std::string::npos);
}

TEST(Conclusion, OfATorusIsOfTheLastSizeThatThePaperStates) {
  Result result =
      numbers({"plain tables, MB", kRectangles}, {{"128", {10, 1}}, {"8,192", {52, 2}}, {"more", {900, 3}}});
  for (const auto &[column, paper] : {std::pair("plain tables, MB", 60.0), std::pair(kRectangles, 20.0)}) {
    cell_of(result.table, "8,192", column).paper = paper;
  }
  EXPECT_EQ(sentences("002/figure3", result), "With 8,192 nodes that paper's scheme saves 50 MB of the plain tables "
                                              "here; the paper saves 40 MB, from 60 to 20, 3 times "
                                              "less.");
  set(result, "8,192", kRectangles, 40.0);
  cell_of(result.table, "8,192", kRectangles).paper = 30.0;
  EXPECT_EQ(sentences("002/figure3", result), "With 8,192 nodes that paper's scheme saves 12 MB of the plain tables "
                                              "here; the paper saves 30 MB, from 60 to 30, 2 times "
                                              "less.");
}
TEST(Conclusion, OfATorusComparesTheExtrapolationWithThePapersOwnTable) {
  Result result = numbers({"communicators", "plain tables, MB"}, {{"64 x 64 processes", {100, 5000}}});
  EXPECT_EQ(sentences("002/figure3", result),
            "64 x 64 processes: the paper states 64 MB for one table of all ranks (section 3), of which its 100 "
            "communicators would take 6,400 MB, 3.2 times its 2 GB; those here have 50 MB each on average.");
  set(result, "64 x 64 processes", "communicators", 250.0);
  EXPECT_NE(sentences("002/figure3", result).find("would take 16,000 MB, 8 times its 2 GB; those here have 20 MB"),
            std::string::npos);
}

TEST(Conclusion, OfExchangesCountsFasterRows) {
  Result result = numbers({kOverPaperCache}, {{"6", {0.5}}, {"8", {2}}});
  EXPECT_EQ(sentences("002/figure5", result),
            "Ours takes 0.5 to 2 of the time of the 128 x 8 cache and is faster in 1 of 2 rows.");
  set(result, "6", kOverPaperCache, 1.0);
  EXPECT_EQ(sentences("002/figure5", result),
            "Ours takes 1 to 2 of the time of the 128 x 8 cache and is faster in 0 of 2 rows.");
}
TEST(Conclusion, OfExchangesBetweenProcessesTellsWhoIsBeyondChance) {
  const std::string row = std::string("10 neighbours") + kRealOverTable;
  Result result = numbers({"mapping function", "linear 16", "128 x 8", "ours", "plain table, again"},
                          {{"10 neighbours: us", {9, 9, 9, 9, 9}}, {row, {1.5, 1, 1.125, 0.75, 1.25}}});
  EXPECT_NE(
      sentences("002/figure5", result)
          .find("an exchange takes over the plain table: mapping function 1.5, linear 16 1, 128 x 8 1.12, ours "
                "0.75; the plain table a second time 1.25. In some row farther from 1 than that is in any: mapping "
                "function."),
      std::string::npos)
      << sentences("002/figure5", result);
  set(result, row, "plain table, again", 0.5);
  EXPECT_NE(sentences("002/figure6", result).find("farther from 1 than that is in any: nothing."), std::string::npos);
}
TEST(Conclusion, OfMultiHopsNamesTheNumberingNearerToThePaper) {
  constexpr const char *kHits = "hits of 128 x 8, %";
  const std::string nodes = std::string("728 neighbours") + kByNodes;
  Result result = numbers({kHits}, {{nodes, {61}}, {std::string("728 neighbours") + kByRows, {85}}});
  EXPECT_NE(sentences("002/figure6", result)
                .find("The cache finds 61.0 % of 728 neighbours if ranks are numbered by nodes, 85.0 % if row by row; "
                      "the former is nearer to the paper's 60 %."),
            std::string::npos);
  set(result, nodes, kHits, 20.0);
  EXPECT_NE(sentences("002/figure6", result).find("the latter is nearer"), std::string::npos);
}

TEST(Conclusion, OfFftsIsOfCommunicationBetweenProcesses) {
  const std::string row = std::string("512, X and Y") + kRealOverTable;
  Result result =
      numbers({"V1R2M0 Run", "2D Caching Run", "No Caching Comm", "2D Caching Comm", "ours Comm", "again Comm"},
              {{"512", {}}, {"1024", {}}, {row, {1, 1, 2, 1.5, 1.125, 1.25}}});
  for (const char *const size : {"512", "1024"}) {
    result.table.rows[size == std::string("512") ? 0 : 1].cells.resize(6);
    cell_of(result.table, size, "V1R2M0 Run").paper = 200.0;
  }
  cell_of(result.table, "512", "2D Caching Run").paper = 202.0;
  cell_of(result.table, "1024", "2D Caching Run").paper = 200.0;
  EXPECT_EQ(sentences("002/table1", result),
            "The paper's cache costs 1.0 % of Run at N = 512 and 0.0 % at 1024. Between real processes Comm takes over "
            "the plain table: No Caching 2, 2D Caching 1.5, ours 1.12; the plain table a second time 1.25. In some "
            "row farther from 1 than that is in any: No Caching, 2D Caching.");
  set(result, row, "2D Caching Comm", 1.0);
  set(result, row, "ours Comm", 0.25);
  cell_of(result.table, "1024", "2D Caching Run").paper = 210.0;
  EXPECT_EQ(sentences("002/table1", result),
            "The paper's cache costs 1.0 % of Run at N = 512 and 5.0 % at 1024. Between real processes Comm takes over "
            "the plain table: No Caching 2, 2D Caching 1, ours 0.25; the plain table a second time 1.25. In some "
            "row farther from 1 than that is in any: No Caching, ours.");
}

TEST(Conclusion, OfMultigridReadsThePapersTable) {
  Result result;
  const std::string row = std::string("figure of merit") + kRealOverTable;
  result.table = {"",
                  {"V1R2M0", "No Caching", "2D Caching", "ours", "again"},
                  {{"512, 16384", {{{}, "4.0 e9"}, {}, {{}, "4.04 e9"}, {}, {}}},
                   {"256, 8192", {{{}, "2.0 e9"}, {}, {{}, "1.99 e9"}, {}, {}}},
                   {row, {{1.0}, {0.5}, {0.875}, {1.0}, {0.75}}}}};
  EXPECT_EQ(sentences("002/table2", result),
            "The paper's table has its cache's figure of merit at +1.0 % in row 512, 16384; -0.5 % in row 256, "
            "8192 (its text: better on 256 nodes, within 0.3 % on 512). Between real processes the figure of merit is "
            "over the plain table: No Caching 0.5, 2D Caching 0.875, ours 1; the plain table a second time 0.75. "
            "In some row farther from 1 than that is in any: No Caching.");
  cell_of(result.table, "256, 8192", "2D Caching").paper = "2.02 e9";
  set(result, row, "ours", 2.0);
  EXPECT_NE(sentences("002/table2", result).find("+1.0 % in row 256, 8192"), std::string::npos);
  EXPECT_NE(sentences("002/table2", result).find("farther from 1 than that is in any: No Caching, ours."),
            std::string::npos);
}

TEST(Conclusion, OfPingPongIsOfThePlots) {
  Result result;
  result.plots = {
      {"", "", "", "", true, true, {}, {{"plain table", {{1, 2}, {8, 4}}, false}, {"ours", {{1, 1}, {8, 4}}, true}}}};
  EXPECT_EQ(sentences("002/figure4", result), "Over all sizes ours takes 0.5 to 1 of the plain table's latency.");
  result.plots[0].series[1].points[1].second = 6;
  EXPECT_EQ(sentences("002/figure4", result), "Over all sizes ours takes 0.5 to 1.5 of the plain table's latency.");
}

TEST(Conclusion, OfInstructionsByPurposeLeavesTheSumOut) {
  Result result = numbers({"MPI_ISEND"}, {{"Error checking", {20}}, {"in all", {90}}});
  cell_of(result.table, "Error checking", "MPI_ISEND").paper = 74.0;
  cell_of(result.table, "in all", "MPI_ISEND").paper = 221.0;
  EXPECT_EQ(sentences("003/table1", result), "1 of 1 numbers are lower than the paper's.");
  set(result, "Error checking", "MPI_ISEND", 75.0);
  EXPECT_EQ(sentences("003/table1", result), "0 of 1 numbers are lower than the paper's.");
}

TEST(Conclusion, OfInstructionsByBuildLeavesReductionsOut) {
  Result result = numbers({"MPI_PUT"}, {{"ours (default)", {102}}, {"default less than MPICH/Original, %", {92}}});
  cell_of(result.table, "ours (default)", "MPI_PUT").paper = 215.0;
  cell_of(result.table, "default less than MPICH/Original, %", "MPI_PUT").paper = 84.0;
  EXPECT_EQ(sentences("003/figure2", result), "1 of 1 numbers are lower than the paper's.");
  set(result, "ours (default)", "MPI_PUT", 300.0);
  EXPECT_EQ(sentences("003/figure2", result), "0 of 1 numbers are lower than the paper's.");
}

TEST(Conclusion, OfBuildRatesIsTheLeanestOverTheDefaultOne) {
  Result result =
      numbers({"isend", "isend, of bare"}, {{"ours (default)", {10, 1}}, {"ours (no-err-single-ipo)", {30, 1}}});
  const std::string divided = "The printed rates of the leanest build divided by those of the default one: isend ";
  EXPECT_EQ(sentences("003/figure3", result), divided + "3.");
  set(result, "ours (no-err-single-ipo)", "isend", 5.0);
  EXPECT_EQ(sentences("003/figure3", result), divided + "0.5.");
  EXPECT_EQ(sentences("003/figure5", result), "") << "which has medians of ratios";
}

TEST(Conclusion, OfBuildRatesCallsAStepWithinTheScatterNeitherFasterNorSlower) {
  const std::string row = "ours (no-err-single)";
  Result result =
      numbers({"put, over the build above", "put, lower quartile", "put, upper quartile"}, {{row, {0.99, 0.97, 1.01}}});
  EXPECT_EQ(sentences("003/figure5", result),
            "put compared with the build above, by the median ratio of the rounds: "
            "ours (no-err-single) no faster or slower than the rounds scatter (0.99).");
  set(result, row, "put, upper quartile", 0.995);
  EXPECT_EQ(
      sentences("003/figure5", result),
      "put compared with the build above, by the median ratio of the rounds: ours (no-err-single) slower (0.99).");
  result =
      numbers({"put, over the build above", "put, lower quartile", "put, upper quartile"}, {{row, {1.2, 1.1, 1.3}}});
  EXPECT_EQ(sentences("003/figure5", result),
            "put compared with the build above, by the median ratio of the rounds: ours (no-err-single) faster (1.2).");
}

TEST(Conclusion, OfProposalsNamesThoseThatAreSlower) {
  Result result =
      numbers({"isend, million/s"}, {{"no-err-single-ipo", {20}}, {"global rank", {21}}, {"no match", {19}}});
  EXPECT_NE(sentences("003/figure6", result).find("Slower than no-err-single-ipo: no match."), std::string::npos);
  set(result, "no match", "isend, million/s", 20.0);
  EXPECT_EQ(sentences("003/figure6", result).find("Slower"), std::string::npos);
}
TEST(Conclusion, OfProposalsIsOfSavings) {
  Result result = numbers({"isend, instructions", "isend, saved"}, {{"global rank", {20, 5}}});
  cell_of(result.table, "global rank", "isend, saved").paper = 10.0;
  EXPECT_EQ(sentences("003/figure6", result), "1 of 1 savings are lower than the paper's, 0 equal it.");
  set(result, "global rank", "isend, saved", 10.0);
  EXPECT_EQ(sentences("003/figure6", result), "0 of 1 savings are lower than the paper's, 1 equal it.");
}

} // namespace
} // namespace avrankmap::bench
