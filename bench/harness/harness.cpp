// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The project's main job: measures everything that the budgets speak of, side by side with the other schemes, and reports
// it. bench/run.sh builds and runs it.
#include "harness/map_file.h"
#include "harness/report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kProcesses = 786432; // of the whole machine in the paper
constexpr int kCommunicators = 100;
constexpr std::int32_t kGroup = 14000; // of Open MPI's issue 12286; quadratic algorithms go no further

struct Options {
  bool quick = false;
  std::string json;
  std::string map;
  std::string filter;
  std::string commit;
  CacheLoop cache_loop;
};

IssueOptions issue_options(const Options &options) {
  if (options.quick) {
    return {{16, kProcesses}, 5, 0.002, 0.015, options.filter};
  }
  return {{2, 16, 4096, 65536, kProcesses, 4194304}, 7, 0.01, 0.3, options.filter};
}

#if AVRM_HAVE_DEVICE
TransportOptions transport_options(const Options &options) {
  if (options.quick) {
    return {{8, 65536}, 31, 0.001, options.filter};
  }
  return {{8, 256, 4096, 65536, 1048576}, 101, 0.003, options.filter};
}

ConnectionOptions connection_options(const Options &options) {
  if (options.quick) {
    return {{1000, 1048576}, 1, options.filter};
  }
  return {{1000, 8192, 65536, 524288, 1048576}, 5, options.filter};
}
#endif

/// What is going on, on the terminal only: a line that the next one replaces.
void show_progress(const std::string &line) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) {
    fmt::print(stderr, "\r\x1b[K{}", line);
  } else if (!line.empty()) {
    fmt::print(stderr, "{}\n", line);
  }
}

/// What needs more than one CPU.
void measure_processes(const Options &options, Report &report) {
  const Log note = [&](const std::string &text) { report.notes.push_back(text); };
#if AVRM_HAVE_DEVICE
  CreationResults creation = measure_all_creation({options.quick, options.filter}, show_progress);
  report.creation_ops = std::move(creation.ops);
  report.split_crossover = std::move(creation.crossover);
  report.mcmc = measure_all_mcmc(options.quick, options.filter, show_progress);
  report.connection = measure_connections(connection_options(options), show_progress, note);
  report.transports = measure_transports(transport_options(options), show_progress, note);
  report.mode_rates = measure_mode_rates({options.quick ? 31 : 101, options.quick ? 0.001 : 0.003, options.filter},
                                         show_progress, note);
  if (options.filter.empty()) {
    show_progress("fast path by several threads");
    report.fastpath_threads = measure_fastpath_threads(options.quick ? 11 : 31, options.quick ? 0.003 : 0.01);
    report.fastpath_networks = measure_fastpath_networks(
        options.quick ? FastpathNetworkOptions{7, 0.0005} : FastpathNetworkOptions{25, 0.004}, show_progress, note);
  }
#else
  static_cast<void>(options);
  note("real transports are left out: the device was not built (AVRM_BUILD_DEVICE)");
#endif
}

/// The fast path of the device, where there is one.
void measure_device(const Options &options, Report &report) {
#if AVRM_HAVE_DEVICE
  report.fastpath = measure_fastpath(options.quick ? 15 : 51, options.quick ? 0.005 : 0.02,
                                     [&](const std::string &text) { report.notes.push_back(text); });
#else
  static_cast<void>(options);
  report.notes.push_back("the fast path is left out: the device was not built (AVRM_BUILD_DEVICE)");
#endif
}

/// The measurements on one CPU that an option chose: all, or with --filter the issue rates only.
void measure(const Options &options, const std::vector<avrm_gpid_t> &map, Report &report) {
  const Log note = [&](const std::string &text) { report.notes.push_back(text); };
  const Log progress = show_progress;

  if (options.filter.empty()) {
    progress("instruction counts");
    report.instruction_source = instruction_source();
    report.instructions = count_instructions_of_all(note);
    progress("creation");
    report.detection = compare_detection(kProcesses, options.quick ? 51 : 301);
    report.creation = compare_creation(kProcesses, options.quick ? 11 : 51);
    progress("compressed forms");
    report.forms = measure_forms(options.quick ? 5 : 21);
    progress("implicit address vectors");
    report.implicit_scaling = measure_implicit_scaling(options.quick ? 15 : 51);
    progress("translation caches");
    report.caches = measure_translation_caches(options.quick ? 15 : 101);
    progress("communicators of a torus");
    for (const auto &extents : {figure3_torus(), extrapolated_torus()}) {
      report.torus_splits.push_back(measure_torus_split(extents, 1000000));
    }
    progress("fast path");
    measure_device(options, report);
    progress("group operations");
    report.group_operations = measure_sixty_differences(kGroup, kGroup);
    for (const GroupTiming &timing : measure_group_operations({kGroup, kProcesses}, kGroup)) {
      report.group_operations.push_back(timing);
    }
    progress("bytes per process");
    report.processes = kProcesses;
    report.communicators = kCommunicators;
    report.split = measure_memory(kProcesses, {split_experiment(kProcesses, kCommunicators)});
    report.dup = measure_memory(kProcesses, {dup_experiment(kProcesses, kCommunicators)});
    progress("communicators of the survey");
    report.survey = measure_memory(kProcesses, survey(kProcesses));
    report.survey_modes = survey_modes(kProcesses, survey(kProcesses));
  }
  if (!map.empty()) {
    progress("issue rate, communicator of the map file");
    report.map_file = options.map;
    report.map_rates = measure_issue_rates_of(map, issue_options(options), note);
  }
  report.issue_rates = measure_issue_rates(issue_options(options), progress, note);
  if (options.filter.empty()) {
    if (options.quick) {
      note("cache misses are left out by --quick");
    } else {
      report.cache_misses = measure_cache_misses(std::filesystem::read_symlink("/proc/self/exe").string(),
                                                 {2, 16, 65536}, progress, note);
    }
  }
  progress("");
}

int run(const Options &options, std::string command_line) {
  std::vector<avrm_gpid_t> map;
  if (!options.map.empty()) {
    MapFileResult read = read_map_file(options.map);
    if (const auto *error = std::get_if<MapFileError>(&read)) {
      fmt::print(stderr, "{}\n", describe(*error, options.map));
      return 1;
    }
    map = std::get<std::vector<avrm_gpid_t>>(std::move(read));
  }
  // Opened first: after a long run is no time to find out that the result cannot be written.
  std::ofstream json;
  if (!options.json.empty()) {
    json.open(options.json);
    if (!json) {
      fmt::print(stderr, "{}: cannot be written\n", options.json);
      return 1;
    }
  }

  Report report;
  report.machine = describe_machine();
  measure_processes(options, report);
  report.pinned_cpu = pin_to_one_cpu().value_or(-1);
  report.commit = options.commit;
  report.options = std::move(command_line);
  measure(options, map, report);

  fmt::print("{}", to_text(report));
  if (json.is_open()) {
    json << to_json(report).dump(2) << '\n';
    json.close();
    if (!json) {
      fmt::print(stderr, "{}: cannot be written\n", options.json);
      return 1;
    }
  }
  return 0;
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
  CLI::App app("Measures translation and issue rates on the null network, side by side with other schemes.");
  app.add_flag("--quick", options.quick, "fewer sizes and rounds: two minutes at most");
  app.add_option("--json", options.json, "also writes the results to this file");
  app.add_option("--map", options.map,
                 "also measures the communicator in this file: one lpid or pgid:lpid per line, by rank");
  app.add_option("--filter", options.filter, "only benchmarks whose name this regular expression matches")
      ->check(check_regular_expression, "REGEX");
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
    return 0;
  }
  std::vector<std::string> arguments(argv + 1, argv + argc);
  return run(options, fmt::format("{}", fmt::join(arguments, " ")));
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
