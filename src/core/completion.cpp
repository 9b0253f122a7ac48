// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a request: outcome, test and wait.
#include "core/device.h"
#include "core/strided.h"

namespace avrankmap::detail {

void release_bounce(Request *request) noexcept {
  request->device->instance->memory.release(request->bounce, request->bounce_bytes, 64, AVRM_MEM_MESSAGE);
}

void finish(Request *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept {
  if (request->list != nullptr) {
    request->list->remove(request);
  }
  if (request->peer_died && status == AVRM_ERR_CANCELLED) {
    status = AVRM_ERR_PEER;
  }
  const bool received = request->kind == RequestKind::kNetReceive || request->kind == RequestKind::kCoreReceive;
  const bool has_message = received && (status == AVRM_OK || status == AVRM_ERR_TRUNCATED);
  const std::uint64_t stored = std::min<std::uint64_t>(bytes, request->capacity);
  if (has_message && request->packing == Packing::kOfReceive) {
    unpack(request->strided_base, request->bounce, request->layout, 0, stored);
  }
  request->outcome.status = status;
  request->outcome.source = has_message ? avrm_match_source(match) : AVRM_ANY_SOURCE;
  request->outcome.tag = has_message ? avrm_match_tag(match) : AVRM_ANY_TAG;
  request->outcome.bytes = has_message ? stored : bytes;
  std::atomic_ref<std::uint32_t>(request->done).store(1, std::memory_order_release);
}

namespace {

bool is_done(avrm_request_t *request) noexcept {
  return std::atomic_ref<std::uint32_t>(request->done).load(std::memory_order_acquire) != 0;
}

// Takes the outcome of a request that is done, and frees it.
avrm_status_t retire(avrm_request_t **request_p, avrm_outcome_t *outcome_p) noexcept {
  avrm_request_t *const request = *request_p;
  const avrm_status_t status = request->outcome.status;
  if (outcome_p != nullptr) {
    *outcome_p = request->outcome;
  }
  if (request != done_request()) {
    const DeviceGuard guard(core_of(request)->device);
    free_request(core_of(request));
  }
  *request_p = nullptr;
  return status;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_test(avrm_request_t **request_p, bool *done_p, avrm_outcome_t *outcome_p) noexcept {
  if (request_p == nullptr || done_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (*request_p != nullptr) {
    if (!is_done(*request_p)) {
      avrm_progress(core_of(*request_p)->device);
      if (!is_done(*request_p)) {
        *done_p = false;
        return AVRM_OK;
      }
    }
    (void)retire(request_p, outcome_p);
  }
  *done_p = true;
  return AVRM_OK;
}

avrm_status_t avrm_wait(avrm_request_t **request_p, avrm_outcome_t *outcome_p) noexcept {
  if (request_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (*request_p == nullptr) {
    return AVRM_OK;
  }
  Patience patience;
  while (!is_done(*request_p)) {
    if (avrm_progress(core_of(*request_p)->device) == 0) {
      patience.wait();
    }
  }
  return retire(request_p, outcome_p);
}
