// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hierarchy/pieces.h"

#include <limits>

namespace avrankmap::detail {

// True if the ranks that were pushed last are the next block of the open piece. If they show that
// its nodes repeat, sets its period.
bool PieceList::continues_open() noexcept {
  if (open_.step == 0) { // the second block determines the length of blocks
    if (count_ > open_.count) {
      open_.phase = count_ - open_.count;
    }
    open_.block = std::max(open_.count, count_);
    open_.step = node_ - last_;
    return true;
  }
  if (is_short_ || count_ > open_.block) {
    return false;
  }
  const bool wraps = open_.period != 0 && place_ + 1 == open_.period;
  if (node_ == (wraps ? open_.node : key_after(last_, open_.step))) {
    place_ = wraps ? 0 : place_ + 1;
    return true;
  }
  // Back to the first node, or to an earlier one if the piece did not begin with its first block.
  const std::int64_t back = open_.node - node_;
  if (open_.period != 0 || back % open_.step != 0 || back / open_.step < 0) {
    return false;
  }
  const auto late = static_cast<std::uint64_t>(back / open_.step);
  const std::uint64_t period = late + place_ + 1;
  if (late > std::numeric_limits<std::uint32_t>::max() ||
      period * open_.block > std::numeric_limits<std::uint32_t>::max()) {
    return false;
  }
  open_.node = node_;
  open_.phase += static_cast<std::uint32_t>(late) * open_.block;
  open_.period = static_cast<std::uint32_t>(period);
  place_ = 0;
  return true;
}

void PieceList::drop() noexcept {
  if (pieces_ != at_first_) {
    memory_.release(pieces_, room_ * sizeof(Piece), alignof(Piece), AVRM_MEM_SCRATCH);
  }
}

void PieceList::append(const Piece &piece) noexcept {
  if (failed_) {
    return;
  }
  if (size_ == limit_) {
    overflows_ = true;
    return;
  }
  if (size_ == room_) {
    void *const block = memory_.allocate(2 * room_ * sizeof(Piece), alignof(Piece), AVRM_MEM_SCRATCH);
    if (block == nullptr) {
      failed_ = true;
      return;
    }
    Piece *const pieces = static_cast<Piece *>(block);
    std::copy_n(pieces_, size_, pieces);
    drop();
    pieces_ = pieces;
    room_ *= 2;
  }
  pieces_[size_++] = piece;
}

void PieceList::close() noexcept {
  if (open_.count == 0) {
    return;
  }
  open_.period = open_.period == 0 ? place_ + 1 : open_.period;
  append(open_);
  open_ = {};
}

void PieceList::commit() noexcept {
  if (count_ == 0) {
    return;
  }
  const bool is_second = open_.count != 0 && open_.step == 0;
  if (open_.count == 0 || !continues_open()) {
    close();
    open_ = {node_, 0, count_, count_, 0, 0};
    place_ = 0;
    is_short_ = false;
  } else {
    open_.count += count_;
    place_ = is_second ? 1 : place_;
    is_short_ = count_ < open_.block;
  }
  last_ = node_;
  count_ = 0;
}

// True if the ranks that were pushed last, a whole block of `piece`, also continue the open piece,
// so that the following blocks of both may be the same.
bool PieceList::awaits(const Piece &piece) const noexcept {
  if (open_.count == 0 || open_.step != piece.step || open_.block != piece.block || is_short_ ||
      count_ != piece.block) {
    return false;
  }
  const bool wraps = open_.period != 0 && place_ + 1 == open_.period;
  return node_ == (wraps ? open_.node : key_after(last_, open_.step));
}

// Called after the block at position `place` of `piece` was pushed, with `blocks` whole blocks
// left. Appends the next blocks that also continue the open piece, and returns their number.
std::uint32_t PieceList::skip(const Piece &piece, std::uint32_t place, std::uint32_t blocks) noexcept {
  if (blocks == 0 || !awaits(piece)) {
    return 0;
  }
  commit();
  const bool both_wrap = open_.period == piece.period && place_ == place;
  std::uint32_t count = both_wrap ? blocks : std::min(blocks, piece.period - 1 - place);
  if (open_.period != 0 && !both_wrap) {
    count = std::min(count, open_.period - 1 - place_);
  }
  if (count == 0) {
    return 0;
  }
  // The last block is held back, because more ranks of its node may follow.
  const auto node_at = [&piece](std::uint64_t at) {
    return piece.node + piece.step * static_cast<std::int64_t>(at % piece.period);
  };
  open_.count += (count - 1) * open_.block;
  const std::uint64_t now = std::uint64_t{place_} + count - 1;
  place_ = static_cast<std::uint32_t>(open_.period == 0 ? now : now % open_.period);
  last_ = node_at(std::uint64_t{place} + count - 1);
  node_ = node_at(std::uint64_t{place} + count);
  count_ = open_.block;
  return count;
}

void PieceList::push(const Piece &piece) noexcept {
  if (piece.period == 1 || piece.step == 0) {
    push(piece.node, piece.count);
    return;
  }
  std::uint32_t place = first_place(piece);
  std::uint32_t room = piece.block - piece.phase % piece.block;
  for (std::uint32_t left = piece.count; left > 0 && !is_closed(); room = piece.block) {
    const std::uint32_t count = std::min(left, room);
    push(piece.node + piece.step * std::int64_t{place}, count);
    left -= count;
    const std::uint32_t skipped = count == piece.block ? skip(piece, place, left / piece.block) : 0;
    left -= skipped * piece.block;
    place = static_cast<std::uint32_t>((std::uint64_t{place} + skipped + 1) % piece.period);
  }
}

} // namespace avrankmap::detail
