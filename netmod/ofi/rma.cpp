// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets. A put completes when it is visible at the peer (FI_DELIVERY_COMPLETE), so a flush
// only waits for the puts; after injected ones it first posts a read. Data that exceed the maximum
// of an operation are transferred in consecutive parts.
#include <rdma/fi_rma.h>

#include <cstring>
#include <new>
#include <utility>

#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

struct Registration {
  Fid<fid_mr> region; // null for 0 bytes
  std::uint64_t base; // peers add it to offsets
};

// The description that is sent to peers.
struct Description {
  std::uint64_t base;
  std::uint64_t key;
};
static_assert(sizeof(Description) <= AVRM_NETMOD_KEY_MAX);

Registration *registration_of(avrm_netmod_memory_t *memory) noexcept {
  return reinterpret_cast<Registration *>(memory);
}

avrm_status_t post_part(Transport &net, Op *op) noexcept {
  op->part = std::min(op->bytes, net.part_max);
  void *descriptor = op->local == nullptr ? nullptr : fi_mr_desc(op->local->regions[0].get());
  if (op->kind == OpKind::kGet) {
    return net.posted("fi_read", fi_read(net.endpoint.get(), op->buffer, op->part, descriptor, op->handle, op->remote,
                                         op->key, &op->context));
  }
  const iovec local = {op->buffer, op->part};
  const fi_rma_iov remote = {op->remote, op->part, op->key};
  const fi_msg_rma message = {&local, &descriptor, 1, op->handle, &remote, 1, &op->context, 0};
  return net.posted("fi_writemsg", fi_writemsg(net.endpoint.get(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE));
}

avrm_status_t start(Transport &net, OpKind kind, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                    const void *buffer, std::size_t bytes, avrm_request_t *request) noexcept {
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (bytes == 0) {
    request->complete(request, AVRM_OK, 0, 0);
    return AVRM_OK;
  }
  PeerRecord *const peer = kind == OpKind::kPut ? net.peers.find_or_make(handle) : nullptr;
  Op *const op = kind == OpKind::kPut && peer == nullptr ? nullptr : net.pool.take(kind, handle, request);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  op->buffer = static_cast<unsigned char *>(const_cast<void *>(buffer)); // a put only reads it
  op->bytes = bytes;
  op->total = bytes;
  op->remote = remote;
  op->key = key;
  avrm_status_t status = AVRM_OK;
  if (AVRM_UNLIKELY(net.registers_local)) {
    const avrm_piece_t piece = {op->buffer, bytes};
    void *descriptor = nullptr;
    status = describe_local(net, op, &piece, 1, kind == OpKind::kGet ? FI_READ : FI_WRITE, &descriptor);
  }
  if (status == AVRM_OK) {
    status = post_part(net, op);
  }
  return count_put(net, peer, op, status);
}

void end_rma(Transport &net, Op *op, avrm_status_t status) noexcept {
  PeerRecord *const peer = op->peer;
  // Flushes complete after the put.
  end(net, op, status, 0, op->total);
  if (peer != nullptr) {
    put_is_over(net, peer, status);
  }
}

} // namespace

avrm_status_t memory_register(avrm_netmod_t *netmod, void *base, std::size_t bytes, std::uint64_t key,
                              avrm_netmod_memory_t **memory_p) noexcept {
  Transport &net = transport_of(netmod);
  std::unique_ptr<Registration> memory(new (std::nothrow) Registration{});
  if (memory == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (bytes != 0) {
    if (const avrm_status_t status =
            register_memory(net, base, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, key, &memory->region);
        status != AVRM_OK) {
      return status;
    }
  }
  memory->base = net.provider.wants(FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uintptr_t>(base) : 0;
  *memory_p = reinterpret_cast<avrm_netmod_memory_t *>(memory.release());
  return AVRM_OK;
}

void memory_release(avrm_netmod_t *, avrm_netmod_memory_t *memory) noexcept { delete registration_of(memory); }

avrm_status_t memory_values(avrm_netmod_t *, avrm_netmod_memory_t *opaque_memory, std::uint64_t *remote_p,
                            std::uint64_t *key_p) noexcept {
  const Registration &memory = *registration_of(opaque_memory);
  *remote_p = memory.base;
  *key_p = memory.region == nullptr ? 0 : fi_mr_key(memory.region.get());
  return AVRM_OK;
}

avrm_status_t memory_describe(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, void *buffer,
                              std::size_t *bytes_p) noexcept {
  if (*bytes_p < sizeof(Description)) {
    return AVRM_ERR_SIZE;
  }
  Description description{};
  (void)memory_values(netmod, memory, &description.base, &description.key);
  std::memcpy(buffer, &description, sizeof description);
  *bytes_p = sizeof description;
  return AVRM_OK;
}

avrm_status_t key_open(avrm_netmod_t *, std::uint64_t, const void *description_bytes, std::size_t bytes,
                       std::uint64_t *remote_p, std::uint64_t *key_p) noexcept {
  if (bytes != sizeof(Description)) {
    return AVRM_ERR_SIZE;
  }
  Description description;
  std::memcpy(&description, description_bytes, sizeof description);
  *remote_p = description.base;
  *key_p = description.key;
  return AVRM_OK;
}

// Keys are plain numbers, so there is nothing to close.
void key_close(avrm_netmod_t *, std::uint64_t) noexcept {}

avrm_status_t put(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                  const void *buffer, std::size_t bytes, avrm_request_t *request) noexcept {
  return start(transport_of(netmod), OpKind::kPut, handle, remote, key, buffer, bytes, request);
}

avrm_status_t get(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key, void *buffer,
                  std::size_t bytes, avrm_request_t *request) noexcept {
  return start(transport_of(netmod), OpKind::kGet, handle, remote, key, buffer, bytes, request);
}

void on_rma(Transport &net, Op *op, avrm_status_t status) noexcept {
  if (status == AVRM_OK && op->part != op->bytes) {
    op->buffer += op->part;
    op->remote += op->part;
    op->bytes -= op->part;
    status = op->peer_failed ? AVRM_ERR_PEER : post_part(net, op);
    if (status == AVRM_OK) {
      return;
    }
    if (status == AVRM_ERR_AGAIN) {
      op->part = 0; // nothing is pending
      op->next = net.deferred;
      net.deferred = op;
      return;
    }
  }
  end_rma(net, op, status);
}

void post_deferred(Transport &net) noexcept {
  Op *op = net.deferred;
  net.deferred = nullptr;
  while (op != nullptr) {
    Op *const next = op->next;
    if (op->orphan) {
      net.pool.give(op);
    } else {
      on_rma(net, op, AVRM_OK);
    }
    op = next;
  }
}

namespace {

// Completes the flushes of a list and empties it.
void end_flushes(Transport &net, avrm_request_t **list, avrm_status_t status) noexcept {
  avrm_request_t *request = std::exchange(*list, nullptr);
  while (request != nullptr) {
    auto *const next = reinterpret_cast<avrm_request_t *>(static_cast<std::uintptr_t>(request->scratch[0]));
    ++net.further_ends;
    request->complete(request, status, 0, 0);
    request = next;
  }
}

void add_flush(avrm_request_t **list, avrm_request_t *request) noexcept {
  request->scratch[0] = reinterpret_cast<std::uintptr_t>(*list);
  *list = request;
}

// Returns the first error of a put to any peer since that peer's last flush. Each error is reported
// once.
avrm_status_t take_status_of_all(const Transport &net) noexcept {
  avrm_status_t status = AVRM_OK;
  for (PeerRecord *peer = net.peers.first(); peer != nullptr; peer = peer->next) {
    const avrm_status_t its = std::exchange(peer->status, AVRM_OK);
    status = status != AVRM_OK ? status : its;
  }
  return status;
}

avrm_status_t flush_all(Transport &net, avrm_request_t *request) noexcept {
  for (PeerRecord *peer = net.peers.first(); peer != nullptr; peer = peer->next) {
    if (!peer->injected) {
      continue;
    }
    if (net.is_failed(peer->handle)) {
      peer->injected = false;
      peer->status = AVRM_ERR_PEER;
    } else if (const avrm_status_t status = post_fence(net, peer); status != AVRM_OK) {
      return status;
    }
  }
  if (net.puts != 0) {
    add_flush(&net.flushes, request);
    return AVRM_OK;
  }
  request->complete(request, take_status_of_all(net), 0, 0);
  return AVRM_OK;
}

} // namespace

void put_is_over(Transport &net, PeerRecord *peer, avrm_status_t status) noexcept {
  --peer->puts;
  --net.puts;
  if (peer->status == AVRM_OK) {
    peer->status = status;
  }
  const avrm_status_t ends_with = peer->status;
  if (net.puts == 0 && net.flushes != nullptr) {
    end_flushes(net, &net.flushes, take_status_of_all(net));
  }
  if (peer->puts == 0 && peer->flushes != nullptr) {
    peer->status = AVRM_OK;
    end_flushes(net, &peer->flushes, ends_with);
  }
}

avrm_status_t flush(avrm_netmod_t *netmod, std::uint64_t handle, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  if (handle == AVRM_ANY_ADDRESS) {
    return flush_all(net, request);
  }
  PeerRecord *const peer = net.peers.find(handle);
  if (peer != nullptr && peer->injected && !net.is_failed(handle)) {
    if (const avrm_status_t status = post_fence(net, peer); status != AVRM_OK) {
      return status;
    }
  }
  if (peer == nullptr || peer->puts == 0) {
    avrm_status_t status = AVRM_OK;
    if (peer != nullptr) {
      std::swap(status, peer->status);
    }
    request->complete(request, net.is_failed(handle) ? AVRM_ERR_PEER : status, 0, 0);
    return AVRM_OK;
  }
  add_flush(&peer->flushes, request);
  return AVRM_OK;
}

} // namespace avrankmap::detail::ofi
