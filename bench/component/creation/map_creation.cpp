// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/creation/map_creation.h"

#include "communicators/shapes.h"
#include "component/creation/summing_pass.h"
#include "rankmap/patterns/detect.h"
#include "schemes/avrankmap_scheme.h"
#include "support/statistics.h"
#include "support/timing.h"

#include "baseline/vc_vcrt.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

/// Times both, one after the other, again and again. Once beforehand, untimed.
template <class Ours, class Yardstick>
BesideYardstick compare(avrm_mode_t mode, int rounds, double (*ratio)(double ours, double yardstick), Ours &&ours,
                        Yardstick &&yardstick) {
  std::vector<double> our_times;
  std::vector<double> yardstick_times;
  std::vector<double> ratios;
  for (int round = -1; round < rounds; ++round) {
    const double yardstick_time = yardstick();
    const double our_time = ours();
    if (round >= 0) {
      our_times.push_back(our_time);
      yardstick_times.push_back(yardstick_time);
      ratios.push_back(ratio(our_time, yardstick_time));
    }
  }
  return {avrm_mode_label(mode), mode != AVRM_MODE_LUT, median(our_times), median(yardstick_times), median(ratios)};
}

constexpr avrm_mode_t kRegular[] = {AVRM_MODE_DIRECT, AVRM_MODE_OFFSET, AVRM_MODE_STRIDE, AVRM_MODE_BLOCKED};

} // namespace

std::vector<BesideYardstick> compare_detection(std::int32_t size, int rounds) {
  // Several passes make up one timing: long against the clock, short against the scheduler.
  const int passes = std::max(1, (1 << 20) / size);
  std::vector<BesideYardstick> comparisons;
  for (const avrm_mode_t mode : kRegular) {
    const std::vector<std::int32_t> ranks = make_shape(mode, size).parent_ranks;
    if (detail::detect(ranks.data(), ranks.size()).kind == detail::PatternKind::kIrregular ||
        summing_pass(ranks.data(), ranks.size()) != std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0})) {
      throw std::runtime_error("detection or the summing pass is wrong");
    }
    const auto timed = [&](auto &&pass) {
      return seconds_of([&] {
        for (int i = 0; i < passes; ++i) {
          benchmark::DoNotOptimize(pass());
          benchmark::ClobberMemory();
        }
      });
    };
    comparisons.push_back(compare(
        mode, rounds, [](double ours, double yardstick) { return yardstick / ours; },
        [&] { return timed([&] { return detail::detect(ranks.data(), ranks.size()); }); },
        [&] { return timed([&] { return summing_pass(ranks.data(), ranks.size()); }); }));
  }
  return comparisons;
}

std::vector<BesideYardstick> compare_creation(std::int32_t size, int rounds) {
  AvrankmapScheme ours;
  VcVcrt theirs;
  const std::int32_t world_size = world_sizes(size).front();
  const AvrankmapScheme::Comm our_world = ours.make_world(ours.add_world(world_size));
  const VcVcrt::Comm their_world = theirs.make_world(theirs.add_world(world_size));

  std::vector<BesideYardstick> comparisons;
  std::vector<avrm_mode_t> modes(std::begin(kRegular), std::end(kRegular));
  modes.push_back(AVRM_MODE_LUT);
  for (const avrm_mode_t mode : modes) {
    const std::vector<std::int32_t> ranks = make_shape(mode, size).parent_ranks;
    // Only creation is timed; the communicator goes afterwards.
    const auto creating = [&](auto &scheme, const auto &world) {
      std::optional<typename std::decay_t<decltype(world)>> comm;
      return seconds_of([&] { comm.emplace(scheme.make_child(world, ranks)); });
    };
    comparisons.push_back(compare(
        mode, rounds, [](double our_time, double their_time) { return our_time / their_time; },
        [&] { return creating(ours, our_world); }, [&] { return creating(theirs, their_world); }));
  }
  return comparisons;
}

namespace {

constexpr std::int32_t kSize = 786432;

TextTable table_of(const Json &rows, const char *title, const char *yardstick) {
  TextTable table(1, title);
  table.row({"", "ours", yardstick, "ratio"});
  for (const BesideYardstick &row : rows_of<BesideYardstick>(rows)) {
    table.row({row.pattern, fmt::format("{:.1f} us", row.seconds * 1e6),
               fmt::format("{:.1f} us", row.yardstick_seconds * 1e6), fmt::format("{:.3f}", row.ratio)});
  }
  return table;
}

Json run_detection(Session &session) { return compare_detection(kSize, session.choose(51, 301)); }

std::vector<TextTable> tables_of_detection(const Json &rows) {
  return {table_of(rows, "Pattern detection against one summing pass, 786,432 ranks (ratio: sum / ours)", "sum")};
}

void judge_detection(const Json &rows, Budgets &budgets) {
  Budgets::Values &values = budgets.at_least(0.75, "pattern detection, speed over a summing pass");
  for (const BesideYardstick &row : rows_of<BesideYardstick>(rows)) {
    values.add(row.ratio, row.pattern);
  }
}

Json run_creation(Session &session) { return compare_creation(kSize, session.choose(11, 51)); }

std::vector<TextTable> tables_of_creation(const Json &rows) {
  return {table_of(rows, "Creation of a map against building a VCRT, 786,432 ranks (ratio: ours / VCRT)", "VCRT")};
}

void judge_creation(const Json &rows, Budgets &budgets) {
  Budgets::Values &values = budgets.at_most(0.25, "creation of a regular map, time over building a VCRT");
  for (const BesideYardstick &row : rows_of<BesideYardstick>(rows)) {
    if (row.regular) {
      values.add(row.ratio, row.pattern);
    }
  }
}

} // namespace

const Measurement kDetection = {"detection", nullptr, true, run_detection, tables_of_detection, judge_detection};
const Measurement kMapCreation = {"creation", nullptr, true, run_creation, tables_of_creation, judge_creation};

} // namespace avrankmap::bench
