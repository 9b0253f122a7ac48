// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Sentences and verdicts on noncollective creation, each from numbers that make it true, and from
// others.
#include "papers/conclusions/verdicts.h"
#include "sentences.h"

#include <gtest/gtest.h>

namespace avrankmap::bench {
namespace {

TEST(NoncollectiveConclusion, OfCreationNamesTheLastSizeWithoutAGap) {
  Result result =
      numbers({"by its members", "by the parent", "merging step by step"}, {{"2 of 32 simulated, us", {1, 10, 3}},
                                                                            {"8 of 32 simulated, us", {3, 10, 12}},
                                                                            {"32 of 32 simulated, us", {5, 10, 9}},
                                                                            {"2 of 8 real, us", {1, 2, 3}},
                                                                            {"8 of 8 real, us", {3, 2, 4}}});
  EXPECT_EQ(sentences("004/figure1", result),
            "Simulated, faster than by the parent: by its members with every group; merging step by step up to 2 "
            "members. "
            "Real, faster than by the parent: by its members up to 2 members; merging step by step with no group. "
            "By the parent all sizes take 10 us; 32 of 32 take 9 us by merging, 5 us by themselves.");
  set(result, "2 of 32 simulated, us", "by its members", 11.0);
  set(result, "32 of 32 simulated, us", "by the parent", 14.0);
  expect_part_of_sentences("004/figure1", result, "by its members with no group; merging step by step up to 2");
  expect_part_of_sentences("004/figure1", result, "all sizes take 10 to 14 us");
}

TEST(NoncollectiveConclusion, OfCreationCountsMessagesApart) {
  Result result = numbers({"by the parent", "multicommunicator of singles"}, {{"2 of 4 simulated, messages", {8, 6}}});
  EXPECT_EQ(sentences("004/figure1", result), "Fewer messages in all: multicommunicator of singles with every group.");
  set(result, "2 of 4 simulated, messages", "by the parent", 6.0);
  EXPECT_EQ(sentences("004/figure1", result), "Fewer messages in all: multicommunicator of singles with no group.");
}

TEST(NoncollectiveConclusion, OfChainsComparesTheBestOfEachKind) {
  Result result = numbers({"32"}, {{"none", {10}},
                                   {"asynchronous, to the right", {6}},
                                   {"asynchronous, to work", {5}},
                                   {"collective, every 1", {9}},
                                   {"collective, every 16", {8}},
                                   {"ideal", {5}}});
  EXPECT_EQ(
      sentences("004/figure2", result),
      "With 32 processes asynchronous balancing saves 40 % of the time without balancing if a group joins the one "
      "to its right, 50 % if it joins the next one with work left (the paper: over 40 %), the best collective one "
      "20 % (about 15 %). To the right saves 25 % of the time of the best collective one (the paper: over 30 %). "
      "To the right takes 1.000 s more than the ideal; the paper's bound for looking for requests after each item is "
      "(P - 1) T / G = 0.175 s, for its P of 8.");
  set(result, "asynchronous, to work", "32", 12.0);
  set(result, "asynchronous, to the right", "32", 10.0);
  expect_part_of_sentences("004/figure2", result, "-20 % if it joins the next one");
  expect_part_of_sentences("004/figure2", result, "To the right saves -25 %");
  expect_part_of_sentences("004/figure2", result, "takes 5.000 s more");
}

TEST(NoncollectiveConclusion, OfChainsTellsOfRealProcesses) {
  Result result = numbers({"32"}, {{"real processes: none", {10}},
                                   {"real processes: asynchronous, to the right", {6}},
                                   {"real processes: asynchronous, to work", {5}},
                                   {"real processes: collective, every 16", {8}}});
  EXPECT_EQ(sentences("004/figure2", result),
            "With 32 real processes asynchronous balancing saves 40 % to the right and 50 % to work, the best "
            "collective one 20 %; to the right 25 % of the time of that.");
  set(result, "real processes: asynchronous, to the right", "32", 11.0);
  EXPECT_EQ(sentences("004/figure2", result),
            "With 32 real processes asynchronous balancing saves -10 % to the right and 50 % to work, the best "
            "collective one 20 %; to the right -38 % of the time of that.");
}

TEST(NoncollectiveConclusion, OfRegroupingsSetsRealProcessesBesideSimulatedOnes) {
  Result result = numbers({"Avg."}, {{"Async., 32 simulated processes", {5.5}}, {"Async., 32 real processes", {5.25}}});
  EXPECT_EQ(sentences("004/table1", result),
            "0 of 0 values equal the paper's. Regroupings of real processes and of as many simulated ones: Async., 32 "
            "real processes 5.25, 5.5 simulated.");
  set(result, "Async., 32 real processes", "Avg.", 7.0);
  expect_part_of_sentences("004/table1", result, "real processes 7, 5.5");
}

TEST(NoncollectiveConclusion, OfRegroupingsTellsOfGroupsThatDoNotBeginAtOnce) {
  Result result = numbers({"Avg."}, {{"Async.", {13.375}}, {"Async., within 0.1 ms", {14.5}}});
  cell_of(result.table, "Async.", "Avg.").paper = 14.38;
  EXPECT_EQ(sentences("004/table1", result),
            "0 of 1 values equal the paper's. Async. takes 13.38 regroupings if all groups begin at once, 14.50 within "
            "0.1 ms (the paper: 14.38).");
  set(result, "Async., within 0.1 ms", "Avg.", 9.0);
  expect_part_of_sentences("004/table1", result, "at once, 9.00 within");
}

TEST(NoncollectiveVerdict, OfGroupsNeedsBothEnds) {
  Result result = numbers({"merging step by step", "by the parent"}, {{"2 of 8,192 simulated, us", {5, 13}},
                                                                      {"4 of 8,192 simulated, us", {9, 13}},
                                                                      {"8,192 of 8,192 simulated, us", {689, 13}}});
  EXPECT_EQ(judge("004/figure1", result).word, kReproduced);
  set(result, "8,192 of 8,192 simulated, us", "merging step by step", 12.0);
  EXPECT_EQ(judge("004/figure1", result).word, kPartly);
}

TEST(NoncollectiveVerdict, OfGroupsIsOfMoreThanGroupsOfTwo) {
  Result result = numbers({"merging step by step", "by the parent"}, {{"2 of 8,192 simulated, us", {5, 13}},
                                                                      {"4 of 8,192 simulated, us", {14, 13}},
                                                                      {"8,192 of 8,192 simulated, us", {689, 13}}});
  EXPECT_EQ(judge("004/figure1", result).word, kPartly);
  EXPECT_NE(
      judge("004/figure1", result).sentence.find("faster than creation by the parent for up to 2 members if simulated"),
      std::string::npos);
  set(result, "2 of 8,192 simulated, us", "merging step by step", 14.0);
  EXPECT_NE(judge("004/figure1", result).sentence.find("by the parent for no group if"), std::string::npos);
}

TEST(NoncollectiveVerdict, OfGroupsIsAlsoOfRealProcesses) {
  Result result = numbers({"merging step by step", "by the parent"}, {{"2 of 8,192 simulated, us", {5, 13}},
                                                                      {"4 of 8,192 simulated, us", {9, 13}},
                                                                      {"8,192 of 8,192 simulated, us", {689, 13}},
                                                                      {"2 of 32 real, us", {20, 160}},
                                                                      {"4 of 32 real, us", {40, 160}},
                                                                      {"32 of 32 real, us", {3000, 130}}});
  EXPECT_EQ(judge("004/figure1", result).word, kReproduced);
  set(result, "4 of 32 real, us", "merging step by step", 200.0);
  EXPECT_EQ(judge("004/figure1", result).word, kPartly);
}

TEST(NoncollectiveVerdict, OfChainsIsAlsoOfRealProcesses) {
  Result result = numbers({"32"}, {{"none", {7}},
                                   {"asynchronous, to the right", {4.1}},
                                   {"collective, every 16", {5.9}},
                                   {"real processes: none", {10}},
                                   {"real processes: asynchronous, to the right", {5.5}}});
  EXPECT_EQ(judge("004/figure2", result).word, kReproduced);
  EXPECT_NE(judge("004/figure2", result)
                .sentence.find("; 32 real processes take 5.5 s with asynchronous balancing, "
                               "45.0 % less"),
            std::string::npos)
      << judge("004/figure2", result).sentence;
  set(result, "real processes: none", "32", 6.0);
  EXPECT_EQ(judge("004/figure2", result).word, kPartly);
}

TEST(NoncollectiveVerdict, OfChainsIsOfEveryInterval) {
  Result result = numbers({"32"}, {{"none", {7}},
                                   {"asynchronous, to the right", {4.1}},
                                   {"collective, every 16", {5.9}},
                                   {"collective, every 128", {6.5}}});
  EXPECT_EQ(judge("004/figure2", result).word, kPartly);
  EXPECT_NE(
      judge("004/figure2", result)
          .sentence.find("41.4 % less with asynchronous (over 40 %) and, with collective balancing, less by 15.7 % "
                         "every 16, 7.1 % every 128 items (roughly 15 % each)."),
      std::string::npos)
      << judge("004/figure2", result).sentence;
  EXPECT_EQ(judge("004/figure2", result).here, "41.4 % less; collective 7.14 to 15.7 %");
  set(result, "collective, every 128", "32", 6.0);
  EXPECT_EQ(judge("004/figure2", result).word, kReproduced);
}

TEST(NoncollectiveVerdict, OfChainsTellsThatThePapersSecondsAreComputed) {
  Result result = numbers({"32"}, {{"none", {7}}, {"asynchronous, to the right", {4.1}}});
  EXPECT_EQ(judge("004/figure2", result).sentence.find("computed"), std::string::npos);
  cell_of(result.table, "asynchronous, to the right", "32").paper = "below 4.2";
  EXPECT_TRUE(judge("004/figure2", result).sentence.ends_with(" rows are computed from its percentages."));
}

TEST(NoncollectiveVerdict, OfChainsIsOfThreeTimes) {
  Result result = numbers(
      {"8", "32"}, {{"none", {1, 7}}, {"asynchronous, to the right", {1, 4.1}}, {"collective, every 16", {1, 5.9}}});
  EXPECT_EQ(judge("004/figure2", result).word, kReproduced);
  set(result, "asynchronous, to the right", "32", 6.0);
  EXPECT_EQ(judge("004/figure2", result).word, kPartly);
  set(result, "none", "32", 9.0);
  set(result, "collective, every 16", "32", 9.0);
  EXPECT_EQ(judge("004/figure2", result).word, kContradicted);
}

} // namespace
} // namespace avrankmap::bench
