// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Probes for messages that have arrived. The provider answers through its completion queue: with a
// message, or with the error FI_ENOMSG.
//
// A message is claimed by a receive with exactly its match bits, into memory of its length, because
// FI_CLAIM in the "net" provider of libfabric 1.17 mixes messages up. No other receive can take the
// message: it is the first one with these bits, and no receive posted earlier matches. Claiming in
// this way costs one copy of the message.
#include <rdma/fi_tagged.h>

#include <new>
#include <utility>

#include "base/match_queue.h"
#include "ofi/iovec.h"
#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

// A message that was claimed; the data follow.
struct Claimed {
  avrm_request_t arrival; // the netmod's own request
  Transport *net;
  std::uint64_t match;
  std::uint64_t bytes;
  avrm_status_t status;
  bool over;
  avrm_request_t *request; // the core's, once there is one
  std::size_t count;
  avrm_piece_t pieces[kMaxPieces];

  [[nodiscard]] unsigned char *data() noexcept { return reinterpret_cast<unsigned char *>(this + 1); }
};

void release(Claimed *message) noexcept {
  message->net->memory.release(message, sizeof *message + message->bytes, alignof(Claimed), AVRM_MEM_MESSAGE);
}

// Hands the data over to the receive.
void deliver(Claimed *message) noexcept {
  const unsigned char *from = message->data();
  std::uint64_t left = message->status == AVRM_OK ? message->bytes : 0;
  for (std::size_t i = 0; i < message->count; ++i) {
    const avrm_piece_t &piece = message->pieces[i];
    const std::size_t part = std::min<std::uint64_t>(piece.bytes, left);
    if (part != 0) {
      std::memcpy(piece.base, from, part);
    }
    from += part;
    left -= part;
  }
  const avrm_status_t status = left != 0 ? AVRM_ERR_TRUNCATED : message->status;
  avrm_request_t *const request = message->request;
  const std::uint64_t match = message->match;
  const std::uint64_t bytes = message->status == AVRM_OK ? message->bytes : 0;
  release(message);
  request->complete(request, status, match, bytes);
}

void on_arrived(avrm_request_t *arrival, avrm_status_t status, std::uint64_t /*match*/,
                std::uint64_t /*bytes*/) noexcept {
  auto *const message = reinterpret_cast<Claimed *>(arrival);
  message->status = status;
  message->over = true;
  if (message->request != nullptr) {
    deliver(message);
  }
}

// Claims the message that a probe has found.
avrm_status_t claim_message(Transport &net, std::uint64_t match, std::uint64_t bytes, Claimed **message_p) noexcept {
  void *const block = net.memory.allocate(sizeof(Claimed) + bytes, alignof(Claimed), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const message = new (block) Claimed{};
  message->net = &net;
  message->match = match;
  message->bytes = bytes;
  message->arrival.complete = on_arrived;
  const avrm_piece_t piece{message->data(), bytes};
  Op *const op = net.pool.take(OpKind::kReceive, AVRM_ANY_ADDRESS, &message->arrival);
  avrm_status_t status = op == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  if (status == AVRM_OK) {
    op->match = match;
    op->ignore = 0;
    op->total = bytes;
    message->arrival.op = op;
    void *descriptors[kMaxPieces + 1] = {};
    if (net.registers_local) {
      status = describe_local(net, op, &piece, 1, FI_RECV, descriptors);
    }
    if (status == AVRM_OK) {
      const ssize_t rc = post_receive(net, op, match, 0, &piece, 1, descriptors);
      status = is_full(rc) ? AVRM_ERR_AGAIN : net.posted("fi_trecv", rc);
    }
    if (status != AVRM_OK) {
      net.pool.give(op);
    }
  }
  if (status != AVRM_OK) {
    release(message);
    return status;
  }
  *message_p = message;
  return AVRM_OK;
}

// True if a receive that waits for room in the provider's queue may take the message, because it
// was posted earlier.
bool may_be_taken(const Transport &net, std::uint64_t match, std::uint64_t ignore) noexcept {
  for (const Op *op = net.first_waiting; op != nullptr; op = op->next) {
    if (!op->orphan && matches(match, op->match, ignore | op->ignore)) {
      return true;
    }
  }
  return false;
}

avrm_status_t ask(Transport &net, std::uint64_t match, std::uint64_t ignore) noexcept {
  Op *const op = net.pool.take(OpKind::kPeek, AVRM_ANY_ADDRESS, nullptr);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  fi_msg_tagged message = {};
  message.addr = FI_ADDR_UNSPEC;
  message.tag = match;
  message.ignore = ignore & net.provider.tag_mask;
  message.context = &op->context;
  const avrm_status_t status = net.posted("fi_trecvmsg", fi_trecvmsg(net.endpoint.get(), &message, FI_PEEK));
  if (status != AVRM_OK) {
    net.pool.give(op);
    return status;
  }
  net.peek = {op, false, false, false, false};
  return AVRM_OK;
}

// True if a posted receive will take, or has taken, the message that the probe found. The provider
// reports answers and receives in order, except that errors come first.
bool is_taken(Transport &net, std::uint64_t match) noexcept {
  bool taken = net.peek.overtaken;
  net.pool.for_each([match, &taken](const Op &op) {
    taken = taken || (op.kind == OpKind::kReceive && matches(match, op.match, op.ignore));
  });
  return taken;
}

} // namespace

void on_look(Transport &net, Op *op, std::uint64_t match, std::uint64_t bytes, avrm_status_t status) noexcept {
  op->match = match;
  op->total = bytes;
  net.peek.over = true;
  net.peek.found = status == AVRM_OK && !(net.provider.shows_taken_messages() && is_taken(net, match));
}

avrm_status_t tprobe(avrm_netmod_t *netmod, std::uint64_t match, std::uint64_t ignore, bool claim, bool *found_p,
                     avrm_netmod_message_t *message_p) noexcept {
  Transport &net = transport_of(netmod);
  avrm_status_t status = check_match(net, match);
  if (status != AVRM_OK) {
    return status;
  }
  if (AVRM_UNLIKELY(net.backlog.is_starved()) && net.peek.op == nullptr) {
    return net.starved();
  }
  if (std::exchange(net.peek.is_lost, false)) {
    return AVRM_ERR_TRANSPORT;
  }
  if (net.peek.op == nullptr) {
    if (may_be_taken(net, match, ignore)) {
      *found_p = false;
      return AVRM_OK;
    }
    status = ask(net, match, ignore);
    return status == AVRM_OK ? AVRM_ERR_AGAIN : status;
  }
  if (!net.peek.over) {
    return AVRM_ERR_AGAIN;
  }
  const Peek answer = std::exchange(net.peek, Peek{});
  const avrm_netmod_message_t message{answer.op->match, answer.op->total, nullptr};
  net.pool.give(answer.op);
  Claimed *claimed = nullptr;
  if (answer.found && claim) {
    status = claim_message(net, message.match, message.bytes, &claimed);
  }
  if (status == AVRM_OK) {
    *found_p = answer.found;
    *message_p = {message.match, message.bytes, claimed};
  }
  return status;
}

avrm_status_t trecv_claimed(avrm_netmod_t *netmod, std::uint64_t handle, const avrm_netmod_message_t *message,
                            const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  auto *const claimed = static_cast<Claimed *>(message->claimed);
  std::copy_n(pieces, count, claimed->pieces);
  claimed->count = count;
  claimed->request = request;
  if (claimed->over) {
    deliver(claimed);
    return AVRM_OK;
  }
  auto *const op = static_cast<Op *>(claimed->arrival.op);
  op->handle = handle;
  if (AVRM_UNLIKELY(net.is_failed(handle))) {
    fail(net, *op);
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail::ofi
