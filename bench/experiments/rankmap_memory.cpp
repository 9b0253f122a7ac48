// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper: bytes that a process holds for its communicators (figures 9 to 14), and those of whole applications
// (figures 17 and 18; 17 of the earlier text). All structures are allocated; nothing is computed from a formula.
#include "experiments/catalogue.h"
#include "harness/growth.h"
#include "harness/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kMira = 786432;
constexpr std::int32_t kBlues = 4096;
constexpr double kMb = 1e6;

double mb(std::uint64_t bytes) { return static_cast<double>(bytes) / kMb; }

/// A figure's experiment.
struct Figure {
  GrowthKind kind;
  std::int32_t largest;
  const char *what;            ///< what is made again and again
  bool breakdown;              ///< has parts (b) and (c)
  Value theirs_10, theirs_100; ///< what the paper states of VC-VCRT at the largest size
  Value ours_10, ours_100;     ///< and of AV-Rankmap
};

const char *title_of(const std::string &scheme) {
  return scheme == "strict"    ? "AV-Rankmap as published (strict)"
         : scheme == "default" ? "ours, all forms"
         : scheme == "vc-vcrt" ? "VC-VCRT"
         : scheme == "mpich4"  ? "MPICH 4.0"
                               : "MPICH 5";
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

/// The accounting of ours against the books of the allocator.
void check_accounting(const std::vector<Growth> &all) {
  for (const Growth &growth : all) {
    if (growth.asked_bytes && *growth.asked_bytes != growth.bytes.back()) {
      throw std::runtime_error(fmt::format("{}: the accounting says {} bytes, {} were asked of the allocator",
                                           growth.scheme, growth.bytes.back(), *growth.asked_bytes));
    }
  }
}

Result run_growth(Context &context, const Figure &figure) {
  const int counts[] = {10, 100};
  const std::int32_t largest = context.choose(256, figure.largest, figure.largest);
  const auto sizes = sizes_up_to(largest, context.choose(4, figure.largest > kBlues ? 16 : 4, 2));
  const int communicators = 100;

  Plot by_size{"a", fmt::format("{}: bytes of a process", figure.what), "processes", "MB", true, true, {}, {}};
  Plot parts{"b", fmt::format("{}: parts, 10 communicators", figure.what), "processes", "MB", true, true, {}, {}};
  std::vector<Growth> last;
  for (const char *const scheme : {"vc-vcrt", "strict", "default"}) {
    for (const int count : counts) {
      by_size.series.push_back({fmt::format("{}, {}", title_of(scheme), count), {}, std::string(scheme) == "default"});
    }
  }
  for (const char *const part : {"VC", "VCRT", "AV (strict)", "Rankmap (strict)", "AV (ours)", "Rankmap (ours)"}) {
    parts.series.push_back({part, {}, std::string(part).find("ours") != std::string::npos});
  }
  for (const std::int32_t size : sizes) {
    context.progress()(fmt::format("{} processes", size));
    last = measure_growth(figure.kind, size, communicators);
    check_accounting(last);
    std::size_t series = 0;
    std::size_t part = 0;
    for (const char *const scheme : {"vc-vcrt", "strict", "default"}) {
      const Growth &growth = of(last, scheme);
      for (const int count : counts) {
        by_size.series[series++].points.emplace_back(size, mb(growth.bytes[static_cast<std::size_t>(count)]));
      }
      parts.series[part++].points.emplace_back(size, mb(growth.address_bytes));
      parts.series[part++].points.emplace_back(size, mb(growth.bytes[10] - growth.address_bytes));
    }
  }
  Plot by_count{"c", fmt::format("{}: {} processes", figure.what, largest), "communicators", "MB", false, true, {}, {}};
  for (const char *const scheme : {"vc-vcrt", "strict", "default"}) {
    Series line{title_of(scheme), {}, std::string(scheme) == "default"};
    const Growth &growth = of(last, scheme);
    for (std::size_t count = 10; count < growth.bytes.size(); count += 10) {
      line.points.emplace_back(static_cast<double>(count), mb(growth.bytes[count]));
    }
    by_count.series.push_back(std::move(line));
  }

  Result result;
  const bool paper_size = largest == figure.largest;
  for (const Growth &growth : last) {
    const bool ours = growth.asked_bytes.has_value();
    const bool theirs = growth.scheme == "vc-vcrt";
    const char *const how = ours ? "measured: allocated, accounting and allocator agree to the byte; the paper's is a "
                                   "Blue Gene/Q or cluster "
                                   "process"
                                 : "measured: allocated, counted as it is asked for; the paper's is MPICH 3.2 itself";
    for (const int count : counts) {
      Value paper;
      if (paper_size && (theirs || growth.scheme == "strict")) {
        paper = theirs ? (count == 10 ? figure.theirs_10 : figure.theirs_100)
                       : (count == 10 ? figure.ours_10 : figure.ours_100);
      }
      result.rows.push_back({fmt::format("{}, {} communicators, {} processes", title_of(growth.scheme), count, largest),
                             "MB", paper, mb(growth.bytes[static_cast<std::size_t>(count)]), how});
    }
    result.rows.push_back(
        {fmt::format("{}, of this addresses", title_of(growth.scheme)), "MB", {}, mb(growth.address_bytes), how});
    result.rows.push_back({fmt::format("{}, of this maps of 100 communicators", title_of(growth.scheme)),
                           "bytes",
                           {},
                           static_cast<double>(growth.bytes[100] - growth.address_bytes),
                           how});
  }
  result.plots.push_back(std::move(by_size));
  if (figure.breakdown) {
    result.plots.push_back(std::move(parts));
    result.plots.push_back(std::move(by_count));
  }
  const Growth &vc = of(last, "vc-vcrt");
  const Growth &strict = of(last, "strict");
  const Growth &ours = of(last, "default");
  const Growth &five = of(last, "mpich5");
  const auto times = [](std::uint64_t more, std::uint64_t less) {
    return static_cast<double>(more) / static_cast<double>(less);
  };
  result.reading.push_back(fmt::format("At {} processes and 100 communicators VC-VCRT takes {:.4g} times what the "
                                       "published scheme takes, and {:.4g} times ours; MPICH 5 "
                                       "{:.4g} times ours.",
                                       largest, times(vc.bytes[100], strict.bytes[100]),
                                       times(vc.bytes[100], ours.bytes[100]), times(five.bytes[100], ours.bytes[100])));
  const std::uint64_t strict_maps = strict.bytes[100] - strict.address_bytes;
  const std::uint64_t our_maps = ours.bytes[100] - ours.address_bytes;
  if (strict_maps > 1000000) {
    result.reading.push_back(
        fmt::format("The maps are tables: {:.4g} bytes per communicator and process as published, {:.3g} with ours, "
                    "which packs a table into as many bits as its numbers need. In random order there is no more "
                    "to be had.",
                    static_cast<double>(strict_maps) / 100 / largest, static_cast<double>(our_maps) / 100 / largest));
  } else {
    result.reading.push_back(
        fmt::format("All maps have a pattern: {} bytes of maps as published, {} with ours, {} in VC-VCRT. What is left "
                    "of the published scheme is the table of addresses; ours has none as long as addresses are a "
                    "function of the process number, as here.",
                    strict_maps, our_maps, vc.bytes[100] - vc.address_bytes));
  }
  return result;
}

/// The communicators of some applications of the survey, in bytes by scheme.
std::vector<MemoryUse> measure_applications(std::int32_t processes, const std::vector<std::string> &names) {
  std::vector<SurveyApplication> chosen;
  for (const SurveyApplication &application : survey(processes)) {
    if (std::find(names.begin(), names.end(), application.name) != names.end()) {
      chosen.push_back(application);
    }
  }
  return measure_memory(processes, chosen);
}

const char *application_scheme(const std::string &scheme) {
  return scheme == "avrankmap"            ? "AV-Rankmap (table of addresses)"
         : scheme == "avrankmap-implicit" ? "ours, addresses implicit"
         : scheme == "vc-vcrt"            ? "VC-VCRT"
                                          : nullptr;
}

struct ApplicationFigure {
  std::vector<std::string> names;
  Value theirs;
  Value ours;
};

Result run_applications(Context &context, const ApplicationFigure &figure, const char *title) {
  const std::int32_t processes = context.choose(1024, 524288, 524288);
  const std::vector<MemoryUse> uses = measure_applications(processes, figure.names);
  Plot plot{"", title, "application", "MB", false, true, figure.names, {}};
  Result result;
  for (const MemoryUse &use : uses) {
    const char *const name = application_scheme(use.scheme);
    if (name == nullptr) {
      continue;
    }
    const bool theirs = use.scheme == "vc-vcrt";
    const bool ours = use.scheme == "avrankmap";
    const bool paper = processes == 524288;
    result.rows.push_back(
        {fmt::format("{}, {}, all of it", use.application, name), "MB",
         paper ? (theirs ? figure.theirs
                  : ours ? figure.ours
                         : Value())
               : Value(),
         mb(use.bytes),
         fmt::format(
             "measured: allocated, {} communicators; the paper's from a run of the application on a Blue Gene/Q",
             use.communicators)});
    result.rows.push_back({fmt::format("{}, {}, of this maps", use.application, name), "bytes",
                           paper && ours && use.application == "Nekbone" ? Value("about 1,300") : Value(),
                           static_cast<double>(use.bytes - use.world_bytes), "measured: allocated"});
    const auto index = std::find(figure.names.begin(), figure.names.end(), use.application) - figure.names.begin();
    for (const bool maps : {false, true}) {
      const std::string label = fmt::format("{}, {}", name, maps ? "maps" : "addresses");
      auto line =
          std::find_if(plot.series.begin(), plot.series.end(), [&](const Series &s) { return s.name == label; });
      if (line == plot.series.end()) {
        line = plot.series.insert(line, {label, {}, use.scheme == "avrankmap-implicit" && !maps});
      }
      line->points.emplace_back(static_cast<double>(index), mb(maps ? use.bytes - use.world_bytes : use.world_bytes));
    }
  }
  result.plots.push_back(std::move(plot));
  result.reading.push_back(fmt::format(
      "Addresses dominate in VC-VCRT, 480 bytes each, in the paper's figures as here. With 12 bytes each, {} processes "
      "take {:.1f} MB (the "
      "paper's text says 4 MB for 512K processes, which is 8 bytes each); without a table they take next to nothing.",
      processes, 12e-6 * processes));
  return result;
}

} // namespace

Result run_split_memory(Context &context) {
  return run_growth(context, {GrowthKind::kSplit, kMira, "Split", true, "more than 400", "more than 1,000", {}, 9.0});
}
Result run_dup_memory(Context &context) {
  return run_growth(context, {GrowthKind::kDup, kMira, "Duplicate", true, {}, "VC part: nearly 95 %", {}, {}});
}
Result run_split_inter_memory(Context &context) {
  return run_growth(context,
                    {GrowthKind::kSplitInter, kMira, "Split intercommunicator", false, {}, "about 1,400", {}, {}});
}
Result run_dup_inter_memory(Context &context) {
  return run_growth(context, {GrowthKind::kDupInter, kMira, "Duplicate intercommunicator", false, {}, {}, {}, {}});
}
Result run_reordered_memory(Context &context) {
  return run_growth(
      context, {GrowthKind::kReordered, kMira, "Random order", false, {}, "table as large as AV-Rankmap's", {}, {}});
}
Result run_dynamic_memory(Context &context) {
  Result result = run_growth(context, {GrowthKind::kDynamic,
                                       kBlues,
                                       "Dynamic processes, random order",
                                       true,
                                       {},
                                       {},
                                       {},
                                       "maps: about twice VC-VCRT's"});
  result.reading.emplace_back("The paper's mlut takes about twice its VCRT. Our VC-VCRT has 8-byte pointers, as MPICH "
                              "3.2 has on 64-bit machines, so "
                              "that the published scheme's pairs take as much; packed, ours take a fraction.");
  return result;
}

Result run_nek_memory(Context &context) {
  return run_applications(context, {{"Nek5000, medium", "Nek5000, large"}, "around 250", "negligible"}, "Nek5000");
}
Result run_miniapps_memory(Context &context) {
  return run_applications(context, {{"BT", "FT", "SP", "AMG2013", "Nekbone", "AMR"}, 244.0, 4.0}, "Miniapps");
}

Result run_miniapps_growth(Context &context) {
  const std::vector<std::string> names{"BT", "FT", "SP", "AMG2013", "Nekbone", "SMC"};
  const std::int32_t largest = context.choose(2048, 524288, 524288);
  const std::int32_t smallest = context.choose(1024, 16384, 16384);
  Plot plot{"", "Maps of miniapps", "processes", "bytes of maps", true, true, {}, {}};
  Result result;
  for (std::int32_t processes = smallest; processes <= largest; processes *= context.choose(2, 32, 2)) {
    context.progress()(fmt::format("{} processes", processes));
    for (const MemoryUse &use : measure_applications(processes, names)) {
      const char *const name = application_scheme(use.scheme);
      if (name == nullptr) {
        continue;
      }
      const double maps = static_cast<double>(use.bytes - use.world_bytes);
      const bool theirs = use.scheme == "vc-vcrt";
      const bool largest_of_paper = processes == 524288;
      const bool smallest_of_paper = processes == 16384;
      if (processes == smallest || processes == largest) {
        result.rows.push_back({fmt::format("{}, {}, {} processes, all of it", use.application, name, processes), "MB",
                               theirs && smallest_of_paper                      ? Value("around 15")
                               : theirs && largest_of_paper                     ? Value(244.0)
                               : use.scheme == "avrankmap" && smallest_of_paper ? Value(0.128)
                               : use.scheme == "avrankmap" && largest_of_paper  ? Value(4.0)
                                                                                : Value(),
                               mb(use.bytes), "measured: allocated; the paper's from runs on a Blue Gene/Q"});
      }
      if (use.scheme == "avrankmap-implicit" || theirs) {
        const std::string label = fmt::format("{}, {}", use.application, theirs ? "VCRT" : "ours");
        auto line =
            std::find_if(plot.series.begin(), plot.series.end(), [&](const Series &s) { return s.name == label; });
        if (line == plot.series.end()) {
          line = plot.series.insert(line, {label, {}, !theirs});
        }
        line->points.emplace_back(processes, maps);
      }
    }
  }
  result.plots.push_back(std::move(plot));
  result.reading.emplace_back("VC-VCRT's tables grow with the number of processes, whatever the application does; our "
                              "maps have the same few hundred "
                              "bytes at every size.");
  return result;
}

} // namespace avrankmap::bench
