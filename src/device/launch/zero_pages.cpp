// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/zero_pages.h"

#include <sys/mman.h>

namespace avrankmap::detail {

ZeroPages::ZeroPages(std::size_t size, Sharing sharing) noexcept {
  map(size, (sharing == Sharing::kShared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1);
}

ZeroPages::ZeroPages(std::size_t size, int descriptor) noexcept { map(size, MAP_SHARED, descriptor); }

void ZeroPages::map(std::size_t size, int flags, int descriptor) noexcept {
  void *const block = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, descriptor, 0);
  if (block != MAP_FAILED) {
    data_ = static_cast<std::byte *>(block);
    size_ = size;
    // The tables are sparse, so huge pages would waste memory. The error of a kernel without huge
    // pages is harmless.
    madvise(block, size, MADV_NOHUGEPAGE);
  }
}

ZeroPages::~ZeroPages() {
  if (data_ != nullptr) {
    munmap(data_, size_);
  }
}

} // namespace avrankmap::detail
