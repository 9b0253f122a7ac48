// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random nodes of ranks: layouts, layouts with faults, pieces of layouts, no order at all.
#ifndef AVRANKMAP_TESTS_HIERARCHY_RANDOM_KEYS_H
#define AVRANKMAP_TESTS_HIERARCHY_RANDOM_KEYS_H

#include <algorithm>

#include "tests/component/hierarchy/hierarchy_twin.h"
#include "tests/component/rankmap/random_world.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

inline Keys layout(std::int32_t size, std::uint64_t first, std::int32_t nodes, std::int32_t block,
                   std::int32_t phase = 0) {
  Keys keys;
  for (std::int32_t i = phase; i < size + phase; ++i) {
    keys.push_back(first + static_cast<std::uint64_t>(i / block % nodes));
  }
  return keys;
}
inline Keys operator+(Keys keys, const Keys &more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

// Some layouts one after the other, over nodes that are new or were there.
inline Keys random_pieces(RandomInput &input) {
  Keys keys;
  for (std::int32_t left = 1 + input.below(6); left > 0; --left) {
    const std::int32_t nodes = input.size(40);
    const std::int32_t block = input.size(12);
    const std::int32_t step = 1 + input.below(3);
    const std::int32_t size = input.size(3 * nodes * block);
    const std::int32_t phase = input.one_in(2) ? 0 : input.below(nodes * block);
    const auto first = static_cast<std::uint64_t>(input.below(60));
    const bool falls = input.one_in(3);
    for (const std::uint64_t place : layout(size, 0, nodes, block, phase)) {
      const std::uint64_t distance = static_cast<std::uint64_t>(step) * place;
      keys.push_back(falls ? first + 1000 - distance : first + distance);
    }
  }
  return keys;
}

// Keys of a random job: some order of nodes of equal or random sizes.
inline Keys random_keys(std::mt19937_64 &engine) {
  const std::size_t size = 1 + below(engine, below(engine, 8) == 0 ? 20000 : 300);
  const std::uint64_t nodes = 1 + below(engine, below(engine, 2) == 0 ? size : 9);
  const std::uint64_t block = 1 + below(engine, 9);
  const std::uint64_t kind = below(engine, 4);
  const std::uint64_t salt = engine();
  Keys keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t node = kind == 0 ? below(engine, nodes) : i / block % nodes;
    keys[i] = node * 0x9e3779b97f4a7c15U ^ salt;
  }
  if (kind == 2) {
    std::shuffle(keys.begin(), keys.end(), engine);
  } else if (kind == 3) { // a layout with faults
    for (std::uint64_t fault = below(engine, 4); fault-- > 0;) {
      keys[below(engine, size)] = keys[below(engine, size)];
    }
  }
  return keys;
}

} // namespace avrankmap::test

#endif
