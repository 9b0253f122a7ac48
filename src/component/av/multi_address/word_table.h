// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A table of words, sparse or dense, indexed by (lpid, k), k >= 1. Words 2^c .. 2^(c+1) - 1 of a
// peer are one block. One tree per c leads to the blocks, with 4 bits of the lpid per node:
//
//   root of c --> 16 links of 4 bytes --> ... --> 16 links --> block of 2^c words
//
// Nodes and blocks are in one array that grows while it is read (growing_array.h), and links are
// indices into it. Nothing is moved or freed before the table is released, a link takes 4 bytes,
// and if all peers have words, the tree takes little more than 4 bytes per peer and c.
#ifndef AVRANKMAP_SRC_AV_MULTI_ADDRESS_WORD_TABLE_H
#define AVRANKMAP_SRC_AV_MULTI_ADDRESS_WORD_TABLE_H

#include <algorithm>
#include <iterator>

#include "av/multi_address/growing_array.h"

namespace avrankmap::detail {

class WordTable {
public:
  static constexpr int kMostWordBits = 16; // number of bits of k

  explicit WordTable(std::int32_t lpids) noexcept;

  // The location of a word, or null. The word is 0 if none was stored. Lock-free.
  [[nodiscard]] std::uint64_t *at(std::int32_t lpid, std::uint32_t k) const noexcept;

  // The writer allocates locations in two steps. It first reserves all locations that a change
  // needs, which readers cannot see and which can be undone. It then makes them, in the same order.
  class Reservation {
  public:
    explicit Reservation(const WordTable &table) noexcept : pieces_(table.units_.pieces()), used_(table.used_) {
      std::fill(std::begin(last_), std::end(last_), -1);
    }

  private:
    friend WordTable;
    std::uint64_t pieces_;             // pieces that existed before the reservation
    std::uint32_t used_;               // number of units, including those of reserved locations
    std::int32_t last_[kMostWordBits]; // by c: the last lpid with a reserved location, or -1
  };
  // Lpids must be in ascending order. False if out of memory.
  [[nodiscard]] bool reserve(Memory &memory, Reservation *reservation, std::int32_t lpid, std::uint32_t k) noexcept;
  void give_up(Memory &memory, const Reservation &reservation) noexcept {
    units_.keep_only(memory, reservation.pieces_);
  }
  // The location of a word. Uses a reserved location if the word has none.
  [[nodiscard]] std::uint64_t *make(std::int32_t lpid, std::uint32_t k) noexcept;
  // Bytes in addition to the object itself. Lock-free.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return units_.bytes(); }
  void release(Memory &memory) noexcept { units_.release(memory); }

private:
  using Link = std::uint32_t; // index of a unit, or 0 for none
  using Units = GrowingArray<std::uint64_t, 4>;
  static constexpr int kBitsPerNode = 4;
  static constexpr std::uint32_t kUnitsPerNode = (1U << kBitsPerNode) * sizeof(Link) / sizeof(std::uint64_t);

  [[nodiscard]] Link *links(Link node) const noexcept { return reinterpret_cast<Link *>(units_.at(node)); }
  // The link for an lpid in a node of a level; level 0 leads to blocks.
  [[nodiscard]] Link *link(Link node, int level, std::int32_t lpid) const noexcept {
    const auto bits = static_cast<std::uint32_t>(lpid) >> (level * kBitsPerNode);
    return links(node) + (bits & ((1U << kBitsPerNode) - 1));
  }
  // The first of `units` consecutive units in one piece after `used` units; 0 if the index exceeds
  // the range of links.
  [[nodiscard]] static Link next(std::uint32_t used, std::uint32_t units) noexcept;
  // How far the tree reaches towards a location: up to a link that is 0, or to the block.
  struct Reach {
    Link *link;
    int nodes; // nodes that are missing between the link and the block
  };
  [[nodiscard]] Reach reach(std::int32_t lpid, int group) noexcept;

  int levels_;
  std::uint32_t used_ = 1; // number of units, including unused unit 0
  Link roots_[kMostWordBits]{};
  Units units_;
};

} // namespace avrankmap::detail

#endif
