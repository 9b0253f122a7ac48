// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/bounce.h"

#include <new>
#include <utility>

namespace avrankmap::detail::ucx {

BouncePool::~BouncePool() {
  while (all_ != nullptr) {
    Bounce *const bounce = all_;
    all_ = bounce->next_of_all;
    ::operator delete(bounce);
  }
}

Bounce *BouncePool::take(std::uint64_t receiver) noexcept {
  Bounce *bounce = free_;
  if (bounce == nullptr) {
    void *const block = ::operator new(sizeof(Bounce) + room_, std::nothrow);
    if (block == nullptr) {
      return nullptr;
    }
    bounce = free_ = all_ = new (block) Bounce{this, nullptr, all_, AVRM_ANY_ADDRESS};
  }
  if (has_shared()) {
    ++taken_;
  } else {
    try {
      extra_.add(receiver);
    } catch (...) { // std::bad_alloc or std::length_error
      return nullptr;
    }
    bounce->receiver = receiver;
  }
  free_ = bounce->next;
  return bounce;
}

void BouncePool::give(Bounce *bounce) noexcept {
  if (bounce->receiver == AVRM_ANY_ADDRESS) {
    --taken_;
  } else {
    extra_.remove(std::exchange(bounce->receiver, AVRM_ANY_ADDRESS));
  }
  bounce->next = free_;
  free_ = bounce;
}

} // namespace avrankmap::detail::ucx
