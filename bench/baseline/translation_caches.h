// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Caches of recent translations, section 4.2 of the n-D Cartesian compression paper, written
// afresh: with them a communicator without a table calls its mapping function for a peer only when
// the peer is not among the latest ones.
//
//   linear         the latest k translations in an array that is searched from its beginning
//   128 x 8        the rank selects a row of 8 by (rank ^ rank >> 7) & 127; the row is searched
//
// Either way a new translation takes the place of the oldest one of its array or row, in turn.
// An empty place holds a rank that nobody has. A row of 8 is one cache line; whose turn it is,
// is kept apart.
#pragma once

#include "baseline/scheme.h"
#include "baseline/world_rectangles.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace avrankmap::bench {

/// Places that are searched one after the other and replaced in turn.
template <std::size_t kPlaces> class alignas(64) CacheRow {
public:
  CacheRow() { ranks_.fill(-1); }

  /// The translation of a rank; map(rank) gives it if it is not here, for the place `*next`.
  template <class Map> AVRM_BENCH_HOT std::int32_t translate(std::int32_t rank, std::uint32_t *next, Map map) {
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if (ranks_[i] == rank) {
        return world_ranks_[i];
      }
    }
    const std::int32_t world_rank = map(rank);
    ranks_[*next] = rank;
    world_ranks_[*next] = world_rank;
    *next = (*next + 1) % kPlaces;
    return world_rank;
  }

private:
  std::array<std::int32_t, kPlaces> ranks_;
  std::array<std::int32_t, kPlaces> world_ranks_{};
};

template <std::size_t kPlaces> class LinearCache {
public:
  template <class Map> AVRM_BENCH_HOT std::int32_t translate(std::int32_t rank, Map map) {
    return row_.translate(rank, &next_, map);
  }

private:
  CacheRow<kPlaces> row_;
  std::uint32_t next_ = 0;
};

/// kRows is a power of two.
template <std::size_t kRows, std::size_t kPlaces> class SetAssociativeCache {
  static_assert(std::has_single_bit(kRows));

public:
  template <class Map> AVRM_BENCH_HOT std::int32_t translate(std::int32_t rank, Map map) {
    const std::size_t row = row_of(rank);
    return rows_[row].translate(rank, &next_[row], map);
  }

  [[nodiscard]] static constexpr std::size_t row_of(std::int32_t rank) {
    constexpr int kBits = std::countr_zero(kRows);
    return static_cast<std::size_t>(rank ^ rank >> kBits) & (kRows - 1);
  }

private:
  std::array<CacheRow<kPlaces>, kRows> rows_;
  std::array<std::uint32_t, kRows> next_{};
};

using PaperCache = SetAssociativeCache<128, 8>;

/// No cache: the mapping function each time.
struct NoCache {
  template <class Map> AVRM_BENCH_HOT std::int32_t translate(std::int32_t rank, Map map) { return map(rank); }
};

/// A communicator as the paper's library has it: compressed, with a cache in front of the mapping
/// function, or with its table.
template <class Cache> class CachedVcrt {
public:
  explicit CachedVcrt(const CartesianVcrt &vcrt) : vcrt_(vcrt) {}
  /// The table has to outlive this.
  CachedVcrt(const CartesianVcrt &vcrt, const std::int32_t *table) : table_(table), vcrt_(vcrt) {}

  [[nodiscard]] AVRM_BENCH_HOT std::int32_t translate(std::int32_t rank) {
    if (table_ != nullptr) {
      return table_[rank];
    }
    return cache_.translate(rank, [this](std::int32_t r) {
      ++misses_;
      return vcrt_.map(r);
    });
  }

  /// Calls of the mapping function so far.
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

private:
  const std::int32_t *table_ = nullptr; ///< null: compressed
  std::uint64_t misses_ = 0;
  CartesianVcrt vcrt_;
  Cache cache_;
};

} // namespace avrankmap::bench
