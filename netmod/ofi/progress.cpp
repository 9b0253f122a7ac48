// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the completion queue, and ends operations with dead peers.
//
// After a peer is reported dead, the provider has some time to end the operations with it: it
// delivers messages that have arrived, and returns buffers. Some providers, such as shared memory,
// never end them, so the requests complete after a number of polls in any case.
#include <chrono>
#include <cstdlib>

#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

constexpr int kPollsToSweep = 256;
// Number of consecutive failed reads after which the completion queue is considered broken.
constexpr int kMostFailedReads = 1000;

// Returns the match bits of a message that failed. Some providers do not report them.
std::uint64_t match_of(const Op &op, std::uint64_t tag) noexcept {
  return ((tag ^ op.match) & ~op.ignore) == 0 ? tag : op.match;
}

void on_completion(Transport &net, Op *op, std::uint64_t tag, std::size_t bytes, avrm_status_t status) noexcept {
  if (AVRM_UNLIKELY(op->orphan)) {
    if (op->kind == OpKind::kActiveSend && op->buffer != nullptr) {
      free_active_send(net, op);
    }
    net.pool.give(op);
    return;
  }
  switch (op->kind) {
  case OpKind::kSend: end(net, op, status, 0, 0); return;
  case OpKind::kReceive:
    if (AVRM_UNLIKELY(bytes > op->total && status == AVRM_OK)) {
      status = AVRM_ERR_TRUNCATED;
      net.truncation_area.wipe(bytes - op->total);
    }
    end(net, op, status, tag, bytes);
    return;
  case OpKind::kPut:
  case OpKind::kGet: on_rma(net, op, status); return;
  case OpKind::kAtomic: on_atomic(net, op, status); return;
  case OpKind::kActiveSend:
    free_active_send(net, op);
    net.pool.give(op);
    return;
  case OpKind::kTurn:
    net.flow.over(op->handle);
    net.pool.give(op);
    return;
  case OpKind::kActiveReceive:
    if (status == AVRM_OK) {
      on_active_receive(net, op, bytes);
    } else {
      post_active_receive(net, op);
    }
    return;
  case OpKind::kPeek: on_look(net, op, tag, bytes, status); return;
  case OpKind::kFree: return;
  }
}

// Reports a peer whose connection broke, according to an error of the provider. A timeout is not
// reported, because operations also time out on a busy machine.
void report_lost(const Transport &net, std::uint64_t handle, int native) noexcept {
  if (native != FI_ETIMEDOUT && handle != AVRM_ANY_ADDRESS && !net.is_failed(handle) && net.config.on_lost != nullptr) {
    net.config.on_lost(net.config.user, &net.common, handle);
  }
}

enum class Read { kNothing, kAnswer, kError };

// Reads an error entry. kAnswer: a probe has ended without a message.
Read read_error(Transport &net) noexcept {
  fi_cq_err_entry entry = {};
  if (fi_cq_readerr(net.cq.get(), &entry, 0) != 1) {
    return Read::kNothing;
  }
  entry.err = std::abs(entry.err); // some providers make them negative
  auto *const op = static_cast<Op *>(entry.op_context);
  if (op != nullptr && op->kind == OpKind::kPeek) { // no message, or no answer
    on_completion(net, op, 0, 0, AVRM_ERR_CANCELLED);
    return Read::kAnswer;
  }
  const bool cancelled = op != nullptr && op->cancelled;
  if (!(entry.err == FI_ECANCELED && (cancelled || op == nullptr || op->peer_failed))) {
    char words[96] = "";
    const char *const detail = fi_cq_strerror(net.cq.get(), entry.prov_errno, entry.err_data, words, sizeof words);
    net.error.set("completion", net.provider.name(), entry.err, detail);
  }
  if (op == nullptr) { // an inject, which has no request
    return Read::kError;
  }
  avrm_status_t status = status_of(entry.err, cancelled);
  if (status == AVRM_ERR_AGAIN) { // the provider had accepted it, so it is not repeated
    status = AVRM_ERR_TRANSPORT;
  }
  if (status == AVRM_ERR_CANCELLED && op->starved) {
    status = net.starved();
  }
  if (net.loses_peer(entry.err)) {
    status = AVRM_ERR_PEER;
  }
  if (status == AVRM_ERR_PEER && !op->peer_failed && !op->orphan) {
    report_lost(net, op->handle, entry.err);
  }
  if (op->peer_failed && status != AVRM_ERR_TRUNCATED) {
    status = AVRM_ERR_PEER;
  }
  if (op->kind == OpKind::kReceive) {
    net.peek.overtaken = true;
    // Providers report different lengths for a message that was too long. It had at least one byte
    // more than the buffer.
    const std::size_t bytes = status == AVRM_ERR_TRUNCATED ? std::max(op->total + 1, entry.len) : 0;
    on_completion(net, op, match_of(*op, entry.tag), bytes, status);
  } else {
    on_completion(net, op, 0, 0, status);
  }
  return Read::kError;
}

// Ends the requests for which `concerned(op)` holds, except the receives for active messages and a
// probe that was answered.
template <typename Concerned> void abandon_if(Transport &net, avrm_status_t status, Concerned concerned) noexcept {
  net.pool.for_each([&net, status, concerned](Op &op) {
    const bool is_answered = net.peek.op == &op && net.peek.over;
    if (concerned(op) && !op.orphan && !is_answered && op.kind != OpKind::kActiveReceive) {
      if (op.kind == OpKind::kReceive && op.waiting == nullptr) {
        fi_cancel(&net.endpoint->fid, &op.context);
      }
      abandon(net, op, status);
    }
  });
}

// Counts failed reads of the completion queue. After kMostFailedReads consecutive ones, all pending
// operations end.
void on_failed_read(Transport &net) noexcept {
  if (++net.failed_reads == kMostFailedReads) {
    net.failed_reads = 0;
    abandon_if(net, AVRM_ERR_TRANSPORT, [](const Op &) { return true; });
  }
}

// Ends receives if the connection of a peer cannot be accepted. Receives that have matched a
// message complete as usual.
[[gnu::noinline]] void look_for_backlog(Transport &net) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  net.backlog.look(net.endpoint.get(), std::chrono::nanoseconds(now).count());
  if (!net.backlog.is_starved()) {
    return;
  }
  net.pool.for_each([&net](Op &op) {
    if (op.kind != OpKind::kReceive || op.cancelled || op.orphan) {
      return;
    }
    op.cancelled = true;
    op.starved = true;
    if (op.waiting != nullptr) {
      abandon(net, op, net.starved());
    } else {
      fi_cancel(&net.endpoint->fid, &op.context);
    }
  });
}

// Reads the completion queue. Returns the number of errors that were handled.
int read_queue(Transport &net) noexcept {
  const ssize_t rc = fi_cq_read(net.cq.get(), net.batch, Transport::kBatch);
  bool well = rc > 0 || rc == -FI_EAGAIN || rc == 0;
  int errors = 0;
  if (rc == -FI_EAGAIN && AVRM_UNLIKELY(net.backlog.counts())) {
    look_for_backlog(net);
  }
  if (rc > 0) {
    if (AVRM_UNLIKELY(net.backlog.is_stuck())) {
      net.backlog.restart();
    }
    net.batch_next = 0;
    net.batch_end = static_cast<std::size_t>(rc);
  } else if (rc == -FI_EAVAIL) {
    const Read read = read_error(net);
    well = read != Read::kNothing;
    errors = read == Read::kError ? 1 : 0;
  } else if (!well) {
    net.refused("fi_cq_read", static_cast<int>(-rc));
  }
  if (AVRM_LIKELY(well)) {
    net.failed_reads = 0;
  } else {
    on_failed_read(net);
  }
  return errors;
}

void sweep(Transport &net) noexcept {
  net.pool.for_each([&net](Op &op) {
    if (op.peer_failed && !op.orphan) {
      abandon(net, op, AVRM_ERR_PEER);
    }
  });
}

} // namespace

void end(Transport &net, Op *op, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept {
  avrm_request_t *const request = op->request;
  net.pool.give(op);
  request->complete(request, status, match, bytes);
}

void abandon(Transport &net, Op &op, avrm_status_t status) noexcept {
  avrm_request_t *const request = op.request;
  PeerRecord *const peer = op.peer;
  const std::uint64_t match = op.kind == OpKind::kReceive ? op.match : 0;
  if (op.kind == OpKind::kTurn) {
    net.flow.over(op.handle);
  }
  op.orphan = true;
  op.request = nullptr;
  op.peer = nullptr;
  if (op.kind == OpKind::kActiveSend && (op.peer_failed || op.local != nullptr)) {
    // The provider may still read a common buffer after it was used again. That is harmless because
    // the peer is dead. A living peer could receive the other message, so for that one the buffer
    // is only freed with the record.
    free_active_send(net, &op);
  }
  if (net.peek.op == &op) {
    net.peek = Peek{};
    net.peek.is_lost = true;
  }
  if (request != nullptr) {
    ++net.further_ends;
    request->complete(request, status, match, 0);
  }
  if (peer != nullptr) {
    put_is_over(net, peer, status);
  }
}

void abandon_peer(Transport &net, std::uint64_t handle, avrm_status_t status) noexcept {
  abandon_if(net, status, [handle](const Op &op) { return op.handle == handle; });
}

int progress(avrm_netmod_t *netmod) noexcept {
  Transport &net = transport_of(netmod);
  int events = 0;
  net.further_ends = 0;
  if (AVRM_UNLIKELY(net.active.unposted != nullptr)) {
    post_unposted(net);
  }
  if (AVRM_UNLIKELY(net.active.first_held != nullptr)) {
    events += deliver_held(net);
  }
  if (AVRM_UNLIKELY(net.first_waiting != nullptr)) {
    post_waiting(net);
  }
  if (AVRM_UNLIKELY(net.deferred != nullptr)) {
    post_deferred(net);
  }
  if (net.batch_next == net.batch_end) {
    events += read_queue(net);
  }
  while (net.batch_next != net.batch_end) {
    const fi_cq_tagged_entry entry = net.batch[net.batch_next++];
    auto *const op = static_cast<Op *>(entry.op_context);
    on_completion(net, op, entry.tag, entry.len, AVRM_OK);
    ++events;
  }
  net.flow.progressed();
  net.puts_left = Transport::kBlindPuts;
  if (AVRM_UNLIKELY(net.polls_to_sweep != 0) && --net.polls_to_sweep == 0) {
    sweep(net);
  }
  return events + net.further_ends;
}

avrm_status_t arm(avrm_netmod_t *netmod, int *descriptor_p) noexcept {
  Transport &net = transport_of(netmod);
  if (net.batch_next != net.batch_end || net.polls_to_sweep != 0) {
    return AVRM_ERR_AGAIN;
  }
  const bool repeats = net.active.unposted != nullptr || net.active.first_held != nullptr ||
                       net.first_waiting != nullptr || net.deferred != nullptr || net.backlog.is_stuck();
  if (net.wait_fd < 0 || repeats) {
    return AVRM_ERR_UNSUPPORTED;
  }
  fid *queue = &net.cq->fid;
  const int rc = fi_trywait(net.fabric.get(), &queue, 1);
  *descriptor_p = net.wait_fd;
  return rc == 0 ? AVRM_OK : rc == -FI_EAGAIN ? AVRM_ERR_AGAIN : AVRM_ERR_UNSUPPORTED;
}

void fail(Transport &net, Op &op) noexcept {
  op.peer_failed = true;
  net.polls_to_sweep = kPollsToSweep;
  if (op.kind == OpKind::kReceive && op.waiting == nullptr) {
    fi_cancel(&net.endpoint->fid, &op.context);
  }
}

void peer_failed(avrm_netmod_t *netmod, std::uint64_t handle) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return;
  }
  net.unmark(handle);
  try {
    net.failed.add(handle);
    net.choose_ways();
  } catch (const std::bad_alloc &) {
    // Pending operations end below. Later ones end when the provider detects the failure, or when
    // it is reported again.
  }
  net.flow.over(handle);
  net.pool.for_each([&net, handle](Op &op) {
    if (op.handle == handle && !op.peer_failed && op.kind != OpKind::kActiveReceive) {
      fail(net, op);
    }
  });
}

} // namespace avrankmap::detail::ofi
