// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks on a torus, and who is how many steps away.
#ifndef AVRANKMAP_BENCH_COMMUNICATORS_TORUS_H
#define AVRANKMAP_BENCH_COMMUNICATORS_TORUS_H

#include "baseline/world_rectangles.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace avrankmap::bench {

/// Ranks count dimension 0 fastest.
struct Torus {
  Extents extents;

  [[nodiscard]] std::int32_t size() const {
    return std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
  }
  [[nodiscard]] std::int32_t rank(const Extents &place) const {
    std::int32_t rank = 0;
    for (std::size_t k = extents.size(); k-- > 0;) {
      rank = rank * extents[k] + place[k];
    }
    return rank;
  }
  [[nodiscard]] Extents place(std::int32_t rank) const {
    Extents place;
    for (const std::int32_t extent : extents) {
      place.push_back(rank % extent);
      rank /= extent;
    }
    return place;
  }
  /// The rank so many steps from another one, around the torus.
  [[nodiscard]] std::int32_t beside(std::int32_t rank, const Extents &steps) const {
    Extents there = place(rank);
    for (std::size_t k = 0; k < extents.size(); ++k) {
      there[k] = ((there[k] + steps[k]) % extents[k] + extents[k]) % extents[k];
    }
    return this->rank(there);
  }
  /// The same processes, the last dimension counted fastest.
  [[nodiscard]] std::vector<std::int32_t> reversed() const {
    std::vector<std::int32_t> ranks;
    const Torus other{Extents(extents.rbegin(), extents.rend())};
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      const Extents there = place(rank);
      ranks.push_back(other.rank(Extents(there.rbegin(), there.rend())));
    }
    return ranks;
  }
};

/// One step forward and one back in each of the first `dimensions` dimensions of a torus of
/// `all`. Where a dimension has two places both lead to the same process.
inline std::vector<Extents> next_steps(std::size_t all, std::size_t dimensions) {
  std::vector<Extents> steps;
  for (std::size_t k = 0; k < dimensions; ++k) {
    for (const std::int32_t step : {1, -1}) {
      steps.emplace_back(all, 0)[k] = step;
    }
  }
  return steps;
}

/// To all places within `hops` steps in each of three dimensions.
inline std::vector<Extents> steps_within(std::int32_t hops) {
  std::vector<Extents> steps;
  for (std::int32_t z = -hops; z <= hops; ++z) {
    for (std::int32_t y = -hops; y <= hops; ++y) {
      for (std::int32_t x = -hops; x <= hops; ++x) {
        if (x != 0 || y != 0 || z != 0) {
          steps.push_back({x, y, z});
        }
      }
    }
  }
  return steps;
}

} // namespace avrankmap::bench

#endif
