// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a request: outcome, test and wait.
#include "core/progress/completion.h"

#include <limits>

namespace avrankmap::detail {

void release_bounce(Request *request) noexcept {
  request->comm->device->instance->memory.release(request->buffer, request->bounce_bytes, 64, AVRM_MEM_MESSAGE);
}

avrm_status_t set_buffer(Request *request, const Data &data) noexcept {
  request->buffer = data.memory();
  request->capacity = data.bytes;
  if (data.bytes == 0 || is_contiguous(data.shape)) {
    return AVRM_OK;
  }
  const Shape &shape = data.shape;
  const std::size_t listed = shape.list == nullptr ? 0 : shape.count * sizeof *shape.list;
  if (data.bytes > std::numeric_limits<std::size_t>::max() - listed - alignof(avrm_block_t)) {
    return AVRM_ERR_NO_MEMORY;
  }
  const std::size_t list_at = (data.bytes + alignof(avrm_block_t) - 1) / alignof(avrm_block_t) * alignof(avrm_block_t);
  void *const bounce = request->comm->device->instance->memory.allocate(list_at + listed, 64, AVRM_MEM_MESSAGE);
  if (bounce == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  request->packing = Packing::kOfReceive;
  request->buffer = bounce;
  request->bounce_bytes = list_at + listed;
  request->base = data.base;
  request->shape = shape;
  if (listed != 0) {
    void *const list = static_cast<unsigned char *>(bounce) + list_at;
    std::memcpy(list, shape.list, listed);
    request->shape.list = static_cast<const avrm_block_t *>(list);
  }
  return AVRM_OK;
}

void unpack_bounce(Request *request, std::uint64_t bytes) noexcept {
  Cursor to(request->base, request->shape);
  unpack(&to, request->buffer, bytes);
}

avrm_status_t status_by_fate(const Request *request, avrm_status_t status) noexcept {
  if (status != AVRM_ERR_CANCELLED && (request->fate != Fate::kRevoked || request->kind != RequestKind::kSend)) {
    return status;
  }
  switch (request->fate) {
  case Fate::kNone: break;
  case Fate::kPeerFailed: return AVRM_ERR_PEER;
  case Fate::kUnacknowledged: return AVRM_ERR_PEER_PENDING;
  case Fate::kRevoked: return AVRM_ERR_REVOKED;
  }
  return status;
}

void finish(Request *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept {
  if (request->list != nullptr) {
    request->list->remove(request);
  }
  if (AVRM_UNLIKELY(request->fate != Fate::kNone)) {
    status = status_by_fate(request, status);
  }
  request->outcome = {status, AVRM_ANY_SOURCE, AVRM_ANY_TAG, bytes};
  if (request->kind == RequestKind::kReceive && (status == AVRM_OK || status == AVRM_ERR_TRUNCATED)) {
    const std::uint64_t stored = std::min<std::uint64_t>(bytes, request->capacity);
    if (AVRM_UNLIKELY(request->packing == Packing::kOfReceive)) {
      unpack_bounce(request, stored);
    }
    request->outcome.source = request->comm->device->match_bits.source(match);
    request->outcome.tag = avrm_match_tag(match);
    request->outcome.bytes = stored;
  }
  count_events(request->comm->device, 1);
  if (AVRM_UNLIKELY(request->is_awaited)) {
    request->comm->device->ready.add(request->awaiter);
  }
  std::atomic_ref<std::uint32_t>(request->done).store(1, std::memory_order_release);
}

avrm_status_t retire(avrm_request_t **request_p, avrm_outcome_t *outcome_p) noexcept {
  avrm_request_t *const request = *request_p;
  const avrm_status_t status = request->outcome.status;
  if (outcome_p != nullptr) {
    *outcome_p = request->outcome;
  }
  if (!was_never_pending(request)) {
    const DeviceGuard guard(core_of(request)->comm->device);
    free_request(core_of(request));
  }
  *request_p = nullptr;
  return status;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_test(avrm_request_t **request_p, bool *done_p, avrm_outcome_t *outcome_p) noexcept {
  if (request_p == nullptr || done_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (*request_p != nullptr) {
    if (!is_done(*request_p)) {
      avrm_progress(core_of(*request_p)->comm->device);
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
  if (!is_done(*request_p)) {
    avrm_device_t *const device = core_of(*request_p)->comm->device;
    Backoff backoff(device);
    do {
      backoff.after(avrm_progress(device));
    } while (!is_done(*request_p));
  }
  return retire(request_p, outcome_p);
}
