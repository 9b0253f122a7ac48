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
  return record;
}

} // namespace avrankmap::detail::ofi
