// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The numbers of the papers' texts: each has a value that follows the results, or a reason.
#include "papers/texts/texts.h"

#include "counters/subprocess.h"
#include "made_results.h"
#include "papers/driver/presentation.h"
#include "papers/experiments/catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

TEST(Texts, OfEachPaperHaveNumbers) {
  for (const char *const paper : kPapers) {
    EXPECT_GT(statements_of(paper).size(), 10U) << paper;
  }
  EXPECT_TRUE(statements_of("bytes").empty());
}

TEST(Texts, HaveAValueOrAReasonForEachNumber) {
  for (const char *const paper : kPapers) {
    std::set<std::string> labels;
    for (const Statement &statement : statements_of(paper)) {
      const std::string label = fmt::format("{}: {}", statement.section, statement.says);
      EXPECT_TRUE(labels.insert(label).second) << paper << " has twice " << label;
      EXPECT_NE(statement.paper, std::string()) << paper << " " << label;
      EXPECT_TRUE(statement.here || statement.remark != std::string()) << paper << " " << label;
    }
  }
}

TEST(Texts, FollowTheResults) {
  for (const char *const paper : kPapers) {
    for (const Statement &statement : statements_of(paper)) {
      if (statement.here) {
        const std::string one = statement.here(MadeResults("one"));
        EXPECT_NE(one, "") << paper << " " << statement.says;
        EXPECT_NE(one, statement.here(MadeResults("two"))) << paper << " " << statement.says;
      }
    }
  }
}

TEST(Texts, AreAboutExperimentsThatRun) {
  for (const Place &place : places_of_texts()) {
    const Experiment *const experiment = find_experiment(place.id);
    ASSERT_NE(experiment, nullptr) << place.id;
#if AVRM_HAVE_DEVICE
    EXPECT_NE(experiment->run, nullptr) << place.id;
#endif
  }
}

TEST(Texts, OfThePublishedPageLackNoResult) {
  const auto page = counters::read_file(AVRM_TEST_SOURCE "/bench/papers/RESULTS.md");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->find(fmt::format("| {} |", kNotInResults)), std::string::npos);
}

/// Results with one table.
StoredResults results_of(Table table, const std::string &known = "known") {
  Stored stored;
  stored.conditions.machine.processor = "a processor";
  stored.conditions.machine.cpus = 3;
  stored.conditions.machine.memory = 5'000'000'000;
  stored.conditions.machine.compiler = "a compiler";
  stored.result.table = std::move(table);
  return StoredResults(
      [stored, known](const std::string &id) { return id == known ? std::optional(stored) : std::nullopt; });
}

TEST(Texts, SayWhereRoundsDoNotAgree) {
  const StoredResults results =
      results_of({"", {"all over default"}, {{"N = 5, E/P = 8", {{Value("noise"), {}}}}}}, "003/figure7");
  std::string here;
  for (const Statement &statement : statements_of("003")) {
    if (statement.says == std::string("gain near 1,000 points")) {
      here = statement.here(results);
    }
  }
  EXPECT_EQ(here, "N = 5, 1,000 points: noise");
}

TEST(Texts, CountTheProposalsThatSaveInstructions) {
  const StoredResults results =
      results_of({"", {"isend, saved", "put, saved"}, {{"a", {{3.0}, {1.0}}}, {"b", {{0.0}, {}}}, {"c", {{2.0}, {}}}}},
                 "003/figure6");
  std::string here;
  for (const Statement &statement : statements_of("003")) {
    if (statement.says == std::string("overheads that the standard demands")) {
      here = statement.here(results);
    }
  }
  EXPECT_EQ(here, "isend: 2 save instructions; 0 to 3 each; put: 1 save instructions; 1 each");
}

TEST(Texts, NameVcVcrtWithItsTablesOfNodesAndWithout) {
  const StoredResults results = results_of(
      {"", {"100 communicators, MiB"}, {{"VC-VCRT, with its tables of nodes", {{866.0}}}, {"VC-VCRT", {{710.0}}}}},
      "000/figure11");
  std::string here;
  for (const Statement &statement : statements_of("000")) {
    if (statement.says == std::string("100 split intercommunicators, VC-VCRT")) {
      here = statement.here(results);
    }
  }
  EXPECT_EQ(here, "with its tables of nodes 866 MiB; without 710 MiB");
}

Table small_table() {
  return {"corner",
          {"a", "b"},
          {{"one, here", {{4.0, 9.0}, {0.5}}}, {"two, here", {{12.0}, {"word", "x"}}}, {"three, there", {{}, {1.0}}}}};
}

TEST(TextResults, AreThoseOfThisMachine) {
  const StoredResults results = results_of(small_table());
  EXPECT_EQ(results.text({"known", "one, here", "a"}), "4");
  EXPECT_EQ(results.text({"known", "two, here", "b"}), "word");
  EXPECT_EQ(results.text({"known", "three, there", "a"}), "");
  EXPECT_EQ(results.number({"known", "one, here", "b"}), 0.5);
  EXPECT_EQ(results.number({"known", "two, here", "b"}), std::nullopt);
  EXPECT_EQ(results.number({"unknown", "one, here", "a"}), std::nullopt);
  EXPECT_EQ(results.text({"known", "one, here", "c"}), "");
}
TEST(TextResults, OfAPartAreItsNumbers) {
  const StoredResults results = results_of(small_table());
  EXPECT_EQ(results.numbers({"known", ", here", "a"}), (std::vector<double>{4, 12}));
  EXPECT_EQ(results.numbers({"known", ", here", ""}), (std::vector<double>{4, 0.5, 12}));
  EXPECT_EQ(results.numbers({"known", "", "b"}), (std::vector<double>{0.5, 1}));
  EXPECT_TRUE(results.numbers({"unknown", "", "a"}).empty());
}
TEST(TextResults, CountRowsWithAValue) {
  const StoredResults results = results_of(small_table());
  EXPECT_EQ(results.rows({"known", "", ""}), 3);
  EXPECT_EQ(results.rows({"known", ", here", ""}), 2);
  EXPECT_EQ(results.rows({"known", "", "a"}), 2);
  EXPECT_EQ(results.rows({"known", "", "b"}), 3);
  EXPECT_EQ(results.rows({"known", "", "c"}), 0);
  EXPECT_EQ(results.rows({"unknown", "", ""}), std::nullopt);
}
TEST(TextResults, NameTheMachineOnceAResultIsKnown) {
  const StoredResults results = results_of(small_table());
  EXPECT_EQ(results.machine(), "");
  (void)results.number({"known", "one, here", "a"});
  EXPECT_EQ(results.machine(), "a processor, 3 CPUs, 5 GB, a compiler");
}

/// One number of the small table, or of one that lacks it.
Number four() { return number_at("known", "one, here", "a"); }
Number twelve() { return number_at("known", "two, here", "a"); }
Number none() { return number_at("known", "three, there", "a"); }

TEST(TextNumbers, AreComputed) {
  const StoredResults results = results_of(small_table());
  EXPECT_EQ(over(twelve(), four())(results), 3);
  EXPECT_EQ(minus(four(), twelve())(results), -8);
  EXPECT_EQ(times(2.5, four())(results), 10);
  EXPECT_EQ(percent_above(twelve(), four())(results), 200);
  EXPECT_EQ(percent_above_one("known", "one, here", "b")(results), -50);
  EXPECT_EQ(constant(7)(results), 7);
  EXPECT_EQ(rows_of("known", ", here", "b")(results), 2);
}
TEST(TextNumbers, AreNoneIfAPartIsMissing) {
  const StoredResults results = results_of(small_table());
  EXPECT_EQ(over(none(), four())(results), std::nullopt);
  EXPECT_EQ(minus(four(), none())(results), std::nullopt);
  EXPECT_EQ(times(2, none())(results), std::nullopt);
  EXPECT_EQ(rows_of("unknown", "", "")(results), std::nullopt);
}
TEST(TextNumbers, BecomeText) {
  const StoredResults results = results_of(small_table());
  EXPECT_EQ(with_words("only ", four(), " MB")(results), "only 4 MB");
  EXPECT_EQ(with_words("only ", none(), " MB")(results), "");
  EXPECT_EQ(range_of("known", ", here", "a", " us")(results), "4 to 12 us");
  EXPECT_EQ(range_of("unknown", "", "a", " us")(results), "");
  EXPECT_EQ(all_of({with_words("", four()), with_words("", none()), with_words("x", twelve())})(results), "4; x12");
  EXPECT_EQ(text_at("known", "two, here", "b")(results), "word");
}

TEST(TextTable, HasARowPerStatement) {
  const std::vector<Statement> statements = {{"1", "its size", "7 MB", with_words("", four(), " MB")},
                                             {"2", "its weight", "9 t", with_words("", none()), "unless weighed"},
                                             {"3", "its colour", "4 bit", {}, "no machine here"}};
  const Table table = table_of(statements, results_of(small_table()));
  EXPECT_EQ(markdown_table({"c", table.columns, table.rows}),
            "| c | the paper | here | why not, or what differs |\n"
            "|---|--:|--:|--:|\n"
            "| 1: its size | 7 MB | 4 MB |  |\n"
            "| 2: its weight | 9 t | no result in this run | unless weighed |\n"
            "| 3: its colour | 4 bit |  | no machine here |\n");
}

} // namespace
} // namespace avrankmap::bench
