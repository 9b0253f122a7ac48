// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of ranks as a short list of pieces, each of which is a layout: blocks, cycles or planes
// over equidistant nodes. A list is built in order of rank, with each piece as long as possible, at
// a cost that depends on the pieces and not on the ranks.
#ifndef AVRANKMAP_SRC_HIERARCHY_PIECES_H
#define AVRANKMAP_SRC_HIERARCHY_PIECES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/memory.h"

namespace avrankmap::detail {

// `count` ranks: rank i is on node + step * (((i + phase) / block) modulo period). Nodes are the
// caller's keys, or numbers counted from 0.
struct Piece {
  std::int64_t node = 0;
  std::int64_t step = 0;
  std::uint32_t count = 0; // at least 1
  std::uint32_t block = 1; // at least 1
  std::uint32_t phase = 0; // below block * period, which is below 2^32
  std::uint32_t period = 1;

  friend bool operator==(const Piece &, const Piece &) = default;
};

// The key `count` steps after another one, modulo 2^64, because there need not be a valid key after
// the last key of a piece. Keys are below 2^63 and a step is the difference of two keys, so one
// step beyond all keys is negative and equals none of them.
[[nodiscard]] inline std::int64_t key_after(std::int64_t key, std::int64_t step, std::uint32_t count = 1) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(key) + static_cast<std::uint64_t>(step) * count);
}

// Number of blocks in which a piece has ranks.
[[nodiscard]] inline std::uint32_t blocks_of(const Piece &piece) noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{piece.phase % piece.block} + piece.count - 1) / piece.block) + 1;
}
// The position in the period at which a piece begins.
[[nodiscard]] inline std::uint32_t first_place(const Piece &piece) noexcept { return piece.phase / piece.block; }

// Calls visit(std::int64_t node, std::uint32_t count) for the ranks of each block, in order.
template <typename Visit> void for_each_block(const Piece &piece, Visit visit) noexcept {
  std::uint32_t place = first_place(piece);
  std::uint32_t room = piece.block - piece.phase % piece.block;
  for (std::uint32_t left = piece.count; left > 0; room = piece.block) {
    const std::uint32_t count = std::min(left, room);
    visit(piece.node + piece.step * std::int64_t{place}, count);
    left -= count;
    place = place + 1 == piece.period ? 0 : place + 1;
  }
}

// The first pieces are stored in the list itself, further ones in scratch memory of the instance.
class PieceList {
public:
  // Holds at most `limit` pieces.
  PieceList(Memory &memory, std::size_t limit) noexcept : memory_(memory), limit_(limit) {}
  ~PieceList() { drop(); }
  PieceList(const PieceList &) = delete;
  PieceList &operator=(const PieceList &) = delete;

  // Appends `count` ranks of one node.
  void push(std::int64_t node, std::uint32_t count) noexcept {
    if (count_ != 0 && node == node_) {
      count_ += count;
    } else {
      commit();
      node_ = node;
      count_ = count;
    }
  }
  // Appends a piece.
  void push(const Piece &piece) noexcept;
  // Completes the list, which must not grow afterwards.
  void finish() noexcept {
    commit();
    close();
  }

  // True if a piece is missing because an allocation failed.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  // True if there were more pieces than the limit; the list contains the first ones.
  [[nodiscard]] bool overflows() const noexcept { return overflows_; }
  // True in both cases: further pieces are dropped.
  [[nodiscard]] bool is_closed() const noexcept { return failed_ || overflows_; }
  [[nodiscard]] const Piece *begin() const noexcept { return pieces_; }
  [[nodiscard]] const Piece *end() const noexcept { return pieces_ + size_; }
  [[nodiscard]] std::size_t count() const noexcept { return size_; }

private:
  void commit() noexcept;
  void close() noexcept;
  [[nodiscard]] bool continues_open() noexcept;
  [[nodiscard]] std::uint32_t skip(const Piece &piece, std::uint32_t place, std::uint32_t blocks) noexcept;
  [[nodiscard]] bool awaits(const Piece &piece) const noexcept;

  void append(const Piece &piece) noexcept;
  void drop() noexcept;

  static constexpr std::size_t kAtFirst = 4;

  Memory &memory_;
  std::size_t limit_;
  Piece at_first_[kAtFirst];
  Piece *pieces_ = at_first_;
  std::size_t size_ = 0;
  std::size_t room_ = kAtFirst;
  bool overflows_ = false;
  bool failed_ = false;
  // The ranks that were pushed last, all of one node. More may follow.
  std::int64_t node_ = 0;
  std::uint32_t count_ = 0;
  // The piece before them. Its count is 0 if there is none, its period is 0 while unknown, and its
  // step is 0 while the piece has only one block.
  Piece open_{};
  std::int64_t last_ = 0;   // node of the open piece's last block
  std::uint32_t place_ = 0; // index of this block, in the period if there is one
  bool is_short_ = false;   // this block is shorter, so it ends the piece
};

} // namespace avrankmap::detail

#endif
