// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers keys in the order in which they first occur: a hash table in scratch memory.
#ifndef AVRANKMAP_SRC_HIERARCHY_NUMBERING_H
#define AVRANKMAP_SRC_HIERARCHY_NUMBERING_H

#include <algorithm>

#include "base/array.h"

namespace avrankmap::detail {

class Numbering {
public:
  explicit Numbering(Memory &memory) noexcept : memory_(memory), keys_(memory) {}
  ~Numbering() { memory_.release(slots_, capacity_ * sizeof *slots_, alignof(std::uint32_t), AVRM_MEM_SCRATCH); }
  Numbering(const Numbering &) = delete;
  Numbering &operator=(const Numbering &) = delete;

  // The number of a key. `number` has that of the key before, or anything, since keys often repeat.
  // Returns false without memory.
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

private:
  // The slot that has the key, or the free one where it goes.
  [[nodiscard]] std::uint32_t *slot_of(std::uint64_t key) noexcept {
    std::uint64_t mixed = (key ^ key >> 32) * 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 32;
    std::size_t i = static_cast<std::size_t>(mixed) & (capacity_ - 1);
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

  Memory &memory_;
  Array<std::uint64_t> keys_;
  std::uint32_t *slots_ = nullptr; // 0: free; else a key's number + 1
  std::size_t capacity_ = 0;
};

} // namespace avrankmap::detail

#endif
