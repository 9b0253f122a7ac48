// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sending with the device's lock held and the arguments checked.
#ifndef AVRANKMAP_SRC_P2P_SEND_H
#define AVRANKMAP_SRC_P2P_SEND_H

#include "core/peers/connect.h"

namespace avrankmap::detail {

// Sends contiguous bytes. Returns AVRM_ERR_NULL if `buffer` is null and there are bytes to send.
// @param prepared  null, or a request that owns the buffer, for a message that needs a request; it
//                  was not used if *request_p differs. After an error it may have been freed
[[nodiscard]] avrm_status_t send_bytes(avrm_comm_t *comm, const Peer &dest, std::uint64_t match, const void *buffer,
                                       std::size_t bytes, avrm_request_t **request_p,
                                       Request *prepared = nullptr) noexcept;
// Like send_bytes, but for a synchronous message.
[[nodiscard]] avrm_status_t send_synchronously(avrm_comm_t *comm, const Peer &dest, std::uint64_t match,
                                               const void *buffer, std::size_t bytes, avrm_request_t **request_p,
                                               Request *prepared = nullptr) noexcept;
// One of the two functions above; send_message calls it.
using SendBytes = decltype(&send_bytes);
[[nodiscard]] avrm_status_t send_message(avrm_comm_t *comm, const Peer &dest, std::uint64_t match, const Data &data,
                                         avrm_request_t **request_p, SendBytes send = send_bytes) noexcept;
// Called by transports when a send has completed.
void on_sent(avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;
[[nodiscard]] inline avrm_status_t check_send(const avrm_comm_t *comm, std::int32_t dest, std::int32_t tag,
                                              avrm_request_t *const *request_p) noexcept {
  if (comm == nullptr || request_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (dest < 0 || dest >= comm->map->size) {
    return AVRM_ERR_RANK;
  }
  return tag < 0 || tag > AVRM_MATCH_MAX_TAG ? AVRM_ERR_TAG : AVRM_OK;
}
// Sends the blocks of a layout or of a list, for a user.
template <typename Blocks>
[[nodiscard]] avrm_status_t send_blocks(avrm_comm_t *comm, const void *buffer, const Blocks *blocks, std::int32_t dest,
                                        std::int32_t tag, avrm_request_t **request_p, SendBytes send) noexcept {
  avrm_status_t status = blocks == nullptr ? AVRM_ERR_NULL : check_send(comm, dest, tag, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  Data data{};
  status = describe_memory(buffer, *blocks, &data);
  if (status != AVRM_OK) {
    return status;
  }
  const DeviceGuard guard(comm->device);
  return send_message(comm, peer_of(comm, dest), comm->send_match | static_cast<std::uint32_t>(tag), data, request_p,
                      send);
}

} // namespace avrankmap::detail

#endif
