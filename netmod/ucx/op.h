// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that UCX has not ended yet. Our record of one lies in the private part of UCX's request, so it lives as
// long as UCX needs it, and may outlive the core's request: what UCX does not end in time is abandoned, that is, ended
// for the core, while the record stays behind as an orphan.
#ifndef AVRANKMAP_NETMOD_UCX_OP_H
#define AVRANKMAP_NETMOD_UCX_OP_H

#include <ucp/api/ucp.h>

#include <cstdint>

#include "avrankmap/netmod.h"

namespace avrankmap::detail::ucx {

struct Transport;

struct Link {
  Link *previous = this;
  Link *next = this;

  Link() = default;
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  [[nodiscard]] bool is_alone() const noexcept { return next == this; }
  void insert_before(Link *place) noexcept {
    previous = place->previous;
    next = place;
    previous->next = this;
    place->previous = this;
  }
  void unlink() noexcept {
    previous->next = next;
    next->previous = previous;
  }
};

struct Op : Link {
  enum class State : std::uint8_t {
    kIdle,        // UCX's request is free, or is being posted
    kEndedInside, // ended before the call that posted it returned
    kPosted,
    kOrphan, // nobody wants to hear of it any more
  };

  Transport *net = nullptr;
  avrm_request_t *request = nullptr;
  std::uint64_t handle = 0;     // peer; AVRM_ANY_ADDRESS: a receive from anybody
  std::uint64_t match = 0;      // kEndedInside, receive
  std::uint64_t bytes = 0;      // length of what was posted; kEndedInside, receive: of the message
  ucs_status_t native = UCS_OK; // kEndedInside
  State state = State::kIdle;
  bool cancelled = false; // the core asked for it
  bool is_receive = false;
};

// Where a request keeps its record while it is posted. The rest of the scratch holds its pieces.
constexpr std::size_t kOpWord = 0;
constexpr std::size_t kFirstPieceWord = 2;
constexpr std::size_t kMaxPieces = 7;

// A posting call was refused, or its operation ended before it returned.
[[nodiscard]] avrm_status_t posted_otherwise(Transport &net, const char *call, ucs_status_ptr_t result,
                                             avrm_request_t *request, std::uint64_t handle, std::uint64_t bytes,
                                             bool is_receive) noexcept;
// An operation failed, is an orphan, or ends before its posting call returns.
void ended_otherwise(Op &op, ucs_status_t native, std::uint64_t match, std::uint64_t bytes) noexcept;

// Takes note of what a posting call of UCX returned: ends the request if the operation is over, else links its record
// into `list`, that of receives or the other one. `call` is for people.
[[nodiscard]] inline avrm_status_t posted(Transport &net, const char *call, ucs_status_ptr_t result,
                                          avrm_request_t *request, std::uint64_t handle, std::uint64_t bytes,
                                          Link *list, bool is_receive = false) noexcept {
  if (result == nullptr) {
    request->complete(request, AVRM_OK, 0, bytes);
    return AVRM_OK;
  }
  auto *const op = static_cast<Op *>(result);
  if (AVRM_UNLIKELY(UCS_PTR_IS_ERR(result)) || AVRM_UNLIKELY(op->state != Op::State::kIdle)) {
    return posted_otherwise(net, call, result, request, handle, bytes, is_receive);
  }
  op->net = &net;
  op->request = request;
  op->handle = handle;
  op->bytes = bytes;
  op->state = Op::State::kPosted;
  op->cancelled = false;
  op->is_receive = is_receive;
  op->insert_before(list);
  request->scratch[kOpWord] = reinterpret_cast<std::uintptr_t>(op);
  return AVRM_OK;
}

// UCX has ended an operation; called from its callbacks.
inline void ended(Op &op, ucs_status_t native, std::uint64_t match, std::uint64_t bytes) noexcept {
  if (AVRM_UNLIKELY(op.state != Op::State::kPosted) || AVRM_UNLIKELY(native != UCS_OK)) {
    ended_otherwise(op, native, match, bytes);
    return;
  }
  avrm_request_t *const request = op.request;
  op.unlink();
  op.state = Op::State::kIdle; // for its next use: UCX initialises its requests only once
  ucp_request_free(&op);
  request->complete(request, AVRM_OK, match, bytes);
}
void on_sent(void *request, ucs_status_t native, void *user_data) noexcept;

// Ends all operations with a peer that UCX has not ended, receives from it included; or all in a list.
void abandon_peer(Transport &net, std::uint64_t handle, avrm_status_t status) noexcept;
void abandon_all(Link &list, avrm_status_t status) noexcept;

} // namespace avrankmap::detail::ucx

#endif
