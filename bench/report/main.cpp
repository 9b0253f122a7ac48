// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Measures everything that the budgets are about, side by side with the other schemes, and reports
// it. bench/run.sh builds and runs it.
#include "communicators/map_file.h"
#include "component/translation/cache_misses.h"
#include "report/digest.h"
#include "report/registry.h"
#include "report/report.h"
#if AVRM_HAVE_DEVICE
#include "device/creation/creation_ops.h"
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace avrankmap::bench {
namespace {

struct Options {
  Session session;
  std::string map;
  std::string commit;
  std::string json;                 ///< file for the results
  std::string out;                  ///< folder for results.json and results.txt
  std::string from;                 ///< file with results of an earlier run
  std::vector<std::string> updated; ///< documents
  bool details = false;
  bool list = false;
  CacheLoop cache_loop;
};

/// The next step, on the terminal only: a line that the next one replaces.
void show_progress(const std::string &line) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) {
    fmt::print(stderr, "\r\x1b[K{}", line);
  } else if (!line.empty()) {
    fmt::print(stderr, "{}\n", line);
  }
}

std::string read_file(const std::string &name) {
  std::ifstream file(name);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) {
    throw std::runtime_error(name + ": cannot be read");
  }
  return text;
}

/// A file that is opened before a long run: afterwards is no time to find out that it cannot be
/// written.
class Output {
public:
  explicit Output(std::string name) : name_(std::move(name)), file_(name_) { check(); }
  void write(const std::string &text) {
    file_ << text;
    file_.close();
    check();
  }

private:
  void check() const {
    if (!file_) {
      throw std::runtime_error(name_ + ": cannot be written");
    }
  }
  std::string name_;
  std::ofstream file_;
};

void list_measurements() {
  TextTable table(2);
  table.row({"measurement", "names for --filter"});
  for (const Measurement *const measurement : all_measurements()) {
    table.row({measurement->name, measurement->benchmarks == nullptr ? measurement->name : measurement->benchmarks});
  }
  fmt::print("{}", table.text());
}

std::vector<avrm_gpid_t> read_map(const std::string &name) {
  MapFileResult read = read_map_file(name);
  if (const auto *error = std::get_if<MapFileError>(&read)) {
    throw std::runtime_error(describe(*error, name));
  }
  return std::get<std::vector<avrm_gpid_t>>(std::move(read));
}

/// Those options that the results depend on.
std::string options_text(const Options &options) {
  std::string text = options.session.quick ? " --quick" : "";
  if (!options.session.filter.empty()) {
    text += fmt::format(" --filter '{}'", options.session.filter);
  }
  return text + (options.map.empty() ? "" : " --map " + options.map);
}

Json measure_now(Options &options) {
  Session &session = options.session;
  if (!options.map.empty()) {
    session.map = read_map(options.map);
  }
  session.program = std::filesystem::read_symlink("/proc/self/exe").string();
  session.progress = show_progress;
  Json results{{"commit", options.commit}, {"command", "bench/run.sh" + options_text(options)}};
  results.update(measure(session));
  return results;
}

void run(Options &options) {
  std::vector<std::pair<Output, bool>> outputs; // true: JSON
  if (!options.json.empty()) {
    outputs.emplace_back(Output(options.json), true);
  }
  if (!options.out.empty() && options.from.empty()) {
    outputs.emplace_back(Output(options.out + "/results.json"), true);
    outputs.emplace_back(Output(options.out + "/results.txt"), false);
  }
  const Json results = options.from.empty() ? measure_now(options) : Json::parse(read_file(options.from));
  const std::string details = details_text(results);
  for (auto &[output, is_json] : outputs) {
    output.write(is_json ? results.dump(2) + '\n' : details);
  }
  for (const std::string &name : options.updated) {
    const std::string updated = update_document(read_file(name), results);
    Output(name).write(updated);
  }
  if (options.details || !options.session.filter.empty()) {
    fmt::print("{}", details);
  } else {
    const std::string ending = options.out.empty()
                                   ? "--details shows all tables"
                                   : fmt::format("All tables: {0}/results.txt (--details shows them here), as JSON: "
                                                 "{0}/results.json",
                                                 options.out);
    fmt::print("{}", screen_text(results, ending));
  }
}

std::string check_regular_expression(const std::string &text) {
  try {
    const std::regex parsed(text);
    return {};
  } catch (const std::regex_error &error) {
    return fmt::format("not a regular expression: {}", error.what());
  }
}

int main_of(int argc, char **argv) {
  Options options;
  CLI::App app("Measures translation, memory, creation and the device, side by side with other schemes.");
  app.add_flag("--quick", options.session.quick, "fewer sizes and rounds: two minutes at most");
  app.add_flag("--details", options.details, "prints all tables instead of one screen");
  app.add_option("--json", options.json, "also writes the results to this file");
  app.add_option("--map", options.map,
                 "also measures the communicator in this file: one lpid or pgid:lpid per line, by rank");
  app.add_option("--filter", options.session.filter,
                 "only benchmarks whose name this regular expression matches, with all of their tables")
      ->check(check_regular_expression, "REGEX");
  app.add_flag("--list", options.list, "names of measurements and benchmarks");
  app.add_option("--from", options.from, "shows the results in this file instead of measuring");
  app.add_option("--update", options.updated, "documents whose generated parts are written anew");
  app.add_option("--out", options.out, "folder for results.json and results.txt");
  app.add_option("--commit", options.commit, "commit that is measured, to be reported");

  // For the simulation of caches, which runs this program again.
  CLI::App *const cache_loop = app.add_subcommand(kCacheLoopCommand)->group("");
  cache_loop->add_option("scheme", options.cache_loop.scheme)->required();
  cache_loop->add_option("peers", options.cache_loop.peers)->required();
  cache_loop->add_option("operations", options.cache_loop.operations)->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error);
  }
  if (cache_loop->parsed()) {
    run_cache_loop(options.cache_loop);
  } else if (options.list) {
    list_measurements();
  } else {
    run(options);
  }
  return 0;
}

} // namespace
} // namespace avrankmap::bench

int main(int argc, char **argv) {
  try {
#if AVRM_HAVE_DEVICE
    if (avrankmap::bench::is_spawned()) {
      return avrankmap::bench::be_spawned();
    }
#endif
    return avrankmap::bench::main_of(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "\n%s\n", error.what());
    return 1;
  }
}
