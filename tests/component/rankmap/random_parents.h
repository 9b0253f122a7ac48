// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random maps to remove ranks from, and ranks to remove.
#ifndef AVRANKMAP_TESTS_RANKMAP_RANDOM_PARENTS_H
#define AVRANKMAP_TESTS_RANKMAP_RANDOM_PARENTS_H

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "rankmap/forms/cart.h"
#include "tests/component/rankmap/random_world.h"

namespace avrankmap::test {

inline Table without(const Table &table, const Ranks &removed) {
  std::vector<bool> out(table.size());
  for (const std::int32_t rank : removed) {
    out.at(static_cast<std::size_t>(rank)) = true;
  }
  Table rest;
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    if (!out[rank]) {
      rest.push_back(table[rank]);
    }
  }
  return rest;
}

// Bytes of a less map in addition to the map and without its base's dimensions: a header, a key per
// removed rank, and from 32 on about one entry of a directory for two keys.
inline std::uint64_t most_less_bytes(std::size_t removed) { return 48 + 6 * std::uint64_t{removed}; }

class RandomParents : public testing::Test {
protected:
  // Blocked or Cartesian, without duplicates, forwards and backwards, with gaps.
  MapPtr parent() {
    if (random.one_in(3)) {
      const std::int32_t block = 2 + random.below(9);
      const std::int32_t size = 3 * block + random.below(300);
      const std::int32_t stride = (random.one_in(2) ? 1 : -1) * (block + 1 + random.below(20));
      const std::int32_t offset = stride > 0 ? random.below(50) : -stride * ((size - 1) / block) + random.below(50);
      return make_blocked(instance, size, offset, stride, block, 2);
    }
    // Dimensions of an array in any order, padded, some of them backwards.
    detail::Cart cart;
    cart.dimensions = 2 + random.below(5);
    std::int64_t reach = 1;
    std::vector<std::int64_t> strides;
    std::int32_t extents[8];
    std::int32_t slice = 1;
    for (int k = 0; k < cart.dimensions; ++k) {
      extents[k] = 2 + random.below(k < 2 ? 7 : 4);
      slice *= k + 1 < cart.dimensions ? extents[k] : 1;
    }
    Ranks order(static_cast<std::size_t>(cart.dimensions));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine);
    std::int64_t lowest = 0;
    for (const std::int32_t k : order) {
      const bool is_backwards = random.one_in(4);
      cart.strides[k] = is_backwards ? -reach : reach;
      lowest -= is_backwards ? reach * (extents[k] - 1) : 0;
      reach = reach * extents[k] + random.below(3);
    }
    cart.offset = static_cast<std::int32_t>(random.below(40) - lowest);
    std::copy_n(extents, cart.dimensions - 1, cart.extents);
    cart.size = slice * extents[cart.dimensions - 1] - random.below(slice);
    return make_lpids(
        instance,
        [&] {
          Ranks lpids;
          for (std::int32_t rank = 0; rank < cart.size; ++rank) {
            lpids.push_back(static_cast<std::int32_t>(cart.at(rank)));
          }
          return lpids;
        }(),
        2);
  }
  // Ascending, at least one and not all.
  Ranks some(std::int32_t size) {
    std::vector<bool> out(static_cast<std::size_t>(size));
    for (std::int32_t left = 1 + random.below(3); left != 0; --left) {
      const std::int32_t first = random.one_in(4) ? 0 : random.below(size);
      const std::int32_t count = random.one_in(3) ? 1 : random.size(std::max(1, size / 3));
      switch (random.below(4)) {
      case 0: // a stretch
        for (std::int32_t i = 0; i < count && first + i < size; ++i) {
          out[static_cast<std::size_t>(first + i)] = true;
        }
        break;
      case 1: // the last
        for (std::int32_t i = 0; i < count; ++i) {
          out[static_cast<std::size_t>(size - 1 - i)] = true;
        }
        break;
      case 2: // a pattern
        for (std::int64_t rank = first, step = 1 + random.below(9), i = 0; i < count && rank < size;
             rank += step, ++i) {
          out[static_cast<std::size_t>(rank)] = true;
        }
        break;
      default: // anywhere
        for (std::int32_t i = 0; i < count; ++i) {
          out[static_cast<std::size_t>(random.below(size))] = true;
        }
      }
    }
    Ranks ranks;
    for (std::int32_t rank = 0; rank < size; ++rank) {
      if (out[static_cast<std::size_t>(rank)]) {
        ranks.push_back(rank);
      }
    }
    return ranks;
  }

  // Up to three times some ranks after equal parts, often of whole rows or larger slices.
  Ranks between_parts(std::int32_t size, const avrm_rankmap_info_t &info) {
    const auto slice = [&] {
      std::int32_t ranks = info.mode == AVRM_MODE_BLOCKED ? info.block : 1;
      for (std::int32_t k = random.below(std::max(1, info.dimensions)); k > 0; --k) {
        ranks *= info.extents[k - 1];
      }
      return random.one_in(8) ? 1 + random.below(9) : ranks;
    };
    const std::int32_t part = slice() * (1 + random.below(4));
    const std::int32_t gap = slice() * (1 + random.below(2));
    Ranks ranks;
    for (std::int32_t first = part, gaps = 1 + random.below(3); gaps > 0; --gaps, first += gap + part) {
      for (std::int32_t rank = first; rank < std::min(first + gap, size); ++rank) {
        ranks.push_back(rank);
      }
    }
    return ranks;
  }

  std::mt19937_64 engine = seeded_engine();
  RandomInput random{engine};
  Instance instance{false, AVRM_COST_BYTES};
};

} // namespace avrankmap::test

#endif
