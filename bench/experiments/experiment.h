// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A table or figure of one of the five papers as something that can be run. An experiment has a name, says what the paper
// reports, and makes rows: one quantity each, the paper's value beside that of this machine, and what differs between the
// two. Figures have plots, too, and listings of instructions are kept as text.
//
//   000  Memory Compression Techniques for Network Address Management in MPI (IPDPS 2017), the AV-Rankmap paper
//   001  an earlier text of the same, whose tables and figures are numbered differently
//   002  Space Performance Tradeoffs in Compressing MPI Group Data Structures (EuroMPI 2016)
//   003  Why Is MPI So Slow? (SC 2017)
//   004  Noncollective Communicator Creation in MPI (EuroMPI 2011)
//
// What a machine without the paper's hardware cannot do is an experiment, too: one with a reason instead of a function.
#ifndef AVRANKMAP_BENCH_EXPERIMENTS_EXPERIMENT_H
#define AVRANKMAP_BENCH_EXPERIMENTS_EXPERIMENT_H

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace avrankmap::bench {

/// A number, a word ("lut", "no"), or nothing: not stated, or not measured.
using Value = std::variant<std::monostate, double, std::string>;

/// One quantity.
struct Row {
  std::string what;
  std::string unit;
  Value paper;
  Value here;
  std::string differs; ///< between the two; begins with "measured", "counted", "simulated" or "computed"
};

/// A line of a plot, or the bars of one colour.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points; ///< of bars: x is the number of the category, from 0
  bool ours = false;                             ///< drawn bold
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
};

/// Text to be shown as it is.
struct Listing {
  std::string title;
  std::string text;
};

/// What running an experiment gives.
struct Result {
  std::vector<Row> rows;
  std::vector<Plot> plots;
  std::vector<Listing> listings;
  std::vector<std::string> reading; ///< where we are ahead, where not, and why: one paragraph each
  std::vector<std::string> notes;   ///< what was left out, and why
};

/// How much is done. kTiny takes no time and proves nothing but that everything works: it is for tests.
enum class Effort { kTiny, kQuick, kFull };

/// What an experiment runs in. Shared by those of one run: what several of them need is measured once.
class Context {
public:
  Context(Effort effort, std::string program, std::function<void(const std::string &)> progress)
      : effort_(effort), program_(std::move(program)), progress_(std::move(progress)) {}

  [[nodiscard]] Effort effort() const { return effort_; }
  template <class T> [[nodiscard]] T choose(T tiny, T quick, T full) const {
    return effort_ == Effort::kTiny ? std::move(tiny) : effort_ == Effort::kQuick ? std::move(quick) : std::move(full);
  }
  /// Path of the program that has the subcommand kCacheLoopCommand; empty: there is none.
  [[nodiscard]] const std::string &program() const { return program_; }
  /// Tells the user what comes next.
  [[nodiscard]] const std::function<void(const std::string &)> &progress() const { return progress_; }

  /// The result of measure(), which is called by the first who asks under this name.
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
  std::string id; ///< "000/table3": the paper, and its own name of the table or figure
  std::string title;
  /// Throws std::exception if something is wrong. Null: cannot be run, or shown elsewhere; `reason` says why.
  Result (*run)(Context &context) = nullptr;
  std::string reason = {};
  bool pinned = true; ///< to one CPU while it runs; not if it starts processes or threads of its own
};

} // namespace avrankmap::bench

#endif
