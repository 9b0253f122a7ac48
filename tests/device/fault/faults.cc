// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/device/fault/faults.h"

#include <cerrno>
#include <cstdlib>
#include <new>

namespace avrankmap::test {

Faults &faults() noexcept {
  static thread_local constinit Faults own;
  return own;
}

bool is_due(unsigned family, const char *call) noexcept {
  Faults &own = faults();
  if ((own.families & family) == 0) {
    return false;
  }
  ++own.calls;
  if (own.left > 0) {
    --own.left;
    return false;
  }
  if (own.in_a_row <= 0) {
    return false;
  }
  --own.in_a_row;
  if (own.failed++ == 0) {
    own.call = call;
  }
  if (own.fault == Fault::kAgainForMemory) {
    errno = ENOMEM;
  }
  return true;
}

void arm(unsigned families, Fault fault, std::int64_t left, std::int64_t in_a_row) noexcept {
  faults() = {families, fault, left, in_a_row, 0, 0, ""};
}

void disarm() noexcept { faults().families = 0; }

namespace {

void *allocate(std::size_t size, std::size_t alignment) noexcept {
  if (is_due(kMemory, "operator new")) {
    return nullptr;
  }
  void *block = nullptr;
  const std::size_t least = size == 0 ? 1 : size;
  return posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, least) == 0 ? block : nullptr;
}

void *allocate_or_throw(std::size_t size, std::size_t alignment) {
  void *const block = allocate(size, alignment);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}

constexpr std::size_t kDefault = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

} // namespace

} // namespace avrankmap::test

using namespace avrankmap::test;

// All forms of operator new, since a sanitizer's forms do not call ours.
void *operator new(std::size_t size) { return allocate_or_throw(size, kDefault); }
void *operator new[](std::size_t size) { return allocate_or_throw(size, kDefault); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return allocate(size, kDefault); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return allocate(size, kDefault); }
void *operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void *operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void *operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void *block) noexcept { std::free(block); }
void operator delete[](void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }
void operator delete[](void *block, std::size_t) noexcept { std::free(block); }
void operator delete(void *block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void *block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void *block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void *block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete(void *block, const std::nothrow_t &) noexcept { std::free(block); }
void operator delete[](void *block, const std::nothrow_t &) noexcept { std::free(block); }
void operator delete(void *block, std::align_val_t, const std::nothrow_t &) noexcept { std::free(block); }
void operator delete[](void *block, std::align_val_t, const std::nothrow_t &) noexcept { std::free(block); }
