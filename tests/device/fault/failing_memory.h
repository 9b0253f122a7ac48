// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Allocator hooks of a device that count, and fail when a fault is armed.
#ifndef AVRANKMAP_TESTS_FAULT_FAILING_MEMORY_H
#define AVRANKMAP_TESTS_FAULT_FAILING_MEMORY_H

#include "tests/device/fault/faults.h"
#include "tests/support/counting_allocator.h"

namespace avrankmap::test {

struct FailingMemory {
  CountingAllocator books;
  avrm_allocator_t inner = books.hooks();
  [[nodiscard]] avrm_allocator_t hooks() {
    return {[](void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) -> void * {
              const auto *const self = static_cast<FailingMemory *>(user);
              if (is_due(kMemory, "allocate")) {
                return nullptr;
              }
              const Faults saved = faults(); // counting allocates, too
              disarm();
              void *const block = self->inner.allocate(self->inner.user, size, alignment, kind);
              faults() = saved;
              return block;
            },
            [](void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
              const auto *const self = static_cast<FailingMemory *>(user);
              self->inner.release(self->inner.user, block, size, alignment, kind);
            },
            this};
  }
};

// Whether a call may return this status when something fails.
inline bool is_clear(avrm_status_t status) {
  return status == AVRM_OK || status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_TRANSPORT || status == AVRM_ERR_PEER ||
         status == AVRM_ERR_SYSTEM || status == AVRM_ERR_UNSUPPORTED;
}

} // namespace avrankmap::test

#endif
