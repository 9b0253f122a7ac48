// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts of the fast path, sent from copies (ucx_fast.h). A flush of the endpoint also waits for the
// copies.
#include <cstring>

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

ucp_request_param_t put_param(Bounce *copy) noexcept {
  ucp_request_param_t param = send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA, on_copy_sent);
  param.user_data = copy;
  return param;
}

// Provides a copy for the next put to any peer, unless too many are pending.
avrm_status_t need_copy(Transport &net) noexcept {
  if (net.next_copy == nullptr && net.injects.has_shared()) {
    net.next_copy = net.injects.take(AVRM_ANY_ADDRESS);
    if (net.next_copy == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    net.put = put_param(net.next_copy);
  }
  net.choose_ways();
  return AVRM_OK;
}

// on_copy_sent frees the copy.
void leave_copy(Transport &net) noexcept {
  net.next_copy = nullptr;
  net.choose_ways();
  (void)need_copy(net); // otherwise the next put tries again
}

// Handles a result of ucp_put_nbx that is not null.
[[gnu::noinline]] avrm_status_t put_goes_on(avrm_netmod_t *netmod, ucs_status_ptr_t result) noexcept {
  Transport &net = transport_of(netmod);
  if (UCS_PTR_IS_ERR(result)) {
    return net.refused("ucp_put_nbx", UCS_PTR_RAW_STATUS(result));
  }
  leave_copy(net);
  return AVRM_OK;
}

// Sends a put while too many copies are pending, perhaps to peers that do not read.
avrm_status_t put_extra(Transport &net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                        std::uint64_t remote, std::uint64_t key) noexcept {
  if (!net.injects.has_room_for(handle)) {
    return AVRM_ERR_AGAIN;
  }
  Bounce *const copy = net.injects.take(handle);
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::memcpy(copy->data(), buffer, bytes);
  const ucp_request_param_t param = put_param(copy);
  return copy_posted(net, "ucp_put_nbx",
                     ucp_put_nbx(avrm_ucx_ep(handle), copy->data(), bytes, remote, avrm_ucx_rkey(key), &param), copy);
}

// Handles puts of more than a few bytes, and all puts while no copy is ready or after a peer has
// died.
[[gnu::noinline]] avrm_status_t put_otherwise(Transport &net, const void *buffer, std::size_t bytes,
                                              std::uint64_t handle, std::uint64_t remote, std::uint64_t key) noexcept {
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (bytes == 0) { // UCX rejects 0 bytes
    return AVRM_OK;
  }
  if (const avrm_status_t status = need_copy(net); status != AVRM_OK) {
    return status;
  }
  if (AVRM_UNLIKELY(net.next_copy == nullptr)) {
    return put_extra(net, buffer, bytes, handle, remote, key);
  }
  unsigned char *const copy = net.next_copy->data();
  std::memcpy(copy, buffer, bytes);
  ucs_status_ptr_t const result = ucp_put_nbx(avrm_ucx_ep(handle), copy, bytes, remote, avrm_ucx_rkey(key), &net.put);
  return result == nullptr ? AVRM_OK : put_goes_on(&net.common, result);
}

} // namespace

avrm_status_t put_inject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                         std::uint64_t remote, std::uint64_t key) noexcept {
  const unsigned char *const copy = avrm_ucx_copy_of(&transport_of(netmod), buffer, bytes);
  if (AVRM_UNLIKELY(copy == nullptr)) {
    return put_otherwise(transport_of(netmod), buffer, bytes, handle, remote, key);
  }
  ucs_status_ptr_t const result = avrm_ucx_put(&transport_of(netmod), copy, bytes, key, remote, handle);
  return AVRM_LIKELY(result == nullptr) ? AVRM_OK : put_goes_on(netmod, result);
}

} // namespace avrankmap::detail::ucx

avrm_status_t avrm_ucx_put_goes_on(avrm_netmod_t *netmod, ucs_status_ptr_t result) noexcept {
  using namespace avrankmap::detail::ucx;
  Transport &net = transport_of(netmod);
  if (UCS_PTR_IS_ERR(result)) {
    return net.failed_call("ucp_put_nbx", UCS_PTR_RAW_STATUS(result));
  }
  leave_copy(net);
  return AVRM_OK;
}
