// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface of fault tolerance.
#include "avrankmap/device/ft.h"

#include "comm_calls/pending.h"
#include "core/progress/completion.h"

namespace avrankmap::detail {

namespace {

avrm_status_t check(const avrm_comm_t *comm, const void *out) noexcept {
  if (comm == nullptr || out == nullptr) {
    return AVRM_ERR_NULL;
  }
  return comm->is_internal() ? AVRM_ERR_OPTION : AVRM_OK;
}

// Calls begin(survivors, request), which begins an operation that completes the request.
template <typename Begin> avrm_status_t start(avrm_comm_t *comm, avrm_request_t **request_p, Begin begin) noexcept {
  Request *request = nullptr;
  {
    const DeviceGuard guard(comm->device);
    request = new_request(comm, RequestKind::kInternal, true);
  }
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = comm->device->creations->with_survivors(comm, [&](FtState &survivors) {
    if (survivors.is_busy()) {
      return AVRM_ERR_BUSY;
    }
    begin(survivors, request);
    return AVRM_OK;
  });
  if (status != AVRM_OK) {
    const DeviceGuard guard(comm->device);
    free_request(request);
    return status;
  }
  *request_p = request;
  return AVRM_OK;
}

avrm_status_t start_shrinking(avrm_comm_t *comm, std::int32_t active, avrm_comm_t **comm_p,
                              avrm_request_t **request_p) noexcept {
  return start(comm, request_p,
               [=](FtState &survivors, Request *request) { survivors.start_shrinking(active, comm_p, request); });
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_revoke(avrm_comm_t *comm) noexcept {
  const avrm_status_t status = check(comm, comm);
  if (status != AVRM_OK) {
    return status;
  }
  return comm->device->creations->with_survivors(comm, [](FtState &survivors) {
    survivors.revoke();
    return AVRM_OK;
  });
}

avrm_status_t avrm_comm_is_revoked(avrm_comm_t *comm, bool *revoked_p) noexcept {
  if (comm == nullptr || revoked_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  *revoked_p = comm->is_revoked();
  return AVRM_OK;
}

avrm_status_t avrm_comm_ack_failed(avrm_comm_t *comm, int32_t count, int32_t *acked_p) noexcept {
  const avrm_status_t status = check(comm, acked_p);
  if (status != AVRM_OK || count < 0) {
    return status != AVRM_OK ? status : AVRM_ERR_SIZE;
  }
  return comm->device->creations->with_survivors(
      comm, [&](FtState &survivors) { return survivors.acknowledge(count, acked_p); });
}

avrm_status_t avrm_comm_iagree(avrm_comm_t *comm, uint64_t *value_p, avrm_request_t **request_p) noexcept {
  const avrm_status_t status = request_p == nullptr ? AVRM_ERR_NULL : check(comm, value_p);
  if (status != AVRM_OK) {
    return status;
  }
  return start(comm, request_p,
               [value_p](FtState &survivors, Request *request) { survivors.start_agreement(value_p, request); });
}

avrm_status_t avrm_comm_agree(avrm_comm_t *comm, uint64_t *value_p) noexcept {
  avrm_request_t *request = nullptr;
  const avrm_status_t status = avrm_comm_iagree(comm, value_p, &request);
  return status != AVRM_OK ? status : avrm_wait(&request, nullptr);
}

avrm_status_t avrm_comm_ishrink(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) noexcept {
  const avrm_status_t status = request_p == nullptr ? AVRM_ERR_NULL : check(comm, comm_p);
  return status != AVRM_OK ? status : start_shrinking(comm, 0, comm_p, request_p);
}

avrm_status_t avrm_comm_shrink(avrm_comm_t *comm, avrm_comm_t **comm_p) noexcept {
  avrm_request_t *request = nullptr;
  const avrm_status_t status = avrm_comm_ishrink(comm, comm_p, &request);
  return status != AVRM_OK ? status : avrm_wait(&request, nullptr);
}

avrm_status_t avrm_comm_ireplace(avrm_comm_t *comm, int32_t active, avrm_comm_t **comm_p,
                                 avrm_request_t **request_p) noexcept {
  const avrm_status_t status = request_p == nullptr ? AVRM_ERR_NULL : check(comm, comm_p);
  if (status != AVRM_OK || comm->is_inter()) {
    return status != AVRM_OK ? status : AVRM_ERR_OPTION;
  }
  if (active < 1 || active > comm->map->size) {
    return AVRM_ERR_SIZE;
  }
  return start_shrinking(comm, active, comm_p, request_p);
}

avrm_status_t avrm_comm_replace(avrm_comm_t *comm, int32_t active, avrm_comm_t **comm_p) noexcept {
  avrm_request_t *request = nullptr;
  const avrm_status_t status = avrm_comm_ireplace(comm, active, comm_p, &request);
  return status != AVRM_OK ? status : avrm_wait(&request, nullptr);
}
