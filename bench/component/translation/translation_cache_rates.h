// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our Cartesian translation and the n-D Cartesian compression paper's: its mapping function
// alone and behind each of its caches, on the neighbour exchanges of its section 5 (Figures 5 and
// 6), in one run on the same communicator, up to the same address word.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_TRANSLATION_CACHE_RATES_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_TRANSLATION_CACHE_RATES_H

#include "communicators/torus.h"
#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Names of the schemes.
inline constexpr const char *kMappingFunction = "mapping function";
inline constexpr const char *kPaperCache = "128 x 8";
inline constexpr const char *kPlainTable = "plain table";

/// One scheme in one exchange: each neighbour is addressed once, again and again.
struct CacheRate {
  /// KMappingFunction, "linear 8", "linear 16", kPaperCache, kPlainTable.
  std::string scheme;
  std::int32_t neighbours = 0; ///< of the process
  /// The exchange with all neighbours within so many steps in each dimension; 0: others.
  int hops = 0;
  std::string order; ///< "rr": in the same order each time; "random": in another one
  /// Over some exchanges after the first ones; 0 for schemes without a cache.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  double nanoseconds = 0;      ///< per translation, median
  double nanoseconds_ours = 0; ///< the same, by our cart map
  double ours_over_theirs = 0; ///< time, median of pairs
};
AVRM_BENCH_ROW(CacheRate, scheme, neighbours, hops, order, hits, misses, nanoseconds, nanoseconds_ours,
               ours_over_theirs);

/// Exchanges with 6, 8 and 10 near neighbours in 3, 4 and 5 dimensions of near_torus(), which
/// counts its dimensions the other way round than the world; and with all within 1 to 4 hops in 16
/// x 16 x 16 processes out of 128 x 96 x 64.
/// @param rounds        pairs that medians are taken over
/// @param translations  that are timed at a time
std::vector<CacheRate> measure_translation_caches(int rounds, std::int32_t translations = 1 << 15);

/// The torus of Figure 5: 512 nodes of a Blue Gene/Q. Its last dimension has two places, so that
/// ten neighbours are nine processes.
Torus near_torus();

/// How ranks are numbered in the 16 x 16 x 16: row by row, or, as on nodes of eight processes,
/// 2 x 2 x 2 by 2 x 2 x 2.
enum class Numbering { kByRows, kByNodes };

/// Neighbours of a process in the 16 x 16 x 16: all within `hops` steps in each dimension.
std::vector<std::int32_t> neighbours_within(int hops, Numbering numbering = Numbering::kByNodes,
                                            const Extents &place = {8, 8, 8});

/// Share of its translations that a process finds in the 128 x 8 cache, in the same order each
/// time, after the first exchanges: the least, the mean and the most of all 4096 processes.
struct CacheHits {
  double least = 0;
  double mean = 0;
  double most = 0;
};
CacheHits hits_of_all(int hops, Numbering numbering);

extern const Measurement kCaches;

} // namespace avrankmap::bench

#endif
