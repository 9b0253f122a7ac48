// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/pages.h"

#include <sys/mman.h>

namespace avrankmap::detail {

Pages::Pages(std::size_t size, Sharing sharing) noexcept {
  const int kind = sharing == Sharing::kShared ? MAP_SHARED : MAP_PRIVATE;
  void *const block = mmap(nullptr, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block != MAP_FAILED) {
    data_ = static_cast<std::byte *>(block);
    size_ = size;
    madvise(block, size, MADV_NOHUGEPAGE); // these tables are sparse; a system without huge pages refuses, and may
  }
}

Pages::~Pages() {
  if (data_ != nullptr) {
    munmap(data_, size_);
  }
}

} // namespace avrankmap::detail
