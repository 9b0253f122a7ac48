// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sending messages.
#include "p2p/send.h"

#include "core/progress/completion.h"
#include "core/progress/progress.h"
#include "core/progress/queue.h"
#include "p2p/receive.h"

namespace avrankmap::detail {

void on_sent(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/, std::uint64_t bytes) noexcept {
  finish(core_of(request), status, 0, bytes);
}

namespace {

// Posts a send with a request, through `net` or the shmmod. `post` is called with the request. The
// peer's process is only determined if the transport is full.
template <typename Post>
avrm_status_t send_with(Request *request, const Peer &dest, Post post, const avrm_netmod_t *net,
                        avrm_request_t **request_p) noexcept {
  request->complete = on_sent;
  avrm_status_t status = post(request);
  if (AVRM_UNLIKELY(status == AVRM_ERR_AGAIN)) {
    status = post_to(
        request->comm->device, dest.process_in(request->comm), [&] { return post(request); }, net);
  }
  if (status != AVRM_OK) {
    free_request(request);
    return status;
  }
  *request_p = request;
  return AVRM_OK;
}

avrm_status_t send_to_self(avrm_comm_t *comm, std::uint64_t match, const void *buffer, std::size_t bytes,
                           avrm_request_t **request_p) noexcept {
  // Messages of any size are buffered, because a process may send to itself before it receives.
  const char empty = 0;
  const avrm_arrival_t arrival{kSelfSender, match, bytes, buffer != nullptr ? buffer : &empty, 0};
  if (!on_shm_message(comm->device, &arrival)) {
    return AVRM_ERR_NO_MEMORY;
  }
  *request_p = done_request();
  return AVRM_OK;
}

} // namespace

avrm_status_t send_bytes(avrm_comm_t *comm, const Peer &dest, std::uint64_t match, const void *buffer,
                         std::size_t bytes, avrm_request_t **request_p, Request *prepared) noexcept {
  if (AVRM_UNLIKELY(buffer == nullptr && bytes != 0)) {
    return AVRM_ERR_NULL;
  }
  avrm_device_t *const device = comm->device;
  Route route{};
  if (const avrm_status_t routed = route_to(comm, dest, &route); routed != AVRM_OK) {
    return routed;
  }
  if (AVRM_UNLIKELY(device->failures_seen != 0) && has_failed(device, dest.process_in(comm))) {
    return AVRM_ERR_PEER;
  }
  if (route.kind == Route::kSelf) {
    return send_to_self(comm, match, buffer, bytes, request_p);
  }
  const bool net = route.kind == Route::kNet;
  NetRoute way{device->net, route.handle, nullptr};
  if (net) {
    comm->has_sent = true;
    if (AVRM_UNLIKELY(comm->queue != nullptr)) {
      const avrm_status_t status = net_route_to(comm, dest.process_in(comm), route.handle, &way);
      if (status != AVRM_OK) {
        return status;
      }
    }
  }
  if (bytes <= (net ? way.net->inject_max : device->shm->inject_max)) {
    const auto inject = [&] {
      const NetRouteGuard guard(way);
      return net ? way.net->ops->tinject(way.net, buffer, bytes, way.handle, match)
                 : device->shm->ops->send(device->shm, route.local_rank, match, buffer, bytes, nullptr);
    };
    avrm_status_t status = inject();
    if (AVRM_UNLIKELY(status != AVRM_OK)) {
      status = post_to(device, dest.process_in(comm), inject, way.net);
    }
    if (status == AVRM_OK) {
      *request_p = done_request();
    }
    return status;
  }
  Request *const request = prepared != nullptr ? prepared : new_request(comm, RequestKind::kSend);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const auto post = [&](Request *r) {
    const avrm_piece_t piece{const_cast<void *>(buffer), bytes};
    const NetRouteGuard guard(way);
    return net ? way.net->ops->tsend(way.net, way.handle, match, &piece, 1, r)
               : device->shm->ops->send(device->shm, route.local_rank, match, buffer, bytes, r);
  };
  return send_with(request, dest, post, way.net, request_p);
}

avrm_status_t send_message(avrm_comm_t *comm, const Peer &dest, std::uint64_t match, const Data &data,
                           avrm_request_t **request_p, SendBytes send) noexcept {
  if (data.bytes == 0 || is_contiguous(data.shape)) {
    return send(comm, dest, match, data.memory(), data.bytes, request_p, nullptr);
  }
  // The core packs the data. The copy exists as long as the request.
  Request *const request = new_request(comm, RequestKind::kSend);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  request->buffer = comm->device->instance->memory.allocate(data.bytes, 64, AVRM_MEM_MESSAGE);
  if (request->buffer == nullptr) {
    free_request(request);
    return AVRM_ERR_NO_MEMORY;
  }
  request->packing = Packing::kOfSend;
  request->bounce_bytes = data.bytes;
  Cursor from(data);
  pack(request->buffer, &from, data.bytes);
  avrm_request_t *posted = nullptr;
  const avrm_status_t status = send(comm, dest, match, request->buffer, data.bytes, &posted, request);
  if (posted == request) {
    *request_p = posted;
    return status;
  }
  // The transport copied the bytes, or returned an error.
  if (request->kind != RequestKind::kFree) {
    free_request(request);
  }
  if (status == AVRM_OK) {
    *request_p = posted;
  }
  return status;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_isend(avrm_comm_t *comm, const void *buffer, size_t bytes, int32_t dest, int32_t tag,
                         avrm_request_t **request_p) noexcept {
  const avrm_status_t status = check_send(comm, dest, tag, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  avrm_device_t *const device = comm->device;
  const std::uint64_t match = comm->send_match | static_cast<std::uint32_t>(tag);
  const DeviceGuard guard(device);
  // Handles nearly all messages: those to a plain network address that are accepted at once.
  const Peer peer = peer_of(comm, dest);
  if (AVRM_LIKELY(is_network(device, peer.word)) && AVRM_LIKELY(device->failures_seen == 0) &&
      AVRM_LIKELY(comm->queue == nullptr) && AVRM_LIKELY(buffer != nullptr || bytes == 0)) {
    if (bytes <= device->net->inject_max) {
      if (AVRM_LIKELY(device->net->ops->tinject(device->net, buffer, bytes, handle_of(device, peer.word), match) ==
                      AVRM_OK)) {
        comm->has_sent = true;
        *request_p = done_request();
        return AVRM_OK;
      }
    } else if (Request *const request = new_request(comm, RequestKind::kSend); request != nullptr) {
      request->complete = on_sent;
      const avrm_piece_t piece{const_cast<void *>(buffer), bytes};
      if (AVRM_LIKELY(device->net->ops->tsend(device->net, handle_of(device, peer.word), match, &piece, 1, request) ==
                      AVRM_OK)) {
        comm->has_sent = true;
        *request_p = request;
        return AVRM_OK;
      }
      free_request(request);
    }
  }
  return send_bytes(comm, peer, match, buffer, bytes, request_p);
}

avrm_status_t avrm_isend_strided(avrm_comm_t *comm, const void *buffer, const avrm_layout_t *layout, int32_t dest,
                                 int32_t tag, avrm_request_t **request_p) noexcept {
  return send_blocks(comm, buffer, layout, dest, tag, request_p, send_bytes);
}

avrm_status_t avrm_isend_blocks(avrm_comm_t *comm, const void *buffer, const avrm_blocks_t *blocks, int32_t dest,
                                int32_t tag, avrm_request_t **request_p) noexcept {
  return send_blocks(comm, buffer, blocks, dest, tag, request_p, send_bytes);
}
