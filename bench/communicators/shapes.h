// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communicators on which issue rates are measured: one per mode, each of `peers` ranks out
// of a world of twice that size, as in the paper (V-C), and the orders in which their ranks
// are addressed.
//
//   direct   the first half of the world
//   offset   its second half
//   stride   its odd ranks
//   blocked  blocks of 16 out of every 32, smaller ones in a world of less than 128
//   lut      its odd ranks in random order (the paper reverses them; to us that is a stride, which
//            needs no table)
//   mlut     every fourth process of the world and all of a second world of peers / 2,
//            in random order
//
// Two ranks are always a stride apart and never irregular, and two blocks take four ranks at least:
// there is no lut of fewer than 4 and no blocked of fewer than 8.
#ifndef AVRANKMAP_BENCH_COMMUNICATORS_SHAPES_H
#define AVRANKMAP_BENCH_COMMUNICATORS_SHAPES_H

#include "avrankmap/rankmap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A communicator to be built in every scheme.
struct Shape {
  std::string mode; ///< label of the mode that ours gives it
  /// Child of world 0; empty when several worlds are merged.
  std::vector<std::int32_t> parent_ranks;
  std::vector<avrm_gpid_t> processes; ///< all of its processes, by rank
};

/// Sizes of the worlds that the shapes of `peers` ranks are built from, by pgid.
std::vector<std::int32_t> world_sizes(std::int32_t peers);

/// The communicator of a mode; without processes if there is none of that size. The same on
/// every machine.
Shape make_shape(avrm_mode_t mode, std::int32_t peers);

/// A communicator given by its processes. `mode` is a name for it.
Shape make_shape(std::string mode, std::vector<avrm_gpid_t> processes);

/// In which order ranks are addressed. Both orders are arrays that were made beforehand and are
/// read in sequence, which costs every scheme the same. Each visits every rank equally often; below
/// 1024 ranks, several times.
struct Orders {
  std::vector<std::int32_t> round_robin; ///< 0, 1, ..., size-1, again and again
  std::vector<std::int32_t> random;      ///< one random permutation of the ranks after another
};

Orders make_orders(std::int32_t size);

} // namespace avrankmap::bench

#endif
