// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The library's own device in a job of which no other process exists (LargeJob), in a process of
// its own, by whose growth its memory is measured.
#ifndef AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_OWN_DEVICE_H
#define AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_OWN_DEVICE_H

#include "device/job_memory/large_job.h"

#include "avrankmap/memory.h"

namespace avrankmap::bench {

enum class Connecting { kInOrder /* all at once, implicit AV */, kOnDemand /* table AV */ };

struct DeviceUse {
  std::uint64_t resident = 0;      ///< pages that the process has more; its program's text aside
  std::uint64_t address_space = 0; ///< bytes that it has more
  std::uint64_t av_touched = 0;    ///< pages of a table AV that hold somebody who was contacted
  std::uint64_t av = 0;            ///< bytes of a table AV; 0 if it is implicit
  std::uint64_t hierarchies = 0;   ///< in the communicators' owner; the others are in `kinds`
  std::uint64_t kinds[AVRM_MEM_TOTAL] = {};
  double open_seconds = 0;
};

enum class DeviceOutcome { kMeasured, kMissing /* no such transport here */, kTooLarge, kFailed };

/// @param transport  "null", or a name of transports/list.h whose addresses can be synthetic
DeviceOutcome measure_device(const LargeJob &job, Connecting connecting, const char *transport, DeviceUse *use_p);

} // namespace avrankmap::bench

#endif
