// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations on elements of 4 and 8 bytes. UCX sends all atomics to a peer over the same
// lane of the endpoint, which preserves their order. If no transport supports them, UCX emulates
// them, and the target must make progress.
#include <cstring>

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

ucp_atomic_op_t native_of(avrm_netmod_atomic_op_t op) noexcept {
  switch (op) {
  case AVRM_NETMOD_ATOMIC_SUM: return UCP_ATOMIC_OP_ADD;
  case AVRM_NETMOD_ATOMIC_BAND: return UCP_ATOMIC_OP_AND;
  case AVRM_NETMOD_ATOMIC_BOR: return UCP_ATOMIC_OP_OR;
  case AVRM_NETMOD_ATOMIC_BXOR: return UCP_ATOMIC_OP_XOR;
  case AVRM_NETMOD_ATOMIC_REPLACE: return UCP_ATOMIC_OP_SWAP;
  case AVRM_NETMOD_ATOMIC_READ: return UCP_ATOMIC_OP_ADD; // adds 0
  case AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP: return UCP_ATOMIC_OP_CSWAP;
  }
  return UCP_ATOMIC_OP_LAST; // no such operation
}

constexpr std::uint64_t kNothing = 0;

} // namespace

avrm_status_t atomic(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                     const avrm_netmod_atomic_t *atomic, std::size_t *count_p, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  ucp_request_param_t param = send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_DATATYPE, on_sent);
  param.datatype = ucp_dt_make_contig(atomic->bytes);
  void *old = atomic->result;
  const void *operand = atomic->operand;
  if (atomic->op == AVRM_NETMOD_ATOMIC_REPLACE && old == nullptr) {
    old = &net.unwanted; // UCX cannot replace without a fetch
  } else if (atomic->op == AVRM_NETMOD_ATOMIC_READ) {
    operand = &kNothing;
  } else if (atomic->op == AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP) {
    std::memcpy(old, operand, atomic->bytes); // UCX takes the new value from there
    operand = atomic->compare;
  }
  if (old != nullptr) {
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    param.reply_buffer = old;
  }
  ucs_status_ptr_t const result =
      ucp_atomic_op_nbx(avrm_ucx_ep(handle), native_of(atomic->op), operand, 1, remote, avrm_ucx_rkey(key), &param);
  *count_p = 1; // the maximum that UCX accepts
  return posted(net, "ucp_atomic_op_nbx", result, request, handle, atomic->bytes);
}

} // namespace avrankmap::detail::ucx
