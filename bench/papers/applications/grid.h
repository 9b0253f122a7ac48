// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A box of processes in three dimensions.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_GRID_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_GRID_H

#include <array>
#include <cstdint>

namespace avrankmap::bench {

using Box = std::array<std::int32_t, 3>; ///< numbers by dimension: x, y, z

/// 2^power things as a box whose sides differ by a factor of 2 at most.
Box box_of_power(int power);
/// So many processes as a box that divides `whole` evenly, and leaves each a part as near to a cube
/// as the prime factors allow. Throws std::invalid_argument if there is none.
Box divide(const Box &whole, std::int32_t processes);

class Grid {
public:
  Grid(const Box &sides, std::int32_t rank, bool periodic);

  static constexpr std::int32_t kNobody = -1;
  [[nodiscard]] const Box &sides() const { return sides_; }
  [[nodiscard]] const Box &place() const { return place_; } ///< of this process
  /// Rank of the next process, down (0) or up (1) in a dimension. It is this process itself where a
  /// periodic dimension has no other; kNobody at the end of one that is not periodic.
  [[nodiscard]] std::int32_t neighbour(int dimension, int side) const;

private:
  Box sides_;
  Box place_;
  bool periodic_;
};

} // namespace avrankmap::bench

#endif
