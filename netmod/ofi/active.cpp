// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages are untagged, so the receives that are always posted for them do not lengthen the
// queues that providers search for tagged messages.
#include <sys/mman.h>

#include <new>
#include <utility>

#include "ofi/iovec.h"
#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

constexpr std::size_t kBlock = (ActiveBuffers::kReceives + ActiveBuffers::kSends) * ActiveBuffers::kBytes;
// Messages of up to this size are assembled on the stack.
constexpr std::size_t kStackBytes = 512;

// Leaves the receive to the next call of progress, which posts it.
void post_later(Transport &net, Op *op) noexcept {
  op->next = net.active.unposted;
  net.active.unposted = op;
}

} // namespace

void ActiveBuffers::Free::operator()(void *block) const noexcept { munmap(block, kBlock); }

avrm_status_t open_active(Transport &net) noexcept {
  ActiveBuffers &active = net.active;
  void *const block = mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) {
    net.error.set("memory is exhausted");
    return AVRM_ERR_NO_MEMORY;
  }
  active.block.reset(static_cast<unsigned char *>(block));
  if (net.registers_local) {
    if (const avrm_status_t status = register_memory(net, block, kBlock, FI_SEND | FI_RECV, 0, &active.region);
        status != AVRM_OK) {
      return status;
    }
  }
  unsigned char *buffer = active.block.get();
  for (std::size_t i = 0; i < ActiveBuffers::kReceives; ++i, buffer += ActiveBuffers::kBytes) {
    Op *const op = net.pool.take(OpKind::kActiveReceive, AVRM_ANY_ADDRESS, nullptr);
    if (op == nullptr) {
      net.error.set("memory is exhausted");
      return AVRM_ERR_NO_MEMORY;
    }
    op->buffer = buffer;
    post_active_receive(net, op);
  }
  for (std::size_t i = 0; i < ActiveBuffers::kSends; ++i, buffer += ActiveBuffers::kBytes) {
    active.give_send(buffer);
  }
  return AVRM_OK;
}

void post_active_receive(Transport &net, Op *op) noexcept {
  const ssize_t rc = fi_recv(net.endpoint.get(), op->buffer, ActiveBuffers::kBytes, net.active.descriptor(),
                             FI_ADDR_UNSPEC, &op->context);
  if (rc != 0) {
    if (rc != -FI_EAGAIN) {
      net.refused("fi_recv", static_cast<int>(-rc));
    }
    post_later(net, op);
  }
}

void post_unposted(Transport &net) noexcept {
  Op *op = net.active.unposted;
  net.active.unposted = nullptr;
  while (op != nullptr) {
    Op *const next = op->next;
    post_active_receive(net, op);
    op = next;
  }
}

void on_active_receive(Transport &net, Op *op, std::size_t bytes) noexcept {
  // A message must not overtake a held one, which may be from the same process.
  if (AVRM_LIKELY(net.active.first_held == nullptr) && net.config.on_am(net.config.user, op->buffer, bytes)) {
    post_active_receive(net, op);
    return;
  }
  op->bytes = bytes;
  op->next = nullptr;
  (net.active.first_held == nullptr ? net.active.first_held : net.active.last_held->next) = op;
  net.active.last_held = op;
}

int deliver_held(Transport &net) noexcept {
  int delivered = 0;
  for (Op *op = net.active.first_held; op != nullptr && net.config.on_am(net.config.user, op->buffer, op->bytes);
       op = net.active.first_held) {
    net.active.first_held = op->next;
    post_active_receive(net, op);
    ++delivered;
  }
  return delivered;
}

void free_active_send(Transport &net, Op *op) noexcept {
  if (op->local == nullptr) {
    net.active.give_send(op->buffer);
  } else {
    net.active.extra.remove(op->handle);
  }
  op->buffer = nullptr;
}

namespace {

// Allocates a buffer for one message. It is freed with the record.
[[gnu::noinline]] avrm_status_t take_extra(Transport &net, Op *op, std::size_t bytes, void **descriptor_p) noexcept {
  std::unique_ptr<unsigned char[]> buffer(new (std::nothrow) unsigned char[bytes]);
  if (buffer == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_piece_t piece = {buffer.get(), bytes};
  const avrm_status_t status = describe_local(net, op, &piece, net.registers_local ? 1 : 0, FI_SEND, descriptor_p);
  if (status != AVRM_OK) {
    return status;
  }
  op->buffer = buffer.get();
  op->local->buffer = std::move(buffer);
  try {
    net.active.extra.add(op->handle);
    return AVRM_OK;
  } catch (...) { // std::bad_alloc or std::length_error
    return AVRM_ERR_NO_MEMORY;
  }
}

} // namespace

avrm_status_t am_send(avrm_netmod_t *netmod, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (header_bytes > net.common.am_max || payload_bytes > net.common.am_max - header_bytes) {
    return AVRM_ERR_SIZE;
  }
  const std::size_t bytes = header_bytes + payload_bytes;
  const avrm_piece_t pieces[] = {{const_cast<void *>(header), header_bytes},
                                 {const_cast<void *>(payload), payload_bytes}};
  if (bytes <= net.common.inject_max && bytes <= kStackBytes) {
    unsigned char joined[kStackBytes];
    join(joined, pieces, std::size(pieces));
    return AVRM_UNLIKELY(net.flow.counts()) ? inject_at_turn(net, Injected::kActive, joined, bytes, handle, 0)
                                            : net.posted("fi_inject", fi_inject(net.ep, joined, bytes, handle));
  }
  ActiveBuffers &active = net.active;
  const bool is_extra = active.free_send_count == 0;
  if (is_extra && active.extra.has(handle)) {
    return AVRM_ERR_AGAIN;
  }
  Op *const op = net.pool.take(OpKind::kActiveSend, handle, nullptr);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  void *descriptor = active.descriptor();
  avrm_status_t status = AVRM_OK;
  if (AVRM_UNLIKELY(is_extra)) {
    status = take_extra(net, op, bytes, &descriptor);
  } else {
    op->buffer = active.take_send();
  }
  if (status == AVRM_OK) {
    join(op->buffer, pieces, std::size(pieces));
    status = net.posted("fi_send", fi_send(net.endpoint.get(), op->buffer, bytes, descriptor, handle, &op->context));
    if (status != AVRM_OK) {
      free_active_send(net, op);
    }
  }
  if (status != AVRM_OK) {
    net.pool.give(op);
  }
  return status;
}

} // namespace avrankmap::detail::ofi
