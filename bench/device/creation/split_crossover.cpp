// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/creation/split_crossover.h"

#include "bench/synthetic/simulator.h"
#include "comm_algorithms/create/colours_and_keys.h"
#include "comm_algorithms/create/split.h"
#include "support/statistics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

using detail::SplitMethod;

// A network of our days.
constexpr double kMessageSeconds = 1e-6;
constexpr double kByteSeconds = 1e-10;

double network_seconds(const SimCost &cost) {
  return static_cast<double>(cost.steps) * kMessageSeconds + static_cast<double>(cost.bytes) * kByteSeconds;
}

std::int32_t row_of(std::int32_t processes) { return static_cast<std::int32_t>(std::lround(std::sqrt(processes))); }

SimCost simulate_columns(std::int32_t processes, SplitMethod method) {
  Simulator job(processes);
  const detail::Parent world{job.world(), nullptr, 0};
  const std::int32_t row = row_of(processes);
  const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
    return make_split(process, process, world, process.rank() % row, 0, method, &process.made);
  });
  if (std::any_of(statuses.begin(), statuses.end(), [](avrm_status_t status) { return status != AVRM_OK; })) {
    throw std::runtime_error("a simulated split failed");
  }
  return job.cost();
}

/// A process's work on everybody's colours_and_keys.
double search_seconds(std::int32_t processes) {
  avrm_instance_t *instance = nullptr;
  avrm_rankmap_t world{};
  if (avrm_instance_create(nullptr, &instance) != AVRM_OK ||
      avrm_rankmap_create_direct(instance, 0, processes, &world) != AVRM_OK) {
    throw std::bad_alloc();
  }
  std::vector<detail::ColourAndKey> colours_and_keys;
  for (std::int32_t rank = 0; rank < processes; ++rank) {
    colours_and_keys.push_back({rank % row_of(processes), 0});
  }
  std::vector<std::int32_t> ranks(colours_and_keys.size());
  std::vector<double> seconds;
  for (int i = 0; i < 11; ++i) {
    const auto start = std::chrono::steady_clock::now();
    detail::MapOwner map;
    std::int32_t place = 0;
    if (part_by_colour(&world, colours_and_keys.data(), 0, 0, ranks.data(), &map, &place) != AVRM_OK) {
      throw std::bad_alloc();
    }
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  avrm_rankmap_destroy(&world);
  (void)avrm_instance_destroy(instance);
  return median(std::move(seconds));
}

/// The cost of gathering. Simulated as long as all processes' lists have room here; beyond that by
/// what the simulation shows: messages as many as the size has digits, and everybody's 8 bytes once
/// through everybody's hands.
SimCost gathering(std::int32_t processes, std::uint64_t frame_bytes) {
  SimCost cost;
  cost.frame_bytes = frame_bytes;
  cost.scratch_peak = std::uint64_t{12} * static_cast<std::uint64_t>(processes) * static_cast<std::uint64_t>(processes);
  const SimCost small = simulate_columns(1024, SplitMethod::kGather);
  const auto doublings = static_cast<std::uint64_t>(std::lround(std::log2(processes / 1024.0)));
  cost.steps = small.steps / 10 * (10 + doublings);
  const std::uint64_t own_agreements = small.bytes - 8 * 1023; // settling and agreeing
  cost.bytes = own_agreements / 10 * (10 + doublings) + std::uint64_t{8} * static_cast<std::uint64_t>(processes - 1);
  return cost;
}

} // namespace

std::vector<SplitCrossover> simulate_crossover(std::int32_t most) {
  std::vector<SplitCrossover> rows;
  for (std::int32_t processes = 64; processes <= most; processes *= 4) {
    const SimCost sort = simulate_columns(processes, SplitMethod::kSort);
    const SimCost gather =
        processes <= 4096 ? simulate_columns(processes, SplitMethod::kGather) : gathering(processes, sort.frame_bytes);
    const auto count = static_cast<std::uint64_t>(processes);
    rows.push_back({processes, network_seconds(gather) + search_seconds(processes), network_seconds(sort),
                    gather.frame_bytes + gather.scratch_peak / count, sort.frame_bytes + sort.scratch_peak / count});
  }
  return rows;
}

namespace {

Json run(Session &session) { return simulate_crossover(session.choose(4096, 262144)); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1, "Splitting into columns by either method, simulated, on a network of 1 us and 10 GB/s");
  table.row({"processes", "gathering us", "temporary bytes", "sorting us", "temporary bytes"});
  for (const SplitCrossover &row : rows_of<SplitCrossover>(rows)) {
    table.row({grouped(static_cast<std::uint64_t>(row.processes)), fmt::format("{:.1f}", row.gather_seconds * 1e6),
               grouped(row.gather_temporary_bytes), fmt::format("{:.1f}", row.sort_seconds * 1e6),
               grouped(row.sort_temporary_bytes)});
  }
  return {table};
}

} // namespace

const Measurement kSplitCrossover = {"split_crossover", nullptr, false, run, tables};

} // namespace avrankmap::bench
