// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of the MPI-shaped interface that the inline path leaves to the library, and receives.
#include "fastpath/handles.h"
#include "p2p/datatype.h"
#include "p2p/send.h"

namespace avrankmap::detail {

namespace {

std::uint64_t send_match(const avrm_fp_comm_t *comm, std::int32_t tag, unsigned options) noexcept {
  return (options & AVRM_FP_NO_MATCH) != 0 ? comm->context_match : comm->send_match | static_cast<std::uint32_t>(tag);
}

avrm_status_t send_general(avrm_fp_comm_t *comm, const void *buffer, const avrm_layout_t &layout, std::int64_t dest,
                           std::int32_t tag, unsigned options, avrm_request_t **request_p) noexcept {
  const std::uint64_t match = send_match(comm, tag, options);
  const auto number = static_cast<std::int32_t>(dest);
  const Destination to = (options & AVRM_FP_GLOBAL) != 0 ? Destination{-1, number} : Destination{number, -1};
  const DeviceGuard guard(comm->comm->device);
  return send_message(comm->comm, to, match, buffer, layout, request_p);
}

// Out of line, so that the rest of avrm_i_fp_isend_general saves no registers.
[[gnu::noinline]] avrm_status_t isend_by_device(const void *buffer, std::int32_t count, std::int64_t dest,
                                                std::int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p,
                                                avrm_datatype_t type, unsigned options) noexcept {
  avrm_layout_t layout{};
  avrm_status_t status = layout_of(count, type, &layout);
  if (status != AVRM_OK) {
    return status;
  }
  if ((options & AVRM_FP_NO_REQUEST) == 0) {
    return send_general(comm, buffer, layout, dest, tag, options, request_p);
  }
  const FastpathGuard guard(comm, &comm->cold->lock);
  PendingRequests &pending = comm->cold->pending;
  if (!pending.reserve(memory_of(comm))) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_request_t *request = nullptr;
  status = send_general(comm, buffer, layout, dest, tag, options, &request);
  if (status == AVRM_OK && request != done_request()) {
    pending.add(request);
  }
  return status;
}

avrm_status_t check_receive(const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t source,
                            std::int32_t tag, const avrm_fp_comm_t *comm, avrm_request_t *const *request_p) noexcept {
  if (comm == nullptr || comm->live != AVRM_FP_LIVE) {
    return AVRM_ERR_COMM;
  }
  const avrm_status_t status = avrm_i_fp_check_data(buffer, count, type);
  if (status != AVRM_OK) {
    return status;
  }
  const bool is_rank = source >= 0 && source < comm->map->size;
  if (!is_rank && source != AVRM_PROC_NULL && source != AVRM_ANY_SOURCE) {
    return AVRM_ERR_RANK;
  }
  if (tag < AVRM_ANY_TAG || tag > AVRM_MATCH_MAX_TAG) {
    return AVRM_ERR_TAG;
  }
  return request_p == nullptr ? AVRM_ERR_REQUEST : AVRM_OK;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_i_fp_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                avrm_netmod_t *net) noexcept {
  return until_taken(net, [=] { return net->ops->tinject(net, buffer, bytes, handle, match); });
}

avrm_status_t avrm_i_fp_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                                   avrm_netmod_t *net) noexcept {
  return until_taken(net, [=] { return net->ops->put_inject(net, buffer, bytes, handle, remote, key); });
}

avrm_status_t avrm_i_fp_isend_general(const void *buffer, int32_t count, int64_t dest, int32_t tag,
                                      avrm_fp_comm_t *comm, avrm_request_t **request_p, avrm_datatype_t type,
                                      unsigned options) noexcept {
  // The inline path again, for the forms that it leaves out.
  if ((options & AVRM_FP_GLOBAL) == 0 && comm->threads == 0 && avrm_type_is_predefined(type)) {
    const std::size_t bytes = avrm_type_predefined_size(type) * static_cast<std::uint32_t>(count);
    std::uint64_t handle = 0;
    if (bytes <= comm->net->inject_max &&
        avrm_i_fp_decode(avrm_rankmap_word(comm->map, static_cast<std::int32_t>(dest)), comm->codec, &handle)) {
      if ((options & AVRM_FP_NO_REQUEST) == 0) {
        *request_p = done_request();
      }
      return avrm_i_fp_table_tinject(buffer, bytes, handle, send_match(comm, tag, options), comm->net);
    }
  }
  return isend_by_device(buffer, count, dest, tag, comm, request_p, type, options);
}

avrm_status_t avrm_fp_irecv(void *buffer, int32_t count, avrm_datatype_t type, int32_t source, int32_t tag,
                            avrm_fp_comm_t *comm, avrm_request_t **request_p) noexcept {
  avrm_status_t status = check_receive(buffer, count, type, source, tag, comm, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  avrm_layout_t layout{};
  status = layout_of(count, type, &layout);
  if (status != AVRM_OK) {
    return status;
  }
  if (source == AVRM_PROC_NULL) {
    *request_p = done_request();
    return AVRM_OK;
  }
  return avrm_irecv_strided(comm->comm, buffer, &layout, source, tag, request_p);
}

avrm_status_t avrm_fp_irecv_nomatch(void *buffer, int32_t count, avrm_datatype_t type, avrm_fp_comm_t *comm,
                                    avrm_request_t **request_p) noexcept {
  return avrm_fp_irecv(buffer, count, type, AVRM_ANY_SOURCE, AVRM_ANY_TAG, comm, request_p);
}
