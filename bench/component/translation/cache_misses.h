// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cache misses per put, for the communicators and sizes of the paper's Table IV and one that
// outgrows the caches, simulated by cachegrind: a loop of few peers misses so seldom that the
// processor's counters have nothing but noise for it. Cachegrind knows two levels, so it runs
// twice: with the second level as the last one, and with the third. For the communicator that
// outgrows the caches the processor's counters are read as well, where the machine has them.
//
// Each figure is a difference of two counts, of a run and of one twice as long, so that start-up
// and first touches cancel out. The simulation runs this program again, under valgrind, with the
// subcommand kCacheLoopCommand.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_CACHE_MISSES_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_CACHE_MISSES_H

#include "measurement/measurement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Misses per put, at each level that was counted.
struct CacheMisses {
  std::int32_t peers = 0;
  /// A mode's label for ours; "vc-vcrt" and "vc-lean" are on the stride communicator.
  std::string scheme;
  std::optional<double> l1d;
  std::optional<double> l2;
  std::optional<double> last_level;
  bool simulated = true;
  std::string source; ///< how it was counted
};
AVRM_BENCH_ROW(CacheMisses, peers, scheme, l1d, l2, last_level, simulated, source);

/// A loop of puts, round robin, and nothing else.
struct CacheLoop {
  std::string scheme; ///< as in CacheMisses
  std::int32_t peers = 0;
  std::uint64_t operations = 0;
};

/// Name of the subcommand that runs a CacheLoop, and its arguments: scheme, peers, operations.
inline constexpr const char *kCacheLoopCommand = "cache-loop";

/// Runs it. Throws std::invalid_argument for a scheme that there is not.
void run_cache_loop(const CacheLoop &loop);

/// Measures all of them on communicators of these sizes. `program` is the path of a program with
/// the subcommand. `note` is told what could not be measured, and why.
std::vector<CacheMisses> measure_cache_misses(const std::string &program, const std::vector<std::int32_t> &sizes,
                                              const Log &progress, const Log &note);

extern const Measurement kCacheMisses;

} // namespace avrankmap::bench

#endif
