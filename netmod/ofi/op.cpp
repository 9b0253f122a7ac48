// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/op.h"

#include <new>

namespace avrankmap::detail::ofi {

OpPool::~OpPool() {
  for_each([](Op &op) { release_rare_state(&op); });
}

void OpPool::release_rare_state(Op *op) noexcept {
  delete op->local;
  op->local = nullptr;
  delete op->waiting;
  op->waiting = nullptr;
}

bool OpPool::grow() noexcept {
  try {
    slabs_.push_back(std::make_unique<Op[]>(kPerSlab)); // zeros: free, null pointers
  } catch (const std::bad_alloc &) {
    return false;
  }
  for (std::size_t i = kPerSlab; i-- > 0;) {
    Op &op = slabs_.back()[i];
    op.next = free_;
    free_ = &op;
  }
  return true;
}

} // namespace avrankmap::detail::ofi
