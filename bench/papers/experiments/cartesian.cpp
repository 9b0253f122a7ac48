// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Space Performance Tradeoffs in Compressing MPI Group Data Structures": which communicators are
// compressed (figure 2), the bytes that this saves (figure 3), and the cost of the mapping function
// and its caches (figures 5 and 6, tables 1 and 2).
#include "baseline/world_rectangles.h"
#include "component/memory/torus_split.h"
#include "papers/conclusions/conclusions.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "papers/experiments/owned.h"
#if AVRM_HAVE_DEVICE
#include "papers/patterns/local_fft.h"
#include "papers/patterns/multigrid.h"
#include "papers/patterns/neighbourhood.h"
#include "papers/patterns/pencils.h"
#endif
#include "component/translation/application_patterns.h"
#include "component/translation/translation_cache_rates.h"

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
  const OwnedInstance instance = make_instance(AVRM_COST_BYTES);
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
    Value communicators = {};
    Value table = {};
    Value compressed = {};
  };
  const std::vector<Size> sizes{
      {128, {32, 2, 2, 4, 4, 2}, {}, 15.0, 12.0},
      {512, {32, 2, 4, 4, 4, 4}},
      {1024, {32, 2, 8, 4, 4, 4}},
      {2048, {32, 2, 16, 4, 4, 4}},
      {4096, {32, 2, 16, 8, 4, 4}},
      {8192, figure3_torus(), 68.0, 60.0, 20.0},
  };
  const bool tiny = context.effort() == Effort::kTiny;
  Result result;
  result.table = {
      "nodes of 32 processes", {"communicators", "plain tables, MB", kRectangles, "ours, MB", "ours, bytes"}, {}};
  Plot plot{"",
            "Maps of a process after splitting a torus along all dimensions",
            "nodes of 32 processes",
            "MB per process",
            true,
            false,
            {},
            {}};
  std::uint64_t checked = 0;
  const auto add = [&](const std::string &label, const TorusSplit &split, const Value &communicators,
                       const Value &table, const Value &compressed) {
    const Value rectangles =
        split.bytes_rectangles ? Value(static_cast<double>(*split.bytes_rectangles) / 1e6) : Value();
    result.table.rows.push_back({label,
                                 {{static_cast<double>(split.communicators), communicators},
                                  {static_cast<double>(split.bytes_table) / 1e6, table},
                                  {rectangles, compressed},
                                  {static_cast<double>(split.bytes) / 1e6},
                                  {static_cast<double>(split.bytes)}}});
    checked += split.checked;
  };
  add("the paper's example, one dimension of 4 processes", measure_torus_split({4}, 3), 3.0, {}, {});
  for (const Size &size : sizes) {
    if (tiny && size.nodes > 128) {
      break;
    }
    context.progress()(fmt::format("{} nodes", size.nodes));
    const TorusSplit split = measure_torus_split(size.extents, 100000);
    add(number_text(size.nodes), split, size.communicators, size.table, size.compressed);
    series_of(plot, "plain tables", false)
        .points.emplace_back(size.nodes, static_cast<double>(split.bytes_table) / 1e6);
    series_of(plot, "that paper's scheme", false)
        .points.emplace_back(size.nodes, static_cast<double>(split.bytes_rectangles.value_or(0)) / 1e6);
    series_of(plot, "ours", true).points.emplace_back(size.nodes, static_cast<double>(split.bytes) / 1e6);
  }
  if (!tiny) {
    context.progress()("16,777,216 processes");
    const TorusSplit split =
        measure_torus_split(extrapolated_torus(), context.choose<std::uint64_t>(0, 100000, 1000000));
    add(fmt::format("{} processes", times_text(split.extents)), split, 252.0, "about 2,000", "a few");
  }
  result.plots.push_back(std::move(plot));
  result.note =
      fmt::format("Measured: real maps, of which {} translations were compared with plain tables; computed: "
                  "plain tables of 4 bytes per rank. That paper's scheme is written afresh: a corner and sizes "
                  "where the communicator is a part of the torus. The paper's values are all memory of the "
                  "MPI library, so that those here, maps alone, are to be compared in their differences; it "
                  "extrapolates the last row.",
                  number_text(static_cast<double>(checked)));
  return result;
}

namespace {

const std::vector<CacheRate> &cache_rates(Context &context) {
  return context.once("translation caches", [&] {
    return measure_translation_caches(context.choose(1, 15, 101), context.choose(1 << 10, 1 << 15, 1 << 15));
  });
}

constexpr std::array kCacheColumns = {kPlainTable, kMappingFunction, "linear 8", "linear 16", kPaperCache};

constexpr const char *kHits = "hits of 128 x 8, %";

/// Rows of an exchange with some neighbours.
struct Exchange {
  bool multi_hop;
  const char *title;
  const char *ours; ///< what our map is
};

Result run_exchange(Context &context, const Exchange &exchange) {
  Result result;
  result.table = {"ns per translation", {kCacheColumns.begin(), kCacheColumns.end()}, {}};
  for (const char *const column : {"ours", kHits, kOverPaperCache}) {
    result.table.columns.emplace_back(column);
  }
  Plot plot{"", exchange.title, "neighbours", "ns per translation", false, false, {}, {}};
  for (const CacheRate &rate : cache_rates(context)) {
    if ((rate.hops != 0) != exchange.multi_hop) {
      continue;
    }
    const bool same_order = rate.order == "rr";
    const std::string label =
        fmt::format("{} neighbours, {} order each time", rate.neighbours, same_order ? "same" : "another");
    cell_of(result.table, label, rate.scheme).here = rate.nanoseconds;
    if (rate.scheme == kPlainTable) {
      cell_of(result.table, label, "ours").here = rate.nanoseconds_ours;
    }
    if (rate.scheme == kPaperCache) {
      const auto all = static_cast<double>(rate.hits + rate.misses);
      cell_of(result.table, label, kHits).here = all == 0 ? Value() : Value(100 * static_cast<double>(rate.hits) / all);
      cell_of(result.table, label, kOverPaperCache).here = rate.ours_over_theirs;
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
      fmt::format("Measured: translation alone, of the process in the middle; the paper's figure has latencies "
                  "of whole exchanges on a Blue Gene/Q. Ours is {} without a cache.",
                  exchange.ours);
  return result;
}

#if AVRM_HAVE_DEVICE

/// Adds a column if there is none.
void add_column(Table &table, const std::string &name) {
  if (std::find(table.columns.begin(), table.columns.end(), name) == table.columns.end()) {
    table.columns.push_back(name);
    for (Row &row : table.rows) {
      row.cells.emplace_back();
    }
  }
}

/// Adds the rows of an exchange between real processes.
/// @param paper  of caches, over the plain table
void add_real_exchange(Context &context, Result &result, const NeighbourhoodOptions &options,
                       const std::vector<std::pair<const char *, Value>> &paper) {
  context.progress()(fmt::format("{} real processes", options.torus.size()));
  add_column(result.table, kAgain);
  const std::string label =
      fmt::format("{} neighbours, {} real processes: us per exchange", options.steps.size(), options.torus.size());
  const std::string ratios = fmt::format("{} neighbours{}", options.steps.size(), kRealOverTable);
  for (const LookupTimes &times : measure_neighbourhood(
           options, {Lookup::kTable, Lookup::kFunction, Lookup::kLinear16, Lookup::kPaperCache, Lookup::kOurs})) {
    cell_of(result.table, label, times.lookup).here = times.seconds[0] / options.exchanges * 1e6;
    cell_of(result.table, ratios, times.lookup).here = times.ratios[0];
  }
  for (const auto &[column, value] : paper) {
    cell_of(result.table, ratios, column).paper = value;
  }
}

/// What the rows of real processes are.
std::string real_note(const NeighbourhoodOptions &options) {
  return fmt::format(" The last rows: all of the exchange, messages of {} bytes between {} processes of this "
                     "machine, on a torus of {}; the last column is the plain table once more.",
                     options.bytes, options.torus.size(), times_text(options.torus.extents));
}

NeighbourhoodOptions real_exchange(Context &context, Extents torus, std::vector<Extents> steps) {
  NeighbourhoodOptions options;
  options.torus.extents = std::move(torus);
  options.steps = std::move(steps);
  options.exchanges = context.choose(1, 10, 20);
  options.rounds = context.choose(1, 15, 101);
  return options;
}

#endif

} // namespace

Result run_near_neighbours(Context &context) {
  Result result = run_exchange(
      context, {false, "Translations of the near-neighbour exchange, same order each time", "a 5-D Cartesian map"});
  result.note += fmt::format(" The torus has {} nodes, as the paper's, and its last dimension two places: of ten "
                             "neighbours two are the same process. Its ranks count the dimensions the other way "
                             "round than the world; in the world's order ours is direct.",
                             times_text(near_torus().extents));
#if AVRM_HAVE_DEVICE
  const Extents torus = context.choose<Extents>({2, 1, 1, 1, 2}, {4, 2, 2, 2, 2}, {4, 2, 2, 2, 2});
  result.note += real_note(real_exchange(context, torus, {}));
  for (const int dimensions : context.choose<std::vector<int>>({5}, {3, 5}, {3, 4, 5})) {
    const std::vector<std::pair<const char *, Value>> paper{{"linear 16", dimensions == 5 ? Value(1.008) : Value()}};
    add_real_exchange(context, result,
                      real_exchange(context, torus, next_steps(5, static_cast<std::size_t>(dimensions))), paper);
  }
#endif
  return result;
}

Result run_multi_hop(Context &context) {
  Result result = run_exchange(
      context, {true, "Translations of the multi-hop exchange, same order each time", "a 3-D Cartesian map"});
  result.note +=
      " Ranks count the eight processes of a node, 2 x 2 x 2, one after the other, and then the nodes. Of the "
      "cache of 128 rows of 8 the paper says that (rank ^ rank >> 7) & 127 selects a row; how its ranks lie "
      "in the grid it does not say. The rows of means are simulated, with all 4,096 processes.";
  constexpr std::pair<Numbering, const char *> kNumberings[] = {{Numbering::kByNodes, kByNodes},
                                                                {Numbering::kByRows, kByRows}};
  for (const auto &[numbering, name] : kNumberings) {
    for (const int hops : {3, 4}) {
      if (context.effort() == Effort::kTiny && hops != 4) {
        continue;
      }
      const std::string label = fmt::format("{} neighbours{}", steps_within(hops).size(), name);
      Cell &cell = cell_of(result.table, label, kHits);
      cell.here = 100 * hits_of_all(hops, numbering).mean;
      cell.paper = hops == 4 ? Value("about 60") : Value("effectively 100");
    }
  }
#if AVRM_HAVE_DEVICE
  const Extents torus = context.choose<Extents>({2, 2, 2}, {4, 4, 4}, {4, 4, 4});
  const NeighbourhoodOptions options = real_exchange(context, torus, steps_within(1));
  add_real_exchange(context, result, options, {{kPaperCache, 1.0}});
  result.note += real_note(options);
  result.omissions.emplace_back("More hops between real processes need a torus of more processes than two CPUs bear");
#endif
  return result;
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
    times.cells.resize(times.cells.size() + empty);
    ratios.cells.resize(ratios.cells.size() + empty);
    times.cells.push_back({cost->nanoseconds});
    ratios.cells.push_back({cost->ratio, i == 1 || i == 2 ? Value(rounded(paper[i - 1])) : Value()});
  }
  for (Row *const row : {&times, &ratios}) {
    row->cells.resize(table.columns.size());
    table.rows.push_back(std::move(*row));
  }
}

/// A row of a printed table, followed by empty cells.
Row printed_row(std::string label, std::initializer_list<Value> paper, std::size_t columns) {
  Row row{std::move(label), {}};
  for (const Value &value : paper) {
    row.cells.push_back({{}, value});
  }
  row.cells.resize(columns);
  return row;
}

constexpr const char *kPatternNote =
    "Measured: in rows of ns per message, translation and descriptor of each message on "
    "the null network. V1R2M0 is a plain table here, No Caching the mapping "
    "function, 2D Caching its 128 x 8 cache.";

#if AVRM_HAVE_DEVICE

/// In the order of kPatternSchemes.
const std::vector<Lookup> kPatternLookups = {Lookup::kTable, Lookup::kFunction, Lookup::kPaperCache, Lookup::kOurs};

/// The column of the real processes' times in table 1.
std::string fft_column(std::size_t way, int part) {
  constexpr const char *kNames[] = {"V1R2M0", "No Caching", "2D Caching", "ours", "again"};
  return fmt::format("{} {}", kNames[way], part == kPencilRun ? "Run" : "Comm");
}

/// Adds the times of an FFT between real processes and their ratios, with those of the paper.
void add_fft(Context &context, Table &table, const std::string &name, const PencilOptions &options,
             const std::array<std::array<Value, 2>, 2> &paper) {
  context.progress()(fmt::format("{}, {} processes", name, options.processes()));
  const std::vector<LookupTimes> times = measure_pencils(options, kPatternLookups);
  const std::string label = fmt::format("{}, {} real processes, ms", name, options.processes());
  const std::string ratios = fmt::format("{}{}", name, kRealOverTable);
  for (std::size_t way = 0; way < times.size(); ++way) {
    for (const int part : {kPencilRun, kPencilComm}) {
      const auto at = static_cast<std::size_t>(part);
      if (part == kPencilComm || LocalFft::is_available()) {
        cell_of(table, label, fft_column(way, part)).here = times[way].seconds[at] * 1e3;
        cell_of(table, ratios, fft_column(way, part)) = {times[way].ratios[at],
                                                         way == 1 || way == 2 ? paper[way - 1][at] : Value()};
      }
    }
  }
}

#endif

} // namespace

Result run_fft(Context &context) {
  Result result;
  result.table = {"problem size (N), ms", {}, {}};
  for (const char *const scheme : {"V1R2M0", "No Caching", "2D Caching", "ours", "again"}) {
    for (const char *const part : {"Run", "Comm"}) {
      result.table.columns.push_back(fmt::format("{} {}", scheme, part));
    }
  }
  const std::size_t columns = result.table.columns.size();
  result.table.rows = {printed_row("512", {22.8, 3.3, 23.2, 3.6, printed(23.0, 1), 3.45}, columns),
                       printed_row("1024", {199.0, 26.6, 201.0, 29.6, 199.0, 28.1}, columns)};
  const ApplicationPattern pattern = fft_pattern(context.choose(8, 64, 64));
  add_pattern(context, result.table, pattern, "translation", {3.6 / 3.3, 3.45 / 3.3}, 1);
  result.note = fmt::format("{} The pattern has {} messages in 4 phases, those of one of 4,096 processes; the "
                            "paper's ratios in brackets are those of Comm at N = 512, data included.",
                            kPatternNote, pattern.messages());
#if AVRM_HAVE_DEVICE
  using Ratios = std::array<std::array<Value, 2>, 2>;
  const auto over = [](double whole, double part) { return Value(rounded(part / whole)); };
  const Ratios of_512 = {{{over(22.8, 23.2), over(3.3, 3.6)}, {over(22.8, 23.0), over(3.3, 3.45)}}};
  const Ratios of_1024 = {{{over(199, 201), over(26.6, 29.6)}, {over(199, 199), over(26.6, 28.1)}}};
  const bool tiny = context.effort() == Effort::kTiny;
  const std::int32_t row = tiny ? 2 : 64;
  const std::int32_t cube = tiny ? 2 : 8;
  add_fft(context, result.table, "512, X and Y of one row",
          {row, tiny ? 4 : 512, 2, context.choose(1, 3, 15), 1, tiny ? 2 : 8}, of_512);
  add_fft(context, result.table, "1024, X and Y of one row",
          {row, tiny ? 8 : 1024, 2, context.choose(1, 1, 9), 1, tiny ? 4 : 16}, of_1024);
  add_fft(context, result.table, fmt::format("{}, X, Y and Z", cube * 8), {cube, cube * 8, 3, context.choose(1, 3, 25)},
          of_512);
  if (context.effort() == Effort::kFull) {
    add_fft(context, result.table, fmt::format("{}, X, Y and Z", cube * 16), {cube, cube * 16, 3, 15}, of_1024);
  }
  result.note += fmt::format(
      " Real processes: {} of them are one row of the paper's 64 x 64, each with the numbers of one of its 4,096 "
      "processes and their messages of 8 and 64 KiB, for X and Y; all three dimensions with messages of the same size "
      "by "
      "8 x 8 processes. All 4,096 would have {:.0f} GiB of numbers for N = 1,024, twice. Run is a pair of forward and "
      "backward transforms between barriers, Comm its messages alone. Before that every number was found at its place "
      "behind the transposition, and back{}. Again is the plain table once more. The ratios in brackets are the "
      "paper's with "
      "messages of the same size.",
      row, std::pow(1024, 3) * 16 / std::pow(2, 30),
      LocalFft::is_available() ? ", and a wave transformed to its one frequency" : "");
  if (!LocalFft::is_available()) {
    result.omissions.emplace_back("Run: the program was built without FFTW");
  }
#endif
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
  result.table.columns.emplace_back("again");
  const std::size_t columns = result.table.columns.size();
  result.table.rows = {printed_row("512, 16384", {"4.493 e9", "4.447 e9", "4.514 e9"}, columns),
                       printed_row("256, 8192", {"2.333 e9", "2.313 e9", "2.327 e9"}, columns)};
  for (const auto &[name, grid, paper] : sizes) {
    add_pattern(context, result.table, amg_pattern(grid), name, paper, 0);
  }
  result.note = fmt::format("{} The pattern is one V-cycle with messages to 26 neighbours at each level, chosen "
                            "here. The paper's figures of merit are of whole runs; its ratios are their inverses.",
                            kPatternNote);
#if AVRM_HAVE_DEVICE
  MultigridOptions options;
  options.grid = context.choose<std::array<std::int32_t, 3>>({2, 2, 1}, {4, 4, 4}, {4, 4, 4});
  options.points = context.choose(2, 8, 8);
  options.iterations = context.choose(1, 3, 5);
  options.rounds = context.choose(1, 3, 25);
  context.progress()(fmt::format("multigrid, {} processes", options.processes()));
  const std::vector<LookupTimes> times = measure_multigrid(options, kPatternLookups);
  Row merits{fmt::format("{} real processes: here", options.processes()), {}};
  Row ratios{fmt::format("figure of merit{}", kRealOverTable), {}};
  for (const LookupTimes &way : times) {
    merits.cells.push_back({figure_of_merit(options, way.seconds[0])});
    ratios.cells.push_back({1 / way.ratios[0]});
  }
  ratios.cells[1].paper = rounded(4.447 / 4.493);
  ratios.cells[2].paper = rounded(4.514 / 4.493);
  result.table.rows.push_back(std::move(merits));
  result.table.rows.push_back(std::move(ratios));
  result.note += fmt::format(
      " Real processes: conjugate gradients preconditioned by a V-cycle of ours, {} unknowns, 26 neighbours on a grid "
      "of "
      "{} processes, of which coarser levels use each second one, and so on; solved to a known solution in {:.0f} "
      "iterations in each way before it was timed. Its figure of merit is the paper's: unknowns times iterations over "
      "time. The paper's solver and processors are others, so that ratios are to be compared; those in brackets are of "
      "16,384 "
      "processes. Again is the plain table once more.",
      number_text(static_cast<double>(options.unknowns())), fmt::format("{}", fmt::join(options.grid, " x ")),
      times.front().verified);
#endif
  return result;
}

} // namespace avrankmap::bench
