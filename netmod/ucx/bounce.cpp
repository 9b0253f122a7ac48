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

bool BouncePool::serves(std::uint64_t receiver) const noexcept {
  const Bounce *bounce = all_;
  while (bounce != nullptr && bounce->receiver != receiver) {
    bounce = bounce->next_of_all;
  }
  return bounce != nullptr;
}

Bounce *BouncePool::take(std::uint64_t receiver) noexcept {
  Bounce *bounce = free_;
  if (bounce != nullptr) {
    free_ = bounce->next;
  } else {
    void *const block = ::operator new(sizeof(Bounce) + room_, std::nothrow);
    if (block == nullptr) {
      return nullptr;
    }
    bounce = new (block) Bounce{this, nullptr, all_, AVRM_ANY_ADDRESS};
    all_ = bounce;
  }
  bounce->receiver = receiver;
  ++taken_;
  return bounce;
}

} // namespace avrankmap::detail::ucx
