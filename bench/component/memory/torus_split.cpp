// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/memory/torus_split.h"

#include "avrankmap/avrankmap.h"
#include "baseline/world_rectangles.h"
#include "support/owned_map.h"
#include "support/require.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

/// Coordinates first .. end - 1 of a dimension.
struct Slab {
  std::size_t dimension;
  std::int32_t first;
  std::int32_t end;
};

/// The slabs that a coordinate is in: the part before each point behind it, the part from each
/// point up to it on.
std::vector<Slab> slabs_of(const std::vector<std::int32_t> &extents) {
  std::vector<Slab> slabs;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::int32_t coordinate = extents[k] / 2;
    for (std::int32_t point = 1; point < extents[k]; ++point) {
      slabs.push_back(point > coordinate ? Slab{k, 0, point} : Slab{k, point, extents[k]});
    }
  }
  return slabs;
}

/// World ranks of a slab in ascending order, as MPI_Comm_split by rank gives them.
void fill_table(const std::vector<std::int32_t> &extents, const Slab &slab, std::vector<std::int32_t> *table) {
  std::int64_t step = 1;
  for (std::size_t k = 0; k < slab.dimension; ++k) {
    step *= extents[k];
  }
  const std::int64_t stride = step * extents[slab.dimension];
  const std::int64_t world = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  const std::int64_t block = step * (slab.end - slab.first);
  table->resize(static_cast<std::size_t>(world / stride * block));
  auto place = table->begin();
  for (std::int64_t first = step * slab.first; first < world; first += stride, place += block) {
    std::iota(place, place + block, static_cast<std::int32_t>(first));
  }
}

std::uint64_t live_bytes(const avrm_instance_t *instance) {
  avrm_mem_usage_t usage{};
  require(avrm_instance_mem_usage(instance, AVRM_MEM_TOTAL, &usage));
  return usage.live_bytes;
}

} // namespace

std::vector<std::int32_t> figure3_torus() { return {32, 2, 16, 16, 4, 4}; }
std::vector<std::int32_t> extrapolated_torus() { return {64, 64, 64, 64}; }

TorusSplit measure_torus_split(std::vector<std::int32_t> extents, std::uint64_t checks) {
  using Clock = std::chrono::steady_clock;
  TorusSplit result;
  result.processes = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
  if (result.processes <= 1 << 20) {
    result.bytes_rectangles = 0;
  }

  const OwnedInstance instance = make_instance(AVRM_COST_BYTES);
  const std::uint64_t before = live_bytes(instance.get());

  std::uint64_t own_bytes = 0;
  const OwnedMap world = counted(make_map(avrm_rankmap_create_direct, instance.get(), 0, result.processes), &own_bytes);
  std::vector<OwnedMap> maps;
  std::vector<std::int32_t> table;
  std::mt19937_64 engine(static_cast<std::uint64_t>(result.processes));
  const std::vector<Slab> slabs = slabs_of(extents);
  for (const Slab &slab : slabs) {
    fill_table(extents, slab, &table);
    const auto size = static_cast<std::int32_t>(table.size());
    const auto start = Clock::now();
    OwnedMap made = make_map(avrm_rankmap_create_child, world.get(), size, table.data(),
                             static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
    result.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    const avrm_rankmap_t *const map = made.get();
    maps.push_back(counted(std::move(made), &own_bytes));
    avrm_rankmap_info_t info{};
    require(avrm_rankmap_describe(map, &info));
    ++result.modes[avrm_mode_label(info.mode)];
    result.bytes_table += 4 * table.size();
    if (result.bytes_rectangles) {
      *result.bytes_rectangles += CartesianVcrt::compress(extents, table) ? sizeof(CartesianVcrt) : 4 * table.size();
    }
    // Of the number, each takes its part.
    const std::uint64_t until = checks * maps.size() / slabs.size();
    for (; result.checked < until; ++result.checked) {
      const auto rank = static_cast<std::int32_t>(engine() % table.size());
      const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
      if (process.pgid != 0 || process.lpid != table[static_cast<std::size_t>(rank)]) {
        throw std::runtime_error("a translation of the torus split is wrong");
      }
    }
  }
  result.communicators = static_cast<int>(maps.size());
  result.bytes = own_bytes + live_bytes(instance.get()) - before;
  result.extents = std::move(extents);
  return result;
}

namespace {

Json run(Session & /*session*/) {
  constexpr std::uint64_t kChecks = 1000000;
  return std::vector<TorusSplit>{measure_torus_split(figure3_torus(), kChecks),
                                 measure_torus_split(extrapolated_torus(), kChecks)};
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1, "A torus split along each dimension at each point (n-D Cartesian compression paper, Figure 3, and "
                     "extrapolated): bytes of all maps of one process");
  table.row({"torus", "processes", "communicators", "bytes", "as tables", "checked", "creation"});
  for (const TorusSplit &split : rows_of<TorusSplit>(rows)) {
    table.row({fmt::format("{}", fmt::join(split.extents, " x ")), grouped(static_cast<std::uint64_t>(split.processes)),
               std::to_string(split.communicators), grouped(split.bytes), grouped(split.bytes_table),
               grouped(split.checked), fmt::format("{:.2f} s", split.seconds)});
  }
  return {table};
}

} // namespace

const Measurement kTorusSplits = {"torus_splits", nullptr, true, run, tables};

} // namespace avrankmap::bench
