// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/groups/shrink.h"

#include "avrankmap/avrankmap.h"
#include "baseline/groups.h"
#include "support/owned_map.h"
#include "support/require.h"
#include "support/timing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace avrankmap::bench {
namespace {

struct Parent {
  const char *name;
  OwnedMap (*make)(avrm_instance_t *instance, std::int32_t n);
};

/// A cube of processes, its axes in reverse order.
OwnedMap make_cube(avrm_instance_t *instance, std::int32_t n) {
  const auto edge = static_cast<std::int32_t>(std::cbrt(n));
  std::vector<std::int32_t> lpids;
  for (std::int32_t z = 0; z < n / (edge * edge); ++z) {
    for (std::int32_t y = 0; y < edge; ++y) {
      for (std::int32_t x = 0; x < edge; ++x) {
        lpids.push_back((x * edge + y) * (n / (edge * edge)) + z);
      }
    }
  }
  return make_map(avrm_rankmap_create_lpids, instance, 0, static_cast<std::int32_t>(lpids.size()),
                  static_cast<const std::int32_t *>(lpids.data()), static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
}

constexpr Parent kParents[] = {
    {"affine", [](avrm_instance_t *i, std::int32_t n) { return make_map(avrm_rankmap_create_direct, i, 0, n); }},
    {"8 of every 64",
     [](avrm_instance_t *i, std::int32_t n) { return make_map(avrm_rankmap_create_blocked, i, 0, n, 0, 64, 8); }},
    {"cube, transposed", make_cube}};

Processes processes_of(const avrm_rankmap_t *map) {
  Processes processes;
  for (std::int32_t rank = 0; rank < avrm_rankmap_size(map); ++rank) {
    processes.push_back(avrm_rankmap_gpid(map, rank).lpid);
  }
  return processes;
}

/// Distinct ranks in ascending order, the same in each run.
std::vector<std::int32_t> some_ranks(std::int32_t n, std::int32_t count) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(count));
  std::vector<std::int32_t> ranks;
  while (static_cast<std::int32_t>(ranks.size()) < count) {
    ranks.push_back(static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(n)));
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  }
  return ranks;
}

OwnedMap shrunken(const OwnedMap &parent, const std::vector<std::int32_t> &dead) {
  return make_map(avrm_rankmap_create_without, static_cast<const avrm_rankmap_t *>(parent.get()),
                  static_cast<std::int32_t>(dead.size()), dead.data(), static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
}

/// Of a map in an instance of its own. The parent takes none, but a cube comes from an array.
std::uint64_t scratch_of(const Parent &kind, std::int32_t n, const std::vector<std::int32_t> &dead) {
  const OwnedInstance instance = make_instance(AVRM_COST_BALANCED);
  const OwnedMap parent = kind.make(instance.get(), n);
  avrm_mem_usage_t before{};
  avrm_mem_usage_t after{};
  require(avrm_instance_mem_usage(instance.get(), AVRM_MEM_SCRATCH, &before));
  const OwnedMap rest = shrunken(parent, dead);
  require(avrm_instance_mem_usage(instance.get(), AVRM_MEM_SCRATCH, &after));
  return after.peak_bytes == before.peak_bytes ? 0 : after.peak_bytes;
}

Shrink measure(const Parent &kind, std::int32_t n, std::int32_t failures) {
  Shrink result;
  const OwnedInstance instance = make_instance(AVRM_COST_BALANCED);
  const OwnedMap parent = kind.make(instance.get(), n);
  result.communicator = kind.name;
  result.n = avrm_rankmap_size(parent.get());
  result.failures = failures;
  const std::vector<std::int32_t> dead = some_ranks(result.n, failures);

  const Processes before = processes_of(parent.get());
  Processes lost;
  std::transform(dead.begin(), dead.end(), std::back_inserter(lost),
                 [&before](std::int32_t rank) { return before[static_cast<std::size_t>(rank)]; });
  const Mpich5Group group(before);
  const Mpich5Group lost_group(lost);
  result.bytes_mpich5 = Mpich5Group::without(group, lost_group).bytes();

  result.temporary = scratch_of(kind, n, dead);
  {
    const OwnedMap rest = shrunken(parent, dead);
    avrm_rankmap_info_t info{};
    require(avrm_rankmap_describe(rest.get(), &info));
    result.mode = avrm_mode_label(info.mode);
    result.bytes = info.own_bytes + info.table_bytes;
    require(processes_of(rest.get()) == Mpich5Group::without(group, lost_group).processes(),
            "the survivors are others than MPICH 5's");
  }
  result.seconds = typical_seconds([&] { (void)shrunken(parent, dead); });
  result.seconds_mpich5 = typical_seconds([&] { (void)Mpich5Group::without(group, lost_group); });
  return result;
}

} // namespace

std::vector<Shrink> measure_shrink(const std::vector<std::int32_t> &sizes, const std::vector<std::int32_t> &failures) {
  std::vector<Shrink> rows;
  for (const Parent &parent : kParents) {
    for (const std::int32_t n : sizes) {
      for (const std::int32_t count : failures) {
        if (count <= n / 10) {
          rows.push_back(measure(parent, n, count));
        }
      }
    }
  }
  return rows;
}

namespace {

constexpr std::int32_t kMost = 1 << 20;

Json run(Session & /*session*/) { return measure_shrink({1000, 1 << 15, kMost}, {1, 10, 1000}); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1, "A communicator without its failed processes: bytes of the map, peak temporary bytes during its "
                     "creation, and microseconds");
  table.row({"communicator", "processes", "failures", "mode", "bytes", "temporary", "mpich5", "time", "mpich5 time"});
  for (const Shrink &row : rows_of<Shrink>(rows)) {
    table.row({row.communicator, grouped(static_cast<std::uint64_t>(row.n)), std::to_string(row.failures), row.mode,
               grouped(row.bytes), grouped(row.temporary), grouped(row.bytes_mpich5),
               fmt::format("{:.1f}", row.seconds * 1e6), fmt::format("{:.1f}", row.seconds_mpich5 * 1e6)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  Budgets::Values &bytes =
      budgets.at_most(128, "bytes, shrunken communicator of 1,000,000, in addition to 24 per failure");
  for (const Shrink &row : rows_of<Shrink>(rows)) {
    if (row.n >= 1000000) {
      bytes.add(static_cast<double>(row.bytes) - 24.0 * row.failures,
                fmt::format("{}, {} failures", row.communicator, row.failures));
    }
  }
}

} // namespace

const Measurement kShrink = {"shrink", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
