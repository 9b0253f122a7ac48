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

bool BouncePool::reserve(std::size_t count) noexcept {
  Bounce *taken = nullptr;
  std::size_t left = count;
  for (Bounce *bounce = nullptr; left != 0 && (bounce = take()) != nullptr; --left) {
    bounce->next = taken;
    taken = bounce;
  }
  while (taken != nullptr) {
    give(std::exchange(taken, taken->next));
  }
  return left == 0;
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
