// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts of the fast path. The key is the address of ours. What UCX does not take at once, among it all that it emulates,
// goes from a copy; flushing the endpoint waits for those, too.
#include <cstring>

#include "netmod/ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

// As in message.cpp: now, or UCX leaves the buffer alone.
constexpr ucp_request_param_t kNowOrNever = send_param(UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL, nullptr);

avrm_status_t put_copy(Transport &net, std::uint64_t handle, std::uint64_t remote, ucp_rkey_h rkey, const void *buffer,
                       std::size_t bytes) noexcept {
  if (net.injects.taken() >= kMostInjects) {
    return AVRM_ERR_AGAIN;
  }
  Bounce *const copy = net.injects.take();
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::memcpy(copy->data(), buffer, bytes);
  ucp_request_param_t param = send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA, on_copy_sent);
  param.user_data = copy;
  return copy_posted(net, "ucp_put_nbx", ucp_put_nbx(endpoint_of(handle), copy->data(), bytes, remote, rkey, &param),
                     copy);
}

} // namespace

avrm_status_t key_values(avrm_netmod_t * /*netmod*/, avrm_netmod_key_t *key, std::uint64_t *remote_p,
                         std::uint64_t *key_p) noexcept {
  if (key->rkey == nullptr) {
    return AVRM_ERR_UNSUPPORTED;
  }
  *remote_p = key->base;
  *key_p = reinterpret_cast<std::uintptr_t>(key->rkey);
  return AVRM_OK;
}

avrm_status_t put_inject(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                         const void *buffer, std::size_t bytes) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (AVRM_UNLIKELY(bytes == 0)) { // UCX refuses it
    return AVRM_OK;
  }
  auto *const rkey = reinterpret_cast<ucp_rkey_h>(static_cast<std::uintptr_t>(key));
  ucs_status_ptr_t const result = ucp_put_nbx(endpoint_of(handle), buffer, bytes, remote, rkey, &kNowOrNever);
  if (AVRM_LIKELY(result == nullptr)) {
    return AVRM_OK;
  }
  const ucs_status_t native = UCS_PTR_RAW_STATUS(result);
  return native == UCS_ERR_NO_RESOURCE ? put_copy(net, handle, remote, rkey, buffer, bytes)
                                       : net.refused("ucp_put_nbx", native);
}

} // namespace avrankmap::detail::ucx
