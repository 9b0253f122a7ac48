// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts of the fast path. They are sent from copies, as the caller's buffer must be free on return.
// Asking UCX to take the bytes at once or not at all costs more than the copy: where it emulates
// puts, it never takes them. A flush of the endpoint waits for the copies, too.
#include <cstring>

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

avrm_status_t put_inject(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                         const void *buffer, std::size_t bytes) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (AVRM_UNLIKELY(bytes == 0)) { // UCX rejects it
    return AVRM_OK;
  }
  if (AVRM_UNLIKELY(net.injects.taken() >= kMostInjects)) {
    return AVRM_ERR_AGAIN;
  }
  Bounce *const copy = net.injects.take();
  if (AVRM_UNLIKELY(copy == nullptr)) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::memcpy(copy->data(), buffer, bytes);
  ucp_request_param_t param = send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA, on_copy_sent);
  param.user_data = copy;
  return copy_posted(net, "ucp_put_nbx",
                     ucp_put_nbx(endpoint_of(handle), copy->data(), bytes, remote, rkey_of(key), &param), copy);
}

} // namespace avrankmap::detail::ucx
