// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/driver.h"

#include "base/fnv.h"
#include "component/translation/cache_misses.h"
#include "counters/subprocess.h"
#include "papers/driver/plot.h"
#include "papers/driver/presentation.h"
#include "papers/driver/publication_checks.h"
#include "papers/driver/sources.h"
#include "papers/driver/store.h"
#include "papers/experiments/catalogue.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>
#include <thread>

namespace avrankmap::bench {
namespace {

struct Options {
  std::vector<std::string> names; ///< of experiments; empty: all
  bool quick = false;
  bool tiny = false;
  bool json = false;
  bool again = false;
  std::string out = "paper-results";
  std::string publish; ///< folder for RESULTS.md; empty: the one of `out`
  std::string from;    ///< RESULTS.json whose results a report takes; empty: those of `out`
  std::string commit;
  std::string sources; ///< root of the tree; empty: not known
  std::string command;
};

/// The progress line: the number of finished experiments, and the step of the present one.
class Progress {
public:
  explicit Progress(std::size_t total) : total_(total) {}

  void begin(const std::string &id) {
    id_ = id;
    show("");
  }
  void show(const std::string &what) const {
    constexpr std::size_t kWidth = 24;
    const std::size_t filled = total_ == 0 ? kWidth : kWidth * done_ / total_;
    const double elapsed = seconds();
    const std::string line =
        fmt::format("[{:#<{}}{:.<{}}] {}/{} {:.0f}:{:02.0f} {}{}{}", "", filled, "", kWidth - filled, done_, total_,
                    std::floor(elapsed / 60), std::fmod(std::floor(elapsed), 60), id_, what.empty() ? "" : ": ", what);
    if (terminal_) {
      fmt::print(stderr, "\r\x1b[K{}", line);
    } else if (what.empty()) {
      fmt::print(stderr, "{}\n", line);
    }
  }
  void end() { ++done_; }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void clear() const {
    if (terminal_) {
      fmt::print(stderr, "\r\x1b[K");
    }
  }

private:
  std::size_t total_;
  std::size_t done_ = 0;
  std::string id_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Restores the CPUs that this thread may run on.
class Affinity {
public:
  Affinity() : known_(sched_getaffinity(0, sizeof before_, &before_) == 0) {}
  Affinity(const Affinity &) = delete;
  Affinity &operator=(const Affinity &) = delete;
  ~Affinity() {
    if (known_) {
      (void)sched_setaffinity(0, sizeof before_, &before_);
    }
  }

private:
  cpu_set_t before_{};
  bool known_;
};

/// Highest resident size since forget_peak(), in bytes.
std::uint64_t peak_resident() {
  const auto text = counters::read_file("/proc/self/status");
  const std::size_t place = text ? text->find("VmHWM:") : std::string::npos;
  return place == std::string::npos ? 0 : std::strtoull(text->c_str() + place + 6, nullptr, 10) * 1024;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// The commit; with changed files a digest of the program follows, since the next run's changes may
/// differ.
std::string identity(const std::string &commit, const std::string &program) {
  if (!commit.ends_with("-dirty")) {
    return commit;
  }
  return fmt::format("{}-{:016x}", commit, detail::fnv_64(counters::read_file(program).value_or("")));
}

Stored run_experiment(const Experiment &experiment, Context &context, const Conditions &conditions,
                      const std::string &sources, const std::string &command) {
  Stored stored{experiment.id, experiment.title, conditions, sources, command, load_average(), -1, 0, 0, 0, {}};
  forget_peak();
  const Used before_run = processor_time();
  const auto start = std::chrono::steady_clock::now();
  {
    const Affinity before;
    if (experiment.pinned && !pin_to_one_cpu()) {
      stored.result.omissions.emplace_back("The system refused to keep this run on one CPU");
    }
    Result result = experiment.run(context);
    result.omissions.insert(result.omissions.begin(), stored.result.omissions.begin(), stored.result.omissions.end());
    stored.result = std::move(result);
  }
  const Used after_run = processor_time();
  stored.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  stored.processor_seconds = after_run.own - before_run.own;
  stored.foreign = foreign_processors(before_run, after_run, std::max(stored.seconds, 1e-3));
  stored.peak_resident = peak_resident();
  return stored;
}

/// Runs an experiment for publication: after a short run with another context, and at most twice
/// more while it disagrees with the run before, as long as `*seconds`, which the repetitions of all
/// experiments share, are enough. One that is exact runs once.
Stored run_with_care(const Experiment &experiment, Context &context, const Conditions &conditions,
                     const std::string &sources, const Options &options, double *seconds) {
  constexpr int kMostRepetitions = 2;
  if (experiment.exact) {
    return run_experiment(experiment, context, conditions, sources, options.command);
  }
  Context quick(Effort::kQuick, context.program(), context.progress());
  Table before = run_experiment(experiment, quick, conditions, sources, options.command).result.table;
  Stored stored = run_experiment(experiment, context, conditions, sources, options.command);
  stored.spread = spread_of(before, stored.result.table);
  for (int i = 0; i < kMostRepetitions && stored.spread > kMostSpread && stored.seconds <= *seconds; ++i) {
    before = std::move(stored.result.table);
    Context again(Effort::kFull, context.program(), context.progress());
    stored = run_experiment(experiment, again, conditions, sources, options.command);
    stored.spread = spread_of(before, stored.result.table);
    *seconds -= stored.seconds;
  }
  return stored;
}

/// The arguments without options whose values are absolute paths: those are of this machine.
std::string command_text(const std::vector<std::string> &arguments) {
  std::vector<std::string> kept;
  for (const std::string &argument : arguments) {
    const bool is_value = argument.starts_with('/');
    if (is_value && !kept.empty() && kept.back().starts_with("--")) {
      kept.pop_back();
    }
    if (!is_value && argument.find("=/") == std::string::npos) {
      kept.push_back(argument);
    }
  }
  return fmt::format("{}", fmt::join(kept, " "));
}

int list() {
  for (const Experiment &experiment : catalogue()) {
    fmt::print("{:<18} {}{}{}\n", experiment.id, experiment.title,
               experiment.run == nullptr ? "\n                   not run: " : "", experiment.reason);
  }
  return 0;
}

int tell_stale(const std::filesystem::path &tree) {
  const auto text = counters::read_file(tree / "bench/papers/RESULTS.md");
  if (!text) {
    fmt::print(stderr, "{}: cannot be read\n", (tree / "bench/papers/RESULTS.md").string());
    return 1;
  }
  fmt::print("{}\n", freshness_text(check_document(*text, tree)));
  return 0;
}

/// Draws the pictures of a result into the store's folder. Returns why some were not drawn.
std::vector<std::string> draw_all(const Stored &stored, const Store &store) {
  std::vector<std::string> failures;
  for (const Plot &plot : stored.result.plots) {
    std::string failure = draw(stored.id, plot, store.folder());
    if (!failure.empty() && std::find(failures.begin(), failures.end(), failure) == failures.end()) {
      failures.push_back(std::move(failure));
    }
  }
  return failures;
}

/// Puts the results of a RESULTS.json into the store. Throws std::runtime_error with the file's
/// name if it is none.
void take_results(const std::string &file, const Store &store) {
  try {
    for (const auto &json : nlohmann::ordered_json::parse(counters::read_file(file).value_or(""))) {
      store.save(stored_from_json(json));
    }
  } catch (const nlohmann::json::exception &) {
    throw std::runtime_error(file + ": cannot be read as a RESULTS.json");
  }
}

/// Writes RESULTS.md, TEXTS.md and RESULTS.json from the stored results: into the store's folder,
/// or into `publish` with its pictures, and no others, in the folder results there. Throws
/// std::runtime_error if `publish` is given and the results may not be published.
void write_document(const Store &store, const std::string &publish) {
  const std::filesystem::path folder = publish.empty() ? store.folder() : std::filesystem::path(publish);
  std::vector<Stored> all;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Experiment &experiment : catalogue()) {
    if (std::optional<Stored> stored = experiment.run == nullptr ? std::nullopt : store.find(experiment.id)) {
      json.push_back(to_json(*stored));
      all.push_back(std::move(*stored));
    }
  }
  if (!publish.empty()) {
    if (const std::string reason = reason_not_to_publish(all); !reason.empty()) {
      throw std::runtime_error("nothing is published: " + reason);
    }
    std::filesystem::create_directories(folder / "results");
  }
  std::set<std::string> linked;
  const auto link = [&](const std::string &id, const Plot &plot) -> std::optional<std::string> {
    const std::string name = plot_file(id, plot, "svg");
    if (!std::filesystem::exists(store.folder() / name)) {
      return std::nullopt;
    }
    if (publish.empty()) {
      return name;
    }
    std::filesystem::copy_file(store.folder() / name, folder / "results" / name,
                               std::filesystem::copy_options::overwrite_existing);
    linked.insert(name);
    return "results/" + name;
  };
  const auto find = [&](const std::string &id) { return store.find(id); };
  write_file(folder / "RESULTS.md", document(catalogue(), find, link));
  if (!publish.empty()) {
    remove_other_pictures(folder / "results", linked);
  }
  write_file(folder / "TEXTS.md", document_of_texts(find));
  write_file(folder / "RESULTS.json", json.dump() + "\n");
  fmt::print(stderr, "{} is written\n", (folder / "RESULTS.md").string());
}

/// Draws all pictures again, and writes what write_document() does.
int write_report(const Options &options) {
  const Store store(options.out);
  if (!options.from.empty()) {
    take_results(options.from, store);
  }
  std::set<std::string> failures;
  for (const Experiment &experiment : catalogue()) {
    if (const std::optional<Stored> stored = experiment.run == nullptr ? std::nullopt : store.find(experiment.id)) {
      for (std::string &failure : draw_all(*stored, store)) {
        failures.insert(std::move(failure));
      }
    }
  }
  for (const std::string &failure : failures) {
    fmt::print(stderr, "{}\n", failure);
  }
  write_document(store, options.publish);
  return 0;
}

int run(const Options &options, const std::string &program) {
  std::vector<const Experiment *> chosen;
  for (const std::string &name : options.names) {
    const Experiment *const experiment = find_experiment(name);
    if (experiment == nullptr) {
      fmt::print(stderr, "{}: there is no such experiment; `list` prints all names\n", name);
      return 2;
    }
    if (experiment->run == nullptr) {
      fmt::print(stderr, "{} is not run: {}\n", name, experiment->reason);
      return 2;
    }
    chosen.push_back(experiment);
  }
  if (options.names.empty()) {
    for (const Experiment &experiment : catalogue()) {
      if (experiment.run != nullptr) {
        chosen.push_back(&experiment);
      }
    }
  }

  const bool publishes = !options.publish.empty();
  if (publishes && (options.commit.empty() || options.commit.ends_with("-dirty"))) {
    fmt::print(stderr, "nothing is run: results are published from a commit without changed files\n");
    return 2;
  }
  const Store store(options.out);
  const Conditions conditions{describe_machine(), identity(options.commit, program),
                              options.tiny    ? Effort::kTiny
                              : options.quick ? Effort::kQuick
                                              : Effort::kFull};
  Progress progress(chosen.size());
  Context context(conditions.effort, program, [&](const std::string &what) { progress.show(what); });
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::vector<std::string> failures;
  const bool with_care = publishes && conditions.effort == Effort::kFull;
  double for_repetitions = 6 * 60; // seconds
  Quiet quiet(foreign_now, [](std::chrono::seconds time) { std::this_thread::sleep_for(time); });
  for (const Experiment *const experiment : chosen) {
    progress.begin(experiment->id);
    const std::string sources =
        options.sources.empty() ? "" : digest_of(options.sources, sources_of(options.sources, experiment->id));
    std::optional<Stored> stored =
        options.again ? std::nullopt : store.find(experiment->id, conditions, publishes ? "" : sources);
    if (!stored) {
      try {
        if (with_care) {
          quiet.wait();
        }
        stored = with_care ? run_with_care(*experiment, context, conditions, sources, options, &for_repetitions)
                           : run_experiment(*experiment, context, conditions, sources, options.command);
        for (std::string &failure : draw_all(*stored, store)) {
          stored->result.omissions.push_back(std::move(failure));
        }
        store.save(*stored);
      } catch (const std::exception &error) {
        failures.push_back(fmt::format("{} failed: {}", experiment->id, error.what()));
      }
    }
    progress.end();
    progress.clear();
    if (stored) {
      all.push_back(to_json(*stored));
      if (!options.json) {
        fmt::print("{}", terminal_text(*stored));
        std::fflush(stdout); // progress goes to standard error
      }
    }
  }
  if (options.json) {
    fmt::print("{}\n", all.dump(1));
  }
  for (const std::string &failure : failures) {
    fmt::print(stderr, "{}\n", failure);
  }
  if (options.names.empty()) {
    write_document(store, options.publish);
  }
  return failures.empty() ? 0 : 1;
}

} // namespace

int run_driver(const std::vector<std::string> &arguments, const std::string &program) {
  Options options;
  options.command = command_text(arguments);
  CLI::App app(
      "Runs the experiments of the papers with our structures and those that we compare with, and prints the papers' "
      "values in brackets behind ours.",
      "bench/paper");
  app.require_subcommand(0, 1);
  app.add_option("experiment", options.names, "names of experiments, such as 000/table3");

  CLI::App *const listing = app.add_subcommand(
      "list", "prints the names of all tables and figures, and the reason for those that are not run");
  CLI::App *const all = app.add_subcommand("all", "runs all experiments and writes RESULTS.md into DIR");
  CLI::App *const report = app.add_subcommand(
      "report", "draws the pictures and writes RESULTS.md from the results in DIR, without running anything");
  for (CLI::App *const running : {&app, all}) {
    running->add_flag("--quick", options.quick, "fewer sizes and repetitions: a few minutes");
    running->add_flag("--tiny", options.tiny)->group(""); // for tests
    running->add_flag("--json", options.json, "prints results as JSON");
    running->add_flag("--again", options.again,
                      "repeats experiments even if DIR has their results from the same machine, sources and effort");
    running->add_option("--sources", options.sources, "tree that is measured")->group("");
    running->add_option("--commit", options.commit, "commit that is measured, to be recorded")->group("");
  }
  CLI::App *const stale =
      app.add_subcommand("stale", "tells which results in bench/papers/RESULTS.md are of other sources than the tree");
  stale->add_option("--sources", options.sources)->required()->group("");
  for (CLI::App *const any : {&app, all, report}) {
    any->add_option("--out", options.out, "folder for results and plots (default: paper-results)")->option_text("DIR");
  }
  for (CLI::App *const writing : {all, report}) {
    writing
        ->add_option("--publish", options.publish,
                     "writes RESULTS.md into this folder, its pictures into results/ there")
        ->option_text("FOLDER");
  }

  report->add_option("--from", options.from, "takes the results of this RESULTS.json into DIR first")
      ->option_text("FILE");

  // For the simulation of caches, which runs this program again.
  CacheLoop loop;
  CLI::App *const cache_loop = app.add_subcommand(kCacheLoopCommand)->group("");
  cache_loop->add_option("scheme", loop.scheme)->required();
  cache_loop->add_option("peers", loop.peers)->required();
  cache_loop->add_option("operations", loop.operations)->required();

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend()); // as CLI11 wants them
    app.parse(reversed);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (cache_loop->parsed()) {
    run_cache_loop(loop);
    return 0;
  }
  if (listing->parsed()) {
    return list();
  }
  if (stale->parsed()) {
    return tell_stale(options.sources);
  }
  try {
    if (report->parsed()) {
      return write_report(options);
    }
    if (all->parsed() || !options.names.empty()) {
      return run(options, program);
    }
  } catch (const std::exception &error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  fmt::print(stderr, "Which experiment? `list` prints their names, `all` runs all of them.\n");
  return 2;
}

} // namespace avrankmap::bench
