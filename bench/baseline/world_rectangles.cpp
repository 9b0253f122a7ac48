// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "baseline/world_rectangles.h"

#include "avrankmap/dims.h"

#include <algorithm>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

/// Of rectangles that are made without being asked for.
constexpr std::int32_t kMostOwnDimensions = 4;

/// Coordinates of a world rank.
struct Point {
  std::int32_t at[kMostRectangleDimensions] = {};

  Point(const Extents &world, std::int32_t rank) {
    for (std::size_t k = 0; k < world.size(); ++k) {
      at[k] = rank % world[k];
      rank /= world[k];
    }
  }
};

/// The one dimension in which `to` is one step on from `from`; -1 if that is not the
/// difference between them.
int step_between(const Point &from, const Point &to, int dimensions) {
  int found = -1;
  for (int k = 0; k < dimensions; ++k) {
    if (to.at[k] != from.at[k]) {
      if (found >= 0 || to.at[k] != from.at[k] + 1) {
        return -1;
      }
      found = k;
    }
  }
  return found;
}

std::int64_t product_of(const Extents &extents) {
  std::int64_t product = 1;
  for (const std::int32_t extent : extents) {
    product *= extent;
  }
  return product;
}

} // namespace

std::optional<CartesianVcrt> CartesianVcrt::compress(const Extents &world, std::span<const std::int32_t> world_ranks) {
  const auto size = static_cast<std::int64_t>(world_ranks.size());
  const std::int64_t world_size = product_of(world);
  CartesianVcrt vcrt;
  vcrt.dimensions_ = static_cast<int>(world.size());

  // Steps 1 and 2: the smallest rectangle that holds all processes.
  if (world_ranks.empty() || *std::max_element(world_ranks.begin(), world_ranks.end()) >= world_size) {
    return std::nullopt;
  }
  const Point origin(world, world_ranks.front());
  Point least = origin;
  Point greatest = origin;
  for (const std::int32_t rank : world_ranks) {
    const Point point(world, rank);
    for (int k = 0; k < vcrt.dimensions_; ++k) {
      least.at[k] = std::min(least.at[k], point.at[k]);
      greatest.at[k] = std::max(greatest.at[k], point.at[k]);
    }
  }
  // Steps 3 and 4: it has as many places as there are processes.
  std::int64_t places = 1;
  std::int32_t world_size_of_step = 1;
  for (int k = 0; k < vcrt.dimensions_; ++k) {
    places *= greatest.at[k] - least.at[k] + 1;
    vcrt.lower_left_[k] = least.at[k];
    vcrt.world_sizes_[k] = world_size_of_step;
    world_size_of_step *= world[static_cast<std::size_t>(k)];
  }
  if (places != size || !std::equal(least.at, least.at + vcrt.dimensions_, origin.at)) {
    return std::nullopt;
  }
  // Step 5: the order of the dimensions, from the neighbours of the origin. Those of one place
  // only come last.
  std::int64_t step = 1;
  int found = 0;
  while (step < size) {
    const Point neighbour(world, world_ranks[static_cast<std::size_t>(step)]);
    const int k = step_between(origin, neighbour, vcrt.dimensions_);
    if (k < 0 || std::find(vcrt.order_, vcrt.order_ + found, k) != vcrt.order_ + found) {
      return std::nullopt;
    }
    vcrt.order_[found] = k;
    vcrt.sizes_[found++] = static_cast<std::int32_t>(step);
    step *= greatest.at[k] - least.at[k] + 1;
  }
  for (int k = 0; k < vcrt.dimensions_; ++k) {
    if (greatest.at[k] == least.at[k]) {
      vcrt.order_[found] = k;
      vcrt.sizes_[found++] = static_cast<std::int32_t>(size);
    }
  }
  // Steps 6 to 8: no shuffle.
  for (std::int64_t rank = 0; rank < size; ++rank) {
    if (vcrt.map(static_cast<std::int32_t>(rank)) != world_ranks[static_cast<std::size_t>(rank)]) {
      return std::nullopt;
    }
  }
  return vcrt;
}

WorldRectangles::WorldRectangles(std::int32_t processes) {
  for (std::int32_t dimensions = 2; dimensions <= kMostOwnDimensions; ++dimensions) {
    Extents extents(static_cast<std::size_t>(dimensions), 0);
    if (avrm_dims_create(processes, dimensions, extents.data()) != AVRM_OK) {
      throw std::invalid_argument("no such number of processes");
    }
    add_both_ways(extents);
  }
  for (const std::size_t dimensions : {std::size_t{2}, std::size_t{3}}) {
    std::int32_t side = 1;
    while (product_of(Extents(dimensions, side + 1)) <= processes) {
      ++side;
    }
    add(Extents(dimensions, side));
  }
}

void WorldRectangles::add(const Extents &extents) {
  if (std::find(rectangles_.begin(), rectangles_.end(), extents) == rectangles_.end()) {
    rectangles_.push_back(extents);
  }
}

void WorldRectangles::add_both_ways(Extents extents) {
  add(extents);
  std::reverse(extents.begin(), extents.end());
  add(extents);
}

std::optional<CartesianVcrt> WorldRectangles::compress(std::span<const std::int32_t> world_ranks) const {
  for (const Extents &world : rectangles_) {
    if (std::optional<CartesianVcrt> vcrt = CartesianVcrt::compress(world, world_ranks)) {
      return vcrt;
    }
  }
  return std::nullopt;
}

} // namespace avrankmap::bench
