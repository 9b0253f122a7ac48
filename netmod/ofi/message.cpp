// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tagged messages. The match bits are libfabric's tag.
#include <rdma/fi_tagged.h>

#include <new>

#include "ofi/iovec.h"
#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

avrm_status_t check_match(Transport &net, std::uint64_t match) noexcept {
  if (AVRM_LIKELY((match & ~net.provider.tag_mask) == 0)) {
    return AVRM_OK;
  }
  net.error.set("match bits", net.provider.name(), FI_EINVAL, "the provider's tags are too short for this context id");
  return AVRM_ERR_LIMIT;
}

namespace {

// Queues a receive that the provider has no room for. A program may post any number of receives
// before it sends the messages that its peers need.
avrm_status_t wait_for_room(Transport &net, Op *op, const avrm_piece_t *pieces, std::size_t count) noexcept {
  op->waiting = new (std::nothrow) WaitingReceive{};
  if (op->waiting == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::copy_n(pieces, count, op->waiting->pieces);
  op->waiting->count = count;
  op->next = nullptr;
  (net.first_waiting == nullptr ? net.first_waiting : net.last_waiting->next) = op;
  net.last_waiting = op;
  return AVRM_OK;
}

} // namespace

avrm_status_t inject_at_turn(Transport &net, Injected kind, const void *buffer, std::size_t bytes, std::uint64_t handle,
                             std::uint64_t match) noexcept {
  fid_ep *const endpoint = net.endpoint.get();
  const Flow::Verdict verdict = net.flow.take(handle);
  if (verdict == Flow::Verdict::kLater) {
    return AVRM_ERR_AGAIN;
  }
  if (verdict == Flow::Verdict::kSend || !net.provider.keeps_all()) {
    return kind == Injected::kActive ? net.posted("fi_inject", fi_inject(endpoint, buffer, bytes, handle))
                                     : net.posted("fi_tinject", fi_tinject(endpoint, buffer, bytes, handle, match));
  }
  Op *const op = net.pool.take(OpKind::kTurn, handle, nullptr);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const iovec data = {const_cast<void *>(buffer), bytes}; // it is only read
  void *descriptor = nullptr;
  constexpr std::uint64_t kFlags = FI_INJECT | FI_COMPLETION;
  avrm_status_t status = AVRM_OK;
  if (kind == Injected::kActive) {
    const fi_msg message = {&data, &descriptor, 1, handle, &op->context, 0};
    status = net.posted("fi_sendmsg", fi_sendmsg(endpoint, &message, kFlags));
  } else {
    const fi_msg_tagged message = {&data, &descriptor, 1, handle, match, 0, &op->context, 0};
    status = net.posted("fi_tsendmsg", fi_tsendmsg(endpoint, &message, kFlags));
  }
  if (status == AVRM_OK) {
    net.flow.sent(handle);
    return AVRM_OK;
  }
  net.pool.give(op);
  if (status == AVRM_ERR_AGAIN) {
    net.flow.repeat();
    net.flow.progressed();
  }
  return status;
}

ssize_t post_receive(Transport &net, Op *op, std::uint64_t tag, std::uint64_t ignore, const avrm_piece_t *pieces,
                     std::size_t count, void **descriptors) noexcept {
  // Receives are posted for any sender: the match bits identify the sender, and matching by address
  // costs providers more.
  iovec iovecs[kMaxPieces + 1];
  for (std::size_t i = 0; i < count; ++i) {
    iovecs[i] = {pieces[i].base, pieces[i].bytes};
  }
  if (net.truncation_area.base() != nullptr) {
    iovecs[count++] = {net.truncation_area.base(), net.truncation_area.bytes()};
  }
  if (count > 1) {
    return fi_trecvv(net.endpoint.get(), iovecs, descriptors, count, FI_ADDR_UNSPEC, tag, ignore, &op->context);
  }
  const iovec only = count == 1 ? iovecs[0] : iovec{nullptr, 0};
  return fi_trecv(net.endpoint.get(), only.iov_base, only.iov_len, descriptors[0], FI_ADDR_UNSPEC, tag, ignore,
                  &op->context);
}

namespace {

avrm_status_t inject(Transport &net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                     std::uint64_t match) noexcept {
  return AVRM_UNLIKELY(net.flow.counts()) ? inject_at_turn(net, Injected::kTagged, buffer, bytes, handle, match)
                                          : net.posted("fi_tinject", fi_tinject(net.ep, buffer, bytes, handle, match));
}

// Sends a message whose match bits are at or above match_limit.
[[gnu::noinline]] avrm_status_t inject_otherwise(Transport &net, const void *buffer, std::size_t bytes,
                                                 std::uint64_t handle, std::uint64_t match) noexcept {
  if (const avrm_status_t status = check_match(net, match); status != AVRM_OK) {
    return status;
  }
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  return inject(net, buffer, bytes, handle, match);
}

} // namespace

avrm_status_t tinject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                      std::uint64_t match) noexcept {
  Transport &net = transport_of(netmod);
  return AVRM_LIKELY(match < net.match_limit) ? inject(net, buffer, bytes, handle, match)
                                              : inject_otherwise(net, buffer, bytes, handle, match);
}

namespace {

// Takes a record from the pool and, if the provider requires it, registers the pieces; `post` then
// posts them.
template <typename Post>
[[gnu::always_inline]] inline avrm_status_t send_by(Transport &net, std::uint64_t handle, std::uint64_t match,
                                                    const avrm_piece_t *pieces, std::size_t count,
                                                    avrm_request_t *request, Post post) noexcept {
  avrm_status_t status = check_match(net, match);
  if (AVRM_UNLIKELY(status != AVRM_OK)) {
    return status;
  }
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  if (count > net.common.pieces_max) {
    return AVRM_ERR_SIZE;
  }
  Op *const op = net.pool.take(OpKind::kSend, handle, request);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  void *descriptors[kMaxPieces] = {};
  if (AVRM_UNLIKELY(net.registers_local)) {
    status = describe_local(net, op, pieces, count, FI_SEND, descriptors);
  }
  if (status == AVRM_OK) {
    status = post(op, descriptors);
  }
  if (AVRM_UNLIKELY(status != AVRM_OK)) {
    net.pool.give(op);
  }
  return status;
}

// The pieces of a message as libfabric needs them.
struct Pieces {
  Pieces(const avrm_piece_t *pieces, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      iovecs[i] = {pieces[i].base, pieces[i].bytes};
    }
  }
  iovec iovecs[kMaxPieces];
};

} // namespace

avrm_status_t tsend(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                    std::size_t count, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  return send_by(net, handle, match, pieces, count, request, [=, &net](Op *op, void **descriptors) {
    if (AVRM_LIKELY(count <= 1)) {
      const avrm_piece_t piece = count == 1 ? pieces[0] : avrm_piece_t{nullptr, 0};
      return net.posted("fi_tsend", fi_tsend(net.endpoint.get(), piece.base, piece.bytes, descriptors[0], handle, match,
                                             &op->context));
    }
    const Pieces list(pieces, count);
    return net.posted("fi_tsendv",
                      fi_tsendv(net.endpoint.get(), list.iovecs, descriptors, count, handle, match, &op->context));
  });
}

avrm_status_t tsend_sync(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                         std::size_t count, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  return send_by(net, handle, match, pieces, count, request, [=, &net](Op *op, void **descriptors) {
    const Pieces list(pieces, count);
    const fi_msg_tagged message = {list.iovecs, descriptors, count, handle, match, 0, &op->context, 0};
    return net.posted("fi_tsendmsg", fi_tsendmsg(net.endpoint.get(), &message, FI_COMPLETION | FI_MATCH_COMPLETE));
  });
}

avrm_status_t trecv(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  avrm_status_t status = check_match(net, match);
  if (AVRM_UNLIKELY(status != AVRM_OK)) {
    return status;
  }
  // A message from a dead peer may have arrived, so the receive is posted first, and cancelled if
  // no message matches.
  const bool failed = net.is_failed(handle);
  if (count > net.common.pieces_max) {
    return AVRM_ERR_SIZE;
  }
  Op *const op = net.pool.take(OpKind::kReceive, handle, request);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  op->match = match;
  op->ignore = ignore;
  op->total = bytes_of(pieces, count);
  void *descriptors[kMaxPieces + 1] = {};
  if (AVRM_UNLIKELY(net.registers_local)) {
    status = describe_local(net, op, pieces, count, FI_RECV, descriptors);
  }
  if (status == AVRM_OK) {
    const ssize_t rc = AVRM_UNLIKELY(net.first_waiting != nullptr)
                           ? -FI_EAGAIN
                           : post_receive(net, op, match, ignore & net.provider.tag_mask, pieces, count, descriptors);
    status = AVRM_UNLIKELY(is_full(rc)) ? wait_for_room(net, op, pieces, count) : net.posted("fi_trecv", rc);
  }
  if (AVRM_UNLIKELY(status != AVRM_OK)) {
    net.pool.give(op);
    return status;
  }
  request->op = op; // for cancel
  if (AVRM_UNLIKELY(failed)) {
    fail(net, *op);
  }
  return AVRM_OK;
}

void post_waiting(Transport &net) noexcept {
  while (Op *const op = net.first_waiting) {
    ssize_t rc = 0;
    if (!op->orphan) {
      void *descriptors[kMaxPieces + 1] = {};
      for (std::size_t i = 0; op->local != nullptr && i < op->waiting->count; ++i) {
        fid_mr *const region = op->local->regions[i].get();
        descriptors[i] = region == nullptr ? nullptr : fi_mr_desc(region);
      }
      rc = post_receive(net, op, op->match, op->ignore & net.provider.tag_mask, op->waiting->pieces, op->waiting->count,
                        descriptors);
      if (is_full(rc)) {
        return;
      }
      delete op->waiting;
      op->waiting = nullptr;
    }
    net.first_waiting = op->next;
    if (op->orphan) {
      net.pool.give(op);
    } else if (rc != 0) {
      const std::uint64_t match = op->match;
      ++net.further_ends;
      end(net, op, net.posted("fi_trecv", rc), match, 0);
    } else if (op->peer_failed) { // while the receive waited: cancelled, as in trecv
      fi_cancel(&net.endpoint->fid, &op->context);
    }
  }
}

void cancel(avrm_netmod_t *netmod, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  auto *const op = static_cast<Op *>(request->op);
  op->cancelled = true;
  op->starved = false;
  if (op->waiting != nullptr) {
    abandon(net, *op, AVRM_ERR_CANCELLED);
    return;
  }
  // If the receive has already matched a message, it completes as usual.
  fi_cancel(&net.endpoint->fid, &op->context);
}

} // namespace avrankmap::detail::ofi
