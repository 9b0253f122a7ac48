// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper: which models communicators get (table I, figure 1, table II), and what a
// translation costs in instructions and cache misses (tables III and IV).
#include "baseline/paper_rankmap.h"
#include "component/memory/survey_modes.h"
#include "component/translation/cache_misses.h"
#include "component/translation/instruction_counts.h"
#include "papers/conclusions/conclusions.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "papers/experiments/owned.h"
#include "papers/experiments/recorded_survey.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace avrankmap::bench {
namespace {

// Table I: the columns that are marked, and where the shapes of the communicators are from.
constexpr std::array kKinds = {"duplicate", "offset", "stride", "irregular", "topology", "intercomm"};
constexpr const char *kMarks[][3] = {
    {"Nek5000", "duplicate", "the text: 86 duplicates, or 24"},
    {"QMCPACK", "offset, stride", "the marks"},
    {"NWChem", "duplicate, offset, stride, intercomm",
     "the text: rows and columns, 64 windows, a group made without the others by an intercommunicator"},
    {"HACC", "topology", "the text: grids of 3, 2 and 1 dimensions, not reordered"},
    {"QBOX", "duplicate, offset", "the text: rows, as NWChem's"},
    {"CAM-SE", "duplicate, offset", "the marks"},
    {"NAMD", "duplicate, offset", "the marks"},
    {"LSMS", "offset, irregular", "the text and figure 1: walkers after one master"},
    {"SP", "duplicate, offset", "the earlier text: the largest square"},
    {"BT", "duplicate, offset, stride", "the earlier text: the largest square; columns by the marks"},
    {"FT", "duplicate, offset", "the earlier text: rows of a grid; its columns are not marked"},
    {"Graph500", "duplicate, offset, stride", "the marks"},
    {"Nekbone", "duplicate", "the text: 7 duplicates"},
    {"SNAP", "duplicate, topology", "the text: a grid, not reordered"},
    {"MCB", "duplicate", "the marks"},
    {"cian2", "offset", "the marks"},
    {"MCCK", "offset, stride", "the marks"},
    {"mocfe_bone", "offset, stride", "the marks"},
    {"pynamic", "duplicate, offset, stride", "the marks"},
    {"MACSio", "duplicate", "the marks"},
    {"AMG2013", "duplicate", "the earlier text: 1 duplicate"},
    {"CNS", "duplicate", "the marks"},
    {"SMC", "duplicate", "the marks"},
    {"AMR", "duplicate", "the marks"},
};

Value joined(const std::set<std::string> &words) {
  return words.empty() ? Value() : Value(fmt::format("{}", fmt::join(words, ", ")));
}

/// The maps of one application.
struct Maps {
  std::map<std::string, std::set<std::string>> modes; ///< strict, by the kind of the communicator
  /// strict, of the communicators that the library makes
  std::set<std::string> internal;
  std::set<std::string> with_all_forms; ///< of all communicators
  std::uint64_t strict_bytes = 0;       ///< copies and the world included
  std::uint64_t extended_bytes = 0;

  void add(const SurveyMode &row) {
    const auto copies = static_cast<std::uint64_t>(row.copies);
    strict_bytes += row.strict.bytes * copies;
    extended_bytes += row.extended.bytes * copies;
    with_all_forms.insert(row.extended.mode);
    if (row.part != "itself") {
      internal.insert(row.strict.mode);
      if (row.strict.mode == "lut") { // the paper counts LSMS as irregular for its node roots
        modes["irregular"].insert(row.strict.mode);
      }
    } else if (row.communicator.rfind("world", 0) != 0) {
      modes[row.communicator.substr(0, row.communicator.find(','))].insert(row.strict.mode);
    }
  }
};

/// "20 maps", of the modes whose names contain the word; nothing if there is none.
Value count_of(const Counts &counts, std::initializer_list<const char *> words, const char *what) {
  int sum = 0;
  for (const auto &[name, count] : counts) {
    sum += std::any_of(words.begin(), words.end(),
                       [&, &own = name](const char *word) { return own.find(word) != std::string::npos; })
               ? count
               : 0;
  }
  return sum == 0 ? Value() : Value(fmt::format("{} {}{}", sum, what, sum == 1 ? "" : "s"));
}

/// The rows of applications that were recorded as they ran.
void add_recorded(Table *table) {
  for (const RecordedRun &run : recorded_runs(recorded_page())) {
    const bool is_mpich = run.mpi.find("MPICH") != std::string::npos;
    std::set<std::string> forms;
    for (const auto &[mode, count] : run.extended_modes) {
      forms.insert(mode);
    }
    std::vector<std::string> calls;
    for (const auto &[call, count] : run.calls) {
      calls.push_back(fmt::format("{} {}", count, call));
    }
    const Value joins = count_of(run.calls, {"intercomm", "merge", "accept", "connect", "spawn"}, "call");
    table->rows.push_back({fmt::format("{}, {} processes, {}{}", run.application, run.processes,
                                       is_mpich ? "MPICH" : "Open MPI", kRecorded),
                           {{count_of(run.calls, {"dup"}, "call")},
                            {count_of(run.strict_modes, {"offset"}, "map")},
                            {count_of(run.strict_modes, {"stride", "blocked"}, "map")},
                            {count_of(run.strict_modes, {"lut"}, "map")},
                            {count_of(run.calls, {"cart", "graph"}, "call")},
                            {joins.index() == 0 ? Value("no call") : joins},
                            {},
                            {joined(forms)},
                            {},
                            {},
                            {fmt::format("recorded: {}", fmt::join(calls, ", "))}}});
  }
}

} // namespace

Result run_mapping_models(Context &context) {
  const std::int32_t processes = context.choose(1024, 786432, 786432);
  const std::vector<SurveyMode> modes = survey_modes(processes, survey(processes));
  Result result;
  result.table = {"application",
                  {"Dup", "split: Offset", "split: Stride", "split: Irreg.", "Topo", "Intercomm", "the library's own",
                   "all forms", "bytes, strict", "bytes, ours", "shape from"},
                  {}};
  for (const auto &[name, marks, origin] : kMarks) {
    Maps maps;
    for (const SurveyMode &row : modes) {
      if (row.application.rfind(name, 0) == 0) {
        maps.add(row);
      }
    }
    Row row{name, {}};
    for (const char *const kind : kKinds) {
      const bool mark = std::string(marks).find(kind) != std::string::npos;
      const std::set<std::string> &found = maps.modes[kind];
      row.cells.push_back({joined(found), mark ? Value("x") : Value()});
    }
    row.cells.push_back({joined(maps.internal)});
    row.cells.push_back({joined(maps.with_all_forms)});
    row.cells.push_back({static_cast<double>(maps.strict_bytes)});
    row.cells.push_back({static_cast<double>(maps.extended_bytes)});
    row.cells.push_back({origin});
    result.table.rows.push_back(std::move(row));
  }
  add_recorded(&result.table);
  result.note = fmt::format(
      "Measured: the models of real maps, strict, in a world of {} processes, and those of all maps with all forms; "
      "x is a mark in the paper. Where the last column says the marks, the paper does not state how an application "
      "splits, and the shape is chosen here by the mark: such a row tests the library and not the application. The "
      "largest square of SP and BT begins at rank 0, and an offset of 0 is direct. The rows that end with recorded "
      "are of programs that Debian has, as they ran on one machine with few processes (bench/tools/survey/RESULTS.md): "
      "calls and maps of the process that made most communicators, direct maps not listed. NWChem is the paper's "
      "own application; as Debian builds it, it makes its groups with MPI_Comm_create. ScaLAPACK is its linear "
      "algebra; CP2K, Quantum Espresso and ABINIT are relatives of QBOX, GROMACS and LAMMPS of NAMD, PETSc with "
      "hypre of AMG2013.",
      number_text(processes));
  return result;
}

Result run_walker_figure(Context & /*context*/) {
  // Process 0 is the master; walker 0 has the 12 processes after it, on nodes of 4.
  const Members walker{12, 1};
  const std::vector<std::int32_t> roots = node_root_ranks(walker, 4);
  std::vector<std::int32_t> world_ranks;
  for (const std::int32_t rank : roots) {
    world_ranks.push_back(walker.at(rank));
  }
  constexpr std::int32_t kMany = 786432;
  const Members big{kMany - 1, 1};
  Result result;
  const std::string of_many = fmt::format("node roots of a walker of {} processes", number_text(big.size));
  result.table = {"",
                  {"strict", "ours"},
                  {{"walker 0", {}},
                   {"its node roots", {}},
                   {"its node roots, bytes", {}},
                   {of_many, {}},
                   {of_many + ", bytes", {}}}};
  for (const bool strict : {true, false}) {
    const OwnedInstance instance = make_instance(AVRM_COST_BYTES, strict);
    const OwnedMap world = make_map(avrm_rankmap_create_direct, instance.get(), 0, 16);
    const OwnedMap comm = make_child_map(world, walker.list());
    const OwnedMap large_world = make_map(avrm_rankmap_create_direct, instance.get(), 0, kMany);
    const OwnedMap large = make_child_map(large_world, big.list());
    const avrm_rankmap_info_t of_roots = describe(make_child_map(comm, roots));
    const avrm_rankmap_info_t of_large = describe(make_child_map(large, node_root_ranks(big, 4)));
    const auto model = [](avrm_mode_t mode) { return Value(std::string(avrm_mode_label(mode))); };
    const auto bytes = [](const avrm_rankmap_info_t &info) {
      return Value(static_cast<double>(info.own_bytes + info.table_bytes));
    };
    const Cell cells[] = {{model(describe(comm).mode), strict ? Value("offset") : Value()},
                          {model(of_roots.mode), strict ? Value("lut") : Value()},
                          {bytes(of_roots)},
                          {model(of_large.mode)},
                          {bytes(of_large)}};
    for (std::size_t i = 0; i < std::size(cells); ++i) {
      result.table.rows[i].cells.push_back(cells[i]);
    }
  }
  result.note =
      fmt::format("Measured: models and bytes of real maps; the node roots of walker 0 are the world ranks {} "
                  "(1, 4, 8, 12).",
                  fmt::join(world_ranks, ", "));
  return result;
}

namespace {

/// Processes without a pattern in any part that the arrays of table II take.
std::vector<avrm_gpid_t> irregular(std::int32_t size, const std::string &model) {
  std::vector<avrm_gpid_t> processes;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    processes.push_back({model == "mlut" ? rank / 2 % 2 : 0, rank * rank * 37 % 1009});
  }
  return processes;
}

} // namespace

Result run_child_models(Context & /*context*/) {
  constexpr std::int32_t kSize = 40;
  struct Printed {
    const char *parent;
    std::array<const char *, 4> child; // for a direct, offset, stride and irregular array
  };
  constexpr Printed kTable[] = {
      {"direct", {"direct", "offset", "stride", "lut"}}, {"offset", {"offset", "offset", "stride", "lut"}},
      {"stride", {"stride", "lut", "lut", "lut"}},       {"lut", {"lut", "lut", "lut", "lut"}},
      {"mlut", {"mlut", "mlut", "mlut", "mlut"}},
  };
  constexpr const char *kArrays[] = {"Direct", "Offset", "Stride", "Irregular"};
  const auto array_of = [](const std::string &model) {
    if (model == "Direct") {
      std::vector<std::int32_t> ranks(kSize);
      std::iota(ranks.begin(), ranks.end(), 0);
      return ranks;
    }
    if (model == "Offset") {
      std::vector<std::int32_t> ranks(16);
      std::iota(ranks.begin(), ranks.end(), 5);
      return ranks;
    }
    if (model == "Stride") {
      return std::vector<std::int32_t>{1, 4, 7, 10, 13, 16, 19, 22};
    }
    return std::vector<std::int32_t>{7, 3, 31, 11, 5, 23, 2, 17};
  };
  const auto parent_of = [](avrm_instance_t *instance, const std::string &model) {
    if (model == "direct") {
      return make_map(avrm_rankmap_create_direct, instance, 0, kSize);
    }
    if (model == "offset") {
      return make_map(avrm_rankmap_create_offset, instance, 0, kSize, 1000);
    }
    if (model == "stride") {
      return make_map(avrm_rankmap_create_stride, instance, 0, kSize, 1000, 100);
    }
    const std::vector<avrm_gpid_t> processes = irregular(kSize, model);
    return make_map(avrm_rankmap_create_gpids, instance, kSize, processes.data(),
                    static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
  };

  const auto paper_parent_of = [](const std::string &model) {
    if (model == "direct") {
      return PaperRankmap::direct(kSize);
    }
    if (model == "offset") {
      return PaperRankmap::offset(kSize, 1000);
    }
    return model == "stride" ? PaperRankmap::stride(kSize, 1000, 100) : PaperRankmap::table(irregular(kSize, model));
  };

  Result result;
  result.table = {"parent / indirect mapping array", {std::begin(kArrays), std::end(kArrays)}, {}};
  const OwnedInstance strict = make_instance(AVRM_COST_BYTES, true);
  const OwnedInstance extended = make_instance(AVRM_COST_BYTES);
  std::vector<Row> further;
  for (const Printed &printed : kTable) {
    const std::string parent = printed.parent;
    Row literal{parent, {}};
    Row with_scan{parent + ", step 3", {}};
    Row with_all_forms{parent + ", all forms", {}};
    for (std::size_t i = 0; i < std::size(kArrays); ++i) {
      const std::vector<std::int32_t> ranks = array_of(kArrays[i]);
      const auto mode = [&](const OwnedInstance &instance) {
        return std::string(avrm_mode_label(describe(make_child_map(parent_of(instance.get(), parent), ranks)).mode));
      };
      literal.cells.push_back({std::string(paper_parent_of(parent).child(ranks).label()), printed.child[i]});
      with_scan.cells.push_back({mode(strict), printed.child[i]});
      with_all_forms.cells.push_back({mode(extended)});
    }
    result.table.rows.push_back(std::move(literal));
    further.push_back(std::move(with_scan));
    further.push_back(std::move(with_all_forms));
  }
  std::move(further.begin(), further.end(), std::back_inserter(result.table.rows));
  result.note =
      "Measured: the first rows are the paper's steps 1 and 2, written afresh (bench/baseline/paper_rankmap.h), "
      "which end in a table where its Table II has one. Rows of step 3 are strict maps of the library, which "
      "scans each table for a pattern, strides below 0 included; all other tables and figures are strict in this "
      "sense, "
      "000/figure13, which also has the paper's steps.";
  return result;
}

Result run_instruction_counts(Context & /*context*/) {
  Result result;
  const std::vector<InstructionCount> counts =
      count_instructions_of_all([&](const std::string &note) { result.omissions.push_back(note); });
  // The paper's rows and columns first.
  constexpr std::pair<const char *, const char *> kRows[] = {{"dispatch/switch", "switch"},
                                                             {"dispatch/hybrid", "hybrid"},
                                                             {"dispatch/goto_called", "goto"},
                                                             {"dispatch/goto", "goto, without its call"},
                                                             {"vc-vcrt", "VC-VCRT"},
                                                             {"avrankmap", "ours"},
                                                             {"mpich4", "MPICH 4.0"},
                                                             {"mpich5", "MPICH 5"},
                                                             {"ompi", kOpenMpiAsShipped},
                                                             {"ompi-sparse", "Open MPI, sparse"},
                                                             {"raw", "addresses known beforehand"}};
  result.table = {"instructions", {"direct", "offset", "stride", "lut", "mlut", "blocked"}, {}};
  for (const auto &[path, label] : kRows) {
    Row row{label, {}};
    for (const std::string &mode : result.table.columns) {
      const auto count = std::find_if(counts.begin(), counts.end(), [&, path = path](const InstructionCount &c) {
        return c.path == path && c.mode == mode;
      });
      if (count == counts.end()) {
        continue;
      }
      row.cells.push_back({static_cast<double>(count->instructions),
                           count->paper ? Value(static_cast<double>(*count->paper)) : Value()});
    }
    if (row.cells.size() == result.table.columns.size()) {
      result.table.rows.push_back(std::move(row));
    }
  }
  result.note = "Counted by single steps from the rank to the address. The paper's three ways to dispatch run on our "
                "structures, in position-independent code, where a jump table costs two instructions more, and where "
                "an offset is part of the base. Goto has the call that it needs: what the caller saves for it is 15 to "
                "17 instructions in the paper. Ours is the translation that is shipped. Open MPI as "
                "shipped has dense groups, and tests whether the process was ever met; the row of sparse groups lacks "
                "this test. The lut holds the odd ranks "
                "in random order, the paper's in reverse; a table takes as many instructions for either.";
  return result;
}

namespace {

// Table IV, misses of 8 million puts: VC-VCRT, direct, offset, stride, lut, mlut; 0 is "N/A".
struct PaperMisses {
  const char *label;
  std::int32_t peers; ///< of the rows measured on Blues; 0: on Mira
  std::optional<double> CacheMisses::*level;
  std::array<double, 6> misses;
};
constexpr PaperMisses kPaperMisses[] = {
    {"L1D (8 procs, Blues)", 16, &CacheMisses::l1d, {120491, 103, 168, 141, 98, 192}},
    {"L2 (8 procs, Blues)", 16, &CacheMisses::l2, {237, 47, 43, 69, 53, 60}},
    {"L3 (8 procs, Blues)", 16, &CacheMisses::last_level, {47, 48, 47, 46, 47, 45}},
    {"L1D (8 procs, Mira)", 0, nullptr, {180491, 184, 191, 189, 178, 0}},
    {"L2 (8 procs, Mira)", 0, nullptr, {422, 57, 53, 61, 68, 0}},
    {"L1D (2 procs, Blues)", 2, &CacheMisses::l1d, {4438, 102, 157, 133, 82, 168}},
    {"L2 (2 procs, Blues)", 2, &CacheMisses::l2, {107, 47, 45, 64, 56, 58}},
    {"L3 (2 procs, Blues)", 2, &CacheMisses::last_level, {48, 46, 43, 45, 46, 47}},
    {"L1D (2 procs, Mira)", 0, nullptr, {6540, 186, 189, 190, 180, 0}},
    {"L2 (2 procs, Mira)", 0, nullptr, {218, 56, 54, 61, 66, 0}},
};

} // namespace

Result run_cache_misses(Context &context) {
  Result result;
  result.note = "Measured: nothing.";
  if (context.program().empty()) {
    result.omissions.emplace_back("There is no program to run under valgrind");
    return result;
  }
  constexpr std::int32_t kMany = 65536;
  const std::vector<CacheMisses> all =
      measure_cache_misses(context.program(), {2, 16, kMany}, context.progress(),
                           [&](const std::string &note) { result.omissions.push_back(note); });
  if (all.empty()) {
    return result;
  }
  constexpr const char *kSchemes[] = {"vc-vcrt", "direct", "offset", "stride", "lut", "mlut", "blocked", "vc-lean"};
  constexpr double kPuts = 8e6;
  const auto misses = [&](const char *scheme, std::int32_t peers, bool simulated,
                          std::optional<double> CacheMisses::*level) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const CacheMisses &m) {
      return level != nullptr && m.peers == peers && m.scheme == scheme && m.simulated == simulated;
    });
    return found == all.end() || !((*found).*level) ? Value() : Value(*((*found).*level) * kPuts);
  };
  result.table = {
      "cache", {"Baseline (VC-VCRT)", "direct", "offset", "stride", "lut", "mlut", "blocked", "VC-VCRT, inlined"}, {}};
  for (const PaperMisses &paper : kPaperMisses) {
    Row row{paper.label, {}};
    for (std::size_t i = 0; i < std::size(kSchemes); ++i) {
      const Value printed = i >= paper.misses.size() ? Value()
                            : paper.misses[i] == 0   ? Value("N/A")
                                                     : Value(paper.misses[i]);
      row.cells.push_back({misses(kSchemes[i], paper.peers, true, paper.level), printed});
    }
    result.table.rows.push_back(std::move(row));
  }
  constexpr std::pair<const char *, std::optional<double> CacheMisses::*> kLevels[] = {
      {"L1D", &CacheMisses::l1d}, {"L2", &CacheMisses::l2}, {"L3", &CacheMisses::last_level}};
  for (const bool simulated : {true, false}) {
    for (const auto &[name, level] : kLevels) {
      Row row{fmt::format("{} ({} ranks{})", name, number_text(kMany), simulated ? "" : ", this processor"), {}};
      for (const char *const scheme : kSchemes) {
        row.cells.push_back({misses(scheme, kMany, simulated, level)});
      }
      result.table.rows.push_back(std::move(row));
    }
  }
  drop_empty_rows(result.table);
  result.note =
      fmt::format("Simulated: {}, per 8 million puts as in the paper, in a loop that does nothing but put, {}, and "
                  "has its data in the caches; in the paper all of MPICH is in the loop, and its counters "
                  "count what interrupts it. 8 procs are 16 ranks on two nodes. VC-VCRT, inlined, calls no "
                  "function. The lut holds the odd ranks in random order; the paper's reverse "
                  "order is also in 000/table5.",
                  all.front().source, kWithLibrary);
  return result;
}

} // namespace avrankmap::bench
