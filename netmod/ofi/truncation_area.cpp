// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/truncation_area.h"

#include <sys/mman.h>

#include <algorithm>

namespace avrankmap::detail::ofi {

namespace {

// Pages for up to this many bytes are kept, because returning them takes a system call.
constexpr std::size_t kMayStay = 65536;

} // namespace

TruncationArea::~TruncationArea() {
  if (base_ != nullptr) {
    munmap(base_, bytes_);
  }
}

bool TruncationArea::open() noexcept {
  for (std::size_t free = kMost; free >= 2 * kLeast; free /= 2) {
    void *const base = mmap(nullptr, free, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
      continue;
    }
    base_ = base;
    bytes_ = free == kMost ? free : free / 2;
    if (bytes_ != free) {
      munmap(static_cast<unsigned char *>(base) + bytes_, free - bytes_);
    }
    madvise(base_, bytes_, MADV_DONTDUMP);
    return true;
  }
  return false;
}

void TruncationArea::wipe(std::size_t bytes) noexcept {
  if (bytes > kMayStay) {
    madvise(base_, std::min(bytes, bytes_), MADV_DONTNEED);
  }
}

} // namespace avrankmap::detail::ofi
