// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/truncation_area.h"

#include <sys/mman.h>

#include <algorithm>

namespace avrankmap::detail::ofi {

namespace {

// Bytes of pages that stay, as returning them is a system call.
constexpr std::size_t kMayStay = 65536;

} // namespace

TruncationArea::~TruncationArea() {
  if (base_ != nullptr) {
    munmap(base_, kBytes);
  }
}

void TruncationArea::open() noexcept {
  void *const base = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base != MAP_FAILED) {
    base_ = base;
    madvise(base, kBytes, MADV_DONTDUMP);
  }
}

void TruncationArea::wipe(std::size_t bytes) noexcept {
  if (bytes > kMayStay) {
    madvise(base_, std::min(bytes, kBytes), MADV_DONTNEED);
  }
}

} // namespace avrankmap::detail::ofi
