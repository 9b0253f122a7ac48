// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "counters/subprocess.h"
#include "made_results.h"
#include "papers/conclusions/comparison.h"
#include "papers/driver/driver.h"
#include "papers/driver/presentation.h"
#include "papers/driver/store.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "papers/experiments/recorded_survey.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

/// A folder of this test's own.
class Experiments : public testing::Test {
protected:
  void SetUp() override {
    auto made = counters::ScratchFolder::create();
    ASSERT_TRUE(made.ok()) << made.message();
    scratch_.emplace(std::move(*made));
  }

  [[nodiscard]] std::filesystem::path folder() const { return scratch_->path(); }
  [[nodiscard]] std::string out() const { return (folder() / "out").string(); }

  /// Runs the driver and returns its exit status. Its output is in `said` and `complained`.
  int run(const std::vector<std::string> &arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run_driver(arguments, "");
    said = testing::internal::GetCapturedStdout();
    complained = testing::internal::GetCapturedStderr();
    return status;
  }

  std::string said;
  std::string complained;

private:
  std::optional<counters::ScratchFolder> scratch_;
};

// All tables and figures of the five papers, and the pictures in README.md.
constexpr const char *kAll[] = {
    "bytes-per-process", "000/table1",        "000/table2",   "000/table3",   "000/table4",   "000/table5",
    "000/figure1",       "000/figure2",       "000/figure3",  "000/figure4",  "000/figure5",  "000/figure6",
    "000/figure7",       "000/figure8",       "000/figure9",  "000/figure10", "000/figure11", "000/figure12",
    "000/figure13",      "000/figure14",      "000/figure15", "000/figure16", "000/figure17", "000/figure18",
    "000/figure19",      "001/table1",        "001/table2",   "001/table3",   "001/table4",   "001/table5",
    "001/table6",        "001/table7",        "001/figure1",  "001/figure2",  "001/figure3",  "001/figure4",
    "001/figure5",       "001/figure6",       "001/figure7",  "001/figure8",  "001/figure9",  "001/figure10",
    "001/figure11",      "001/figure12",      "001/figure13", "001/figure14", "001/figure15", "001/figure16",
    "001/figure17",      "001/figure18",      "001/figure19", "002/table1",   "002/table2",   "002/figure1",
    "002/figure2",       "002/figure3",       "002/figure4",  "002/figure5",  "002/figure6",  "003/table1",
    "003/figure1",       "003/figure2",       "003/figure3",  "003/figure4",  "003/figure5",  "003/figure6",
    "003/figure7",       "003/figure8",       "004/table1",   "004/figure1",  "004/figure2",  "whole-device",
    "whole-device-rate", "whole-device-rate",
};

TEST_F(Experiments, ListNamesEveryTableAndFigure) {
  EXPECT_EQ(run({"list"}), 0);
  std::set<std::string> names;
  for (const Experiment &experiment : catalogue()) {
    EXPECT_TRUE(names.insert(experiment.id).second) << experiment.id << " is there twice";
    EXPECT_NE(said.find(experiment.id + " "), std::string::npos) << experiment.id;
  }
  EXPECT_EQ(names, std::set<std::string>(std::begin(kAll), std::end(kAll)));
}

TEST_F(Experiments, ExperimentsWithoutAFunctionHaveAReason) {
  for (const Experiment &experiment : catalogue()) {
    EXPECT_EQ(experiment.run == nullptr, !experiment.reason.empty()) << experiment.id;
  }
}

TEST_F(Experiments, RecordedRunsAreReadFromTheirPage) {
  const std::vector<RecordedRun> runs = recorded_runs(recorded_page());
  const auto nwchem = std::find_if(runs.begin(), runs.end(), [](const RecordedRun &run) {
    return run.application.rfind("NWChem", 0) == 0 && run.processes == 8;
  });
  ASSERT_NE(nwchem, runs.end());
  EXPECT_GT(nwchem->calls.at("dup"), 0);
  EXPECT_GT(nwchem->strict_modes.at("stride"), 0);
  EXPECT_EQ(recorded_runs("| A | B |\n").size(), 0U); // no table
  EXPECT_THROW((void)recorded_runs("|---|\n| A | B |\n"), std::invalid_argument);
}

TEST_F(Experiments, AnExperimentThatIsTheSameAsAnotherHasItsParts) {
  // Parts (a), (b) and (c) of the figures of the earlier text.
  const std::map<std::string, std::size_t> parts{
      {"001/figure9", 3}, {"001/figure10", 3}, {"001/figure13", 3}, {"001/figure14", 3}};
  for (const Experiment &experiment : catalogue()) {
    const std::string same = "the same as ";
    if (experiment.reason.rfind(same, 0) != 0) {
      continue;
    }
    const std::string &reason = experiment.reason;
    const Experiment *const other =
        find_experiment(reason.substr(same.size(), reason.find_first_of(",;", same.size()) - same.size()));
    ASSERT_NE(other, nullptr) << experiment.id;
    ASSERT_NE(other->run, nullptr) << experiment.id;
    if (const auto wanted = parts.find(experiment.id); wanted != parts.end()) {
      Context context(Effort::kTiny, "", [](const std::string &) {});
      EXPECT_EQ(other->run(context).plots.size(), wanted->second) << experiment.id;
    }
  }
}

void expect_well_formed(const Result &result) {
  const Table &table = result.table;
  EXPECT_TRUE(!table.rows.empty() || !result.listings.empty() || !result.omissions.empty());
  std::set<std::string> labels;
  for (const Row &row : table.rows) {
    EXPECT_FALSE(row.label.empty());
    EXPECT_TRUE(labels.insert(row.label).second) << row.label << " is there twice";
    EXPECT_EQ(row.cells.size(), table.columns.size()) << row.label;
    EXPECT_TRUE(
        std::any_of(row.cells.begin(), row.cells.end(), [](const Cell &cell) { return !cell_text(cell).empty(); }))
        << row.label << " is empty";
    for (const Cell &cell : row.cells) {
      if (const auto *number = std::get_if<double>(&cell.here)) {
        EXPECT_TRUE(std::isfinite(*number)) << row.label;
      }
    }
  }
  EXPECT_EQ(std::set<std::string>(table.columns.begin(), table.columns.end()).size(), table.columns.size());
  const std::string how = result.note.substr(0, result.note.find_first_of(" :;,"));
  EXPECT_TRUE((std::set<std::string>{"Measured", "Counted", "Simulated", "Computed"}.count(how))) << result.note;
  for (const Plot &plot : result.plots) {
    EXPECT_FALSE(plot.series.empty()) << plot.title;
    for (const Series &line : plot.series) {
      EXPECT_FALSE(line.points.empty()) << plot.title << ", " << line.name;
    }
  }
}

/// The statements of the papers' texts find the columns that they ask for, numbers of processes
/// aside.
void expect_columns_of_texts(const std::string &id, const std::vector<std::string> &columns) {
  for (const Place &place : places_of_texts()) {
    if (place.id == id && !columns.empty() && place.column.find_first_not_of("0123456789,") != std::string::npos) {
      EXPECT_NE(std::find(columns.begin(), columns.end(), place.column), columns.end()) << place.column;
    }
  }
}

class EachExperiment : public testing::TestWithParam<std::string> {};

TEST_P(EachExperiment, YieldsAWellFormedTable) {
  const Experiment &experiment = *find_experiment(GetParam());
  Context context(Effort::kTiny, "", [](const std::string &) {});
  const Result result = experiment.run(context);
  expect_well_formed(result);
  expect_columns_of_texts(experiment.id, result.table.columns);
}

std::vector<std::string> those_that_run() {
  std::vector<std::string> names;
  for (const Experiment &experiment : catalogue()) {
    if (experiment.run != nullptr) {
      names.push_back(experiment.id);
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, EachExperiment, testing::ValuesIn(those_that_run()), [](const auto &info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return "Experiment" + name;
});

TEST_F(Experiments, RunsOneAndKeepsItsResult) {
  ASSERT_EQ(run({"000/figure1", "--tiny", "--out", out(), "--commit", "abc"}), 0) << complained;
  EXPECT_NE(said.find("1, 4, 8, 12"), std::string::npos);
  const auto stored = Store(out()).find("000/figure1");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->conditions.commit, "abc");
  EXPECT_EQ(stored->conditions.effort, Effort::kTiny);
  EXPECT_FALSE(stored->conditions.machine.compiler.empty());
  EXPECT_NE(stored->command.find("--tiny"), std::string::npos);
}

TEST_F(Experiments, TheRecordedCommandHasNoPathOfTheMachine) {
  ASSERT_EQ(run({"000/figure1", "--tiny", "--out", out(), "--sources", AVRM_TEST_SOURCE, "--commit=abc"}), 0)
      << complained;
  EXPECT_EQ(Store(out()).find("000/figure1")->command, "000/figure1 --tiny --commit=abc");
  ASSERT_EQ(run({"000/figure1", "--tiny", "--again", "--out=" + out()}), 0) << complained;
  EXPECT_EQ(Store(out()).find("000/figure1")->command, "000/figure1 --tiny --again");
}

class Resuming : public Experiments {
protected:
  /// Runs once, marks the result, runs again with these arguments, and returns whether the mark is
  /// still there.
  bool result_survives(std::vector<std::string> first, std::vector<std::string> second) {
    for (auto *const arguments : {&first, &second}) {
      arguments->insert(arguments->end(), {"000/figure1", "--out", out()});
    }
    EXPECT_EQ(run(first), 0) << complained;
    const Store store(out());
    Stored stored = *store.find("000/figure1");
    stored.result.note = "marked";
    store.save(stored);
    EXPECT_EQ(run(second), 0) << complained;
    return store.find("000/figure1")->result.note == "marked";
  }
};

TEST_F(Resuming, SameCommitMachineAndEffortIsNotRunAgain) {
  EXPECT_TRUE(result_survives({"--tiny", "--commit", "abc"}, {"--tiny", "--commit", "abc"}));
}
TEST_F(Resuming, AnotherCommitIsRunAgain) {
  EXPECT_FALSE(result_survives({"--tiny", "--commit", "abc"}, {"--tiny", "--commit", "abd"}));
}
TEST_F(Resuming, AnotherEffortIsRunAgain) {
  EXPECT_FALSE(result_survives({"--tiny", "--commit", "abc"}, {"--quick", "--commit", "abc"}));
}
TEST_F(Resuming, AnotherCommitOfTheSameSourcesIsNotRunAgain) {
  EXPECT_TRUE(result_survives({"--tiny", "--commit", "abc", "--sources", AVRM_TEST_SOURCE},
                              {"--tiny", "--commit", "abd", "--sources", AVRM_TEST_SOURCE}));
}
TEST_F(Resuming, AnUnknownCommitIsRunAgain) { EXPECT_FALSE(result_survives({"--tiny"}, {"--tiny"})); }
TEST_F(Resuming, AgainRunsAgain) {
  EXPECT_FALSE(result_survives({"--tiny", "--commit", "abc"}, {"--tiny", "--commit", "abc", "--again"}));
}

TEST_F(Experiments, AFileThatIsNoResultIsReplaced) {
  std::filesystem::create_directories(out());
  std::ofstream(folder() / "out" / "000-figure1.json") << "{\"id\": 3";
  EXPECT_EQ(run({"000/figure1", "--tiny", "--out", out(), "--commit", "abc"}), 0) << complained;
  EXPECT_TRUE(Store(out()).find("000/figure1"));
}

TEST_F(Experiments, AnUnknownNameIsAnErrorAndChangesNothing) {
  EXPECT_EQ(run({"000/table99", "--out", out()}), 2);
  EXPECT_NE(complained.find("000/table99: there is no such experiment"), std::string::npos) << complained;
  EXPECT_FALSE(std::filesystem::exists(out()));
}
TEST_F(Experiments, ANameThatCannotBeRunIsAnErrorWithItsReason) {
  EXPECT_EQ(run({"000/figure2", "--out", out()}), 2);
  EXPECT_NE(complained.find("a drawing"), std::string::npos) << complained;
}
TEST_F(Experiments, NoNameIsAnError) {
  EXPECT_EQ(run({}), 2);
  EXPECT_NE(complained.find("Which experiment?"), std::string::npos) << complained;
}
TEST_F(Experiments, OutThatIsAFileIsAnError) {
  std::ofstream(out()) << "a file";
  EXPECT_EQ(run({"000/figure1", "--tiny", "--out", out()}), 1);
  EXPECT_NE(complained.find(out()), std::string::npos) << complained;
}
TEST_F(Experiments, AnUnknownOptionIsAnError) {
  EXPECT_EQ(run({"000/figure1", "--fast"}), 2);
  EXPECT_NE(complained.find("--fast"), std::string::npos) << complained;
}

TEST_F(Experiments, JsonIsAnArrayOfResults) {
  ASSERT_EQ(run({"000/figure1", "000/table2", "--tiny", "--json", "--out", out()}), 0) << complained;
  const auto json = nlohmann::ordered_json::parse(said);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[1].at("id"), "000/table2");
  EXPECT_EQ(json[1].at("table").at("rows").size(), 15U);
  EXPECT_EQ(json[1].at("table").at("rows")[1].at("cells")[2].at("here"), "stride");
}

TEST_F(Experiments, AResultIsReadAsItWasWritten) {
  Stored stored{
      "000/table3", "A title", {{}, "abc", Effort::kQuick}, "0123456789abcdef", "--quick", 1.5, 0.25, 2.5, 3.5,
      1 << 20,      {}};
  stored.result.table = {"corner", {"a", "b"}, {{"one", {{1.0, "two"}, {{}, 3.25}}}, {"other", {{"x"}, {}}}}};
  stored.result.plots = {
      {"a", "t", "x", "y", true, false, {"c"}, {{"s", {{0, 1}, {2, 3}}, true, 1, true}}, false, {{0.5, "half"}}}};
  stored.result.listings = {{"code", {1.0, 2.0}, "ret\n"}};
  stored.result.note = "Measured.";
  stored.result.omissions = {"Nothing else."};
  EXPECT_EQ(to_json(stored_from_json(to_json(stored))), to_json(stored));
}

TEST_F(Experiments, ReportHasEveryTableAndFigure) {
  ASSERT_EQ(run({"000/figure1", "--tiny", "--out", out(), "--commit", "abc"}), 0) << complained;
  const std::filesystem::path published = folder() / "published";
  ASSERT_EQ(run({"report", "--out", out(), "--publish", published.string()}), 0) << complained;
  const std::string text = counters::read_file(published / "RESULTS.md").value_or("");
  for (const char *const id : kAll) {
    EXPECT_NE(text.find(id), std::string::npos) << id;
  }
  EXPECT_NE(text.find("1, 4, 8, 12"), std::string::npos);
  EXPECT_NE(text.find("| 000/figure1: An LSMS walker and its node roots | reproduced |"), std::string::npos);
  const auto json = nlohmann::ordered_json::parse(counters::read_file(published / "RESULTS.json").value_or(""));
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0].at("commit"), "abc");
  EXPECT_NE(counters::read_file(published / "TEXTS.md").value_or("").find("AV-Rankmap"), std::string::npos);
}

TEST_F(Experiments, ReportDrawsThePicturesOfAResultsJsonAgain) {
  if (!counters::find_program("gnuplot")) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  ASSERT_EQ(run({"000/figure18", "--tiny", "--out", out(), "--commit", "abc"}), 0) << complained;
  const std::filesystem::path published = folder() / "published";
  ASSERT_EQ(run({"report", "--out", out(), "--publish", published.string()}), 0) << complained;
  const std::filesystem::path picture = published / "results" / "000-figure18.svg";
  const auto drawn = counters::read_file(picture);
  ASSERT_TRUE(drawn);
  std::ofstream(picture) << "another picture";
  std::ofstream(picture.parent_path() / "000-figure99.svg") << "a picture of no page";
  ASSERT_EQ(run({"report", "--from", (published / "RESULTS.json").string(), "--out", (folder() / "other").string(),
                 "--publish", published.string()}),
            0)
      << complained;
  EXPECT_EQ(counters::read_file(picture), drawn);
  EXPECT_FALSE(std::filesystem::exists(picture.parent_path() / "000-figure99.svg"));
}
TEST_F(Experiments, AReportFromWhatIsNoResultsJsonIsAnError) {
  EXPECT_EQ(run({"report", "--from", (folder() / "nothing").string(), "--out", out()}), 1);
  EXPECT_NE(complained.find("nothing: cannot be read as a RESULTS.json"), std::string::npos) << complained;
}

TEST_F(Experiments, NothingIsPublishedFromATreeWithChanges) {
  for (const std::string commit : {"abc-dirty", ""}) {
    EXPECT_EQ(run({"all", "--tiny", "--out", out(), "--publish", folder().string(), "--commit", commit}), 2);
    EXPECT_NE(complained.find("from a commit without changed files"), std::string::npos) << complained;
  }
  EXPECT_FALSE(std::filesystem::exists(out()));
}
TEST_F(Experiments, NothingIsPublishedOfTwoCommits) {
  ASSERT_EQ(run({"000/figure1", "--tiny", "--out", out(), "--commit", "abc"}), 0) << complained;
  ASSERT_EQ(run({"000/table2", "--tiny", "--out", out(), "--commit", "abd"}), 0) << complained;
  EXPECT_EQ(run({"report", "--out", out(), "--publish", folder().string()}), 1);
  EXPECT_NE(complained.find("nothing is published"), std::string::npos) << complained;
  EXPECT_FALSE(std::filesystem::exists(folder() / "RESULTS.md"));
}

TEST(NumberText, SeparatesThousandsAndRoundsFractions) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(999), "999");
  EXPECT_EQ(number_text(-1234567), "-1,234,567");
  EXPECT_EQ(number_text(0.012345), "0.0123");
  EXPECT_EQ(number_text(1234.5), "1,234");
}

TEST(Printed, KeepsZerosBehindThePoint) {
  EXPECT_EQ(cell_text({1.0, printed(16, 2)}), "1 (16.00)");
  EXPECT_EQ(cell_text({1.0, printed(16.63, 2)}), "1 (16.63)");
  EXPECT_EQ(cell_text({1.0, printed(250, 0)}), "1 (250)");
  const Table table{"", {"c"}, {{"r", {{16.004, printed(16, 2)}}}, {"s", {{16.04, printed(16, 2)}}}}};
  EXPECT_EQ(number_of_paper(table, "r", "c"), 16);
  EXPECT_EQ(equal_to_paper(table), "1 of 2 values equal the paper's."); // 16.04 is not 16.00
  EXPECT_EQ(number_of(Value("16 MB")), std::nullopt);
}

// Tables as text.

Table small_table() {
  return {"instructions",
          {"direct", "of_paper", "word"},
          {{"switch", {{12.0, 9.0}, {{}, 64762341.0}, {"lut", "lut"}}},
           {"ours | all", {{6.25, 4.325}, {1234567.0}, {"segments", "lut"}}}}};
}

TEST(TableText, ShowsThePapersValueInBrackets) {
  EXPECT_EQ(cell_text({12.0, 9.0}), "12 (9)");
  EXPECT_EQ(cell_text({0.012345, 4.3247}), "0.0123 (4.3247)"); // the paper's digits are all kept
  EXPECT_EQ(cell_text({{}, "about 60"}), "- (about 60)");
  EXPECT_EQ(cell_text({"lut"}), "lut");
  EXPECT_EQ(cell_text({}), "");
}

TEST(TableText, MarkdownHasTheRowsAndColumns) {
  EXPECT_EQ(markdown_table(small_table()), "| instructions | direct | of\\_paper | word |\n"
                                           "|---|--:|--:|--:|\n"
                                           "| switch | 12 (9) | - (64,762,341) | lut (lut) |\n"
                                           "| ours \\| all | 6.25 (4.325) | 1,234,567 | segments (lut) |\n");
  EXPECT_EQ(markdown_table({}), "");
}

TEST(TableText, ListingsStandSideBySide) {
  EXPECT_EQ(side_by_side({{"theirs", {2.0, 7.0}, "mov\nret\n"}, {"ours", {1.0}, "ret\n"}}), "  theirs: 2 (7)  ours: 1\n"
                                                                                            "  mov            ret\n"
                                                                                            "  ret\n");
}

TEST(TableText, ASectionHasFiguresTableAndTwoSentences) {
  Stored stored{"000/table3", "A title", {{}, "abc", Effort::kFull}, "", "", 0, -1, 600, 120, 0, {}};
  stored.result.table = small_table();
  stored.result.plots = {{"a", "first", "", "", false, false, {}, {}}, {"b", "second", "", "", false, false, {}, {}}};
  stored.result.note = "Measured: in a_test. More of it.";
  Experiment experiment = *find_experiment("000/table3");
  experiment.exact = false;
  const auto page = [&] {
    return document(
        {experiment}, [&](const std::string &) { return std::optional(stored); },
        [](const std::string &, const Plot &plot) { return std::optional("results/" + plot.name + ".svg"); });
  };
  const std::string text = page();
  EXPECT_NE(text.find("### 000/table3: A title\n\n"
                      "![first](results/a.svg)\n"
                      "![second](results/b.svg)\n\n" +
                      markdown_table(small_table()) +
                      "\n**Partly.** 0 of 2 counts lie within a quarter of the paper's, 2 within a factor of 2. "
                      "Measured: in a\\_test.\n\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| 000/table3: A title | partly | 4.33 to 9 | 6.25 to 12 |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("took 10 minutes, 2 minutes of processor time and"), std::string::npos) << text;
  EXPECT_EQ(text.find("from run to run"), std::string::npos);
  stored.spread = 0.25;
  stored.load = 3;
  EXPECT_NE(page().find("**Load 3.0.** **One number in ten differs by 25 % or more from run to run.**"),
            std::string::npos);
  stored.foreign = 0.7;
  EXPECT_NE(page().find("**Other processes used 0.7 processors.**"), std::string::npos);
  experiment.exact = true; // its numbers do not depend on what else runs
  EXPECT_EQ(page().find("**Other processes"), std::string::npos);
  stored.result.table = {};
  EXPECT_NE(page().find("| 000/table3: A title | not measurable here | - | - |\n"), std::string::npos);
}

TEST(TableText, APageShowsWhatThePaperStatesAndAFewMore) {
  Table table{"corner", {}, {}};
  for (int column = 0; column < 9; ++column) {
    table.columns.push_back(std::string("column ") + std::to_string(column));
  }
  for (int row = 0; row < 20; ++row) {
    table.rows.push_back({"row " + std::to_string(row), std::vector<Cell>(9, Cell{1.0})});
  }
  table.rows[19].cells[8].paper = 2.0;
  const Table shown = shown_part(table);
  ASSERT_EQ(shown.columns.size(), 7U);
  EXPECT_EQ(shown.columns.back(), "column 8");
  EXPECT_EQ(shown.columns[5], "column 5");
  ASSERT_EQ(shown.rows.size(), 16U);
  EXPECT_EQ(shown.rows.back().label, "row 19");
  EXPECT_EQ(shown.rows.back().cells.back().paper, Value(2.0));
  Stored stored{"000/table3", "A title", {{}, "abc", Effort::kFull}, "", "", 0, -1, 600, 120, 0, {}};
  stored.result.table = table;
  const std::string text = document(
      {*find_experiment("000/table3")}, [&](const std::string &) { return std::optional(stored); },
      [](const std::string &, const Plot &) { return std::nullopt; });
  EXPECT_NE(text.find("|\n\n*RESULTS.json has 2 more columns and 4 more rows.*\n\n"), std::string::npos) << text;
}

// Conclusions: other numbers, other sentences.

TEST(Conclusions, EqualValuesAreCounted) {
  Table table = small_table();
  EXPECT_EQ(equal_to_paper(table), "1 of 4 values equal the paper's.");
  cell_of(table, "ours | all", "word").here = "lut";
  EXPECT_EQ(equal_to_paper(table), "2 of 4 values equal the paper's.");
  cell_of(table, "ours | all", "direct").here = 4.32504; // 4.325, as the paper prints it
  EXPECT_EQ(equal_to_paper(table), "3 of 4 values equal the paper's.");
  cell_of(table, "ours | all", "direct").here = 4.3256;
  EXPECT_EQ(equal_to_paper(table), "2 of 4 values equal the paper's.");
  cell_of(table, "ours | all", "direct") = {0.0, 0.0};
  EXPECT_EQ(equal_to_paper(table), "3 of 4 values equal the paper's, 1 of them 0.");
}

TEST(Conclusions, LowerNumbersAreCounted) {
  Table table = small_table();
  EXPECT_EQ(lower_than_paper(table), "0 of 2 numbers are lower than the paper's.");
  cell_of(table, "switch", "direct").here = 8.0;
  EXPECT_EQ(lower_than_paper(table), "1 of 2 numbers are lower than the paper's.");
  cell_of(table, "switch", "direct").here = 9.0;
  EXPECT_EQ(lower_than_paper(table), "0 of 2 numbers are lower than the paper's.");
}

TEST(Conclusions, RatiosFollowTheNumbers) {
  Table table = small_table();
  const std::vector<std::string> others{"ours | all", "nobody"};
  EXPECT_EQ(times_as_much(table, "direct", "switch", others), "1.92 times as much as ours | all");
  cell_of(table, "switch", "direct").here = 25.0;
  EXPECT_EQ(times_as_much(table, "direct", "switch", others), "4 times as much as ours | all");
  cell_of(table, "ours | all", "direct").here = 0.0;
  EXPECT_EQ(times_as_much(table, "direct", "switch", others), "");
}

TEST(Conclusions, RangesFollowTheNumbers) {
  EXPECT_EQ(range_text(std::vector<double>{0.5, 2.25, 1}), "0.5 to 2.25");
  EXPECT_EQ(range_text(std::vector<double>{2.25}), "2.25");
  EXPECT_EQ(range_text({}), "nothing");
}

TEST(Tables, RowsAreAddedColumnsAreNot) {
  Table table = small_table();
  cell_of(table, "new", "word").here = "x";
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows.back().cells.size(), table.columns.size());
  EXPECT_THROW(cell_of(table, "new", "nothing"), std::logic_error);
  EXPECT_EQ(number_here(table, "switch", "of_paper"), std::nullopt);
  EXPECT_EQ(numbers_of_row(table, "ours | all"), (std::vector<double>{6.25, 1234567}));
}

} // namespace
} // namespace avrankmap::bench
