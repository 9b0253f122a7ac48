// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper: bytes that a process holds for its communicators (figures 9 to 14), and
// those of whole applications (figures 17 and 18; 17 of the earlier text). All structures are
// allocated, except in rows that say that they are computed.
#include "baseline/paper_rankmap.h"
#include "component/memory/growth.h"
#include "component/memory/memory_use.h"
#include "papers/conclusions/conclusions.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kMira = 786432;
constexpr std::int32_t kBlues = 4096;
// What the paper calls MB: 786,432 addresses of 12 bytes are 9 of them.
constexpr double kMib = 1 << 20;

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / kMib; }

/// The paper's statement about a scheme at the largest size.
struct Stated {
  Value with_10; ///< communicators
  Value with_100;
  Value maps;
};

/// A figure's experiment.
struct Figure {
  GrowthKind kind;
  std::int32_t largest;
  const char *what; ///< is made again and again
  bool breakdown;   ///< has parts (b) and (c)
  Stated vc_vcrt;
  Stated strict;
};

constexpr const char *kStrict = "AV-Rankmap (strict)";
constexpr const char *kOurs = "ours, implicit AV";
constexpr const char *kOursTable = "ours, table AV";
constexpr const char *kAvRankmap = "AV-Rankmap (all forms, table AV)";
constexpr const char *kVcVcrt = "VC-VCRT";
constexpr const char *kWithNodes = "VC-VCRT, with its tables of nodes";
constexpr const char *kNotHalved = "VC-VCRT, with its tables of nodes, groups not halved";
constexpr const char *kOfFourBytes = "VC-VCRT, tables of 4 bytes (computed)";

std::string title_of(const std::string &scheme) {
  return scheme == "strict"       ? kStrict
         : scheme == "default"    ? kOurs
         : scheme == "table"      ? kOursTable
         : scheme == "vc-vcrt"    ? kVcVcrt
         : scheme == "mpich4"     ? "MPICH 4.0.2"
         : scheme == "mpich4-ucx" ? "MPICH 4.0.2, UCX"
         : scheme == "mpich5"     ? "MPICH 5"
         : scheme == "ompi"       ? kOpenMpiAsShipped
                                  : kOpenMpiSparse;
}

const Growth &of(const std::vector<Growth> &all, const char *scheme) {
  return *std::find_if(all.begin(), all.end(), [&](const Growth &growth) { return growth.scheme == scheme; });
}

/// Sizes up to the largest: powers of two, and the largest itself.
std::vector<std::int32_t> sizes_up_to(std::int32_t largest, int step) {
  std::vector<std::int32_t> sizes;
  for (std::int32_t size = 128; size < largest; size *= step) {
    sizes.push_back(size);
  }
  sizes.push_back(largest);
  return sizes;
}

/// Throws if the accounting of ours differs from what the allocator was asked for.
void check_accounting(const std::vector<Growth> &all) {
  for (const Growth &growth : all) {
    if (growth.asked_bytes && *growth.asked_bytes != growth.bytes.back()) {
      throw std::runtime_error(fmt::format("{}: the accounting says {} bytes, {} were asked of the allocator",
                                           growth.scheme, growth.bytes.back(), *growth.asked_bytes));
    }
  }
}

/// The plots of a figure, filled size by size.
class GrowthPlots {
public:
  explicit GrowthPlots(const Figure &figure)
      : by_size_{"a",         fmt::format("{}: memory of a process with 10 and 100 communicators", figure.what),
                 "processes", "MiB per process",
                 true,        false,
                 {},          {}},
        parts_{"b",         fmt::format("{}: parts of the memory with 10 communicators", figure.what),
               "processes", "MiB per process",
               false,       false,
               {},          {}},
        what_(figure.what) {
    if (figure.largest == kMira) { // a process of which had a gigabyte
      for (const int percent : {10, 20, 40, 100}) {
        by_size_.levels.emplace_back(1024 * percent / 100.0, fmt::format("{} % of 1 GiB", percent));
      }
    }
    for (const char *const scheme : kSchemes) {
      for (const int count : {10, 100}) {
        by_size_.series.push_back(
            {fmt::format("{}, {}", title_of(scheme), count), {}, title_of(scheme).starts_with("ours")});
      }
    }
    for (const char *const part : {"VC", "VCRT", "AV (strict)", "Rankmap (strict)", "AV (ours, table)",
                                   "Rankmap (ours, table or implicit AV)"}) {
      const bool is_above = parts_.series.size() % 2 != 0;
      parts_.series.push_back({part, {}, std::string(part).find("ours") != std::string::npos, 0, is_above});
    }
  }

  void add(const std::vector<Growth> &all, std::int32_t size) {
    std::size_t series = 0;
    for (const char *const scheme : kSchemes) {
      const Growth &growth = of(all, scheme);
      for (const std::size_t count : {10U, 100U}) {
        by_size_.series[series++].points.emplace_back(size, mib(growth.bytes[count]));
      }
    }
    add_parts(all, size);
  }

  /// @param last  of the largest size
  std::vector<Plot> take(const std::vector<Growth> &last, bool breakdown) {
    join_coincident();
    if (!breakdown) {
      return {std::move(by_size_)};
    }
    Plot by_count{"c",
                  fmt::format("{}: memory of a process, {} processes", what_, number_text(last.front().processes)),
                  "communicators",
                  "MiB per process",
                  false,
                  false,
                  {},
                  {}};
    for (const char *const scheme : kSchemes) {
      Series line{title_of(scheme), {}, title_of(scheme).starts_with("ours")};
      const Growth &growth = of(last, scheme);
      for (std::size_t count = 10; count < growth.bytes.size(); count += 10) {
        line.points.emplace_back(static_cast<double>(count), mib(growth.bytes[count]));
      }
      by_count.series.push_back(std::move(line));
    }
    return {std::move(by_size_), std::move(parts_), std::move(by_count)};
  }

private:
  /// With an implicit AV the rankmap is as large as with a table; the AV itself cannot be seen.
  void add_parts(const std::vector<Growth> &all, std::int32_t size) {
    const auto maps = [&](const char *scheme) { return of(all, scheme).bytes[10] - of(all, scheme).address_bytes; };
    if (maps("table") != maps("default")) {
      throw std::runtime_error(fmt::format("{}: the maps of both kinds of AV differ", what_));
    }
    const auto x = static_cast<double>(parts_.categories.size());
    parts_.categories.push_back(number_text(size));
    const std::uint64_t parts[] = {of(all, "vc-vcrt").address_bytes, maps("vc-vcrt"),
                                   of(all, "strict").address_bytes,  maps("strict"),
                                   of(all, "table").address_bytes,   maps("table")};
    for (std::size_t i = 0; i < std::size(parts); ++i) {
      parts_.series[i].points.emplace_back(x, mib(parts[i]));
    }
    parts_.x_label = fmt::format("processes; ours with an implicit AV has the rankmap alone, and {}",
                                 bytes_text(static_cast<double>(of(all, "default").address_bytes)));
  }

  /// One line for both numbers of communicators of a scheme that a picture could not tell apart.
  void join_coincident() {
    std::vector<Series> &series = by_size_.series;
    const double top = series[1].points.back().second;
    for (std::size_t i = series.size() - 2; i != 0; i -= 2) {
      if (series[i + 1].points.back().second - series[i].points.back().second < top / 100) {
        series[i + 1].name = fmt::format("{}, 10 and 100", series[i + 1].name.substr(0, series[i + 1].name.rfind(',')));
        series.erase(series.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  static constexpr const char *kSchemes[] = {"vc-vcrt", "strict", "table", "default"};
  Plot by_size_;
  Plot parts_;
  std::string what_;
};

/// @param with_10, with_100  bytes with so many communicators
void add_growth_row(Table *table, const char *label, const Growth &growth, std::uint64_t with_10,
                    std::uint64_t with_100, const Stated &stated) {
  const auto maps = static_cast<double>(with_100 - growth.address_bytes);
  table->rows.push_back({label,
                         {{mib(with_10), stated.with_10},
                          {mib(with_100), stated.with_100},
                          {mib(growth.address_bytes)},
                          {maps, stated.maps},
                          {maps / 100 / growth.processes}}});
}

Table growth_table(const std::vector<Growth> &all, const Figure &figure) {
  Table table{fmt::format("{} processes", number_text(all.front().processes)),
              {"10 communicators, MiB", "100 communicators, MiB", "addresses, MiB", "maps of 100, bytes",
               "bytes per map and process"},
              {}};
  const bool comparable = all.front().processes == figure.largest;
  for (const char *const scheme :
       {"vc-vcrt", "strict", "table", "default", "mpich4", "mpich4-ucx", "mpich5", "ompi", "ompi-sparse"}) {
    const Growth &growth = of(all, scheme);
    const Stated none;
    const Stated &stated = !comparable                  ? none
                           : growth.scheme == "strict"  ? figure.strict
                           : growth.scheme == "vc-vcrt" ? figure.vc_vcrt
                                                        : none;
    add_growth_row(&table, title_of(scheme).c_str(), growth, growth.bytes[10], growth.bytes[100], stated);
    if (growth.scheme == "vc-vcrt") {
      add_growth_row(&table, kWithNodes, growth, growth.bytes[10] + growth.node_bytes[10],
                     growth.bytes[100] + growth.node_bytes[100], {stated.with_10, stated.with_100, {}});
      add_growth_row(&table, kOfFourBytes, growth, growth.bytes[10] - 4 * growth.entries[10],
                     growth.bytes[100] - 4 * growth.entries[100], {});
    }
  }
  return table;
}

Result run_growth(Context &context, const Figure &figure) {
  const std::int32_t largest = context.choose(256, figure.largest, figure.largest);
  GrowthPlots plots(figure);
  std::vector<Growth> last;
  for (const std::int32_t size : sizes_up_to(largest, context.choose(4, figure.largest > kBlues ? 16 : 4, 2))) {
    context.progress()(fmt::format("{} processes", size));
    last = measure_growth(figure.kind, size, 100);
    check_accounting(last);
    plots.add(last, size);
  }
  Result result;
  result.table = growth_table(last, figure);
  result.plots = plots.take(last, figure.breakdown);
  result.note =
      "Measured: all structures of one process are allocated, except in rows that are called computed, from the number "
      "of entries of their tables; ours are counted by the library and by the allocator, which agree to the byte. The "
      "paper's "
      "MB are MiB, and its system memory is 1 GB per "
      "process; its values are of a process of MPICH 3.2, "
      "which also keeps 8 bytes per rank of each communicator for nodes: the row with its tables of nodes. VC-VCRT has "
      "tables of pointers as MPICH 3.2's; the paper's listing of it loads indices of 4 bytes: the row of "
      "tables of 4 bytes. Open MPI ";
  result.note += figure.kind == GrowthKind::kDynamic ? fmt::format("is {}, has", kConnectedInOpenMpi)
                                                     : "has met no process, which leaves";
  result.note +=
      " 8 bytes per rank of a dense group, and makes no communicators of nodes; as shipped all of its groups "
      "are dense.";
  return result;
}

/// Adds the irregular communicator of section V-C2, the odd ranks in reverse order.
void add_reversed_memory(Context &context, Result &result) {
  const std::int32_t processes = context.choose(256, kMira, kMira);
  context.progress()("odd ranks, reversed");
  const std::vector<Growth> all = measure_growth(GrowthKind::kReversed, processes, 100);
  const auto add = [&](const std::string &scheme, const Growth &growth, std::uint64_t bytes_of_table) {
    add_growth_row(&result.table, ("odd ranks reversed: " + scheme).c_str(), growth,
                   growth.bytes[10] + 10 * bytes_of_table, growth.bytes[100] + 100 * bytes_of_table, {});
  };
  std::vector<std::int32_t> reversed(static_cast<std::size_t>(processes / 2));
  std::generate(reversed.begin(), reversed.end(), [next = processes + 1]() mutable { return next -= 2; });
  const PaperRankmap literal = PaperRankmap::direct(processes).child(reversed);
  const std::uint64_t table = literal.model() == PaperRankmap::Model::kLut ? reversed.size() * 4 : 0;
  for (const char *const scheme : {"vc-vcrt", "strict", "table", "default"}) {
    add(title_of(scheme), of(all, scheme), 0);
  }
  add(fmt::format("{} by the paper's steps (computed)", literal.label()), of(all, "strict"), table);
  result.note +=
      " Rows of odd ranks reversed have the communicator that section V-C2 calls lut, half of the world. The "
      "paper's steps end in a table, counted as 4 bytes per rank in addition to strict; strict finds a stride of -2.";
}

/// VC-VCRT's rows of communicators of the world, with which intercommunicators are compared.
void add_intracommunicators(Context &context, GrowthKind kind, const std::string &beginning, const Stated &stated,
                            Result &result) {
  context.progress()("communicators of the world");
  const std::vector<Growth> of_world = measure_growth(kind, context.choose(256, kMira, kMira), 100);
  const Growth &theirs = of(of_world, "vc-vcrt");
  add_growth_row(&result.table, (beginning + kVcVcrt).c_str(), theirs, theirs.bytes[10], theirs.bytes[100], stated);
  add_growth_row(&result.table, (beginning + kWithNodes).c_str(), theirs, theirs.bytes[10] + theirs.node_bytes[10],
                 theirs.bytes[100] + theirs.node_bytes[100], stated);
}

/// Some applications of the survey.
std::vector<SurveyApplication> applications_named(const std::vector<std::string> &names, std::int32_t processes) {
  std::vector<SurveyApplication> chosen;
  for (const std::string &name : names) {
    for (const SurveyApplication &application : survey(processes)) {
      if (application.name == name) {
        chosen.push_back(application);
      }
    }
  }
  return chosen;
}

const MemoryUse &use_of(const std::vector<MemoryUse> &uses, const std::string &application, const char *scheme) {
  return *std::find_if(uses.begin(), uses.end(),
                       [&](const MemoryUse &use) { return use.application == application && use.scheme == scheme; });
}

// Schemes of measure_memory() that the figures of applications show.
constexpr std::pair<const char *, const char *> kApplicationSchemes[] = {
    {"vc-vcrt", "VC-VCRT"}, {"avrankmap", kAvRankmap}, {"avrankmap-implicit", kOurs}};
const std::string kAvRankmapMib = std::string(kAvRankmap) + ", MiB";

constexpr const char *kApplicationNote =
    "Measured: all structures of one process but MPICH 3.2's tables of nodes are allocated. AV-Rankmap is our library "
    "with all of its forms and a table of addresses; an implicit AV computes them. The paper's values are from runs of "
    "the applications on a Blue Gene/Q; its MB are MiB.";

/// Table of one size: the bytes of each application in each scheme, in all and those of maps.
Table application_table(const std::vector<MemoryUse> &uses, const std::vector<std::string> &names) {
  Table table{"application", {"communicators"}, {}};
  for (const auto &[scheme, title] : kApplicationSchemes) {
    table.columns.push_back(fmt::format("{}, MiB", title));
    table.columns.push_back(fmt::format("{}, maps, bytes", title));
  }
  for (const std::string &name : names) {
    Row row{name, {{static_cast<double>(use_of(uses, name, kApplicationSchemes[0].first).communicators)}}};
    for (const auto &[scheme, title] : kApplicationSchemes) {
      const MemoryUse &use = use_of(uses, name, scheme);
      row.cells.push_back({mib(use.bytes)});
      row.cells.push_back({static_cast<double>(use.bytes - use.world_bytes)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Puts the paper's value into a column, in all rows.
void state(Table &table, const std::string &column, const Value &paper) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), column) - table.columns.begin();
  for (Row &row : table.rows) {
    row.cells[static_cast<std::size_t>(place)].paper = paper;
  }
}

constexpr std::int32_t kHalfMira = 524288;

Result run_applications(Context &context, const std::vector<std::string> &names, const char *title) {
  const std::int32_t processes = context.choose(1024, kHalfMira, kHalfMira);
  const std::vector<MemoryUse> uses = measure_memory(processes, applications_named(names, processes));
  Plot plot{"",
            fmt::format("{}, {} processes", title, number_text(processes)),
            "application",
            "MiB per process",
            false,
            false,
            names,
            {}};
  for (const auto &[scheme, label] : kApplicationSchemes) {
    Series addresses{fmt::format("{}, addresses", label), {}, std::string(scheme) == "avrankmap-implicit"};
    Series maps{fmt::format("{}, maps", label), {}, false, 0, true};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const MemoryUse &use = use_of(uses, names[i], scheme);
      addresses.points.emplace_back(static_cast<double>(i), mib(use.world_bytes));
      maps.points.emplace_back(static_cast<double>(i), mib(use.bytes - use.world_bytes));
    }
    plot.series.push_back(std::move(addresses));
    plot.series.push_back(std::move(maps));
  }
  Result result;
  result.table = application_table(uses, names);
  result.plots = {std::move(plot)};
  result.note = fmt::format("{} {} processes.", kApplicationNote, number_text(processes));
  return result;
}

} // namespace

Result run_split_memory(Context &context) {
  return run_growth(context, {GrowthKind::kSplit,
                              kMira,
                              "Split",
                              true,
                              {"more than 40 % of system memory", "exceeds the total system memory", {}},
                              {{}, 9.0, {}}});
}
Result run_dup_memory(Context &context) {
  return run_growth(context, {GrowthKind::kDup, kMira, "Duplicate", true, {}, {}});
}
Result run_split_inter_memory(Context &context) {
  Result result = run_growth(
      context, {GrowthKind::kSplitInter, kMira, "Split intercommunicator", false, {{}, "about 1,400", {}}, {}});
  const std::int32_t processes = context.choose(256, kMira, kMira);
  context.progress()("groups that are not halved");
  const std::vector<Growth> whole = measure_growth(GrowthKind::kWholeInter, processes, 100);
  const Growth &theirs = of(whole, "vc-vcrt");
  add_growth_row(&result.table, kNotHalved, theirs, theirs.bytes[10] + theirs.node_bytes[10],
                 theirs.bytes[100] + theirs.node_bytes[100],
                 {{}, processes == kMira ? Value("about 1,400") : Value(), {}});
  result.note += fmt::format(" Each group has the even ranks of half the world. The row {} has all ranks of both "
                             "halves, in tables of their own.",
                             kNotHalved);
  add_intracommunicators(context, GrowthKind::kSplit, kSplitOfTheWorld,
                         {{}, processes == kMira ? Value("about 1,000") : Value(), {}}, result);
  return result;
}
Result run_dup_inter_memory(Context &context) {
  Result result = run_growth(context, {GrowthKind::kDupInter, kMira, "Duplicate intercommunicator", false, {}, {}});
  add_intracommunicators(context, GrowthKind::kDup, kOfTheWorld, {}, result);
  return result;
}
Result run_reordered_memory(Context &context) {
  Result result =
      run_growth(context, {GrowthKind::kReordered, kMira, "Random order", true, {}, {{}, {}, "as VC-VCRT's"}});
  add_reversed_memory(context, result);
  return result;
}
Result run_dynamic_memory(Context &context) {
  Result result = run_growth(
      context,
      {GrowthKind::kDynamic, kBlues, "Dynamic processes, random order", true, {}, {{}, {}, "about twice VC-VCRT's"}});
  result.note += " A pair of process group and process takes 8 bytes in AV-Rankmap: as much as a pointer, and twice as "
                 "much as an index of 4 bytes.";
  return result;
}

Result run_nek_memory(Context &context) {
  Result result = run_applications(context, {"Nek5000, medium", "Nek5000, large"}, "Memory of Nek5000's communicators");
  state(result.table, "VC-VCRT, MiB", "around 250");
  state(result.table, kAvRankmapMib, "negligible");
  result.note += " The paper's 250 MB are nearly 25 % of a process's memory.";
  return result;
}

Result run_miniapps_memory(Context &context) {
  Result result =
      run_applications(context, {"BT", "FT", "SP", "AMG2013", "Nekbone", "AMR"}, "Memory of miniapps' communicators");
  state(result.table, "VC-VCRT, MiB", 244.0);
  state(result.table, kAvRankmapMib, 4.0);
  cell_of(result.table, "Nekbone", std::string(kAvRankmap) + ", maps, bytes").paper = "about 1,300";
  cell_of(result.table, "Nekbone", "communicators").paper = 24.0;
  result.note += " Each communicator of an application brings two internal ones, and so does the world; the paper says "
                 "that most of these applications make two to seven. Its 244 MB are nearly 25 % of a process's memory; "
                 "its 4 MB for 512K processes are 8 bytes per process.";
  return result;
}

namespace {

constexpr const char *kModels[] = {"direct", "offset", "stride", "lut", "mlut"};

/// The paper's value, which it states for its smallest and its largest size.
Value stated(std::int32_t processes, const char *of_smallest, double of_largest) {
  if (processes == 16384) {
    return std::string(of_smallest);
  }
  if (processes == kHalfMira) {
    return of_largest;
  }
  return {};
}

/// Adds the rows of one size: all bytes, and those of VCRTs by the model of the map.
void add_miniapps(Table &table, std::int32_t processes, const std::vector<MemoryUse> &uses,
                  const std::vector<ModelUse> &models, const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    Row row{fmt::format("{}, {} processes", name, number_text(processes)), {}};
    row.cells.push_back({mib(use_of(uses, name, "vc-vcrt").bytes), stated(processes, "around 15", 244)});
    row.cells.push_back({mib(use_of(uses, name, "avrankmap").bytes), stated(processes, "0.125", 4)});
    row.cells.push_back({mib(use_of(uses, name, "avrankmap-implicit").bytes)});
    std::uint64_t maps = 0;
    for (const char *const model : kModels) {
      std::uint64_t bytes = 0;
      for (const ModelUse &use : models) {
        if (use.application == name && use.model == model) {
          bytes += use.vcrt_bytes;
          maps += use.strict_bytes;
        }
      }
      row.cells.push_back({static_cast<double>(bytes)});
    }
    row.cells.push_back({static_cast<double>(maps), name == "Nekbone" ? Value("about 1,300") : Value()});
    table.rows.push_back(std::move(row));
  }
}

} // namespace

Result run_miniapps_growth(Context &context) {
  const std::vector<std::string> names{"BT", "FT", "SP", "AMG2013", "Nekbone", "AMR", "SMC"};
  const std::int32_t largest = context.choose(2048, kHalfMira, kHalfMira);
  const std::int32_t smallest = context.choose(1024, 16384, 16384);
  const auto plot_of_maps = [](const char *part, const char *scheme) {
    return Plot{part, fmt::format("Maps of miniapps: {}", scheme), "processes", "bytes per process", true, false, {},
                {}};
  };
  Plot theirs = plot_of_maps("a", "VC-VCRT");
  Plot ours = plot_of_maps("c", "ours, implicit AV");
  Plot by_model{"b",           fmt::format("VCRTs of miniapps by model, {} processes", number_text(largest)),
                "application", "MiB per process",
                false,         false,
                names,         {}};
  Result result;
  result.table = {"application", {"VC-VCRT, MiB", kAvRankmapMib, std::string(kOurs) + ", MiB"}, {}};
  for (const char *const model : kModels) {
    result.table.columns.push_back(fmt::format("VCRTs, {}, bytes", model));
  }
  result.table.columns.emplace_back(kStrictMapsColumn);
  for (std::int32_t processes = smallest; processes <= largest; processes *= 2) {
    if (processes > 2 * smallest && processes < largest && context.effort() != Effort::kFull) {
      continue;
    }
    context.progress()(fmt::format("{} processes", processes));
    const std::vector<SurveyApplication> applications = applications_named(names, processes);
    const std::vector<MemoryUse> uses = measure_memory(processes, applications);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto maps = [&](const char *scheme) {
        const MemoryUse &use = use_of(uses, names[i], scheme);
        return static_cast<double>(use.bytes - use.world_bytes);
      };
      series_of(theirs, names[i], false).points.emplace_back(processes, maps("vc-vcrt"));
      series_of(ours, names[i], true).points.emplace_back(processes, maps("avrankmap-implicit"));
    }
    if (processes <= 2 * smallest || processes == largest) {
      add_miniapps(result.table, processes, uses, measure_models(processes, applications), names);
    }
  }
  for (std::size_t model = 0; model < std::size(kModels); ++model) {
    Series bars{kModels[model], {}, false, 0, model != 0};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Row &row = result.table.rows[result.table.rows.size() - names.size() + i];
      bars.points.emplace_back(static_cast<double>(i), std::get<double>(row.cells[3 + model].here) / kMib);
    }
    by_model.series.push_back(std::move(bars));
  }
  result.plots = {std::move(theirs), std::move(by_model), std::move(ours)};
  result.note = fmt::format(
      "{} The models are strict. 524,288 VCs of 480 bytes and a table of pointers are 244 MiB. "
      "Its 15 MB for 16K processes do not fit its own words, a linear growth to 244 MB with 512K, 32 times as many. "
      "Its "
      "128 KB and 4 MB are 8 bytes per process, less than the 12 of its AVEs. BT's and SP's large communicator has an "
      "offset in the paper; here it begins at rank 0 and is direct, and FT has the rows alone, as in table I.",
      kApplicationNote);
  return result;
}

} // namespace avrankmap::bench
