// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers the process groups of a sequence of processes in order of first use: pgid -> slot.
// Constant time, and a single comparison for further processes of the same group.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_SLOT_INDEX_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_SLOT_INDEX_H

#include <cstdint>

#include "base/memory.h"

namespace avrankmap::detail {

class SlotIndex {
public:
  explicit SlotIndex(Memory &memory) noexcept : memory_(memory) {}
  ~SlotIndex();
  SlotIndex(const SlotIndex &) = delete;
  SlotIndex &operator=(const SlotIndex &) = delete;

  // Returns the slot of a pgid, a new slot for a new pgid, or -1 if out of memory.
  [[nodiscard]] std::int32_t slot_of(std::int32_t pgid) noexcept {
    return pgid == last_pgid_ ? last_slot_ : look_up(pgid);
  }
  // Number of slots so far.
  [[nodiscard]] std::int32_t count() const noexcept { return count_; }

private:
  struct Entry {
    std::int32_t pgid;
    std::int32_t slot_plus_1; // 0: empty
  };
  [[nodiscard]] std::int32_t look_up(std::int32_t pgid) noexcept;
  [[nodiscard]] Entry *place_of(std::int32_t pgid) const noexcept;
  [[nodiscard]] bool grow() noexcept;

  Memory &memory_;
  std::int32_t last_pgid_ = -1;
  std::int32_t last_slot_ = -1;
  std::int32_t count_ = 0;
  std::size_t capacity_ = 0; // 0 or a power of two
  Entry *entries_ = nullptr; // open addressing, at most half full
};

} // namespace avrankmap::detail

#endif
