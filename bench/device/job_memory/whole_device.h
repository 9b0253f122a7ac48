// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes of all that a process of a large job keeps (LargeJob), ours and the structures of
// others, from 1,024 processes to 16,777,216, and projected to 100,000,000. All of them grow along
// straight lines: what does not fit into this machine, or into the device, is on the line through
// the two largest jobs that were measured.
#ifndef AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_WHOLE_DEVICE_H
#define AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_WHOLE_DEVICE_H

#include "device/job_memory/large_job.h"
#include "measurement/measurement.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace avrankmap::bench {

inline constexpr const char *kWholeInOrder = "avrankmap, implicit AV";
inline constexpr const char *kWholeOnDemand = "avrankmap, on demand";

struct WholeDevice {
  std::string scheme;  ///< kWholeInOrder, kWholeOnDemand, or one of kOthers
  std::string network; ///< ours: "null" or a provider, whose own memory counts; others: empty
  std::int32_t processes = 0;
  std::int32_t per_node = 0;
  std::int32_t met = 0;  ///< peers, each in every window
  bool measured = false; ///< false: projected
  std::uint64_t resident = 0;
  std::uint64_t address_space = 0;
  std::uint64_t av_touched = 0; ///< ours: pages of a table AV that hold somebody who was contacted
  std::uint64_t provider = 0;   ///< resident beyond that of the same device over the null network
  /// Parts of `resident` and of the untouched pages of the AV: ours by kind, as the instance
  /// accounts for it, and the hierarchies, which are in the hands of who asked for them.
  std::map<std::string, std::uint64_t> kinds;
};
AVRM_BENCH_ROW(WholeDevice, scheme, network, processes, per_node, met, measured, resident, address_space, av_touched,
               provider, kinds);

struct WholeOptions {
  std::vector<std::int32_t> processes; ///< ascending
  std::vector<std::int32_t> over_provider;
  std::int32_t per_node = 128;
  std::uint64_t memory = 0; ///< most bytes of structures of others
};

std::vector<WholeDevice> measure_whole_device(const WholeOptions &options, const Log &progress, const Log &note);

/// Rows by number of processes and columns by scheme: resident bytes times `times`.
TextTable whole_device_table(const std::vector<WholeDevice> &rows, std::string title, std::uint64_t times);

extern const Measurement kWholeDevice;

} // namespace avrankmap::bench

#endif
