// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/request.h"

#include <new>

namespace avrankmap::detail {

void RequestList::append(Request *request) noexcept {
  request->list = this;
  request->next = nullptr;
  request->previous = last_;
  (last_ == nullptr ? first_ : last_->next) = request;
  last_ = request;
}

void RequestList::remove(Request *request) noexcept {
  (request->previous == nullptr ? first_ : request->previous->next) = request->next;
  (request->next == nullptr ? last_ : request->next->previous) = request->previous;
  request->list = nullptr;
  request->next = nullptr;
  request->previous = nullptr;
}

avrm_request_t *done_request() noexcept {
  static avrm_request request = [] {
    avrm_request done{};
    done.outcome = {AVRM_OK, AVRM_ANY_SOURCE, AVRM_ANY_TAG, 0};
    done.done = 1;
    return done;
  }();
  return &request;
}

RequestPool::~RequestPool() {
  while (slabs_ != nullptr) {
    Slab *const slab = slabs_;
    slabs_ = slab->next;
    memory_.release(slab, sizeof(Slab), alignof(Slab), AVRM_MEM_MESSAGE);
  }
}

Request *RequestPool::take() noexcept {
  if (free_ == nullptr) {
    void *const block = memory_.allocate(sizeof(Slab), alignof(Slab), AVRM_MEM_MESSAGE);
    if (block == nullptr) {
      return nullptr;
    }
    auto *const slab = new (block) Slab{};
    slab->next = slabs_;
    slabs_ = slab;
    for (Request &request : slab->requests) {
      request.next = free_;
      free_ = &request;
    }
  }
  Request *const request = free_;
  free_ = request->next;
  ++taken_;
  return new (request) Request;
}

void RequestPool::give(Request *request) noexcept {
  request->kind = RequestKind::kFree;
  request->next = free_;
  free_ = request;
  --taken_;
}

} // namespace avrankmap::detail
