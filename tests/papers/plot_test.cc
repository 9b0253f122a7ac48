// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of results.
#include "counters/subprocess.h"
#include "papers/driver/plot.h"
#include "papers/driver/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

/// A folder of this test's own.
class Plots : public testing::Test {
protected:
  void SetUp() override {
    auto made = counters::ScratchFolder::create();
    ASSERT_TRUE(made.ok()) << made.message();
    scratch_.emplace(std::move(*made));
  }
  [[nodiscard]] std::filesystem::path folder() const { return scratch_->path(); }

private:
  std::optional<counters::ScratchFolder> scratch_;
};

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// How often a part is in a text.
std::size_t count_of(const std::string &text, const std::string &part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::string script_of(std::vector<Series> series) {
  return gnuplot_script({"", "title", "x", "y", false, false, {}, std::move(series)}, "svg", "file");
}

TEST_F(Plots, AreDrawn) {
  if (!counters::find_program("gnuplot")) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  const Series line{"it's a line", {{1, 10}, {2, 20}}, true};
  const Plot lines{"", "lines", "x", "y", true, true, {}, {line, {"other", {{1, 5}}, false}}};
  const Plot bars{"b", "bars", "x", "y", false, false, {"one", "two"}, {{"s", {{0, 1}, {1, 2}}, true}}};
  for (const Plot &plot : {lines, bars}) {
    EXPECT_EQ(draw("000/figure9", plot, folder()), "");
    const std::string svg = counters::read_file(folder() / plot_file("000/figure9", plot, "svg")).value_or("");
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_GT(std::filesystem::file_size(folder() / plot_file("000/figure9", plot, "png")), 1000U);
  }
}

TEST_F(Plots, StackedBarsReachUpToTheirSum) {
  Plot plot{"", "title", "x", "", false, false, {"one", "two"}, {}};
  plot.series = {{"below", {{0, 1}, {1, 2}}, false}, {"above", {{0, 10}, {1, 20}}, false, 0, true}};
  const std::string script = gnuplot_script(plot, "svg", "file");
  EXPECT_NE(script.find("$data0 << EOD\n0 1\n1 2\nEOD"), std::string::npos) << script;
  EXPECT_NE(script.find("$data1 << EOD\n0 11\n1 22\nEOD"), std::string::npos) << script;
  // Drawn later, so that it covers the lower part.
  EXPECT_LT(script.find("$data1 using"), script.find("$data0 using"));
}

TEST_F(Plots, LevelsAreLinesWithNames) {
  Plot plot{"", "title", "x", "", false, false, {}, {{"line", {{1, 5}}, false}}};
  plot.levels = {{102.4, "10 % of 1 GiB"}};
  const std::string script = gnuplot_script(plot, "svg", "file");
  EXPECT_NE(script.find("first 102.4 nohead"), std::string::npos) << script;
  EXPECT_NE(script.find("set label '10 % of 1 GiB'"), std::string::npos) << script;
  EXPECT_NE(script.find("set yrange [0:112.64]"), std::string::npos) << script;
}

TEST_F(Plots, WithLabelsHaveNamesAndLastValuesBesideTheLines) {
  if (!counters::find_program("gnuplot")) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  Plot plot{"", "title", "x", "", true, true, {}, {}, true};
  plot.series = {{"others", {{1024, 1e4}, {1 << 20, 3.5e9}}, false}, {"ours", {{1024, 1e3}, {1 << 20, 23888}}, true}};
  EXPECT_EQ(draw("picture", plot, folder()), "");
  const std::string svg = counters::read_file(folder() / "picture.svg").value_or("");
  for (const char *const text : {">others: 3.5 GB<", ">ours: 24 kB<", ">1k<", ">1M<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST_F(Plots, ABandReplacesBothOfItsEdges) {
  Plot plot{"", "title", "x", "", true, true, {}, {}, true};
  plot.series = {{"old", {{1024, 10}, {2048, 20}}, false},
                 {"line", {{1024, 1}, {2048, 2}}, false},
                 {"new", {{1024, 100}, {2048, 200}}, false, 0, false, "old"}};
  const std::string script = gnuplot_script(plot, "svg", "file");
  EXPECT_TRUE(has(script, "$band2 << EOD\n1024 10 100\n2048 20 200\nEOD")) << script;
  EXPECT_EQ(count_of(script, "with filledcurves"), 1U) << script;
  EXPECT_EQ(count_of(script, "with linespoints"), 1U) << script;
  EXPECT_TRUE(has(script, "'old: 20 B'") && has(script, "'new: 200 B'")) << script;
}

TEST_F(Plots, ABandIsPalerWhereAnEdgeIsProjected) {
  Plot plot{"", "title", "x", "", true, true, {}, {}, true};
  plot.series = {{"old", {{1, 10}, {2, 20}, {4, 40}}, false},
                 {"new", {{1, 100}, {2, 200}, {4, 400}}, false, 1, false, "old"}};
  const std::string script = gnuplot_script(plot, "svg", "file");
  EXPECT_TRUE(has(script, "$band1 every ::0::1 using 1:2:3 with filledcurves fill transparent solid 0.4")) << script;
  EXPECT_TRUE(has(script, "$band1 every ::1::2 using 1:2:3 with filledcurves fill transparent solid 0.2")) << script;
}

TEST_F(Plots, APlotThatGnuplotRefusesIsReported) {
  if (!counters::find_program("gnuplot")) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  EXPECT_NE(draw("000/figure9", {"", "t", "x", "y", false, false, {}, {}}, folder()), "");
}

TEST_F(Plots, LinesThatCoincideAreOneWithBothNames) {
  const std::string script = script_of({{"one", {{1, 100}, {2, 50}}}, {"other", {{1, 100.1}, {2, 50}}}});
  EXPECT_TRUE(has(script, "title 'one; other'")) << script;
  EXPECT_EQ(count_of(script, "with linespoints"), 1U) << script;
}
TEST_F(Plots, LinesThatCoincideHaveTheBeginningOfTheirNamesOnce) {
  const std::string script =
      script_of({{"dup, ours, table AV", {{1, 100}, {2, 50}}}, {"dup, ours, implicit AV", {{1, 100}, {2, 50}}}});
  EXPECT_TRUE(has(script, "title 'dup, ours, table AV; implicit AV'")) << script;
}
TEST_F(Plots, LinesThatNearlyCoincideAreNamed) {
  const std::string script =
      script_of({{"one", {{1, 100}, {2, 50}}}, {"other", {{1, 101}, {2, 50}}}, {"third", {{1, 10}, {2, 50}}}});
  EXPECT_TRUE(has(script, R"(Too close to tell apart on this scale: \"one\" and \"other\"")")) << script;
  EXPECT_EQ(count_of(script, "with linespoints"), 3U) << script;
}
TEST_F(Plots, LinesThatMostlyCoincideAreNamed) {
  std::vector<Series> series = {{"one", {{1, 50}, {2, 100}, {3, 100}, {5, 100}, {7, 100}, {9, 100}}},
                                {"other", {{1, 90}, {2, 100}, {4, 100.5}, {6, 100}, {8, 100}, {9, 100}}}};
  EXPECT_TRUE(has(script_of(series), R"(x\nMostly too close to tell apart: \"one\" and \"other\"")"))
      << script_of(series);
  series[1].points[2].second = series[1].points[3].second = series[1].points[4].second = 90;
  EXPECT_FALSE(has(script_of(series), "oo close")) << script_of(series);
}
TEST_F(Plots, LinesApartAreNotNamed) {
  const std::string script = script_of({{"one", {{1, 100}, {2, 50}}}, {"other", {{1, 90}, {2, 50}}}});
  EXPECT_FALSE(has(script, "oo close")) << script;
}
TEST_F(Plots, LinesOnALogarithmicAxisCoincideByRatio) {
  Plot plot{"", "title", "x", "y", false, true, {}, {}};
  plot.series = {{"one", {{1, 1}, {2, 2}}}, {"other", {{1, 3}, {2, 5}}}, {"third", {{1, 1000}, {2, 1000}}}};
  EXPECT_FALSE(has(gnuplot_script(plot, "svg", "file"), "oo close"));
  plot.log_y = false;
  EXPECT_TRUE(has(gnuplot_script(plot, "svg", "file"), "title 'one; other'")); // 3 of 1,000
}

TEST_F(Plots, ASystemHasOneColourInAllPictures) {
  const std::string lines = script_of({{"VC-VCRT", {{1, 1}}}, {"ours, implicit AV", {{1, 50}}}, {"new", {{1, 90}}}});
  Plot bars{"", "title", "x", "y", false, false, {"c"}, {}};
  bars.series = {{"dup, ours", {{0, 1}}}, {"AV-Rankmap, maps", {{0, 1}}}, {"MPICH 3.2 (VC-VCRT)", {{0, 1}}}};
  const std::string others = gnuplot_script(bars, "svg", "file");
  for (const std::string &script : {lines, others}) {
    EXPECT_EQ(count_of(script, "'#b3261e' title"), 1U) << script; // VC-VCRT
    EXPECT_EQ(count_of(script, "'#0057b8' title"), 1U) << script; // ours
  }
  EXPECT_TRUE(has(others, "'#0f9d8a' title 'AV-Rankmap, maps'")) << others;
}

TEST_F(Plots, NamesOfCategoriesAreBrokenIntoLines) {
  Plot plot{"", "title", "x", "y", false, false, std::vector<std::string>(7, "no-err-single-ipo of ours"), {}};
  plot.series = {{"s", {{0, 1}}}};
  EXPECT_TRUE(has(gnuplot_script(plot, "svg", "file"), "\"no-err-\\nsingle-ipo\\nof ours\" 0"))
      << gnuplot_script(plot, "svg", "file");
}

TEST_F(Plots, NamesThatCannotBeBrokenStayWhole) {
  Plot plot{"", "title", "x", "y", false, false, std::vector<std::string>(12, "intercommunicator"), {}};
  plot.series = {{"s", {{0, 1}}}};
  EXPECT_TRUE(has(gnuplot_script(plot, "svg", "file"), "\"intercommunicator\" 0"));
}
TEST_F(Plots, BarsThatCannotBeSeenAreNamed) {
  Plot plot{"", "title", "x", "y", false, false, {"c"}, {}};
  plot.series = {{"high", {{0, 1000}}}, {"low", {{0, 3}}, false, 0, true}, {"seen", {{0, 5}}}};
  const std::string script = gnuplot_script(plot, "svg", "file");
  EXPECT_TRUE(has(script, R"(set xlabel "x\nToo small to be seen: \"low\"")")) << script;
}

TEST_F(Plots, AxesThatDoubleHaveShortMarks) {
  const Plot plot{"", "title", "x", "y", true, false, {}, {{"s", {{128, 1}, {786432, 2}}}}};
  const std::string script = gnuplot_script(plot, "svg", "file");
  EXPECT_TRUE(has(script, "'128' 128")) << script;
  EXPECT_TRUE(has(script, "'256k' 262144")) << script;
  EXPECT_TRUE(has(script, "set xrange [127.872:787218.432]")) << script;
}

TEST_F(Plots, TheLastNumberOfAnAxisThatDoublesReplacesAMarkThatItWouldOverlap) {
  Plot plot{"", "title", "x", "y", true, false, {}, {{"s", {{128, 1}, {786432, 2}}}}};
  std::string script = gnuplot_script(plot, "svg", "file");
  EXPECT_TRUE(has(script, "'768k' 786432")) << script;
  EXPECT_FALSE(has(script, "'512k'")) << script;
  plot.series = {{"s", {{1, 1}, {32768, 2}}}};
  script = gnuplot_script(plot, "svg", "file");
  EXPECT_TRUE(has(script, "'16k' 16384, '32k' 32768")) << script;
}

TEST_F(Plots, MarksOfThousandsAreNotRounded) {
  const std::string script = script_of({{"s", {{1, 10}, {2, 2.4e6}}}});
  EXPECT_TRUE(has(script, "set ytics ('0' 0, '500k' 500000, '1M' 1000000, '1.5M' 1500000, '2M' 2000000, '2.5M' "))
      << script;
}

TEST_F(Plots, CategoriesThatAreNumbersAreShort) {
  Plot plot{"", "title", "x", "y", false, false, {"128", "1,024", "786,432", "N = 1,024"}, {}};
  plot.series = {{"s", {{0, 1}}}};
  EXPECT_TRUE(has(gnuplot_script(plot, "svg", "file"), R"("128" 0, "1k" 1, "768k" 2, "N = 1,024" 3)"))
      << gnuplot_script(plot, "svg", "file");
}

TEST_F(Plots, LabelsHaveUnitsUpToTerabytes) {
  Plot plot{"", "title", "x", "", true, true, {}, {{"line", {{1024, 1e9}, {2048, 63.4e12}}}}, true};
  EXPECT_TRUE(has(gnuplot_script(plot, "svg", "file"), "'line: 63 TB'")) << gnuplot_script(plot, "svg", "file");
}

} // namespace
} // namespace avrankmap::bench
