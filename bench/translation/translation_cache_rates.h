// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our 3-D Cartesian translation beside the n-D Cartesian compression paper's: its mapping function
// alone and behind each of its caches, on the neighbour exchanges of its section 5 (Figures 5 and
// 6), in one run on the same communicator, up to the same address word.
#ifndef AVRANKMAP_BENCH_TRANSLATION_TRANSLATION_CACHE_RATES_H
#define AVRANKMAP_BENCH_TRANSLATION_TRANSLATION_CACHE_RATES_H

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

/// The communicator: 16 x 16 x 16 processes out of 128 x 96 x 64.
/// @param rounds        pairs that medians are taken over
/// @param translations  that are timed at a time
std::vector<CacheRate> measure_translation_caches(int rounds, std::int32_t translations = 1 << 15);

/// Neighbours of the process in the middle of the 16 x 16 x 16: all within `hops` steps in each
/// dimension.
std::vector<std::int32_t> neighbours_within(int hops);

extern const Measurement kCaches;

} // namespace avrankmap::bench

#endif
