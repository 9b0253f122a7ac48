// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/peers.h"

#include <new>

namespace avrankmap::detail::ofi {

PeerRecord *PeerTable::find_or_make(std::uint64_t handle) noexcept {
  if (PeerRecord *const record = find(handle); record != nullptr) {
    return record;
  }
  void *const block = memory_.allocate(sizeof(PeerRecord), alignof(PeerRecord), AVRM_MEM_INSTANCE);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const record = new (block) PeerRecord(handle);
  if (!records_.insert(handle, record)) {
    release(record);
    return nullptr;
  }
  record->next = first_;
  if (first_ != nullptr) {
    first_->previous = record;
  }
  first_ = record;
  return record;
}

void PeerTable::erase(PeerRecord *record) noexcept {
  (record->previous != nullptr ? record->previous->next : first_) = record->next;
  if (record->next != nullptr) {
    record->next->previous = record->previous;
  }
  records_.erase(record->handle, record);
  release(record);
}

} // namespace avrankmap::detail::ofi
