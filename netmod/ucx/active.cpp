// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages. They are sent from copies, because the caller does not wait for UCX. They are
// received into copies, because their handlers may make progress, which UCX forbids within its
// callbacks.
#include <cstring>

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

ucs_status_t on_arrival(void *user, const void * /*header*/, std::size_t /*header_bytes*/, void *data,
                        std::size_t bytes, const ucp_am_recv_param_t *param) noexcept {
  Transport &net = *static_cast<Transport *>(user);
  if (net.closing || bytes > kActiveMax || (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) {
    return UCS_OK; // closing, or not sent by this netmod
  }
  Bounce *const copy = net.active_receives.take();
  if (copy == nullptr) {
    // Out of memory: calls the handler within UCX's progress, which is fine if it only sends. UCX
    // does not keep the message if the core cannot take it now.
    if (net.arrived_first != nullptr || !net.config.on_am(net.config.user, data, bytes)) {
      net.error.set("lost an active message", net.transports, UCS_ERR_NO_MEMORY);
    }
    return UCS_OK;
  }
  if (bytes != 0) {
    std::memcpy(copy->data(), data, bytes);
  }
  copy->bytes = bytes;
  copy->next = nullptr;
  (net.arrived_last == nullptr ? net.arrived_first : net.arrived_last->next) = copy;
  net.arrived_last = copy;
  return UCS_OK;
}

} // namespace

ucs_status_t open_active(Transport &net) noexcept {
  if (!net.active_receives.reserve(kReservedActives)) {
    return UCS_ERR_NO_MEMORY;
  }
  ucp_am_handler_param_t param{};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB |
                     UCP_AM_HANDLER_PARAM_FIELD_ARG;
  param.id = kActiveId;
  param.flags = UCP_AM_FLAG_WHOLE_MSG;
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
    return AVRM_OK; // on_copy_sent
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
  if (net.active_sends.taken() >= kMostActives) {
    return AVRM_ERR_AGAIN;
  }
  Bounce *const copy = net.active_sends.take();
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const std::size_t bytes = header_bytes + payload_bytes;
  if (header_bytes != 0) {
    std::memcpy(copy->data(), header, header_bytes);
  }
  if (payload_bytes != 0) {
    std::memcpy(copy->data() + header_bytes, payload, payload_bytes);
  }
  ucp_request_param_t param =
      send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS, on_copy_sent);
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.user_data = copy;
  return copy_posted(net, "ucp_am_send_nbx",
                     ucp_am_send_nbx(avrm_ucx_ep(handle), kActiveId, nullptr, 0, copy->data(), bytes, &param), copy);
}

int deliver_active(Transport &net) noexcept {
  int delivered = 0;
  // A handler may call this, and then continues with the next message.
  while (net.arrived_first != nullptr) {
    Bounce *const copy = net.arrived_first;
    net.arrived_first = copy->next;
    if (net.arrived_first == nullptr) {
      net.arrived_last = nullptr;
    }
    if (!net.config.on_am(net.config.user, copy->data(), copy->bytes)) {
      copy->next = net.arrived_first;
      net.arrived_first = copy;
      net.arrived_last = net.arrived_last == nullptr ? copy : net.arrived_last;
      break;
    }
    net.active_receives.give(copy);
    ++delivered;
  }
  return delivered;
}

} // namespace avrankmap::detail::ucx
