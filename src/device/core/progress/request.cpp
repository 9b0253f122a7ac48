// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/request.h"

#include "avrankmap/device/fastpath.h"

avrm_request_t avrm_i_fp_done{.scratch = {},
                              .op = nullptr,
                              .complete = nullptr,
                              .outcome = {AVRM_OK, AVRM_ANY_SOURCE, AVRM_ANY_TAG, 0},
                              .done = 1};

namespace avrankmap::detail {

avrm_request_t done_receive{.scratch = {},
                            .op = nullptr,
                            .complete = nullptr,
                            .outcome = {AVRM_OK, AVRM_PROC_NULL, AVRM_ANY_TAG, 0},
                            .done = 1};

RequestPool::~RequestPool() {
  while (slabs_ != nullptr) {
    Slab *const slab = slabs_;
    slabs_ = slab->next;
    memory_.release(slab, sizeof(Slab), alignof(Slab), AVRM_MEM_MESSAGE);
  }
}

bool RequestPool::grow() noexcept {
  void *const block = memory_.allocate(sizeof(Slab), alignof(Slab), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    return false;
  }
  // cppcheck-suppress legacyUninitvar ; it takes the placement for a use
  auto *const slab = new (block) Slab{};
  slab->next = slabs_;
  slabs_ = slab;
  for (Request &request : slab->requests) {
    request.next = free_;
    free_ = &request;
  }
  return true;
}

} // namespace avrankmap::detail
