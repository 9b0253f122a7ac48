// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations on elements of 4 and 8 bytes. The operands and the old value of a single
// element are stored in the operation's record, so that an abandoned operation does not write into
// the caller's memory. Each operation counts as a put to its peer: flushes wait for it. If the
// provider does not guarantee order, an atomic operation is posted only when no put to its peer is
// pending.
#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>

#include <cstring>
#include <initializer_list>

#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

fi_op native_of(avrm_netmod_atomic_op_t op) noexcept {
  switch (op) {
  case AVRM_NETMOD_ATOMIC_SUM: return FI_SUM;
  case AVRM_NETMOD_ATOMIC_BAND: return FI_BAND;
  case AVRM_NETMOD_ATOMIC_BOR: return FI_BOR;
  case AVRM_NETMOD_ATOMIC_BXOR: return FI_BXOR;
  case AVRM_NETMOD_ATOMIC_REPLACE: return FI_ATOMIC_WRITE;
  case AVRM_NETMOD_ATOMIC_READ: return FI_ATOMIC_READ;
  case AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP: return FI_CSWAP;
  }
  return FI_ATOMIC_OP_LAST; // no such operation
}

fi_datatype type_of(std::uint32_t bytes) noexcept { return bytes == sizeof(std::uint32_t) ? FI_UINT32 : FI_UINT64; }

struct Places {
  void *operand;
  void *compare;
  void *old;
};

// Copies the operands of a single element into the record.
Places keep(Op *op, const avrm_netmod_atomic_t &atomic) noexcept {
  op->match = op->ignore = op->total = 0;
  if (atomic.op != AVRM_NETMOD_ATOMIC_READ) {
    std::memcpy(&op->match, atomic.operand, atomic.bytes);
  }
  if (atomic.op == AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP) {
    std::memcpy(&op->ignore, atomic.compare, atomic.bytes);
  }
  op->buffer = static_cast<unsigned char *>(atomic.result);
  op->part = atomic.bytes;
  return {&op->match, &op->ignore, &op->total};
}

avrm_status_t post(Transport &net, Op *op, std::uint64_t remote, std::uint64_t key, const avrm_netmod_atomic_t &atomic,
                   const Places &places, std::size_t count) noexcept {
  const bool reads = atomic.op == AVRM_NETMOD_ATOMIC_READ;
  const bool swaps = atomic.op == AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP;
  const bool fetches = atomic.result != nullptr;
  const std::size_t bytes = count * atomic.bytes;
  void *descriptors[3] = {};
  if (AVRM_UNLIKELY(net.registers_local)) {
    const avrm_piece_t pieces[] = {
        {places.operand, reads ? 0 : bytes}, {places.old, fetches ? bytes : 0}, {places.compare, swaps ? bytes : 0}};
    const avrm_status_t status = describe_local(net, op, pieces, 3, FI_READ | FI_WRITE, descriptors);
    if (status != AVRM_OK) {
      return status;
    }
  }
  const fi_ioc operand = {places.operand, count};
  const fi_ioc compare = {places.compare, count};
  fi_ioc old = {places.old, count};
  const fi_rma_ioc target = {remote, count, key};
  fi_msg_atomic message = {};
  message.msg_iov = &operand; // "sockets" reads it even if iov_count is 0
  message.desc = &descriptors[0];
  message.iov_count = reads ? 0 : 1;
  message.addr = op->handle;
  message.rma_iov = &target;
  message.rma_iov_count = 1;
  message.datatype = type_of(atomic.bytes);
  message.op = native_of(atomic.op);
  message.context = &op->context;
  fid_ep *const endpoint = net.endpoint.get();
  if (swaps) {
    return net.posted("fi_compare_atomicmsg", fi_compare_atomicmsg(endpoint, &message, &compare, &descriptors[2], 1,
                                                                   &old, &descriptors[1], 1, FI_COMPLETION));
  }
  return fetches ? net.posted("fi_fetch_atomicmsg",
                              fi_fetch_atomicmsg(endpoint, &message, &old, &descriptors[1], 1, FI_COMPLETION))
                 : net.posted("fi_atomicmsg", fi_atomicmsg(endpoint, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE));
}

} // namespace

bool find_atomics(Transport &net) noexcept {
  if (!net.provider.offers_atomics) {
    return false;
  }
  fid_ep *const endpoint = net.endpoint.get();
  std::size_t most = 0;
  std::size_t least = SIZE_MAX;
  bool all = true;
  const auto note = [&](int rc) {
    all = all && rc == 0 && most != 0;
    least = std::min(least, most);
  };
  for (const fi_datatype type : {FI_UINT32, FI_UINT64}) {
    for (const fi_op op : {FI_SUM, FI_BAND, FI_BOR, FI_BXOR, FI_ATOMIC_WRITE}) {
      note(fi_atomicvalid(endpoint, type, op, &most));
      note(fi_fetch_atomicvalid(endpoint, type, op, &most));
    }
    note(fi_fetch_atomicvalid(endpoint, type, FI_ATOMIC_READ, &most));
    note(fi_compare_atomicvalid(endpoint, type, FI_CSWAP, &most));
  }
  net.atomic_max = least;
  return all;
}

avrm_status_t atomic(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                     const avrm_netmod_atomic_t *atomic, std::size_t *count_p, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  PeerRecord *const peer = net.peers.find_or_make(handle);
  if (peer == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (peer->puts != 0 && !net.provider.orders_atomics()) {
    return AVRM_ERR_AGAIN;
  }
  Op *const op = net.pool.take(OpKind::kAtomic, handle, request);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const std::size_t count = std::min(atomic->count, net.atomic_max);
  op->buffer = nullptr;
  op->bytes = count * atomic->bytes;
  const Places places =
      count == 1 ? keep(op, *atomic) : Places{const_cast<void *>(atomic->operand), nullptr, atomic->result};
  const avrm_status_t status = count_put(net, peer, op, post(net, op, remote, key, *atomic, places, count));
  *count_p = status == AVRM_OK ? count : *count_p;
  return status;
}

void on_atomic(Transport &net, Op *op, avrm_status_t status) noexcept {
  if (status == AVRM_OK && op->buffer != nullptr) {
    std::memcpy(op->buffer, &op->total, op->part);
  }
  PeerRecord *const peer = op->peer;
  end(net, op, status, 0, op->bytes);
  put_is_over(net, peer, status);
}

} // namespace avrankmap::detail::ofi
