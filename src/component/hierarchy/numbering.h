// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbering of keys in the order of their first occurrence: rank by rank, with a hash table in
// scratch memory, or piece by piece, with spans of equidistant keys as long as there are few.
#ifndef AVRANKMAP_SRC_HIERARCHY_NUMBERING_H
#define AVRANKMAP_SRC_HIERARCHY_NUMBERING_H

#include <algorithm>

#include "base/array.h"
#include "hierarchy/pieces.h"

namespace avrankmap::detail {

class Numbering {
public:
  explicit Numbering(Memory &memory) noexcept : memory_(memory), keys_(memory) {}
  ~Numbering() { memory_.release(slots_, capacity_ * sizeof *slots_, alignof(std::uint32_t), AVRM_MEM_SCRATCH); }
  Numbering(const Numbering &) = delete;
  Numbering &operator=(const Numbering &) = delete;

  // Stores the number of a key. `number` should initially be the number of the previous key,
  // because keys often repeat, but any value is valid. Returns false if out of memory.
  [[nodiscard]] bool number(std::uint64_t key, std::uint32_t *number) noexcept {
    if (*number < keys_.size() && keys_[*number] == key) {
      return true;
    }
    if (2 * (keys_.size() + 1) > capacity_ && !grow()) {
      return false;
    }
    std::uint32_t *const slot = slot_of(key);
    if (*slot == 0) {
      keys_.append(key);
      if (keys_.failed()) {
        return false;
      }
      *slot = count();
    }
    *number = *slot - 1;
    return true;
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(keys_.size()); }
  [[nodiscard]] bool empty() const noexcept { return keys_.empty(); }

private:
  // The slot that contains the key, or the free slot where it belongs. The hash depends on the
  // address of the slots, so that no list of keys has the same hash in every table.
  [[nodiscard]] std::uint32_t *slot_of(std::uint64_t key) noexcept {
    std::uint64_t mixed = (key ^ reinterpret_cast<std::uintptr_t>(slots_) * kMultiplier) * kMultiplier;
    mixed = (mixed ^ mixed >> 32) * kMultiplier;
    std::size_t i = static_cast<std::size_t>(mixed ^ mixed >> 32) & (capacity_ - 1);
    while (slots_[i] != 0 && keys_[slots_[i] - 1] != key) {
      i = (i + 1) & (capacity_ - 1);
    }
    return slots_ + i;
  }

  [[nodiscard]] bool grow() noexcept {
    const std::size_t capacity = std::max<std::size_t>(16, 4 * capacity_);
    void *const block = memory_.allocate(capacity * sizeof *slots_, alignof(std::uint32_t), AVRM_MEM_SCRATCH);
    if (block == nullptr) {
      return false;
    }
    memory_.release(slots_, capacity_ * sizeof *slots_, alignof(std::uint32_t), AVRM_MEM_SCRATCH);
    slots_ = static_cast<std::uint32_t *>(block);
    capacity_ = capacity;
    for (std::uint32_t i = 0; i < count(); ++i) {
      *slot_of(keys_[i]) = i + 1;
    }
    return true;
  }

  static constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15U;

  Memory &memory_;
  Array<std::uint64_t> keys_;
  std::uint32_t *slots_ = nullptr; // 0 if free, otherwise a key's number + 1
  std::size_t capacity_ = 0;
};

// Numbers the keys of pieces. Keys must not be negative.
class PieceNumbering {
public:
  explicit PieceNumbering(Memory &memory) noexcept : others_(memory), numbers_(memory) {}

  // Appends the ranks of a piece to a list, with numbers instead of keys. Returns false if out of
  // memory. Cost: O(spans) if there are at most kSpans, otherwise O(blocks).
  [[nodiscard]] bool push(const Piece &piece, PieceList *list) noexcept;
  [[nodiscard]] std::uint32_t count() const noexcept { return next_; }

private:
  // Keys key, key + step, ... have the numbers `number`, number + 1, ...
  struct Span {
    std::int64_t key;
    std::int64_t step;
    std::uint32_t count;
    std::uint32_t number;
  };
  // Numbers of keys: number, number + step, ...
  struct Stretch {
    std::int64_t number;
    std::int64_t step;
    std::uint32_t count;
  };
  static constexpr std::uint32_t kSpans = 32;

  [[nodiscard]] const Span *find_span(std::int64_t key) const noexcept;
  [[nodiscard]] static std::uint32_t place_in(const Span &span, std::int64_t key) noexcept {
    return static_cast<std::uint32_t>((key - span.key) / span.step);
  }
  [[nodiscard]] std::uint32_t before_spans(std::int64_t key, std::int64_t step, std::uint32_t count) const noexcept;
  [[nodiscard]] bool number_one(std::int64_t key, std::uint32_t *number) noexcept;
  [[nodiscard]] bool number_next(std::int64_t key, std::int64_t step, std::uint32_t count, Stretch *stretch) noexcept;
  [[nodiscard]] bool push_blocks(const Piece &piece, PieceList *list) noexcept;
  [[nodiscard]] bool push_round(const Piece &piece, PieceList *list) noexcept;
  [[nodiscard]] bool push_stretches(const Piece &piece, PieceList *list) noexcept;

  Span spans_[kSpans];
  std::uint32_t span_count_ = 0;
  Numbering others_; // keys for which there was no room for another span
  Array<std::uint32_t> numbers_;
  std::uint32_t next_ = 0;
};

} // namespace avrankmap::detail

#endif
