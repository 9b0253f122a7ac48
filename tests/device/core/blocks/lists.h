// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random lists of blocks, and what they mean, byte by byte.
#ifndef AVRANKMAP_TESTS_DEVICE_LISTS_H
#define AVRANKMAP_TESTS_DEVICE_LISTS_H

#include <algorithm>
#include <random>

#include "avrankmap/device/blocks.h"
#include "tests/device/core/process.h"
#include "tests/support/settings.h"

namespace avrankmap::test {

using Random = std::mt19937_64;

// A list of blocks in `extent` bytes of memory, whose offsets are counted from byte `zero`.
class List {
public:
  // Blocks that do not overlap, in any order, some of them without a gap between them.
  static List disjoint(Random &random, std::size_t bytes) {
    List list;
    std::size_t place = random() % 20;
    for (const std::size_t length : lengths(random, bytes)) {
      list.add(place, length);
      place += length + (random() % 4 == 0 ? 0 : random() % 20);
    }
    list.extent = place + 1;
    if (random() % 2 == 0) {
      std::shuffle(list.blocks.begin(), list.blocks.end(), random);
    }
    return list.completed(random);
  }
  // Blocks anywhere.
  static List anywhere(Random &random, std::size_t bytes) {
    List list;
    list.extent = bytes + 10;
    for (const std::size_t length : lengths(random, bytes)) {
      list.add(random() % (list.extent - length), length);
    }
    return list.completed(random);
  }

  [[nodiscard]] avrm_blocks_t get() const { return {blocks.data(), blocks.size()}; }

  // Calls visit(place) for each byte of data.
  template <typename Visit> void for_each_byte(Visit visit) const {
    for (const avrm_block_t &block : blocks) {
      for (std::size_t i = 0; i < block.bytes; ++i) {
        visit(static_cast<std::size_t>(static_cast<std::int64_t>(zero) + block.offset) + i);
      }
    }
  }
  [[nodiscard]] Buffer pack(const unsigned char *memory) const {
    Buffer packed;
    for_each_byte([&](std::size_t place) { packed.push_back(memory[place]); });
    return packed;
  }
  // Writes as many bytes as there are, from the beginning of the data on.
  void unpack(const Buffer &packed, Buffer *memory) const {
    std::size_t at = 0;
    for_each_byte([&](std::size_t place) {
      if (at < packed.size()) {
        (*memory)[place] = packed[at++];
      }
    });
  }

  std::vector<avrm_block_t> blocks;
  std::size_t extent = 0;
  std::size_t zero = 0;

private:
  static std::vector<std::size_t> lengths(Random &random, std::size_t bytes) {
    constexpr std::size_t kLongest[] = {1, 8, 100, 5000, 1U << 20};
    const std::size_t longest = kLongest[random() % (bytes > 10000 ? 5 : 4)];
    std::vector<std::size_t> all;
    for (std::size_t left = bytes; left != 0; left -= all.back()) {
      all.push_back(std::min<std::size_t>(left, 1 + random() % longest));
    }
    return all;
  }
  void add(std::size_t place, std::size_t length) { blocks.push_back({static_cast<std::int64_t>(place), length}); }
  // Adds blocks of 0 bytes, whose offsets mean nothing, and chooses where offsets begin.
  List completed(Random &random) {
    zero = random() % extent;
    for (avrm_block_t &block : blocks) {
      block.offset -= static_cast<std::int64_t>(zero);
    }
    for (std::uint64_t i = random() % 4; i != 0; --i) {
      const auto at = static_cast<std::ptrdiff_t>(random() % (blocks.size() + 1));
      blocks.insert(blocks.begin() + at, {static_cast<std::int64_t>(random()), 0});
    }
    return *this;
  }
};

// Sizes of data on both sides of what fits into a message or into a cell of shared memory, and some
// at random.
inline std::vector<std::size_t> data_sizes(Random &random) {
  std::vector<std::size_t> sizes{0, 1, 2, 63, 64, 65, 4095, 4096, 4097, 16383, 16384, 16385, 70000};
  if (is_long()) {
    sizes.push_back(300000);
  }
  for (int i = 0; i < (is_long() ? 20 : 5); ++i) {
    sizes.push_back(random() % (std::size_t{1} << (random() % 17)));
  }
  return sizes;
}

} // namespace avrankmap::test

#endif
