// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper: which models communicators get (table I, figure 1, table II), and what a
// translation costs in instructions and cache misses (tables III and IV).
#include "experiments/catalogue.h"
#include "experiments/conclusions.h"
#include "experiments/owned.h"
#include "experiments/presentation.h"
#include "memory/survey_modes.h"
#include "translation/cache_misses.h"
#include "translation/instruction_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace avrankmap::bench {
namespace {

// Table I: the columns that are marked.
constexpr std::array kKinds = {"duplicate", "offset", "stride", "irregular", "topology", "intercomm"};
constexpr const char *kMarks[][2] = {
    {"Nek5000", "duplicate"},
    {"QMCPACK", "offset, stride"},
    {"NWChem", "duplicate, offset, stride, intercomm"},
    {"HACC", "topology"},
    {"QBOX", "duplicate, offset"},
    {"CAM-SE", "duplicate, offset"},
    {"NAMD", "duplicate, offset"},
    {"LSMS", "offset, irregular"},
    {"SP", "duplicate, offset"},
    {"BT", "duplicate, offset, stride"},
    {"FT", "duplicate, offset"},
    {"Graph500", "duplicate, offset, stride"},
    {"Nekbone", "duplicate"},
    {"SNAP", "duplicate, topology"},
    {"MCB", "duplicate"},
    {"cian2", "offset"},
    {"MCCK", "offset, stride"},
    {"mocfe_bone", "offset, stride"},
    {"pynamic", "duplicate, offset, stride"},
    {"MACSio", "duplicate"},
    {"AMG2013", "duplicate"},
    {"CNS", "duplicate"},
    {"SMC", "duplicate"},
    {"AMR", "duplicate"},
};

Value joined(const std::set<std::string> &words) {
  return words.empty() ? Value() : Value(fmt::format("{}", fmt::join(words, ", ")));
}

/// The maps of one application.
struct Maps {
  std::map<std::string, std::set<std::string>> modes; ///< strict, by the kind of the communicator
  /// strict, of the communicators that the library makes
  std::set<std::string> internal;
  std::uint64_t strict_bytes = 0; ///< copies and the world included
  std::uint64_t extended_bytes = 0;
  bool strict_table = false;
  bool extended_table = false;

  void add(const SurveyMode &row) {
    const auto copies = static_cast<std::uint64_t>(row.copies);
    strict_bytes += row.strict.bytes * copies;
    extended_bytes += row.extended.bytes * copies;
    strict_table = strict_table || row.strict.mode.find("lut") != std::string::npos;
    extended_table = extended_table || row.extended.mode.find("lut") != std::string::npos;
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

} // namespace

Result run_mapping_models(Context &context) {
  const std::int32_t processes = context.choose(1024, 786432, 786432);
  const std::vector<SurveyMode> modes = survey_modes(processes, survey(processes));
  Result result;
  result.table = {"application",
                  {"Dup", "split: Offset", "split: Stride", "split: Irreg.", "Topo", "Intercomm", "the library's own",
                   "bytes, strict", "bytes, ours"},
                  {}};
  Maps all;
  int marked = 0;
  int as_marked = 0;
  int strict_tables = 0;
  int extended_tables = 0;
  for (const auto &[name, marks] : kMarks) {
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
      const std::string column = kind;
      if (mark && column != "intercomm") {
        const std::string model = column == "irregular"                           ? "lut"
                                  : column == "duplicate" || column == "topology" ? "direct"
                                                                                  : column;
        ++marked;
        as_marked += found == std::set<std::string>{model};
      }
    }
    row.cells.push_back({joined(maps.internal)});
    row.cells.push_back({static_cast<double>(maps.strict_bytes)});
    row.cells.push_back({static_cast<double>(maps.extended_bytes)});
    result.table.rows.push_back(std::move(row));
    strict_tables += maps.strict_table;
    extended_tables += maps.extended_table;
    all.strict_bytes += maps.strict_bytes;
    all.extended_bytes += maps.extended_bytes;
  }
  result.note = fmt::format("Measured: the models of real maps, strict, in a world of {} processes; x is a mark in the "
                            "paper. Where it does not state how an application splits, the shape is ours.",
                            processes);
  result.conclusions = {
      fmt::format("In {} of the {} marked cells before Intercomm the map has the model of the column: direct for Dup "
                  "and Topo, lut for Irreg.",
                  as_marked, marked),
      fmt::format("A table is needed by {} of {} applications strict, by {} with all forms; all maps together take {} "
                  "and {} bytes.",
                  strict_tables, std::size(kMarks), extended_tables, number_text(static_cast<double>(all.strict_bytes)),
                  number_text(static_cast<double>(all.extended_bytes)))};
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
    const OwnedInstance instance = make_instance(strict);
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
      fmt::format("Measured: models and bytes of real maps. The node roots of walker 0 are the world ranks {} "
                  "(1, 4, 8, 12).",
                  fmt::join(world_ranks, ", "));
  result.conclusions = {equal_to_paper(result.table)};
  return result;
}

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
    std::vector<avrm_gpid_t> processes;
    // no pattern in any part that the arrays take
    for (std::int32_t rank = 0; rank < kSize; ++rank) {
      processes.push_back({model == "mlut" ? rank / 2 % 2 : 0, rank * rank * 37 % 1009});
    }
    return make_map(avrm_rankmap_create_gpids, instance, kSize, processes.data(),
                    static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
  };

  Result result;
  result.table = {"parent / indirect mapping array", {std::begin(kArrays), std::end(kArrays)}, {}};
  std::map<std::pair<std::string, std::string>, int> changes;
  const OwnedInstance strict = make_instance(true);
  const OwnedInstance extended = make_instance(false);
  for (const Printed &printed : kTable) {
    Row row{printed.parent, {}};
    for (std::size_t i = 0; i < std::size(kArrays); ++i) {
      const std::vector<std::int32_t> ranks = array_of(kArrays[i]);
      const auto mode = [&](const OwnedInstance &instance) {
        return std::string(
            avrm_mode_label(describe(make_child_map(parent_of(instance.get(), printed.parent), ranks)).mode));
      };
      const std::string here = mode(strict);
      if (const std::string other = mode(extended); other != here) {
        ++changes[{here, other}];
      }
      row.cells.push_back({here, std::string(printed.child[i])});
    }
    result.table.rows.push_back(std::move(row));
  }
  result.note = "Measured: the models of real maps, strict, after the scan of the table that ends the paper's step 3.";
  result.conclusions = {equal_to_paper(result.table)};
  std::vector<std::string> with_all_forms;
  for (const auto &[models, cells] : changes) {
    with_all_forms.push_back(fmt::format("{} becomes {} in {} cells", models.first, models.second, cells));
  }
  result.conclusions.push_back(with_all_forms.empty()
                                   ? "With all forms the models are the same."
                                   : fmt::format("With all forms {}.", fmt::join(with_all_forms, ", ")));
  return result;
}

Result run_instruction_counts(Context & /*context*/) {
  Result result;
  const std::vector<InstructionCount> counts =
      count_instructions_of_all([&](const std::string &note) { result.omissions.push_back(note); });
  // The paper's rows and columns first.
  constexpr std::pair<const char *, const char *> kRows[] = {{"dispatch/switch", "switch"},
                                                             {"dispatch/hybrid", "hybrid"},
                                                             {"dispatch/goto", "goto"},
                                                             {"vc-vcrt", "VC-VCRT"},
                                                             {"avrankmap", "ours"},
                                                             {"mpich4", "MPICH 4.0"},
                                                             {"mpich5", "MPICH 5"},
                                                             {"ompi-sparse", "Open MPI, sparse"},
                                                             {"raw", "addresses known beforehand"}};
  result.table = {"instructions", {"direct", "offset", "stride", "lut", "mlut", "blocked"}, {}};
  std::vector<double> ours;
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
      if (count->path == "avrankmap") {
        ours.push_back(static_cast<double>(count->instructions));
      }
    }
    if (row.cells.size() == result.table.columns.size()) {
      result.table.rows.push_back(std::move(row));
    }
  }
  result.note = "Counted by single steps from the rank to the address. The paper's three ways to dispatch run on our "
                "structures, in position-independent code; its goto includes a call of 15 to 17 instructions, ours "
                "does not. Ours is the translation that is shipped.";
  if (!ours.empty()) {
    Table comparable = result.table;
    std::erase_if(comparable.rows, [](const Row &row) { return row.label == "goto"; });
    result.conclusions = {"Goto aside, " + lower_than_paper(comparable),
                          fmt::format("Ours takes {} instructions.", range_text(ours))};
  }
  return result;
}

namespace {

// Table IV, misses of 8 million puts: VC-VCRT, direct, offset, stride, lut, mlut. None for Mira's
// mlut.
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
  const auto misses = [&](const char *scheme, std::int32_t peers, std::optional<double> CacheMisses::*level) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const CacheMisses &m) {
      return level != nullptr && m.peers == peers && m.scheme == scheme;
    });
    return found == all.end() || !((*found).*level) ? Value() : Value(*((*found).*level) * kPuts);
  };
  result.table = {
      "cache", {"Baseline (VC-VCRT)", "direct", "offset", "stride", "lut", "mlut", "blocked", "VC-VCRT, inlined"}, {}};
  for (const PaperMisses &paper : kPaperMisses) {
    Row row{paper.label, {}};
    for (std::size_t i = 0; i < std::size(kSchemes); ++i) {
      const bool printed = i < paper.misses.size() && paper.misses[i] != 0;
      row.cells.push_back({misses(kSchemes[i], paper.peers, paper.level), printed ? Value(paper.misses[i]) : Value()});
    }
    result.table.rows.push_back(std::move(row));
  }
  constexpr std::pair<const char *, std::optional<double> CacheMisses::*> kLevels[] = {
      {"L1D", &CacheMisses::l1d}, {"L2", &CacheMisses::l2}, {"L3", &CacheMisses::last_level}};
  for (const auto &[name, level] : kLevels) {
    Row row{fmt::format("{} ({} ranks)", name, number_text(kMany)), {}};
    for (const char *const scheme : kSchemes) {
      row.cells.push_back({misses(scheme, kMany, level)});
    }
    result.table.rows.push_back(std::move(row));
  }
  drop_empty_rows(result.table);
  const std::string &source = all.front().source;
  result.note = fmt::format("{}: {}, per 8 million puts as in the paper. 8 procs are 16 ranks on two nodes. VC-VCRT, "
                            "inlined, calls no function.",
                            source.find("simulated") == std::string::npos ? "Measured" : "Simulated", source);
  const std::string first_level = fmt::format("L1D ({} ranks)", number_text(kMany));
  for (const char *const other : {"Baseline (VC-VCRT)", "VC-VCRT, inlined"}) {
    const auto theirs = number_here(result.table, first_level, other);
    const auto ours = number_here(result.table, first_level, "stride");
    if (theirs && ours) {
      result.conclusions.push_back(fmt::format("With {} ranks a put misses the first level {} times in {}, {} times in "
                                               "our stride map.",
                                               number_text(kMany), number_text(*theirs / kPuts), other,
                                               number_text(*ours / kPuts)));
    }
  }
  const bool negative = std::any_of(result.table.rows.begin(), result.table.rows.end(), [](const Row &row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const Cell &cell) {
      const auto *const number = std::get_if<double>(&cell.here);
      return number != nullptr && *number < 0;
    });
  });
  if (negative) {
    result.conclusions.emplace_back(
        "A count is a difference of two runs; those below 0 are noise, and so are others of "
        "their size.");
  }
  return result;
}

} // namespace avrankmap::bench
