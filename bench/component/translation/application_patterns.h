// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The peers that one process of an application addresses, in order, and what it costs to address
// them (the n-D Cartesian compression paper, tables 1 and 2): each is translated and a message to
// it handed to the null network, by our maps and by that paper's library with its table, its
// mapping function, and its 128 x 8 cache.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_APPLICATION_PATTERNS_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_APPLICATION_PATTERNS_H

#include "baseline/world_rectangles.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A communicator out of a world, by world ranks.
struct PatternComm {
  std::string name;
  std::vector<std::int32_t> world_ranks;
};

/// Messages to some ranks of one communicator, one after another.
struct PatternPhase {
  std::size_t comm = 0;
  std::vector<std::int32_t> ranks;
};

struct ApplicationPattern {
  std::string name;
  Extents world; ///< whose rectangle the communicators are parts of; dimension 0 counts fastest
  std::vector<PatternComm> comms;
  std::vector<PatternPhase> phases;

  /// Messages in all.
  [[nodiscard]] std::size_t messages() const;
};

/// A pair of forward and backward 3-D FFTs on a grid of side x side processes, seen from the one in
/// the middle: to all of its row, all of its column, all of its column, all of its row.
ApplicationPattern fft_pattern(std::int32_t side);

/// One V-cycle of an algebraic multigrid solver on a grid of processes, seen from the one in the
/// middle: at each level to the 26 neighbours at twice the distance of the level before, from the
/// finest to the coarsest and back. The grid counts its first dimension fastest, the world the
/// last: a grid that is mapped to a torus has not the world's order.
ApplicationPattern amg_pattern(const Extents &grid);

/// One way to translate.
struct PatternCost {
  std::string scheme;     ///< "plain table", "mapping function", "128 x 8", "ours"
  double nanoseconds = 0; ///< per message: translation and descriptor, median
  double ratio = 0;       ///< over the plain table in the same round, median
  double misses = 0;      ///< share of translations that the cache did not have
};

/// Throws std::runtime_error if an address is wrong or a communicator is no part of the rectangle.
std::vector<PatternCost> measure_pattern(const ApplicationPattern &pattern, int rounds, double seconds);

} // namespace avrankmap::bench

#endif
