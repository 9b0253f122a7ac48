// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts of the fast path use fi_inject_write, which has no completion. A flush reads one byte of the
// memory that a put since the last flush wrote to. If reads do not overtake writes (FI_ORDER_RAW),
// the completion of this read shows that all earlier puts have landed. So a flush costs one more
// operation, and a put to a peer that is marked (ofi_fast.h) needs no record and no poll of the
// completion queue; but see Provider::wants_contexts.
#include <rdma/fi_rma.h>

#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

// True for libfabric's shared memory. It guarantees order only on request, and then does not copy
// directly between processes. Without the guarantee, its injected writes have landed when they
// return.
bool writes_at_once(const Provider &provider) noexcept { return std::strcmp(provider.name(), "shm") == 0; }

// The "net" provider of libfabric 1.17 crashes when it reads from a dead peer, as a flush would.
bool reads_from_the_dead(const Provider &provider) noexcept { return std::strcmp(provider.name(), "net") != 0; }

// Request of operations for which the core has none.
constinit avrm_request_t nobody{.scratch = {},
                                .op = nullptr,
                                .complete = [](avrm_request_t *, avrm_status_t, std::uint64_t, std::uint64_t) {},
                                .outcome = {},
                                .done = 0};

// Maximum number of pending puts to a peer; more return AVRM_ERR_AGAIN.
constexpr std::uint64_t kMostPuts = 1024;

avrm_status_t inject_with_context(Transport &net, PeerRecord *peer, std::uint64_t remote, std::uint64_t key,
                                  const void *buffer, std::size_t bytes) noexcept {
  Op *const op = net.pool.take(OpKind::kPut, peer->handle, &nobody);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  op->bytes = op->total = op->part = bytes;
  const iovec local = {const_cast<void *>(buffer), bytes}; // it is only read
  const fi_rma_iov target = {remote, bytes, key};
  void *descriptor = nullptr;
  const fi_msg_rma message = {&local, &descriptor, 1, peer->handle, &target, 1, &op->context, 0};
  return count_put(net, peer, op,
                   net.posted("fi_writemsg", fi_writemsg(net.endpoint.get(), &message, FI_INJECT | FI_COMPLETION)));
}

} // namespace

bool can_inject_puts(const Transport &net) noexcept {
  const bool in_order = (net.provider.info->tx_attr->msg_order & (FI_ORDER_RAW | FI_ORDER_RMA_RAW)) != 0;
  return net.provider.has_rma() && (in_order || writes_at_once(net.provider)) && reads_from_the_dead(net.provider);
}

namespace {

avrm_status_t inject(Transport &net, const void *buffer, std::size_t bytes, std::uint64_t handle, std::uint64_t remote,
                     std::uint64_t key) noexcept {
  if (AVRM_UNLIKELY(--net.puts_left == 0)) {
    net.puts_left = 1;
    return AVRM_ERR_AGAIN; // until the next call of progress
  }
  return net.posted("fi_inject_write", fi_inject_write(net.ep, buffer, bytes, handle, remote, key));
}

// Handles the first put to a peer since a flush, and all puts that cannot be injected directly.
[[gnu::noinline]] avrm_status_t inject_unmarked(Transport &net, const void *buffer, std::size_t bytes,
                                                std::uint64_t handle, std::uint64_t remote,
                                                std::uint64_t key) noexcept {
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (bytes == 0) { // not every provider accepts 0 bytes
    return AVRM_OK;
  }
  PeerRecord *const peer = net.peers.find_or_make(handle);
  if (peer == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  peer->injected = true; // the next flush uses these
  peer->injected_to = remote;
  peer->injected_key = key;
  if (net.provider.wants_contexts) {
    return peer->puts >= kMostPuts ? AVRM_ERR_AGAIN : inject_with_context(net, peer, remote, key, buffer, bytes);
  }
  net.mark(handle);
  return inject(net, buffer, bytes, handle, remote, key);
}

} // namespace

avrm_status_t put_inject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                         std::uint64_t remote, std::uint64_t key) noexcept {
  Transport &net = transport_of(netmod);
  return AVRM_LIKELY(avrm_ofi_is_marked(&net, handle)) && AVRM_LIKELY(bytes != 0)
             ? inject(net, buffer, bytes, handle, remote, key)
             : inject_unmarked(net, buffer, bytes, handle, remote, key);
}

avrm_status_t post_fence(Transport &net, PeerRecord *peer) noexcept {
  Op *const op = net.pool.take(OpKind::kGet, peer->handle, &nobody);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  op->buffer = &net.fence_byte;
  op->bytes = op->total = op->part = 1;
  op->remote = peer->injected_to;
  op->key = peer->injected_key;
  avrm_status_t status = AVRM_OK;
  if (AVRM_UNLIKELY(net.registers_local)) {
    const avrm_piece_t piece = {op->buffer, 1};
    void *descriptor = nullptr;
    status = describe_local(net, op, &piece, 1, FI_READ, &descriptor);
  }
  if (status == AVRM_OK) {
    void *const descriptor = op->local == nullptr ? nullptr : fi_mr_desc(op->local->regions[0].get());
    status = net.posted("fi_read", fi_read(net.endpoint.get(), op->buffer, 1, descriptor, peer->handle, op->remote,
                                           op->key, &op->context));
  }
  status = count_put(net, peer, op, status); // so that flushes wait for it
  if (status == AVRM_OK) {
    peer->injected = false;
    net.unmark(peer->handle);
  }
  return status;
}

} // namespace avrankmap::detail::ofi
