// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper: which models communicators get (table I, figure 1, table II), and what a translation costs in
// instructions and cache misses (tables III and IV).
#include "experiments/catalogue.h"
#include "experiments/owned.h"
#include "harness/cache_misses.h"
#include "harness/instruction_counts.h"
#include "harness/survey_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace avrankmap::bench {
namespace {

// Table I: the columns that are marked.
constexpr const char *kMarks[][2] = {
    {"Nek5000", "dup"},
    {"QMCPACK", "offset, stride"},
    {"NWChem", "dup, offset, stride, intercomm"},
    {"HACC", "topo"},
    {"QBOX", "dup, offset"},
    {"CAM-SE", "dup, offset"},
    {"NAMD", "dup, offset"},
    {"LSMS", "offset, irregular"},
    {"SP", "dup, offset"},
    {"BT", "dup, offset, stride"},
    {"FT", "dup, offset"},
    {"Graph500", "dup, offset, stride"},
    {"Nekbone", "dup"},
    {"SNAP", "dup, topo"},
    {"MCB", "dup"},
    {"cian2", "offset"},
    {"MCCK", "offset, stride"},
    {"mocfe_bone", "offset, stride"},
    {"pynamic", "dup, offset, stride"},
    {"MACSio", "dup"},
    {"AMG2013", "dup"},
    {"CNS", "dup"},
    {"SMC", "dup"},
    {"AMR", "dup"},
};

std::string joined(const std::set<std::string> &words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// What an application's communicators become in one of the two settings.
struct Became {
  std::set<std::string> themselves; ///< modes of those that the application makes
  std::set<std::string> internal;   ///< of the library's own beside them
  std::uint64_t bytes = 0;          ///< of all maps, copies included, the world's too

  void add(const SurveyMode &row, const ModeAndBytes &map) {
    bytes += map.bytes * static_cast<std::uint64_t>(row.copies);
    if (row.part != "itself") {
      internal.insert(map.mode);
    } else if (row.communicator.rfind("world", 0) != 0) {
      themselves.insert(map.mode);
    }
  }
};

} // namespace

Result run_mapping_models(Context &context) {
  const std::int32_t processes = context.choose(1024, 786432, 786432);
  const std::vector<SurveyMode> modes = survey_modes(processes, survey(processes));
  Result result;
  std::uint64_t strict_bytes = 0;
  std::uint64_t extended_bytes = 0;
  int with_tables_strict = 0;
  int with_tables_extended = 0;
  for (const auto &[name, marks] : kMarks) {
    Became strict;
    Became extended;
    for (const SurveyMode &row : modes) {
      if (row.application.rfind(name, 0) == 0) {
        strict.add(row, row.strict);
        extended.add(row, row.extended);
      }
    }
    const auto any_table = [](const Became &became) {
      return became.internal.count("lut") + became.themselves.count("lut") > 0;
    };
    with_tables_strict += any_table(strict);
    with_tables_extended += any_table(extended);
    strict_bytes += strict.bytes;
    extended_bytes += extended.bytes;
    result.rows.push_back(
        {name, "models", std::string(marks),
         fmt::format("{}; the library's own: {}", joined(strict.themselves), joined(strict.internal)),
         fmt::format("measured: modes of real maps in a strict instance; shapes are ours where the paper does "
                     "not state them; {} bytes strict, {} extended",
                     strict.bytes, extended.bytes)});
  }
  result.reading.push_back(
      fmt::format("Duplicates and topologies become direct, and splits what the paper says. With the paper's models {} "
                  "of {} applications need a "
                  "table, for LSMS's node roots; {}. All maps of all applications at {} processes take {} bytes "
                  "strict, {} extended.",
                  with_tables_strict, std::size(kMarks),
                  with_tables_extended == 0 ? "with all of our forms none does" : "so do some with all of our forms",
                  processes, strict_bytes, extended_bytes));
  return result;
}

Result run_walker_figure(Context & /*context*/) {
  // Process 0 is the master; walker 0 has the 12 processes after it, on nodes of 4.
  const Members walker{12, 1};
  const std::vector<std::int32_t> roots = node_root_ranks(walker, 4);
  Result result;
  std::vector<std::int32_t> world_ranks;
  for (const std::int32_t rank : roots) {
    world_ranks.push_back(walker.at(rank));
  }
  result.rows.push_back({"world ranks of walker 0's node roots", "ranks", "1, 4, 8, 12",
                         fmt::format("{}", fmt::join(world_ranks, ", ")), "computed from the placement"});
  for (const bool strict : {true, false}) {
    const OwnedInstance instance = make_instance(strict);
    const OwnedMap world = make_map(avrm_rankmap_create_direct, instance.get(), 0, 16);
    const OwnedMap comm = make_child_map(world, walker.list());
    const char *const setting =
        strict ? "measured: real maps, the paper's models only" : "measured: real maps, all of our forms";
    result.rows.push_back(
        {"model of walker 0", "model", "offset", std::string(avrm_mode_label(describe(comm).mode)), setting});
    const avrm_rankmap_info_t info = describe(make_child_map(comm, roots));
    result.rows.push_back({"model of its node roots", "model", "irregular (lut)",
                           std::string(avrm_mode_label(info.mode)),
                           fmt::format("{}; {} bytes", setting, info.own_bytes + info.table_bytes)});
  }
  // The same with as many walkers as fill the machine.
  const std::int32_t processes = 786432;
  for (const bool strict : {true, false}) {
    const OwnedInstance instance = make_instance(strict);
    const OwnedMap world = make_map(avrm_rankmap_create_direct, instance.get(), 0, processes);
    const Members big{processes - 1, 1};
    const OwnedMap comm = make_child_map(world, big.list());
    const avrm_rankmap_info_t info = describe(make_child_map(comm, node_root_ranks(big, 4)));
    result.rows.push_back(
        {fmt::format("node roots of a walker of {} processes", processes - 1),
         "bytes",
         {},
         static_cast<double>(info.own_bytes + info.table_bytes),
         fmt::format("measured: {}, {}", avrm_mode_label(info.mode), strict ? "strict" : "extended")});
  }
  result.reading.emplace_back("The paper notes that ranks 1, 2, 3 of the node roots are a stride after a special rank "
                              "0, and that it does not look for "
                              "that. Our segments do: a run of one and a run of the rest. For four ranks a packed "
                              "table is smaller still, and is "
                              "taken.");
  return result;
}

Result run_child_models(Context & /*context*/) {
  constexpr std::int32_t kSize = 40;
  struct Cell {
    const char *parent;
    std::array<const char *, 4> child; // for a direct, offset, stride and irregular array
  };
  constexpr Cell kTable[] = {
      {"direct", {"direct", "offset", "stride", "lut"}}, {"offset", {"offset", "offset", "stride", "lut"}},
      {"stride", {"stride", "lut", "lut", "lut"}},       {"lut", {"lut", "lut", "lut", "lut"}},
      {"mlut", {"mlut", "mlut", "mlut", "mlut"}},
  };
  constexpr const char *kArrays[] = {"direct", "offset", "stride", "irregular"};
  const auto array_of = [](const std::string &model) {
    if (model == "direct") {
      std::vector<std::int32_t> ranks(kSize);
      std::iota(ranks.begin(), ranks.end(), 0);
      return ranks;
    }
    if (model == "offset") {
      std::vector<std::int32_t> ranks(16);
      std::iota(ranks.begin(), ranks.end(), 5);
      return ranks;
    }
    if (model == "stride") {
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
    for (std::int32_t rank = 0; rank < kSize; ++rank) { // no pattern in any part that the arrays take
      processes.push_back({model == "mlut" ? rank / 2 % 2 : 0, rank * rank * 37 % 1009});
    }
    return make_map(avrm_rankmap_create_gpids, instance, kSize, processes.data(),
                    static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
  };

  Result result;
  int differing = 0;
  const OwnedInstance strict = make_instance(true);
  const OwnedInstance extended = make_instance(false);
  for (const Cell &cell : kTable) {
    for (std::size_t i = 0; i < std::size(kArrays); ++i) {
      const std::vector<std::int32_t> ranks = array_of(kArrays[i]);
      const auto mode = [&](const OwnedInstance &instance) {
        return std::string(
            avrm_mode_label(describe(make_child_map(parent_of(instance.get(), cell.parent), ranks)).mode));
      };
      const std::string here = mode(strict);
      differing += here != cell.child[i];
      result.rows.push_back(
          {fmt::format("parent {}, array {}", cell.parent, kArrays[i]), "model", std::string(cell.child[i]), here,
           fmt::format("measured: a real map, strict, after the scan for patterns; extended: {}", mode(extended))});
    }
  }
  result.reading.push_back(fmt::format("{} of 20 cells differ from the table as printed: where it says lut although "
                                       "the result has a pattern, step 3 of the paper, the "
                                       "scan of the table, takes the table back, in a strict instance as in the "
                                       "paper's text. An extended instance gets there by closed "
                                       "forms, without a table in between.",
                                       differing));
  return result;
}

Result run_instruction_counts(Context & /*context*/) {
  Result result;
  const std::vector<InstructionCount> counts =
      count_instructions_of_all([&](const std::string &note) { result.notes.push_back(note); });
  Plot plot{"", "Instructions from rank to address", "mode", "instructions", false, false, {}, {}};
  int better = 0;
  int with_paper = 0;
  std::uint64_t most_ours = 0;
  for (const InstructionCount &count : counts) {
    Row row{fmt::format("{}, {}", count.path, count.mode),
            "instructions",
            {},
            static_cast<double>(count.instructions),
            count.path == "dispatch/goto"
                ? "counted by single steps, without the call that gcc needs for it; the paper's includes it"
                : "counted by single steps; position-independent code, gcc 4.7 and other addresses there"};
    if (count.paper) {
      row.paper = static_cast<double>(*count.paper);
      const bool comparable = count.path != "dispatch/goto";
      with_paper += comparable;
      better += comparable && count.instructions < static_cast<std::uint64_t>(*count.paper);
    }
    if (count.path == "avrankmap") {
      most_ours = std::max(most_ours, count.instructions);
      // Beside the paper's choice.
      const auto same = std::find_if(counts.begin(), counts.end(), [&](const InstructionCount &other) {
        return other.path == "dispatch/switch" && other.mode == count.mode;
      });
      if (same != counts.end() && same->paper) {
        row.paper = static_cast<double>(*same->paper);
        row.differs += "; paper: its switch";
      }
    }
    const auto category = std::find(plot.categories.begin(), plot.categories.end(), count.mode);
    const auto x = static_cast<double>(category - plot.categories.begin());
    if (category == plot.categories.end()) {
      plot.categories.push_back(count.mode);
    }
    if (count.path == "avrankmap" || count.path == "dispatch/switch" || count.path == "vc-vcrt") {
      const char *const name = count.path == "avrankmap" ? "ours"
                               : count.path == "vc-vcrt" ? "VC-VCRT"
                                                         : "switch, here";
      auto line = std::find_if(plot.series.begin(), plot.series.end(), [&](const Series &s) { return s.name == name; });
      if (line == plot.series.end()) {
        line = plot.series.insert(line, {name, {}, count.path == "avrankmap"});
      }
      line->points.emplace_back(x, static_cast<double>(count.instructions));
      if (count.path == "dispatch/switch" && count.paper) {
        auto paper = std::find_if(plot.series.begin(), plot.series.end(),
                                  [](const Series &s) { return s.name == "paper's switch"; });
        if (paper == plot.series.end()) {
          paper = plot.series.insert(paper, {"paper's switch", {}, false});
        }
        paper->points.emplace_back(x, static_cast<double>(*count.paper));
      }
    }
    result.rows.push_back(std::move(row));
  }
  if (!counts.empty()) {
    result.plots.push_back(std::move(plot));
    result.reading.push_back(
        fmt::format("{} of the {} counts that the paper also gives, goto aside, are lower here. Ours takes {} "
                    "instructions at most: the base of the table is "
                    "folded into the map when it is bound, so that offset costs what direct "
                    "costs, and four classes are told apart by the flags of one "
                    "comparison instead of a jump table.",
                    better, with_paper, most_ours));
  }
  return result;
}

Result run_cache_misses(Context &context) {
  Result result;
  if (context.program().empty()) {
    result.notes.emplace_back("not measured: there is no program that could be run under valgrind");
    return result;
  }
  const std::vector<CacheMisses> all =
      measure_cache_misses(context.program(), {2, 16, 65536}, context.progress(),
                           [&](const std::string &note) { result.notes.push_back(note); });
  const auto is_simulated = [](const CacheMisses &misses) {
    return misses.source.find("simulated") != std::string::npos;
  };
  // Table IV, misses of 8 million puts on Blues: VC-VCRT, direct, offset, stride, lut, mlut.
  constexpr const char *kColumns[] = {"vc-vcrt", "direct", "offset", "stride", "lut", "mlut"};
  struct Paper {
    std::int32_t peers;
    std::array<double, 6> l1;
    std::array<double, 6> l2;
    std::array<double, 6> l3;
  };
  constexpr Paper kPaper[] = {
      {16, {120491, 103, 168, 141, 98, 192}, {237, 47, 43, 69, 53, 60}, {47, 48, 47, 46, 47, 45}},
      {2, {4438, 102, 157, 133, 82, 168}, {107, 47, 45, 64, 56, 58}, {48, 46, 43, 45, 46, 47}},
  };
  constexpr double kPuts = 8e6;
  double their_few = 0;
  double our_few = 0;
  double their_many = 0;
  double our_many = 0;
  for (const CacheMisses &misses : all) {
    const auto column = std::find(std::begin(kColumns), std::end(kColumns), misses.scheme);
    const auto paper =
        std::find_if(std::begin(kPaper), std::end(kPaper), [&](const Paper &p) { return p.peers == misses.peers; });
    const bool known = column != std::end(kColumns) && paper != std::end(kPaper);
    const auto index = static_cast<std::size_t>(column - std::begin(kColumns));
    const auto add = [&](const char *level, const std::optional<double> &value,
                         const std::array<double, 6> Paper::*which) {
      if (value) {
        result.rows.push_back({fmt::format("{}, {} peers, {}", misses.scheme, misses.peers, level),
                               "misses of 8 million puts", known ? Value((paper->*which)[index]) : Value(),
                               *value * kPuts,
                               !is_simulated(misses) ? "measured: " + misses.source
                                                     : "simulated: " + misses.source + "; the paper's is Blues"});
      }
    };
    add("L1D", misses.l1d, &Paper::l1);
    add("L2", misses.l2, &Paper::l2);
    add("last level", misses.last_level, &Paper::l3);
    if ((misses.peers == 16 || misses.peers == 65536) && (misses.scheme == "vc-lean" || misses.scheme == "stride")) {
      const bool ours = misses.scheme == "stride";
      (misses.peers == 16 ? (ours ? our_few : their_few) : (ours ? our_many : their_many)) = misses.l1d.value_or(0);
    }
  }
  result.reading.push_back(fmt::format("First-level misses per put on the strided communicator, VC-VCRT's "
                                       "structures and ours: {:.3f} and {:.3f} with 16 peers, "
                                       "where both fit into the cache, {:.2f} and {:.2f} with 65,536. The paper counts "
                                       "0.015 and 0.00002 with 16, in a whole MPI library that uses "
                                       "the cache, too.",
                                       their_few, our_few, their_many, our_many));
  if (!all.empty() && !is_simulated(all.front())) {
    result.reading.emplace_back("Counted by the processor, as differences of two counts: on a machine that others use, "
                                "or where there are few misses, they are "
                                "noise, and may be negative.");
  }
  return result;
}

} // namespace avrankmap::bench
