// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The report on all measurements: its JSON document, its screen, and the generated parts of the
// documents in the tree.

#include "report/report.h"

#include "counters/subprocess.h"
#include "report/digest.h"
#include "sample_results.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

std::string read_file(const std::string &name) {
  std::ifstream file(name);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

std::vector<std::string> lines_of(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// The sample with budgets that fail: all rates of ours are next to nothing.
Json failing_results() {
  Json results = sample_results();
  for (Json &row : results["issue_rate"]) {
    for (const char *const ratio : {"ratio_to_vc_vcrt", "ratio_to_raw"}) {
      row[ratio] = row[ratio].is_null() ? Json(nullptr) : Json(0.1);
    }
    row["peers"] = row["peers"] == 2 ? 786432 : 16;
  }
  for (Json &row : results["instructions"]) {
    row["instructions"] = 1000;
    row["divisions"] = 1;
  }
  for (Json &row : results["fastpath_counts"]) {
    row["put_before"] = row["put"] = row["isend_before"] = row["isend"] = 1000;
  }
  for (Json &row : results["transports"]) {
    row["rate_ratio"] = row["posix_rate_ratio"] = 0.1;
    row["latency_ratio"] = row["posix_latency_ratio"] = 10;
  }
  return results;
}

/// Runs measurements that take no time, on whichever CPUs this test had before.
Json measure_some(const std::string &filter, std::vector<std::string> *progress = nullptr) {
  cpu_set_t before;
  EXPECT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  Session session;
  session.quick = true;
  session.filter = filter;
  session.progress = [&](const std::string &line) {
    if (progress != nullptr && !line.empty()) {
      progress->push_back(line);
    }
  };
  Json results = measure(session);
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  return results;
}

// ---- the JSON document ----

TEST(ReportJson, HasTheRowsOfEveryMeasurementThatTheFilterLetsThrough) {
  std::vector<std::string> progress;
  const Json results = measure_some("^survey_modes$", &progress);
  for (const Measurement *const measurement : all_measurements()) {
    ASSERT_TRUE(results.contains(measurement->name)) << measurement->name;
    EXPECT_EQ(results[measurement->name].empty(), std::string(measurement->name) != "survey_modes")
        << measurement->name;
  }
  EXPECT_EQ(progress, std::vector<std::string>{"survey_modes"});
  EXPECT_TRUE(results["machine"].contains("pinned_cpu"));
  EXPECT_GT(results["machine"]["cpus"], 0);
}

TEST(ReportJson, HasNothingWhereNothingMatches) {
  const Json results = measure_some("no such benchmark");
  EXPECT_TRUE(results["budgets"].empty());
  EXPECT_TRUE(budgets_of(results).empty());
}

TEST(ReportJson, TellsWhatIsLeftOut) {
  const Json results = measure_some("^cache_misses_per_put$");
  ASSERT_EQ(results["notes"].size(), 1U);
  EXPECT_TRUE(has(results["notes"][0], "--quick"));
}

TEST(ReportJson, BudgetsComeFromItsRows) {
  const Json results = measure_some("^inverse$");
  if (results["inverse"].empty()) {
    GTEST_SKIP() << results["notes"];
  }
  ASSERT_EQ(results["budgets"].size(), 2U);
  EXPECT_EQ(results["budgets"][0]["at_most"], 1);
  EXPECT_EQ(results["budgets"][0]["met"], true);
}

// ---- text ----

TEST(ReportText, HasTheTablesOfEveryMeasurementNotesAndBudgets) {
  const std::string text = details_text(sample_results());
  for (const Measurement *const measurement : all_measurements()) {
    for (const TextTable &table : measurement->tables(sample_results()[measurement->name])) {
      EXPECT_TRUE(has(text, table.text_with_title())) << measurement->name;
    }
  }
  EXPECT_TRUE(has(text, "something is left out"));
  EXPECT_TRUE(has(text, "\nBudgets\n"));
  EXPECT_TRUE(has(text, "commit 0123456789ab; bench/run.sh --quick"));
}

TEST(ReportScreen, ShowsTheFiguresThatMatterMost) {
  const std::string text = screen_text(sample_results(), "the end");
  for (const char *const part : {"A processor", "direct", "mlut", "Bytes per process: avrankmap ", "79 / 71", "29 / 25",
                                 "10 / 9", "ucx:posix,cma", "budgets are met", "the end\n"}) {
    EXPECT_TRUE(has(text, part)) << part << '\n' << text;
  }
}

TEST(ReportScreen, ShowsTheBudgetsThatFailAndNoOthers) {
  const std::string text = screen_text(sample_results(), "the end");
  for (const Budget &budget : budgets_of(sample_results())) {
    EXPECT_EQ(has(text, "FAIL  " + budget.what + "  "), !budget.met()) << budget.what;
  }
  EXPECT_TRUE(has(text, "FAIL  messages of up to 256 bytes, rate over bare, networks"));
}

TEST(ReportScreen, IsOneScreenHoweverManyBudgetsFail) {
  const Json results = failing_results();
  const std::vector<Budget> budgets = budgets_of(results);
  const auto failed = std::count_if(budgets.begin(), budgets.end(), [](const Budget &b) { return !b.met(); });
  ASSERT_GT(failed, 15);
  const std::vector<std::string> lines = lines_of(screen_text(results, "the\nend"));
  EXPECT_EQ(lines.size(), std::size_t{kScreenLines});
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string &line) {
    return line.starts_with("  and ") && line.ends_with(" more");
  }));
  EXPECT_EQ(lines.back(), "end");
}

TEST(ReportScreen, ShowsWhatThereIs) {
  Json results{{"machine", sample_results()["machine"]}};
  EXPECT_EQ(lines_of(screen_text(results, "the end")).size(), 4U);
  results["inverse"] = Json::parse(R"([
    {"form": "direct", "ranks": 1000, "runs": 1, "instructions": 50},
    {"form": "direct", "ranks": 2000, "runs": 1, "instructions": 51}])");
  EXPECT_TRUE(has(screen_text(results, "the end"), "0 of 1 budgets are met:\n  FAIL  process to rank, regular"));
}

// ---- documents ----

std::string document(const std::string &name, const std::string &inside) {
  return "before\n<!-- generated: " + name + " -->\n" + inside + "<!-- end -->\nafter\n";
}

TEST(Documents, GetTheirGeneratedPartsAnew) {
  const std::string updated = update_document(document("bytes", "old\n"), sample_results());
  EXPECT_TRUE(updated.starts_with("before\n<!-- generated: bytes -->\n| scheme | bytes |\n"));
  EXPECT_TRUE(updated.ends_with("|\n<!-- end -->\nafter\n"));
  EXPECT_FALSE(has(updated, "old"));
  EXPECT_EQ(update_document(updated, sample_results()), updated);
}

TEST(Documents, GetSeveralParts) {
  const std::string updated =
      update_document(document("bytes", "") + document("rates", "old\n") + "last", sample_results());
  EXPECT_TRUE(has(updated, "| scheme | bytes |"));
  EXPECT_TRUE(has(updated, "| communicator | 16 peers |"));
  EXPECT_TRUE(updated.ends_with("after\nlast"));
}

TEST(Documents, HaveTheTablesOfAnyMeasurement) {
  for (const Measurement *const measurement : all_measurements()) {
    if (std::string(measurement->name) != "fastpath") {
      const std::string updated = update_document(document(measurement->name, ""), sample_results());
      EXPECT_TRUE(has(updated, measurement->tables(sample_results()[measurement->name]).front().markdown()));
    }
  }
}

TEST(Documents, WithoutMarkersStayAsTheyAre) { EXPECT_EQ(update_document("nothing\n", sample_results()), "nothing\n"); }

TEST(Documents, AreRefusedIfAPartIsUnknownOrHasNoEnd) {
  EXPECT_THROW((void)update_document(document("no such part", ""), sample_results()), std::runtime_error);
  EXPECT_THROW((void)update_document("<!-- generated: bytes -->\n", sample_results()), std::runtime_error);
  EXPECT_THROW((void)update_document("<!-- generated: bytes -->\n" + document("rates", ""), sample_results()),
               std::runtime_error);
}

TEST(Documents, AreRefusedIfNothingWasMeasured) {
  const Json nothing{{"machine", sample_results()["machine"]}};
  for (const char *const part : {"bytes", "rates", "messages", "budgets", "compression"}) {
    EXPECT_THROW((void)update_document(document(part, ""), nothing), std::runtime_error) << part;
  }
}

// ---- the documents in the tree ----

class DocumentInTheTree : public testing::TestWithParam<const char *> {
protected:
  std::string text = read_file(std::string(AVRM_TEST_SOURCE) + "/" + GetParam());
};

INSTANTIATE_TEST_SUITE_P(All, DocumentInTheTree, testing::Values("bench/README.md", "bench/BUDGETS.md"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, '_');
                           return name;
                         });

/// What a generated table says of itself: heads of columns, and labels of rows where those are the
/// same on every machine and at every size.
std::vector<std::string> shape_of(const std::string &text) {
  const std::vector<std::string> fixed{"rates", "bytes", "instruction_study"};
  std::vector<std::string> shape;
  bool inside = false;
  bool labels = false;
  bool head = false;
  for (const std::string &line : lines_of(text)) {
    if (line.starts_with("<!-- generated: ")) {
      inside = head = true;
      const std::string name = line.substr(16, line.size() - 16 - 4);
      labels = std::find(fixed.begin(), fixed.end(), name) != fixed.end();
      shape.push_back(name);
    } else if (line == "<!-- end -->") {
      inside = false;
    } else if (inside && line.starts_with("| ")) {
      if (head || labels) {
        shape.push_back(head ? line : line.substr(0, line.find(" | ")));
      }
      head = false;
    } else if (inside) {
      head = !line.starts_with("|");
    }
  }
  return shape;
}

TEST_P(DocumentInTheTree, HasTheRowsAndColumnsOfNow) {
  EXPECT_TRUE(has(text, "<!-- generated: "));
  EXPECT_EQ(shape_of(text), shape_of(update_document(text, sample_results())));
}

TEST(DocumentsInTheTree, ShapesDifferIfALabelOrAColumnDoes) {
  const std::string table = "<!-- generated: rates -->\n| form | bytes |\n|---|--:|\n| lut | 1 |\n<!-- end -->\n";
  const auto with = [&](const char *old_part, const char *new_part) {
    std::string other = table;
    return shape_of(other.replace(other.find(old_part), std::string(old_part).size(), new_part));
  };
  EXPECT_EQ(shape_of(table), with("| 1 |", "| 2 |"));
  EXPECT_NE(shape_of(table), with("lut", "mlut"));
  EXPECT_NE(shape_of(table), with("bytes", "instructions"));
  EXPECT_NE(shape_of(table), with("generated: rates", "generated: bytes"));
}

// ---- the program ----

class BenchProgram : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(folder_.ok()) << folder_.message();
    results_ = path("results.json");
    std::ofstream(results_) << sample_results().dump();
  }
  std::string path(const char *name) { return (folder_->path() / name).string(); }

  /// What avrm_bench prints with these arguments.
  std::string run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), AVRM_TEST_PROGRAM);
    const auto end = counters::run_process(arguments, *folder_);
    EXPECT_TRUE(end.ok()) << end.message();
    succeeded_ = end.ok() && end->succeeded();
    return end.ok() ? end->output : std::string();
  }

  counters::Result<counters::ScratchFolder> folder_ = counters::ScratchFolder::create();
  std::string results_;
  bool succeeded_ = false;
};

TEST_F(BenchProgram, ShowsEarlierResultsOnOneScreenOrInFull) {
  EXPECT_TRUE(run({"--from", results_}).starts_with(screen_text(sample_results(), "").substr(0, 200)));
  EXPECT_TRUE(succeeded_);
  EXPECT_EQ(run({"--from", results_, "--details"}), details_text(sample_results()));
}

TEST_F(BenchProgram, UpdatesDocuments) {
  std::ofstream(path("page.md")) << document("bytes", "old\n");
  (void)run({"--from", results_, "--update", path("page.md")});
  EXPECT_TRUE(succeeded_);
  EXPECT_EQ(read_file(path("page.md")), update_document(document("bytes", ""), sample_results()));
}

TEST_F(BenchProgram, LeavesADocumentAloneThatItCannotUpdate) {
  std::ofstream(path("page.md")) << document("no such part", "old\n");
  EXPECT_TRUE(has(run({"--from", results_, "--update", path("page.md")}), "no such part"));
  EXPECT_FALSE(succeeded_);
  EXPECT_EQ(read_file(path("page.md")), document("no such part", "old\n"));
}

TEST_F(BenchProgram, KeepsResultsAndTables) {
  (void)run({"--quick", "--filter", "^inverse$", "--out", folder_->path().string(), "--json", path("copy.json")});
  EXPECT_TRUE(succeeded_);
  const std::string json = read_file(results_);
  EXPECT_EQ(read_file(path("copy.json")), json);
  EXPECT_EQ(read_file(path("results.txt")), details_text(Json::parse(json)));
}

TEST_F(BenchProgram, RefusesWhatItCannotReadOrWrite) {
  EXPECT_TRUE(has(run({"--from", path("nothing.json")}), "cannot be read"));
  EXPECT_FALSE(succeeded_);
  EXPECT_TRUE(has(run({"--from", results_, "--json", path("no/such/folder")}), "cannot be written"));
  EXPECT_FALSE(succeeded_);
  EXPECT_TRUE(has(run({"--filter", "["}), "not a regular expression"));
  EXPECT_FALSE(succeeded_);
}

TEST_F(BenchProgram, ListsWhatCanBeFiltered) {
  const std::string text = run({"--list"});
  for (const Measurement *const measurement : all_measurements()) {
    EXPECT_TRUE(has(text, measurement->name)) << measurement->name;
  }
}

} // namespace
} // namespace avrankmap::bench
