// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hierarchy/numbering.h"

namespace avrankmap::detail {

const PieceNumbering::Span *PieceNumbering::find_span(std::int64_t key) const noexcept {
  const Span *const end = spans_ + span_count_;
  const Span *const found = std::find_if(spans_, end, [key](const Span &span) {
    const std::int64_t distance = key - span.key;
    return distance % span.step == 0 && distance / span.step >= 0 && distance / span.step < span.count;
  });
  return found == end ? nullptr : found;
}

// Returns how many of the `count` keys key, key + step, ... precede the range of every span that
// ends beyond `key`, in the direction of `step`; at least 1. `key` itself must be in no span.
std::uint32_t PieceNumbering::before_spans(std::int64_t key, std::int64_t step, std::uint32_t count) const noexcept {
  for (const Span *span = spans_; span != spans_ + span_count_; ++span) {
    const std::int64_t far = span->key + span->step * std::int64_t{span->count - 1};
    // Mirrors descending keys, so that they ascend.
    const std::int64_t sign = step > 0 ? 1 : -1;
    const std::int64_t low = std::min(sign * span->key, sign * far) - sign * key;
    const std::int64_t high = std::max(sign * span->key, sign * far) - sign * key;
    const std::int64_t pace = sign * step;
    if (high > 0 && low <= pace * std::int64_t{count - 1}) {
      count = low <= 0 ? 1 : static_cast<std::uint32_t>((low - 1) / pace + 1);
    }
  }
  return count;
}

bool PieceNumbering::number_one(std::int64_t key, std::uint32_t *number) noexcept {
  if (const Span *const span = find_span(key)) {
    *number = span->number + place_in(*span, key);
    return true;
  }
  if (span_count_ < kSpans) {
    spans_[span_count_++] = {key, 1, 1, next_};
    *number = next_++;
    return true;
  }
  std::uint32_t place = 0;
  if (!others_.number(static_cast<std::uint64_t>(key), &place)) {
    return false;
  }
  if (place == numbers_.size()) {
    numbers_.append(next_++);
  }
  *number = numbers_.failed() ? 0 : numbers_[place];
  return !numbers_.failed();
}

// Numbers as many of the keys key, key + step, ... as form one stretch. `others_` must be empty.
// Returns false if there is no room for another span.
bool PieceNumbering::number_next(std::int64_t key, std::int64_t step, std::uint32_t count, Stretch *stretch) noexcept {
  if (const Span *const span = find_span(key)) {
    const std::uint32_t place = place_in(*span, key);
    const std::int64_t ratio = step / span->step;
    std::int64_t in_span = 1;
    if (step % span->step == 0) {
      in_span += ratio > 0 ? (std::int64_t{span->count} - 1 - place) / ratio : place / -ratio;
    }
    *stretch = {std::int64_t{span->number} + place, ratio,
                static_cast<std::uint32_t>(std::min<std::int64_t>(in_span, count))};
    return true;
  }
  if (span_count_ == kSpans) {
    return false;
  }
  *stretch = {next_, 1, before_spans(key, step, count)};
  spans_[span_count_++] = {key, step, stretch->count, next_};
  next_ += stretch->count;
  return true;
}

bool PieceNumbering::push_blocks(const Piece &piece, PieceList *list) noexcept {
  bool can = true;
  for_each_block(piece, [&](std::int64_t key, std::uint32_t count) {
    if (!can || list->is_closed()) {
      return;
    }
    std::uint32_t number = 0;
    can = number_one(key, &number);
    if (can) {
      list->push(number, count);
    }
  });
  return can;
}

// Pushes a periodic piece: all its keys are one stretch, or two if it begins in the middle of a new
// span.
bool PieceNumbering::push_round(const Piece &piece, PieceList *list) noexcept {
  const std::uint32_t first = first_place(piece);
  const std::uint32_t in_block = piece.phase % piece.block;
  // Number of keys that occur only after the first wrap.
  const std::uint32_t late = std::min(blocks_of(piece), piece.period) - (piece.period - first);
  Stretch stretch{};
  if (find_span(piece.node) != nullptr && number_next(piece.node, piece.step, piece.period, &stretch) &&
      stretch.count == piece.period) {
    list->push({stretch.number, stretch.step, piece.count, piece.block, piece.phase, piece.period});
    return true;
  }
  const std::int64_t begin = piece.node + piece.step * std::int64_t{first};
  if (!number_next(begin, piece.step, piece.period - first, &stretch) || stretch.count != piece.period - first) {
    return false;
  }
  Stretch wrapped{key_after(stretch.number, stretch.step, stretch.count), stretch.step, late};
  if (late > 0) {
    const Stretch due = wrapped;
    if (!number_next(piece.node, piece.step, late, &wrapped) || wrapped.number != due.number ||
        wrapped.step != due.step || wrapped.count != late) {
      return false;
    }
  }
  list->push({stretch.number, stretch.step, piece.count, piece.block, in_block, piece.period});
  return true;
}

// Pushes a piece in which each key occurs once.
bool PieceNumbering::push_stretches(const Piece &piece, PieceList *list) noexcept {
  std::int64_t key = piece.node + piece.step * std::int64_t{first_place(piece)};
  std::uint32_t in_block = piece.phase % piece.block;
  for (std::uint32_t left = piece.count; left > 0; in_block = 0) {
    const std::uint32_t blocks = blocks_of({0, 0, left, piece.block, in_block, 1});
    Stretch stretch{};
    if (!number_next(key, piece.step, blocks, &stretch)) {
      return push_blocks({key, piece.step, left, piece.block, in_block, blocks}, list);
    }
    const auto room = std::uint64_t{stretch.count} * piece.block - in_block;
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, left));
    list->push({stretch.number, stretch.step, count, piece.block, in_block, stretch.count});
    key = key_after(key, piece.step, stretch.count);
    left -= count;
  }
  return true;
}

bool PieceNumbering::push(const Piece &piece, PieceList *list) noexcept {
  if (blocks_of(piece) == 1 || piece.period == 1 || !others_.empty()) {
    return push_blocks(piece, list);
  }
  if (first_place(piece) + std::uint64_t{blocks_of(piece)} <= piece.period) {
    return push_stretches(piece, list);
  }
  return push_round(piece, list) || push_blocks(piece, list);
}

} // namespace avrankmap::detail
