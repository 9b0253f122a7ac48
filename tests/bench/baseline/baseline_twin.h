// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of the baseline schemes share: indirect mapping arrays of all kinds, and the
// brute-force twin of a communicator, which is the plain table of its processes.
#pragma once

#include "baseline/scheme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace avrankmap::bench::twin {

using Ranks = std::vector<std::int32_t>;

/// The brute-force twin of a communicator: its processes by rank.
using Table = std::vector<Gpid>;

inline constexpr std::int32_t kWorldSize = 1000;

// ---- patterns of an indirect mapping array ----

/// offset + (i / block) * stride + i % block
inline Ranks pattern(std::int32_t size, std::int32_t offset, std::int32_t stride, std::int32_t block = 1) {
  Ranks ranks;
  for (std::int32_t i = 0; i < size; ++i) {
    ranks.push_back(offset + i / block * stride + i % block);
  }
  return ranks;
}

inline Ranks contiguous(std::int32_t size, std::int32_t offset) { return pattern(size, offset, 1); }

inline Ranks permutation(std::int32_t size, std::mt19937_64 &random) {
  Ranks ranks = contiguous(size, 0);
  std::shuffle(ranks.begin(), ranks.end(), random);
  return ranks;
}

/// Some of the ranks 0 .. size-1, ascending, without a pattern.
inline Ranks irregular_ascending(std::int32_t size, std::int32_t parent_size, std::mt19937_64 &random) {
  Ranks ranks = permutation(parent_size, random);
  ranks.resize(static_cast<std::size_t>(size));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

inline Ranks random_pattern(std::int32_t parent_size, std::mt19937_64 &random) {
  const auto below = [&random](std::int32_t bound) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(bound));
  };
  const std::int32_t size = 1 + below(parent_size);
  switch (below(6)) {
  case 0: return contiguous(size, below(parent_size - size + 1));
  case 1: {
    const std::int32_t stride = 1 + below((parent_size + size - 1) / size);
    const std::int32_t fitting = (parent_size - 1) / stride + 1;
    return pattern(std::min(size, fitting), below((parent_size - 1) % stride + 1), stride);
  }
  case 2: return pattern(size, parent_size - 1, -1);
  case 3: {
    const std::int32_t block = 1 + below(4);
    const std::int32_t stride = block + 1 + below(3);
    Ranks ranks = pattern(parent_size, 0, stride, block);
    std::erase_if(ranks, [parent_size](std::int32_t rank) { return rank >= parent_size; });
    return ranks;
  }
  case 4: return irregular_ascending(size, parent_size, random);
  default: return permutation(parent_size, random);
  }
}

// ---- tables ----

inline Table world_table(std::int32_t pgid, std::int32_t size) {
  Table table;
  for (std::int32_t lpid = 0; lpid < size; ++lpid) {
    table.push_back({pgid, lpid});
  }
  return table;
}

inline Table child_table(const Table &parent, const Ranks &ranks) {
  Table table;
  for (const std::int32_t rank : ranks) {
    table.push_back(parent[static_cast<std::size_t>(rank)]);
  }
  return table;
}

inline Table joined(Table first, const Table &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

template <class S> void expect_agrees(const typename S::Comm &comm, const Table &table) {
  ASSERT_EQ(comm.size(), static_cast<std::int32_t>(table.size()));
  for (std::int32_t rank = 0; rank < comm.size(); ++rank) {
    const std::uint64_t expected = address_of(table[static_cast<std::size_t>(rank)]);
    ASSERT_EQ(S::address(comm, rank), expected) << "rank " << rank;
    ASSERT_EQ(S::address_word(comm, rank), expected) << "rank " << rank;
  }
}

} // namespace avrankmap::bench::twin
