// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communicator split experiment of the n-D Cartesian compression paper (Figure 3): a torus is
// split along each dimension at each point into the part before and the part after it. Of each pair
// of parts a process is in one, so that it holds extent - 1 communicators per dimension, each about
// as large as the world.
#ifndef AVRANKMAP_BENCH_COMPONENT_MEMORY_TORUS_SPLIT_H
#define AVRANKMAP_BENCH_COMPONENT_MEMORY_TORUS_SPLIT_H

#include "measurement/measurement.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct TorusSplit {
  std::vector<std::int32_t> extents; ///< dimension 0 counts fastest
  std::int32_t processes = 0;
  int communicators = 0;         ///< of one process, the world aside
  std::uint64_t bytes = 0;       ///< of all maps, the world's too
  std::uint64_t bytes_table = 0; ///< of the same as plain tables of 4 bytes per rank
  /// Of the same by the paper's scheme, sub-rectangles of the torus; empty above 2^20 processes,
  /// where it takes minutes.
  std::optional<std::uint64_t> bytes_rectangles;
  std::uint64_t checked = 0;        ///< translations that were compared with the plain table
  std::map<std::string, int> modes; ///< how many communicators took which
  double seconds = 0;               ///< of creation from the plain tables, checks and tables aside
};
AVRM_BENCH_ROW(TorusSplit, extents, processes, communicators, bytes, bytes_table, bytes_rectangles, modes, checked,
               seconds);

/// The torus of Figure 3 at 8192 nodes of 32 processes, 68 communicators, and the extrapolation to
/// four dimensions of 64, 252 communicators.
std::vector<std::int32_t> figure3_torus();
std::vector<std::int32_t> extrapolated_torus();

/// Builds all communicators of the process in the middle, in one process at full size, and keeps
/// them. Each is compared with its plain table at random ranks, `checks` in all. Throws
/// std::runtime_error at the first difference.
TorusSplit measure_torus_split(std::vector<std::int32_t> extents, std::uint64_t checks);

extern const Measurement kTorusSplits;

} // namespace avrankmap::bench

#endif
