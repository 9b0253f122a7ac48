// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same job (LargeJob) in the structures of others: VC-VCRT (MPICH 3.2), MPICH 4.0.2, MPICH 4.1
// to 4.3, MPICH 5, and Open MPI as shipped and with sparse groups. They are built, and counted as
// they are allocated, but for the wider entries of 4.1. Of Open MPI the groups and the processes
// that were contacted are built, nothing for nodes and windows: a lower bound.
#ifndef AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_STRUCTURES_H
#define AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_STRUCTURES_H

#include "device/job_memory/large_job.h"

#include <string>

namespace avrankmap::bench {

inline constexpr const char *kOthers[] = {"vc-vcrt", "mpich4", "mpich4.1", "mpich5", "ompi", "ompi-sparse"};

struct StructureUse {
  std::uint64_t addresses = 0;
  std::uint64_t communicators = 0; ///< maps, those of nodes and node roots included
  std::uint64_t hierarchies = 0;
  std::uint64_t windows = 0;

  [[nodiscard]] std::uint64_t bytes() const { return addresses + communicators + hierarchies + windows; }
};

/// @param scheme  one of kOthers
StructureUse build_structures(const LargeJob &job, const std::string &scheme);

} // namespace avrankmap::bench

#endif
