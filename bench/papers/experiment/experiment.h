// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A table or figure of one of the four papers, or of an earlier text of one, as something that can
// be run. An experiment has a name and yields a table in the shape that the paper prints, with this
// machine's value and the paper's in each cell, and one note on how the values came about and
// what differs. Figures have plots; listings of instructions are kept as text.
//
//   000  Memory Compression Techniques for Network Address Management in MPI (IPDPS 2017), the
//        AV-Rankmap paper
//   001  an earlier text of the same, whose tables and figures are numbered differently
//   002  Space Performance Tradeoffs in Compressing MPI Group Data Structures (EuroMPI 2016)
//   003  Why Is MPI So Slow? (SC 2017)
//   004  Noncollective Communicator Creation in MPI (EuroMPI 2011)
//
// A table or figure that cannot be reproduced without the paper's hardware is in the catalogue with
// a reason, without a function.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENT_EXPERIMENT_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENT_EXPERIMENT_H

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace avrankmap::bench {

/// A number, a word ("lut", "no"), or nothing: not stated, or not measured. A number of a paper
/// that ends in zeros behind the point is a text with all of its digits.
using Value = std::variant<std::monostate, double, std::string>;

/// One quantity: its value on this machine, and in the paper.
struct Cell {
  Value here;
  Value paper = {};
};

struct Row {
  std::string label;
  std::vector<Cell> cells; ///< one per column
};

/// Rows and columns as the paper prints them; those that the paper does not have follow.
struct Table {
  std::string corner; ///< heading of the labels; ends with the unit if all cells have the same one
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// A line of a plot, or the bars of one colour.
struct Series {
  std::string name;
  /// of bars: x is the number of the category, from 0
  std::vector<std::pair<double, double>> points;
  bool ours = false;         ///< drawn bold
  std::size_t projected = 0; ///< of the last points: the line to them is dashed in labelled plots
  bool stacked = false;      ///< bars: on top of those of the series before
  /// Labelled plots: the area between this line and that one is filled, in place of both; empty for
  /// a line. Both have the same x.
  std::string band_from = {};
};

struct Plot {
  std::string name; ///< within the experiment: "a", "b", or empty if there is but one
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<std::string> categories; ///< of a plot of bars; empty for lines
  std::vector<Series> series;
  /// Lines in colour, each labelled with its name and last value in bytes: for readers who see
  /// nothing but the picture.
  bool labelled = false;
  std::vector<std::pair<double, std::string>> levels = {}; ///< horizontal lines with their names
};

/// The instructions that one call executes. Listings of one experiment are shown side by side.
struct Listing {
  std::string title;
  Cell instructions; ///< how many
  std::string text;  ///< one per line; empty if they are only counted
};

struct Result {
  Table table;
  std::vector<Plot> plots;
  std::vector<Listing> listings;
  /// How the values came about; begins with "Measured", "Counted", "Simulated" or "Computed". Then
  /// what differs from the paper. What the values show is computed from them (conclusions.h).
  std::string note;
  std::vector<std::string> omissions; ///< what was left out, and why
};

/// How much is measured. kTiny is for tests: it takes no time, and its values mean nothing.
enum class Effort { kTiny, kQuick, kFull };

/// Settings of a run, and the measurements that several of its experiments share.
class Context {
public:
  Context(Effort effort, std::string program, std::function<void(const std::string &)> progress)
      : effort_(effort), program_(std::move(program)), progress_(std::move(progress)) {}

  [[nodiscard]] Effort effort() const { return effort_; }
  template <class T> [[nodiscard]] T choose(T tiny, T quick, T full) const {
    return effort_ == Effort::kTiny ? std::move(tiny) : effort_ == Effort::kQuick ? std::move(quick) : std::move(full);
  }
  /// Path of the program with the subcommand kCacheLoopCommand; empty if there is none.
  [[nodiscard]] const std::string &program() const { return program_; }
  /// Shows the user which step begins.
  [[nodiscard]] const std::function<void(const std::string &)> &progress() const { return progress_; }

  /// The result of measure(). Only the first call with a name calls it; later ones return the same
  /// result.
  template <class Measure> const auto &once(const std::string &name, Measure &&measure) {
    using T = decltype(measure());
    std::any &kept = kept_[name];
    if (!kept.has_value()) {
      kept = measure();
    }
    return std::any_cast<const T &>(kept);
  }

private:
  Effort effort_;
  std::string program_;
  std::function<void(const std::string &)> progress_;
  std::map<std::string, std::any> kept_;
};

struct Experiment {
  /// "000/table3": the paper, and its name of the table or figure; or a name of ours
  std::string id;
  std::string title;
  /// Throws std::exception on failure. Null if the experiment cannot be run or is shown elsewhere;
  /// then `reason` says why.
  Result (*run)(Context &context) = nullptr;
  std::string reason = {};
  /// to one CPU while it runs; not if it starts processes or threads of its own
  bool pinned = true;
  /// yields the same numbers each time: it counts, allocates or simulates
  bool exact = false;
};

} // namespace avrankmap::bench

#endif
