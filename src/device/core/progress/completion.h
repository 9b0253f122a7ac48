// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completion of requests, and requests of communicators.
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_COMPLETION_H
#define AVRANKMAP_SRC_CORE_PROGRESS_COMPLETION_H

#include "core/device.h"
#include "core/progress/progress.h"

namespace avrankmap::detail {

// Returns the status of a request that has a fate and completed with `status`. A receive that was
// cancelled too late has its message; whether the message of a send was received is not known.
[[nodiscard]] avrm_status_t status_by_fate(const Request *request, avrm_status_t status) noexcept;
// Completes a request: unpacks the data, sets the outcome, then `done`. Requires the device's lock.
void finish(Request *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;
// Returns a new request of a communicator; null if out of memory. Collective operations may use the
// reserve.
[[nodiscard]] inline Request *new_request(avrm_comm_t *comm, RequestKind kind, bool collective) noexcept {
  Request *request = comm->device->requests.take(comm, kind);
  if (AVRM_UNLIKELY(request == nullptr) && collective) {
    request = comm->device->requests.take_reserved(comm, kind);
  }
  if (AVRM_LIKELY(request != nullptr)) {
    ++comm->users;
  }
  return request;
}
[[nodiscard]] inline Request *new_request(avrm_comm_t *comm, RequestKind kind) noexcept {
  return new_request(comm, kind, comm->is_internal());
}
[[nodiscard]] inline bool is_done(avrm_request_t *request) noexcept {
  return std::atomic_ref<std::uint32_t>(request->done).load(std::memory_order_acquire) != 0;
}
// Lets an awaiter continue when a request completes, or soon if it has completed. Requires the
// device's lock.
inline void await(Request *request, Awaiter *awaiter) noexcept {
  if (is_done(request)) {
    request->comm->device->ready.add(awaiter);
  } else {
    request->awaiter = awaiter;
    request->is_awaited = true;
  }
}
// Writes a completed request's outcome and frees it. Returns the status of the operation.
avrm_status_t retire(avrm_request_t **request_p, avrm_outcome_t *outcome_p) noexcept;
// Sets the buffer of a receive, or of a get by active messages: a packed copy if the data are in
// several blocks. Returns AVRM_OK or AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t set_buffer(Request *request, const Data &data) noexcept;
// Unpacks the first bytes of such a copy.
void unpack_bounce(Request *request, std::uint64_t bytes) noexcept;
void release_bounce(Request *request) noexcept;
inline void free_request(Request *request) noexcept {
  if (AVRM_UNLIKELY(request->packing != Packing::kNone)) {
    release_bounce(request);
  }
  --request->comm->users;
  request->comm->device->requests.give(request);
}

} // namespace avrankmap::detail

#endif
