// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of the MPI-shaped interface that the inline path leaves to the library, and receives.
#include "fastpath/handles.h"
#include "p2p/datatype.h"
#include "p2p/send.h"

namespace avrankmap::detail {

namespace {

avrm_status_t send(const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t dest, std::int32_t tag,
                   avrm_fp_comm_t *comm, avrm_request_t **request_p, unsigned options, std::uint64_t word) noexcept {
  const std::uint64_t match =
      (options & AVRM_FP_NO_MATCH) != 0 ? comm->context_match : comm->send_match | static_cast<std::uint32_t>(tag);
  const bool global = (options & AVRM_FP_GLOBAL) != 0;
  const DeviceGuard guard(comm->comm->device);
  if (comm->threads != 0) { // other threads may connect or forget the peer
    word = global ? avrm_i_fp_world_word(comm->world, dest) : avrm_rankmap_word(comm->map, dest);
  }
  const Peer peer = global ? Peer{-1, dest, word} : Peer{dest, -1, word};
  if (AVRM_LIKELY(avrm_type_is_predefined(type) && count >= 0)) {
    const std::size_t bytes = avrm_type_predefined_size(type) * static_cast<std::uint32_t>(count);
    return send_bytes(comm->comm, peer, match, buffer, bytes, request_p);
  }
  avrm_layout_t layout{};
  Data data{};
  avrm_status_t status = layout_of(count, type, &layout);
  if (status == AVRM_OK) {
    status = describe_memory(buffer, layout, &data);
  }
  return status == AVRM_OK ? send_message(comm->comm, peer, match, data, request_p) : status;
}

avrm_status_t check_receive(const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t source,
                            std::int32_t tag, const avrm_fp_comm_t *comm, avrm_request_t *const *request_p) noexcept {
  if (comm == nullptr || !avrm_i_fp_is_live(comm->live)) {
    return AVRM_ERR_COMM;
  }
  const avrm_status_t status = avrm_i_fp_check_data(buffer, count, type);
  if (status != AVRM_OK) {
    return status;
  }
  const bool is_rank = source >= 0 && source < avrm_i_fp_map(comm)->size;
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
  return post_until_accepted(net, [=] { return net->ops->tinject(net, buffer, bytes, handle, match); });
}

avrm_status_t avrm_i_fp_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                                   avrm_netmod_t *net) noexcept {
  return post_until_accepted(net, [=] { return net->ops->put_inject(net, buffer, bytes, handle, remote, key); });
}

avrm_status_t avrm_i_fp_isend_general(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                      int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p, unsigned options,
                                      uint64_t word) noexcept {
  if ((options & AVRM_FP_NO_REQUEST) == 0) {
    return send(buffer, count, type, dest, tag, comm, request_p, options, word);
  }
  const FastpathGuard guard(comm, &comm->cold->lock);
  PendingRequests &pending = comm->cold->pending;
  if (!pending.reserve(memory_of(comm))) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_request_t *request = nullptr;
  const avrm_status_t status = send(buffer, count, type, dest, tag, comm, &request, options, word);
  if (status == AVRM_OK && request != done_request()) {
    pending.add(request);
  }
  return status;
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
    *request_p = &done_receive;
    return AVRM_OK;
  }
  return avrm_irecv_strided(comm->comm, buffer, &layout, source, tag, request_p);
}

avrm_status_t avrm_fp_irecv_nomatch(void *buffer, int32_t count, avrm_datatype_t type, avrm_fp_comm_t *comm,
                                    avrm_request_t **request_p) noexcept {
  return avrm_fp_irecv(buffer, count, type, AVRM_ANY_SOURCE, AVRM_ANY_TAG, comm, request_p);
}
