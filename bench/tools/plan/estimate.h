// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes that the planned process holds in each scheme: its structures are built, in this process,
// and asked for their bytes.
#ifndef AVRANKMAP_BENCH_TOOLS_PLAN_ESTIMATE_H
#define AVRANKMAP_BENCH_TOOLS_PLAN_ESTIMATE_H

#include "tools/plan/plan.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace avrankmap::planner {

struct Estimate {
  std::string scheme;
  bool built = false;
  /// If it was not built: about so many bytes, more than there are.
  std::uint64_t needs = 0;
  std::uint64_t bytes = 0;         ///< per process, addresses included
  std::uint64_t address_bytes = 0; ///< of them without any communicator
  /// Of all processes of a node: no scheme here shares anything between them.
  std::uint64_t per_node = 0;
  std::int32_t processes = 0;                ///< of all worlds
  std::int64_t communicators = 0;            ///< the world and internal ones included
  std::map<std::string, std::int64_t> modes; ///< ours only
};

/// Schemes are built one after the other, each only if it fits into `memory` bytes.
std::vector<Estimate> estimate(const Job &job, const std::vector<Request> &requests, std::uint64_t memory);

/// Memory available, as Linux reports it.
std::uint64_t available_memory();

} // namespace avrankmap::planner

#endif
