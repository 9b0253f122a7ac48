// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Communicators as sub-rectangles of virtual world rectangles: section 4 of the n-D Cartesian
// compression paper, written afresh. A set of rectangles is made for the number of processes; a
// communicator is compared with one after the other, and where it is a sub-rectangle, in any order
// of the dimensions, corner and sizes replace its table.
//
// What the paper does by two reductions over the communicator's processes is done here by one
// process that looks at all of them; results are the same. Ours finds the pattern in the table
// itself, needs no rectangle, and finds every sub-rectangle of every rectangle:
// tests/bench/baseline/baseline_rectangles_test.cc.
#pragma once

#include "baseline/scheme.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace avrankmap::bench {

/// Extents of a rectangle, the dimension in which world ranks count fastest first.
using Extents = std::vector<std::int32_t>;

/// Of a rectangle; the paper's tori have the processes of a node as a sixth dimension.
inline constexpr int kMostRectangleDimensions = 6;

/// A compressed communicator.
class CartesianVcrt {
public:
  /// World rank of a rank, as in Figure 1 of the paper: coordinates in the sub-rectangle by
  /// division, then in the world.
  [[nodiscard]] AVRM_BENCH_HOT std::int32_t map(std::int32_t rank) const {
    std::int32_t coordinates[kMostRectangleDimensions];
    std::int32_t rest = rank;
    for (int j = dimensions_ - 1; j >= 0; --j) {
      const std::int32_t coordinate = rest / sizes_[j];
      coordinates[order_[j]] = coordinate + lower_left_[order_[j]];
      rest -= sizes_[j] * coordinate;
    }
    std::int32_t world_rank = 0;
    for (int k = 0; k < dimensions_; ++k) {
      world_rank += coordinates[k] * world_sizes_[k];
    }
    return world_rank;
  }

  [[nodiscard]] int dimensions() const { return dimensions_; }

  /// The communicator as a sub-rectangle of this world; nothing if it is none or its
  /// ranks are shuffled.
  static std::optional<CartesianVcrt> compress(const Extents &world, std::span<const std::int32_t> world_ranks);

private:
  CartesianVcrt() = default;

  int dimensions_ = 0;
  std::int32_t sizes_[kMostRectangleDimensions] = {}; ///< ranks per step of the dimension order_[j]
  std::int32_t order_[kMostRectangleDimensions] = {}; ///< fastest first
  std::int32_t lower_left_[kMostRectangleDimensions] = {};
  std::int32_t world_sizes_[kMostRectangleDimensions] = {}; ///< world ranks per step of dimension k
};

/// The rectangles that communicators are compared with.
class WorldRectangles {
public:
  /// Results of MPI_Dims_create for 2, 3 and 4 dimensions, and the largest square and the largest
  /// cube that the processes suffice for; each with the first and with the last dimension
  /// counting fastest.
  explicit WorldRectangles(std::int32_t processes);

  /// One more: 1 to 6 extents, at least 1 each, whose product is at most the number of processes.
  void add(const Extents &extents);

  [[nodiscard]] const std::vector<Extents> &all() const { return rectangles_; }

  /// By the first rectangle that fits.
  [[nodiscard]] std::optional<CartesianVcrt> compress(std::span<const std::int32_t> world_ranks) const;

private:
  void add_both_ways(Extents extents);
  std::vector<Extents> rectangles_;
};

} // namespace avrankmap::bench
