// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronous messages: sent by the transport's own operation if it has one, otherwise acknowledged
// by the receiving core.
#include "core/progress/completion.h"
#include "core/progress/queue.h"
#include "core/synchronous_acks.h"
#include "p2p/receive.h"
#include "p2p/send.h"

namespace avrankmap::detail {

namespace {

struct Message {
  std::uint64_t match;
  const void *buffer;
  std::size_t bytes;
};

// Repeats a call until the transport accepts the message.
template <typename Post>
avrm_status_t post_message(avrm_comm_t *comm, const Peer &dest, const avrm_netmod_t *net, Post post) noexcept {
  const avrm_status_t status = post();
  return AVRM_LIKELY(status == AVRM_OK) ? status : post_to(comm->device, dest.process_in(comm), post, net);
}

avrm_status_t send_to_self(Request *request, const Message &message) noexcept {
  const char empty = 0;
  const avrm_arrival_t arrival{kSelfSender, message.match, message.bytes,
                               message.buffer != nullptr ? message.buffer : &empty,
                               reinterpret_cast<std::uintptr_t>(request)};
  return on_shm_message(request->comm->device, &arrival) ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

avrm_status_t send_by_shm(Request *request, const Peer &dest, std::int32_t local_rank,
                          const Message &message) noexcept {
  avrm_shmmod_t *const shm = request->comm->device->shm;
  const avrm_netmod_t *const net = request->comm->device->net;
  if (shm->ops->send_sync != nullptr) {
    request->complete = on_sent;
    return post_message(request->comm, dest, net, [&] {
      return shm->ops->send_sync(shm, local_rank, message.match, message.buffer, message.bytes, request);
    });
  }
  const bool is_small = message.bytes <= shm->inject_max;
  prepare_acknowledged(request, dest.rank, message.match, is_small ? 1 : 2);
  const avrm_status_t status = post_message(request->comm, dest, net, [&] {
    return shm->ops->send(shm, local_rank, message.match | AVRM_MATCH_SYNC, message.buffer, message.bytes,
                          is_small ? nullptr : request);
  });
  if (status == AVRM_OK) {
    await_acknowledgement(request);
  }
  return status;
}

avrm_status_t send_by_net(Request *request, const Peer &dest, std::uint64_t handle, const Message &message) noexcept {
  avrm_comm_t *const comm = request->comm;
  comm->has_sent = true;
  NetRoute way{comm->device->net, handle, nullptr};
  if (comm->queue != nullptr) {
    const avrm_status_t status = net_route_to(comm, dest.process_in(comm), handle, &way);
    if (status != AVRM_OK) {
      return status;
    }
  }
  const avrm_piece_t piece{const_cast<void *>(message.buffer), message.bytes};
  if ((way.net->capabilities & AVRM_NETMOD_SYNC) != 0) {
    request->complete = on_sent;
    return post_message(comm, dest, way.net, [&] {
      const NetRouteGuard guard(way);
      return way.net->ops->tsend_sync(way.net, way.handle, message.match, &piece, 1, request);
    });
  }
  const bool is_small = message.bytes <= way.net->inject_max;
  const std::uint64_t match = message.match | AVRM_MATCH_SYNC;
  prepare_acknowledged(request, dest.rank, message.match, is_small ? 1 : 2);
  const avrm_status_t status = post_message(comm, dest, way.net, [&] {
    const NetRouteGuard guard(way);
    return is_small ? way.net->ops->tinject(way.net, message.buffer, message.bytes, way.handle, match)
                    : way.net->ops->tsend(way.net, way.handle, match, &piece, 1, request);
  });
  if (status == AVRM_OK) {
    await_acknowledgement(request);
  }
  return status;
}

avrm_status_t send_over(const Route &route, Request *request, const Peer &dest, const Message &message) noexcept {
  switch (route.kind) {
  case Route::kNet: return send_by_net(request, dest, route.handle, message);
  case Route::kShm: return send_by_shm(request, dest, route.local_rank, message);
  case Route::kSelf: return send_to_self(request, message);
  }
  AVRM_UNREACHABLE();
  return AVRM_OK;
}

} // namespace

avrm_status_t send_synchronously(avrm_comm_t *comm, const Peer &dest, std::uint64_t match, const void *buffer,
                                 std::size_t bytes, avrm_request_t **request_p, Request *prepared) noexcept {
  if (buffer == nullptr && bytes != 0) {
    return AVRM_ERR_NULL;
  }
  Route route{};
  if (const avrm_status_t routed = route_to(comm, dest, &route); routed != AVRM_OK) {
    return routed;
  }
  if (AVRM_UNLIKELY(comm->device->failures_seen != 0) && has_failed(comm->device, dest.process_in(comm))) {
    return AVRM_ERR_PEER;
  }
  Request *const request = prepared != nullptr ? prepared : new_request(comm, RequestKind::kSend);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = send_over(route, request, dest, {match, buffer, bytes});
  if (status != AVRM_OK) {
    free_request(request);
    return status;
  }
  *request_p = request;
  return AVRM_OK;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_issend(avrm_comm_t *comm, const void *buffer, size_t bytes, int32_t dest, int32_t tag,
                          avrm_request_t **request_p) noexcept {
  const avrm_status_t status = check_send(comm, dest, tag, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  const DeviceGuard guard(comm->device);
  return send_synchronously(comm, peer_of(comm, dest), comm->send_match | static_cast<std::uint32_t>(tag), buffer,
                            bytes, request_p);
}

avrm_status_t avrm_issend_strided(avrm_comm_t *comm, const void *buffer, const avrm_layout_t *layout, int32_t dest,
                                  int32_t tag, avrm_request_t **request_p) noexcept {
  return send_blocks(comm, buffer, layout, dest, tag, request_p, send_synchronously);
}

avrm_status_t avrm_issend_blocks(avrm_comm_t *comm, const void *buffer, const avrm_blocks_t *blocks, int32_t dest,
                                 int32_t tag, avrm_request_t **request_p) noexcept {
  return send_blocks(comm, buffer, blocks, dest, tag, request_p, send_synchronously);
}
