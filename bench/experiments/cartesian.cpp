// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Space Performance Tradeoffs in Compressing MPI Group Data Structures": which communicators are compressed (figure 2), the bytes
// that this saves (figure 3), and what the mapping function and its caches cost (figures 5 and 6, tables 1 and 2).
#include "baseline/world_rectangles.h"
#include "experiments/catalogue.h"
#include "experiments/owned.h"
#include "harness/application_patterns.h"
#include "harness/torus_split.h"
#include "harness/translation_cache_rates.h"

#include <fmt/format.h>

#include <algorithm>

namespace avrankmap::bench {
namespace {

Series &series(Plot &plot, const std::string &name, bool ours) {
  const auto found =
      std::find_if(plot.series.begin(), plot.series.end(), [&](const Series &s) { return s.name == name; });
  return found != plot.series.end() ? *found : plot.series.emplace_back(Series{name, {}, ours});
}

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
  int tables = 0;
  for (const std::vector<std::int32_t> &ranks : examples) {
    const auto compressed = rectangles.compress(ranks);
    const OwnedMap map = make_map(avrm_rankmap_create_lpids, instance.get(), 0, static_cast<std::int32_t>(ranks.size()),
                                  ranks.data(), static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
    const avrm_rankmap_info_t info = describe(map);
    tables += info.mode == AVRM_MODE_LUT || info.mode == AVRM_MODE_PACKED_LUT;
    result.rows.push_back({fmt::format("ranks {}", fmt::join(ranks, ", ")), "compressed", std::string("yes"),
                           std::string(compressed ? "yes" : "no"),
                           fmt::format("measured: that paper's algorithm, written afresh; ours: {}, {} bytes",
                                       avrm_mode_label(info.mode), info.own_bytes + info.table_bytes)});
  }
  result.reading.push_back(fmt::format("Ours finds the patterns in the ranks alone, without a world rectangle to "
                                       "compare with: {} of {} examples are kept as a table, "
                                       "where that is the smaller form.",
                                       tables, std::size(examples)));
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
  Plot plot{"",
            "Maps of a process after splitting a torus along all dimensions",
            "nodes of 32 processes",
            "MB",
            true,
            true,
            {},
            {}};
  double saved = 0;
  double paper_saved = 0;
  for (const Size &size : sizes) {
    if (tiny && size.nodes > 128) {
      break;
    }
    context.progress()(fmt::format("{} nodes", size.nodes));
    const TorusSplit split = measure_torus_split(size.extents, 100000);
    const std::string how = "maps only, the paper's is all memory of the MPI library";
    result.rows.push_back({fmt::format("{} nodes, {} communicators, plain tables", size.nodes, split.communicators),
                           "MB", size.table, static_cast<double>(split.bytes_table) / 1e6,
                           "computed: 4 bytes per rank; " + how});
    result.rows.push_back(
        {fmt::format("{} nodes, {} communicators, ours", size.nodes, split.communicators), "MB", size.compressed,
         static_cast<double>(split.bytes) / 1e6,
         fmt::format("measured: real maps, {} bytes, {} translations checked; {}", split.bytes, split.checked, how)});
    series(plot, "plain tables", false).points.emplace_back(size.nodes, static_cast<double>(split.bytes_table) / 1e6);
    series(plot, "ours", true).points.emplace_back(size.nodes, static_cast<double>(split.bytes) / 1e6);
    saved = static_cast<double>(split.bytes_table - split.bytes) / 1e6;
    paper_saved = 40;
  }
  if (!tiny) {
    context.progress()("16,777,216 processes");
    const TorusSplit split =
        measure_torus_split(extrapolated_torus(), context.choose<std::uint64_t>(0, 100000, 1000000));
    result.rows.push_back(
        {fmt::format("{} processes, {} communicators, plain tables", times_text(split.extents), split.communicators),
         "MB", std::string("about 2,000"), static_cast<double>(split.bytes_table) / 1e6,
         "computed: 4 bytes per rank; the paper extrapolates"});
    result.rows.push_back(
        {fmt::format("{} processes, {} communicators, ours", times_text(split.extents), split.communicators), "MB",
         std::string("a few"), static_cast<double>(split.bytes) / 1e6,
         fmt::format("measured: real maps, {} bytes, {} translations checked; the paper extrapolates", split.bytes,
                     split.checked)});
    result.reading.push_back(fmt::format("At 8,192 nodes the paper saves {} MB of a process's memory, which is what "
                                         "plain tables take and our maps do not, {:.0f} MB. "
                                         "At 16 million processes ours are {} bytes.",
                                         paper_saved, saved, split.bytes));
  }
  result.plots.push_back(std::move(plot));
  return result;
}

namespace {

const std::vector<CacheRate> &cache_rates(Context &context) {
  return context.once("translation caches", [&] {
    return measure_translation_caches(context.choose(1, 15, 101), context.choose(1 << 10, 1 << 15, 1 << 15));
  });
}

/// Rows of one figure: exchanges for which `wanted` holds.
template <class Wanted>
Result run_exchange(Context &context, const char *title, Wanted wanted, const std::map<std::string, Value> &paper) {
  Result result;
  Plot plot{"", title, "neighbours", "ns per translation", false, false, {}, {}};
  double best_cache = 1e9;
  double worst_ours = 0;
  for (const CacheRate &rate : cache_rates(context)) {
    if (!wanted(rate)) {
      continue;
    }
    const std::string order = rate.order == "rr" ? "same order each time" : "another order each time";
    const auto found = paper.find(rate.scheme);
    const std::uint64_t all = rate.hits + rate.misses;
    result.rows.push_back(
        {fmt::format("{} neighbours, {}, {}", rate.neighbours, order, rate.scheme), "ns per translation",
         found == paper.end() ? Value() : found->second, rate.nanoseconds,
         fmt::format("measured: translation alone{}; the paper's is the latency of the exchange on Blue Gene/Q",
                     all == 0 ? ""
                              : fmt::format(", {:.0f} % hits",
                                            100.0 * static_cast<double>(rate.hits) / static_cast<double>(all)))});
    if (rate.scheme == kPlainTable) {
      result.rows.push_back({fmt::format("{} neighbours, {}, ours", rate.neighbours, order),
                             "ns per translation",
                             {},
                             rate.nanoseconds_ours,
                             "measured: our 3-D cart map, in the same rounds as the plain table"});
    }
    if (rate.scheme == kPaperCache) {
      best_cache = std::min(best_cache, rate.ours_over_theirs);
      worst_ours = std::max(worst_ours, rate.ours_over_theirs);
    }
    if (rate.order == "rr") {
      series(plot, rate.scheme, false).points.emplace_back(rate.neighbours, rate.nanoseconds);
      if (rate.scheme == kPlainTable) {
        series(plot, "ours", true).points.emplace_back(rate.neighbours, rate.nanoseconds_ours);
      }
    }
  }
  result.plots.push_back(std::move(plot));
  result.reading.push_back(fmt::format(
      "Ours takes {:.2f} to {:.2f} of the time of the paper's 128 x 8 cache, needs no memory for one, and does not "
      "depend on who "
      "was addressed before. A cache that always hits, in the same order each time, is the one thing that can be "
      "faster than three multiplications.",
      best_cache, worst_ours));
  return result;
}

} // namespace

Result run_near_neighbours(Context &context) {
  return run_exchange(context, "Translations of the near-neighbour exchange, same order each time",
                      [](const CacheRate &rate) { return rate.hops == 0; },
                      {{"linear 16", "within 0.8 % of the table's exchange"}});
}
Result run_multi_hop(Context &context) {
  return run_exchange(context, "Translations of the multi-hop exchange, same order each time",
                      [](const CacheRate &rate) { return rate.hops != 0; },
                      {{kPaperCache, "no overhead; 60 % hits at 728"}});
}

namespace {

/// What the paper says of a scheme, as time over that with the plain table.
struct PaperPattern {
  Value function;
  Value cache;
};

void add_pattern(Context &context, Result &result, const ApplicationPattern &pattern, const std::string &name,
                 const PaperPattern &paper, const std::string &differs, Plot *plot) {
  for (const PatternCost &cost :
       measure_pattern(pattern, context.choose(1, 31, 201), context.choose(1e-5, 0.003, 0.01))) {
    const std::string how =
        fmt::format("measured: translation and descriptor on the null network, {} messages{}; {}", pattern.messages(),
                    cost.scheme == "128 x 8" ? fmt::format(", {:.0f} % misses", 100 * cost.misses) : "", differs);
    result.rows.push_back({fmt::format("{}, {}", name, cost.scheme), "ns per message", {}, cost.nanoseconds, how});
    if (cost.scheme != "plain table") {
      result.rows.push_back({fmt::format("{}, {}, over the plain table", name, cost.scheme), "ratio",
                             cost.scheme == "mapping function" ? paper.function
                             : cost.scheme == "128 x 8"        ? paper.cache
                                                               : Value(),
                             cost.ratio, how});
    }
    const auto x = std::find(plot->categories.begin(), plot->categories.end(), name) - plot->categories.begin();
    series(*plot, cost.scheme, cost.scheme == "ours").points.emplace_back(static_cast<double>(x), cost.nanoseconds);
  }
}

} // namespace

Result run_fft(Context &context) {
  Result result;
  Plot plot{"", "3-D FFT on 4096 processes", "", "ns per message", false, false, {"3-D FFT"}, {}};
  add_pattern(
      context, result, fft_pattern(context.choose(8, 64, 64)), "3-D FFT", {3.6 / 3.3, 3.45 / 3.3},
      "the paper's: communication time at N = 512, 252 messages of 4 phases on Blue Gene/Q; at N = 1024: 1.11 and 1.06",
      &plot);
  result.plots.push_back(std::move(plot));
  result.reading.emplace_back("The paper's ratios are of whole exchanges with 64 neighbours, data included; these are "
                              "of what translation and descriptor cost "
                              "alone, so that every nanosecond shows. Rows and columns are an offset and a stride to "
                              "us: no cache, no division.");
  return result;
}

Result run_amg(Context &context) {
  Result result;
  const std::vector<std::pair<std::string, Extents>> grids =
      context.effort() == Effort::kTiny
          ? std::vector<std::pair<std::string, Extents>>{{"64 ranks", {4, 4, 4}}}
          : std::vector<std::pair<std::string, Extents>>{{"16384 ranks", {32, 32, 16}}, {"8192 ranks", {32, 16, 16}}};
  Plot plot{"", "AMG, one V-cycle", "", "ns per message", false, false, {}, {}};
  for (const auto &[name, grid] : grids) {
    plot.categories.push_back(name);
    const bool large = grid[1] == 32;
    add_pattern(context, result, amg_pattern(grid), name,
                large ? PaperPattern{4.493 / 4.447, 4.493 / 4.514} : PaperPattern{2.333 / 2.313, 2.333 / 2.327},
                "the paper's: figures of merit of whole runs, inverted; messages to 26 neighbours at each level are "
                "what such a solver sends, "
                "chosen here",
                &plot);
  }
  result.plots.push_back(std::move(plot));
  result.reading.emplace_back(
      "A communicator of all ranks, not reordered, is direct to us whatever grid it stands "
      "for: what the paper compresses, by a mapping "
      "function and a cache before it, is no more than an address to start from here. The application itself computes "
      "most of the time, which is why the "
      "paper's ratios are within 1 percent.");
  return result;
}

} // namespace avrankmap::bench
