// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The picture in README.md: bytes that one process holds to reach all others, by the number of
// processes, in ours and in the other schemes.
#include "component/memory/memory_use.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "support/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace avrankmap::bench {
namespace {

struct Shown {
  const char *scheme; ///< as in MemoryUse
  const char *label;
  bool ours;
};
constexpr const char *kOldest = "MPICH 3.2 (VC-VCRT)"; // in the table alone
constexpr const char *kMpich4 = "MPICH 4.0.2";
constexpr const char *kLaterMpich4 = "MPICH 4.1 to 4.3";
constexpr Shown kShown[] = {{"mpich4.1", kLaterMpich4, false},
                            {"mpich4", kMpich4, false},
                            {"mpich5", "MPICH 5", false},
                            {"ompi", "Open MPI", false},
                            {"ompi-sparse", "Open MPI, sparse groups", false},
                            {"avrankmap", "avrankmap, table AV", true},
                            {"avrankmap-implicit", "avrankmap, implicit AV", true},
                            {"vc-vcrt", kOldest, false}};
constexpr int kCommunicators = 100;

} // namespace

Result run_bytes_per_process(Context &context) {
  Result result;
  std::int32_t largest = context.choose(4096, 1 << 20, 1 << 22);
  constexpr std::uint64_t kEnough = 8'000'000'000; // VC-VCRT takes 4 GB with 4M processes
  if (largest > 1 << 20 && available_memory() < kEnough) {
    largest = 1 << 20;
    result.omissions.push_back("4M processes need 8 GB of free memory");
  }
  result.table = {"bytes, processes", {}, {}};
  Plot plot{"",
            fmt::format("Memory that a process holds to reach all others: world and {} communicators", kCommunicators),
            "processes",
            "",
            true,
            true,
            {},
            {}};
  plot.labelled = true;
  for (const Shown &shown : kShown) {
    result.table.columns.emplace_back(shown.label);
  }
  for (std::int32_t processes = 1024; processes <= largest; processes *= 4) {
    context.progress()(fmt::format("{} processes", processes));
    const std::string row = number_text(processes);
    for (const MemoryUse &use : measure_memory(processes, {split_experiment(processes, kCommunicators)})) {
      const auto *const shown =
          std::find_if(std::begin(kShown), std::end(kShown), [&](const Shown &s) { return s.scheme == use.scheme; });
      if (shown != std::end(kShown)) {
        const auto bytes = static_cast<double>(use.bytes);
        cell_of(result.table, row, shown->label).here = bytes;
        if (shown->label != kOldest) {
          Series &series = series_of(plot, shown->label, shown->ours);
          series.points.emplace_back(processes, bytes);
          series.band_from = shown->label == kLaterMpich4 ? kMpich4 : "";
        }
      }
    }
  }
  result.plots = {std::move(plot)};
  result.note = fmt::format(
      "Measured: all structures of one process are allocated, except the entries of MPICH 4.1 to 4.3, of 4,104 bytes "
      "by default, which are counted: the world and {} communicators of its even ranks, 16 processes per node; with "
      "MPICH's structures and ours each has a node and a node-roots communicator. MPICH is the build for libfabric. "
      "Open MPI is 2.0 to 5.0 as it is configured by default, and "
      "with --enable-sparse-groups; no process was contacted, which leaves 8 bytes per rank of a dense "
      "group.",
      kCommunicators);
  return result;
}

} // namespace avrankmap::bench
