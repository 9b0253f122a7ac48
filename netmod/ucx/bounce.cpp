// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/bounce.h"

#include <new>

namespace avrankmap::detail::ucx {

BouncePool::~BouncePool() {
  while (all_ != nullptr) {
    Bounce *const bounce = all_;
    all_ = bounce->next_of_all;
    ::operator delete(bounce);
  }
}

Bounce *BouncePool::take() noexcept {
  Bounce *bounce = free_;
  if (bounce != nullptr) {
    free_ = bounce->next;
  } else {
    void *const block = ::operator new(sizeof(Bounce) + room_, std::nothrow);
    if (block == nullptr) {
      return nullptr;
    }
    bounce = new (block) Bounce{this, nullptr, all_, 0};
    all_ = bounce;
  }
  ++taken_;
  return bounce;
}

} // namespace avrankmap::detail::ucx
