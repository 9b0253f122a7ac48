// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Words by (lpid, k), k from 1 on, few or many. Words 2^c .. 2^(c+1) - 1 of a peer are one block; a
// tree per c leads to the blocks, 4 bits of the lpid per node:
//
//   root of c --> 16 links of 4 bytes --> ... --> 16 links --> block of 2^c words
//
// Nodes and blocks lie in one array that grows under its readers (growing_array.h), and links are
// indices into it. So nothing moves or is freed before the end, a link takes 4 bytes, and where all
// peers have words, the tree takes little more than 4 bytes per peer and c.
#ifndef AVRANKMAP_SRC_AV_MULTI_ADDRESS_WORD_TABLE_H
#define AVRANKMAP_SRC_AV_MULTI_ADDRESS_WORD_TABLE_H

#include <algorithm>
#include <iterator>

#include "av/multi_address/growing_array.h"

namespace avrankmap::detail {

class WordTable {
public:
  static constexpr int kMostWordBits = 16; // of k

  explicit WordTable(std::int32_t lpids) noexcept;

  // The place of a word, or null. Zero: none was stored. Lock-free.
  [[nodiscard]] std::uint64_t *at(std::int32_t lpid, std::uint32_t k) const noexcept;

  // The writer makes places in two steps. All of those that a change needs are reserved first,
  // which no reader can see and which can be undone; then they are made in the same order.
  class Reservation {
  public:
    explicit Reservation(const WordTable &table) noexcept : pieces_(table.units_.pieces()), used_(table.used_) {
      std::fill(std::begin(last_), std::end(last_), -1);
    }

  private:
    friend WordTable;
    std::uint64_t pieces_;             // that there were before
    std::uint32_t used_;               // units, those of reserved places included
    std::int32_t last_[kMostWordBits]; // by c: the last lpid with a reserved place; -1: none
  };
  // Lpids come in ascending order. False without memory.
  [[nodiscard]] bool reserve(Memory &memory, Reservation *reservation, std::int32_t lpid, std::uint32_t k) noexcept;
  void give_up(Memory &memory, const Reservation &reservation) noexcept {
    units_.keep_only(memory, reservation.pieces_);
  }
  // The place of a word, a reserved one if there was none.
  [[nodiscard]] std::uint64_t *make(std::int32_t lpid, std::uint32_t k) noexcept;
  // Bytes beside the object itself. Lock-free.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return units_.bytes(); }
  void release(Memory &memory) noexcept { units_.release(memory); }

private:
  using Link = std::uint32_t; // index of a unit; 0: none
  using Units = GrowingArray<std::uint64_t, 4>;
  static constexpr int kBitsPerNode = 4;
  static constexpr std::uint32_t kUnitsPerNode = (1U << kBitsPerNode) * sizeof(Link) / sizeof(std::uint64_t);

  [[nodiscard]] Link *links(Link node) const noexcept { return reinterpret_cast<Link *>(units_.at(node)); }
  // The link in a node of a level; level 0 leads to blocks.
  [[nodiscard]] Link *link(Link node, int level, std::int32_t lpid) const noexcept {
    const auto bits = static_cast<std::uint32_t>(lpid) >> (level * kBitsPerNode);
    return links(node) + (bits & ((1U << kBitsPerNode) - 1));
  }
  // The first of that many units in one piece, if `used` are used; 0 if links do not reach so far.
  [[nodiscard]] static Link next(std::uint32_t used, std::uint32_t units) noexcept;
  // How far the tree goes towards a place: to a link that is 0, or to the block.
  struct Reach {
    Link *link;
    int nodes; // that are missing between the link and the block
  };
  [[nodiscard]] Reach reach(std::int32_t lpid, int group) noexcept;

  int levels_;
  std::uint32_t used_ = 1; // units, the one without number 0 included
  Link roots_[kMostWordBits]{};
  Units units_;
};

} // namespace avrankmap::detail

#endif
