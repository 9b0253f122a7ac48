// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Space Performance Tradeoffs in Compressing MPI Group Data Structures": which communicators are
// compressed (figure 2), the bytes that this saves (figure 3), and the cost of the mapping function
// and its caches (figures 5 and 6, tables 1 and 2).
#include "baseline/world_rectangles.h"
#include "conclusions/conclusions.h"
#include "experiments/catalogue.h"
#include "experiments/owned.h"
#include "experiments/presentation.h"
#include "experiments/tables.h"
#include "memory/torus_split.h"
#include "translation/application_patterns.h"
#include "translation/translation_cache_rates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

namespace avrankmap::bench {
namespace {

std::string times_text(const std::vector<std::int32_t> &extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

} // namespace

Result run_rectangle_examples(Context & /*context*/) {
  const std::vector<std::int32_t> examples[] = {
      {0, 1, 2, 3, 4},
      {0, 5, 10, 15},
      {10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
      {15, 35, 55, 75},
      {15, 16, 35, 36, 55, 56, 75, 76},
      {10, 11, 15, 16, 30, 31, 35, 36, 50, 51, 55, 56, 70, 71, 75, 76},
  };
  WorldRectangles rectangles(80);
  rectangles.add({5, 4, 4});
  const OwnedInstance instance = make_instance(false);
  Result result;
  result.table = {"ranks", {"compressed by that paper's algorithm", "our model", "our bytes"}, {}};
  for (const std::vector<std::int32_t> &ranks : examples) {
    const bool compressed = rectangles.compress(ranks).has_value();
    const OwnedMap map = make_map(avrm_rankmap_create_lpids, instance.get(), 0, static_cast<std::int32_t>(ranks.size()),
                                  ranks.data(), static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
    const avrm_rankmap_info_t info = describe(map);
    result.table.rows.push_back({fmt::format("{}", fmt::join(ranks, ", ")),
                                 {{compressed ? "yes" : "no", "yes"},
                                  {std::string(avrm_mode_label(info.mode))},
                                  {static_cast<double>(info.own_bytes + info.table_bytes)}}});
  }
  result.note =
      "Measured: that paper's algorithm, written afresh, compares the ranks with a world rectangle of 5 x 4 x 4; "
      "ours has the ranks alone.";
  return result;
}

Result run_torus_memory(Context &context) {
  // Node shapes of the machine, times 32 processes per node; the process counts fastest.
  struct Size {
    std::int32_t nodes;
    std::vector<std::int32_t> extents;
    Value table;
    Value compressed;
  };
  const std::vector<Size> sizes{
      {128, {32, 2, 2, 4, 4, 2}, 15.0, 12.0}, {512, {32, 2, 4, 4, 4, 4}, {}, {}},   {1024, {32, 2, 8, 4, 4, 4}, {}, {}},
      {2048, {32, 2, 16, 4, 4, 4}, {}, {}},   {4096, {32, 2, 16, 8, 4, 4}, {}, {}}, {8192, figure3_torus(), 60.0, 20.0},
  };
  const bool tiny = context.effort() == Effort::kTiny;
  Result result;
  result.table = {"nodes of 32 processes", {"communicators", "plain tables, MB", "ours, MB", "ours, bytes"}, {}};
  Plot plot{"",
            "Maps of a process after splitting a torus along all dimensions",
            "nodes of 32 processes",
            "MB",
            true,
            true,
            {},
            {}};
  std::uint64_t checked = 0;
  const auto add = [&](const std::string &label, const TorusSplit &split, const Value &table, const Value &compressed) {
    const auto bytes = static_cast<double>(split.bytes);
    result.table.rows.push_back({label,
                                 {{static_cast<double>(split.communicators)},
                                  {static_cast<double>(split.bytes_table) / 1e6, table},
                                  {bytes / 1e6, compressed},
                                  {bytes}}});
    checked += split.checked;
  };
  for (const Size &size : sizes) {
    if (tiny && size.nodes > 128) {
      break;
    }
    context.progress()(fmt::format("{} nodes", size.nodes));
    const TorusSplit split = measure_torus_split(size.extents, 100000);
    add(number_text(size.nodes), split, size.table, size.compressed);
    series_of(plot, "plain tables", false)
        .points.emplace_back(size.nodes, static_cast<double>(split.bytes_table) / 1e6);
    series_of(plot, "ours", true).points.emplace_back(size.nodes, static_cast<double>(split.bytes) / 1e6);
  }
  if (!tiny) {
    context.progress()("16,777,216 processes");
    const TorusSplit split =
        measure_torus_split(extrapolated_torus(), context.choose<std::uint64_t>(0, 100000, 1000000));
    add(fmt::format("{} processes", times_text(split.extents)), split, "about 2,000", "a few");
  }
  result.plots.push_back(std::move(plot));
  result.note = fmt::format("Measured: real maps, of which {} translations were compared with plain tables; computed: "
                            "plain tables of 4 bytes per rank. The paper's values are all memory of the MPI library, "
                            "so that ours, maps alone, are to be compared in their differences; it extrapolates the "
                            "last row. Its own 60 MB, times the ranks and the communicators, would be {} MB there: its "
                            "2 GB are not of this many tables of all ranks.",
                            number_text(static_cast<double>(checked)), number_text(60.0 * 64 * 252 / 68));
  return result;
}

namespace {

const std::vector<CacheRate> &cache_rates(Context &context) {
  return context.once("translation caches", [&] {
    return measure_translation_caches(context.choose(1, 15, 101), context.choose(1 << 10, 1 << 15, 1 << 15));
  });
}

constexpr std::array kCacheColumns = {kPlainTable, kMappingFunction, "linear 8", "linear 16", kPaperCache};

/// The paper's statement about a cache, with at least so many neighbours.
struct StatedOfCache {
  std::string scheme;
  std::int32_t least;
  const char *what;
};

/// The exchanges of one figure: those for which `wanted` holds.
template <class Wanted>
Result run_exchange(Context &context, const char *title, Wanted wanted, const StatedOfCache &paper) {
  Result result;
  result.table = {"ns per translation", {kCacheColumns.begin(), kCacheColumns.end()}, {}};
  result.table.columns.emplace_back("ours");
  result.table.columns.push_back(fmt::format("hits of {}, %", kPaperCache));
  Plot plot{"", title, "neighbours", "ns per translation", false, false, {}, {}};
  result.table.columns.emplace_back(kOverPaperCache);
  for (const CacheRate &rate : cache_rates(context)) {
    if (!wanted(rate)) {
      continue;
    }
    const bool same_order = rate.order == "rr";
    const std::string label =
        fmt::format("{} neighbours, {} order each time", rate.neighbours, same_order ? "same" : "another");
    Row &row = row_of(result.table, label);
    const auto column = std::find(kCacheColumns.begin(), kCacheColumns.end(), rate.scheme) - kCacheColumns.begin();
    const bool stated = same_order && rate.scheme == paper.scheme && rate.neighbours >= paper.least;
    row.cells[static_cast<std::size_t>(column)] = {rate.nanoseconds, stated ? Value(paper.what) : Value()};
    if (rate.scheme == kPlainTable) {
      row.cells[kCacheColumns.size()].here = rate.nanoseconds_ours;
    }
    if (rate.scheme == kPaperCache) {
      const auto all = static_cast<double>(rate.hits + rate.misses);
      row.cells[kCacheColumns.size() + 1] = {all == 0 ? Value() : Value(100 * static_cast<double>(rate.hits) / all),
                                             same_order && rate.neighbours == 728 ? Value("about 60") : Value()};
      row.cells[kCacheColumns.size() + 2].here = rate.ours_over_theirs;
    }
    if (same_order) {
      series_of(plot, rate.scheme, false).points.emplace_back(rate.neighbours, rate.nanoseconds);
      if (rate.scheme == kPlainTable) {
        series_of(plot, "ours", true).points.emplace_back(rate.neighbours, rate.nanoseconds_ours);
      }
    }
  }
  result.plots.push_back(std::move(plot));
  result.note =
      "Measured: translation alone; the paper's figure has latencies of whole exchanges on a Blue Gene/Q. Ours "
      "is a 3-D Cartesian map without a cache. Of the cache of 128 rows of 8 the paper does not say how a rank "
      "selects its row; (rank ^ rank >> 7) & 127 here, so that its hits need not be the paper's.";
  return result;
}

} // namespace

Result run_near_neighbours(Context &context) {
  return run_exchange(context, "Translations of the near-neighbour exchange, same order each time",
                      [](const CacheRate &rate) { return rate.hops == 0; },
                      {"linear 16", 10, "within 0.8 % of the table's exchange"});
}
Result run_multi_hop(Context &context) {
  return run_exchange(context, "Translations of the multi-hop exchange, same order each time",
                      [](const CacheRate &rate) { return rate.hops != 0; }, {kPaperCache, 0, "no overhead"});
}

namespace {

// Schemes measured here, and the columns of tables 1 and 2 that they stand for.
constexpr std::pair<const char *, const char *> kPatternSchemes[] = {
    {"plain table", "V1R2M0"}, {"mapping function", "No Caching"}, {"128 x 8", "2D Caching"}, {"ours", "ours"}};

double rounded(double ratio) { return std::round(ratio * 1000) / 1000; }

/// Measures a pattern; adds its times, and their ratios over the plain table with those of the
/// paper.
/// @param paper  of the mapping function and the cache
/// @param empty  number of empty cells before each of this machine's
void add_pattern(Context &context, Table &table, const ApplicationPattern &pattern, const std::string &name,
                 const std::array<double, 2> &paper, std::size_t empty) {
  const std::vector<PatternCost> costs =
      measure_pattern(pattern, context.choose(1, 31, 201), context.choose(1e-5, 0.003, 0.01));
  Row times{fmt::format("{}: here, ns per message", name), {}};
  Row ratios{fmt::format("{}: here, over V1R2M0", name), {}};
  for (std::size_t i = 0; i < std::size(kPatternSchemes); ++i) {
    const auto cost = std::find_if(costs.begin(), costs.end(),
                                   [&](const PatternCost &c) { return c.scheme == kPatternSchemes[i].first; });
    // the column of ours has one cell
    const std::size_t before = i + 1 < std::size(kPatternSchemes) ? empty : 0;
    times.cells.resize(times.cells.size() + before);
    ratios.cells.resize(ratios.cells.size() + before);
    times.cells.push_back({cost->nanoseconds});
    ratios.cells.push_back({cost->ratio, i == 1 || i == 2 ? Value(rounded(paper[i - 1])) : Value()});
  }
  table.rows.push_back(std::move(times));
  table.rows.push_back(std::move(ratios));
}

/// A row of a printed table, followed by an empty cell for ours.
Row printed_row(std::string label, std::initializer_list<Value> paper) {
  Row row{std::move(label), {}};
  for (const Value &value : paper) {
    row.cells.push_back({{}, value});
  }
  row.cells.emplace_back();
  return row;
}

constexpr const char *kPatternNote = "Measured: translation and descriptor of each message on the null network. V1R2M0 "
                                     "is a plain table here, No Caching "
                                     "the mapping function, 2D Caching its 128 x 8 cache.";

} // namespace

Result run_fft(Context &context) {
  Result result;
  result.table = {"problem size (N), ms", {}, {}};
  for (const char *const scheme : {"V1R2M0", "No Caching", "2D Caching"}) {
    for (const char *const part : {"Run", "Comm"}) {
      result.table.columns.push_back(fmt::format("{} {}", scheme, part));
    }
  }
  result.table.columns.emplace_back("ours");
  result.table.rows = {printed_row("512", {22.8, 3.3, 23.2, 3.6, 23.0, 3.45}),
                       printed_row("1024", {199.0, 26.6, 201.0, 29.6, 199.0, 28.1})};
  const ApplicationPattern pattern = fft_pattern(context.choose(8, 64, 64));
  add_pattern(context, result.table, pattern, "translation", {3.6 / 3.3, 3.45 / 3.3}, 1);
  result.note =
      fmt::format("{} The pattern has {} messages in 4 phases. The paper's times are of a Blue Gene/Q with 4096 "
                  "processes; its ratios are those of Comm at N = 512, data included.",
                  kPatternNote, pattern.messages());
  return result;
}

Result run_amg(Context &context) {
  struct Size {
    const char *name;
    Extents grid;
    /// figure of merit of V1R2M0 over that of No Caching and 2D Caching
    std::array<double, 2> paper;
  };
  const std::vector<Size> sizes = context.effort() == Effort::kTiny
                                      ? std::vector<Size>{{"64 ranks", {4, 4, 4}, {1, 1}}}
                                      : std::vector<Size>{{"16384 ranks", {32, 32, 16}, {4.493 / 4.447, 4.493 / 4.514}},
                                                          {"8192 ranks", {32, 16, 16}, {2.333 / 2.313, 2.333 / 2.327}}};
  Result result;
  result.table = {"nodes, ranks; figure of merit", {}, {}};
  for (const auto &[scheme, column] : kPatternSchemes) {
    result.table.columns.emplace_back(column);
  }
  result.table.rows = {printed_row("512, 16384", {"4.493 e9", "4.447 e9", "4.514 e9"}),
                       printed_row("256, 8192", {"2.333 e9", "2.313 e9", "2.327 e9"})};
  for (const auto &[name, grid, paper] : sizes) {
    add_pattern(context, result.table, amg_pattern(grid), name, paper, 0);
  }
  result.note =
      fmt::format("{} The pattern is one V-cycle with messages to 26 neighbours at each level, chosen here. The "
                  "paper's figures of merit are of whole runs; its ratios are their inverses. A communicator of "
                  "all ranks in order is direct in ours, whatever grid it stands for.",
                  kPatternNote);
  return result;
}

} // namespace avrankmap::bench
