// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/inverse.h"

#include "avrankmap/avrankmap.h"
#include "counters/single_step.h"
#include "support/owned_map.h"
#include "support/require.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kFew = 1000;
constexpr std::int32_t kMany = 1000000;
constexpr std::int32_t kFewRuns = 256;
constexpr std::int32_t kManyRuns = 65536;
constexpr const char *kSegments = "segments";

/// One of so many runs of 20 ranks each, with gaps of different sizes between them.
OwnedMap make_segments(avrm_instance_t *instance, std::int32_t runs) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(runs));
  std::vector<std::int32_t> lpids;
  std::int32_t next = 0;
  for (std::int32_t run = 0; run < runs; ++run) {
    for (int i = 0; i < 20; ++i) {
      lpids.push_back(next++);
    }
    next += 1 + static_cast<std::int32_t>(engine() % 7);
  }
  return make_map(avrm_rankmap_create_lpids, instance, 0, static_cast<std::int32_t>(lpids.size()), lpids.data(),
                  static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
}

/// Instructions of one question; nothing, after a note, if they cannot be counted.
std::optional<std::uint64_t> count(const avrm_rankmap_t *map, const Log &note) {
  const std::int32_t last = avrm_rankmap_size(map) - 1;
  const avrm_gpid_t process = avrm_rankmap_gpid(map, last);
  std::int32_t rank = -1;
  require(avrm_rankmap_rank(map, process, &rank));
  require(rank == last, "the rank of a process is wrong");
  const auto counted = counters::count_call(avrm_rankmap_rank, [&] { (void)avrm_rankmap_rank(map, process, &rank); });
  if (!counted.ok()) {
    note("instructions of the inverse are left out: " + counted.message());
    return std::nullopt;
  }
  return counted->instructions;
}

Json run(Session &session) { return measure_inverse(session.note); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1, "From a process to its rank: instructions, single-stepped");
  table.row({"form", "ranks", "runs", "instructions"});
  for (const InverseCost &cost : rows_of<InverseCost>(rows)) {
    table.row({cost.form, grouped(static_cast<std::uint64_t>(cost.ranks)),
               grouped(static_cast<std::uint64_t>(cost.runs)), std::to_string(cost.instructions)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  const auto costs = rows_of<InverseCost>(rows);
  Budgets::Values &regular = budgets.at_most(1, "process to rank, regular: instructions at 1,000,000 ranks over 1,000");
  Budgets::Values &segments = budgets.at_most(2, "process to rank, segments: instructions at 65,536 runs over 256");
  for (const InverseCost &many : costs) {
    for (const InverseCost &few : costs) {
      if (few.form == many.form && few.ranks < many.ranks) {
        (many.form == kSegments ? segments : regular)
            .add(static_cast<double>(many.instructions) / static_cast<double>(few.instructions), many.form);
      }
    }
  }
}

} // namespace

std::vector<InverseCost> measure_inverse(const Log &note) {
  const OwnedInstance owner = make_instance(AVRM_COST_BYTES);
  avrm_instance_t *const instance = owner.get();
  std::vector<InverseCost> costs;
  bool can_count = true;
  const auto add = [&](const char *form, std::int32_t runs, const OwnedMap &map) {
    avrm_rankmap_info_t info{};
    require(avrm_rankmap_describe(map.get(), &info));
    require(std::string_view(avrm_mode_label(info.mode)) == form, "a map of the inverse has another form");
    if (const auto instructions = can_count ? count(map.get(), note) : std::nullopt) {
      costs.push_back({form, avrm_rankmap_size(map.get()), runs, *instructions});
    } else {
      can_count = false;
    }
  };
  for (const std::int32_t size : {kFew, kMany}) {
    add("direct", 1, make_map(avrm_rankmap_create_direct, instance, 0, size));
    add("stride", 1, make_map(avrm_rankmap_create_stride, instance, 0, size, 5, 7));
    add("blocked", 1, make_map(avrm_rankmap_create_blocked, instance, 0, size, 5, 20, 6));
  }
  for (const std::int32_t runs : {kFewRuns, kManyRuns}) {
    add(kSegments, runs, make_segments(instance, runs));
  }
  return can_count ? costs : std::vector<InverseCost>();
}

const Measurement kInverse = {"inverse", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
