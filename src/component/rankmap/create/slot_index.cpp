// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/slot_index.h"

namespace avrankmap::detail {

SlotIndex::~SlotIndex() { memory_.release(entries_, capacity_ * sizeof(Entry), alignof(Entry), AVRM_MEM_SCRATCH); }

SlotIndex::Entry *SlotIndex::place_of(std::int32_t pgid) const noexcept {
  const std::uint64_t hash = static_cast<std::uint64_t>(pgid) * 0x9e3779b97f4a7c15U;
  for (std::size_t i = hash >> 32;; ++i) {
    Entry *const entry = entries_ + (i & (capacity_ - 1));
    if (entry->slot_plus_1 == 0 || entry->pgid == pgid) {
      return entry;
    }
  }
}

bool SlotIndex::grow() noexcept {
  const std::size_t old_capacity = capacity_;
  Entry *const old = entries_;
  const std::size_t capacity = old_capacity == 0 ? 16 : 2 * old_capacity;
  auto *const entries =
      static_cast<Entry *>(memory_.allocate(capacity * sizeof(Entry), alignof(Entry), AVRM_MEM_SCRATCH));
  if (entries == nullptr) {
    return false;
  }
  entries_ = entries;
  capacity_ = capacity;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i].slot_plus_1 != 0) {
      *place_of(old[i].pgid) = old[i];
    }
  }
  memory_.release(old, old_capacity * sizeof(Entry), alignof(Entry), AVRM_MEM_SCRATCH);
  return true;
}

std::int32_t SlotIndex::look_up(std::int32_t pgid) noexcept {
  Entry *entry = capacity_ == 0 ? nullptr : place_of(pgid);
  if (entry == nullptr || entry->slot_plus_1 == 0) {
    if (2 * (static_cast<std::size_t>(count_) + 1) > capacity_) {
      if (!grow()) {
        return -1;
      }
      entry = place_of(pgid);
    }
    *entry = {pgid, ++count_};
  }
  last_pgid_ = pgid;
  last_slot_ = entry->slot_plus_1 - 1;
  return last_slot_;
}

} // namespace avrankmap::detail
