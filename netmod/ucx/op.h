// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that UCX has not ended. A record is stored in the private part of UCX's request, so it
// exists as long as UCX needs it and may outlive the core's request. An operation that UCX does not
// end in time is abandoned: its request completes, and the record remains as an orphan.
#ifndef AVRANKMAP_NETMOD_UCX_OP_H
#define AVRANKMAP_NETMOD_UCX_OP_H

#include <ucp/api/ucp.h>

#include <cstdint>

#include "avrankmap/device/netmod.h"

namespace avrankmap::detail::ucx {

struct Transport;

struct Op {
  enum class State : std::uint8_t {
    kIdle,        // UCX's request is free, or is being posted
    kNew,         // like kIdle, but the record is not in a list yet
    kEndedInside, // ended before the call that posted it returned
    kPosted,
    kOrphan, // no longer has a request
  };

  avrm_request_t *request = nullptr;
  // Peer; AVRM_ANY_ADDRESS: a receive from any sender.
  std::uint64_t handle = 0;
  // Match bits of the message, for a receive in state kEndedInside.
  std::uint64_t match = 0;
  // Size of what was posted; of a receive in state kEndedInside: size of the message.
  std::uint64_t bytes = 0;
  // UCX's status, in state kEndedInside.
  ucs_status_t native = UCS_OK;
  State state = State::kNew;
  bool cancelled = false; // the core has cancelled it
  bool is_receive = false;
  Transport *net = nullptr; // set when it enters that transport's list; permanent
  Op *next = nullptr;
};

// All records of a transport. UCX reuses its requests until its worker is destroyed. So a record
// enters the list at its first use and never leaves it: later operations cost nothing here, and the
// list is as long as the maximum number of pending operations.
class OpList {
public:
  void add(Op *op) noexcept {
    op->next = first_;
    first_ = op;
  }
  // Calls visit(op) for each pending operation.
  template <typename Visit> void for_each_posted(Visit visit) const noexcept {
    for (Op *op = first_; op != nullptr; op = op->next) {
      if (op->state == Op::State::kPosted) {
        visit(op);
      }
    }
  }
  [[nodiscard]] bool has_posted() const noexcept {
    bool found = false;
    for_each_posted([&found](Op *) { found = true; });
    return found;
  }

private:
  Op *first_ = nullptr;
};

// A request's scratch holds a link for abandoned requests, followed by its pieces.
constexpr std::size_t kFirstPieceWord = 1;
constexpr std::size_t kMaxPieces = 7;

// Handles a posting call that was refused, whose operation ended before it returned, or whose
// record is new.
[[nodiscard]] avrm_status_t posted_otherwise(Transport &net, const char *call, ucs_status_ptr_t result,
                                             avrm_request_t *request, std::uint64_t handle, std::uint64_t bytes,
                                             bool is_receive) noexcept;
// Handles an operation that failed, is an orphan, or ends before its posting call returns.
void ended_otherwise(Op &op, ucs_status_t native, std::uint64_t match, std::uint64_t bytes) noexcept;

// Fills in the record of an operation.
inline void note(Op *op, avrm_request_t *request, std::uint64_t handle, std::uint64_t bytes, bool is_receive) noexcept {
  op->request = request;
  op->handle = handle;
  op->bytes = bytes;
  op->state = Op::State::kPosted;
  op->cancelled = false;
  op->is_receive = is_receive;
  request->op = op;
}

// Handles the result of a posting call of UCX: completes the request if the operation has ended.
// `call` is for error messages.
[[nodiscard]] inline avrm_status_t posted(Transport &net, const char *call, ucs_status_ptr_t result,
                                          avrm_request_t *request, std::uint64_t handle, std::uint64_t bytes,
                                          bool is_receive = false) noexcept {
  if (result == nullptr) {
    request->complete(request, AVRM_OK, 0, bytes);
    return AVRM_OK;
  }
  auto *const op = static_cast<Op *>(result);
  if (AVRM_UNLIKELY(UCS_PTR_IS_ERR(result)) || AVRM_UNLIKELY(op->state != Op::State::kIdle)) {
    return posted_otherwise(net, call, result, request, handle, bytes, is_receive);
  }
  note(op, request, handle, bytes, is_receive);
  return AVRM_OK;
}

// Handles the end of an operation. Called from UCX's callbacks.
inline void ended(Op &op, ucs_status_t native, std::uint64_t match, std::uint64_t bytes) noexcept {
  if (AVRM_UNLIKELY(op.state != Op::State::kPosted) || AVRM_UNLIKELY(native != UCS_OK)) {
    ended_otherwise(op, native, match, bytes);
    return;
  }
  avrm_request_t *const request = op.request;
  op.state = Op::State::kIdle; // for its next use: UCX initialises a request only once
  ucp_request_free(&op);
  request->complete(request, AVRM_OK, match, bytes);
}
void on_sent(void *request, ucs_status_t native, void *user_data) noexcept;

// Ends the operations that UCX has not ended: those with a peer, including receives from it, or
// all.
void abandon_peer(Transport &net, std::uint64_t handle, avrm_status_t status) noexcept;
void abandon_all(Transport &net, avrm_status_t status) noexcept;

} // namespace avrankmap::detail::ucx

#endif
