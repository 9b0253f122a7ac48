// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same job (WholeJob) in the structures of others: VC-VCRT (MPICH 3.2), MPICH 4 and MPICH 5.
// All of them are built, and counted as they are allocated.
#ifndef AVRANKMAP_BENCH_WHOLE_STRUCTURES_H
#define AVRANKMAP_BENCH_WHOLE_STRUCTURES_H

#include "whole/whole_job.h"

#include <string>

namespace avrankmap::bench {

inline constexpr const char *kOthers[] = {"vc-vcrt", "mpich4", "mpich5"};

struct StructureUse {
  std::uint64_t addresses = 0;
  std::uint64_t communicators = 0; ///< maps, those of nodes and node roots included
  std::uint64_t hierarchies = 0;
  std::uint64_t windows = 0;

  [[nodiscard]] std::uint64_t bytes() const { return addresses + communicators + hierarchies + windows; }
};

/// @param scheme  one of kOthers
StructureUse build_structures(const WholeJob &job, const std::string &scheme);

} // namespace avrankmap::bench

#endif
