// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages. They are sent from copies, because the caller does not wait for UCX. Messages
// that arrive stay in UCX's memory until they are handled, because handlers may make progress,
// which UCX forbids within its callbacks. They are linked through the first bytes of each message.
#include <cstring>
#include <utility>

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

// The first bytes of each message, which the receiver uses. UCX does not guarantee their alignment.
struct Link {
  void *next;
  std::size_t bytes; // after the link
};
static_assert(sizeof(Link) == kActiveLink);

Link link_of(const void *message) noexcept {
  Link link;
  std::memcpy(&link, message, sizeof link);
  return link;
}

ucs_status_t on_arrival(void *user, const void * /*header*/, std::size_t /*header_bytes*/, void *data,
                        std::size_t bytes, const ucp_am_recv_param_t *param) noexcept {
  Transport &net = *static_cast<Transport *>(user);
  if (net.closing || bytes < sizeof(Link) || bytes - sizeof(Link) > kActiveMax ||
      (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) == 0) {
    return UCS_OK; // closing, or not sent by this netmod
  }
  const Link link{nullptr, bytes - sizeof link};
  std::memcpy(data, &link, sizeof link);
  if (net.arrived_last == nullptr) {
    net.arrived_first = data;
  } else {
    std::memcpy(net.arrived_last, &data, sizeof data);
  }
  net.arrived_last = data;
  return UCS_INPROGRESS; // ucp_am_data_release follows
}

} // namespace

ucs_status_t open_active(Transport &net) noexcept {
  ucp_am_handler_param_t param{};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB |
                     UCP_AM_HANDLER_PARAM_FIELD_ARG;
  param.id = kActiveId;
  param.flags = UCP_AM_FLAG_WHOLE_MSG | UCP_AM_FLAG_PERSISTENT_DATA;
  param.cb = on_arrival;
  param.arg = &net;
  return ucp_worker_set_am_recv_handler(net.worker.get(), &param);
}

void on_copy_sent(void *request, ucs_status_t /*native*/, void *user_data) noexcept {
  // No request waits for the copy. A failure of the peer shows in the next operation with it.
  auto *const copy = static_cast<Bounce *>(user_data);
  copy->pool->give(copy);
  ucp_request_free(request);
}

avrm_status_t copy_posted(Transport &net, const char *call, ucs_status_ptr_t result, Bounce *copy) noexcept {
  if (UCS_PTR_IS_PTR(result)) {
    return AVRM_OK; // on_copy_sent frees the copy
  }
  copy->pool->give(copy);
  return result == nullptr ? AVRM_OK : net.refused(call, UCS_PTR_RAW_STATUS(result));
}

avrm_status_t am_send(avrm_netmod_t *netmod, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (header_bytes > kActiveMax || payload_bytes > kActiveMax - header_bytes) {
    return AVRM_ERR_SIZE;
  }
  if (!net.active_sends.has_room_for(handle)) {
    return AVRM_ERR_AGAIN;
  }
  Bounce *const copy = net.active_sends.take(handle);
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  unsigned char *const message = copy->data() + kActiveLink;
  if (header_bytes != 0) {
    std::memcpy(message, header, header_bytes);
  }
  if (payload_bytes != 0) {
    std::memcpy(message + header_bytes, payload, payload_bytes);
  }
  std::memset(copy->data(), 0, kActiveLink);
  ucp_request_param_t param =
      send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS, on_copy_sent);
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.user_data = copy;
  return copy_posted(net, "ucp_am_send_nbx",
                     ucp_am_send_nbx(avrm_ucx_ep(handle), kActiveId, nullptr, 0, copy->data(),
                                     kActiveLink + header_bytes + payload_bytes, &param),
                     copy);
}

int deliver_active(Transport &net) noexcept {
  int delivered = 0;
  // A handler may call this function, which then continues with the next message.
  while (net.arrived_first != nullptr) {
    void *const message = net.arrived_first;
    const Link link = link_of(message);
    net.arrived_first = link.next;
    net.arrived_last = link.next == nullptr ? nullptr : net.arrived_last;
    if (!net.config.on_am(net.config.user, static_cast<unsigned char *>(message) + sizeof link, link.bytes)) {
      // Later messages may have arrived while this one was offered.
      const Link again{net.arrived_first, link.bytes};
      std::memcpy(message, &again, sizeof again);
      net.arrived_first = message;
      net.arrived_last = net.arrived_last == nullptr ? message : net.arrived_last;
      break;
    }
    ucp_am_data_release(net.worker.get(), message);
    ++delivered;
  }
  return delivered;
}

void drop_arrived(Transport &net) noexcept {
  while (net.arrived_first != nullptr) {
    ucp_am_data_release(net.worker.get(), std::exchange(net.arrived_first, link_of(net.arrived_first).next));
  }
  net.arrived_last = nullptr;
}

} // namespace avrankmap::detail::ucx
