// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/op.h"

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

// Returns the status of an operation that failed. UCX cancels the operations of a closed endpoint,
// and receives whose sender's endpoint is closed.
avrm_status_t verdict(Op &op, ucs_status_t native) noexcept {
  avrm_status_t status = status_of(native);
  if (status == AVRM_ERR_TRUNCATED) {
    return status;
  }
  Transport &net = *op.net;
  if (status != AVRM_ERR_CANCELLED) {
    net.error.set("operation", net.transports, native);
    return status == AVRM_ERR_AGAIN ? AVRM_ERR_TRANSPORT : status;
  }
  if (net.closing || op.cancelled) {
    return status;
  }
  return op.is_receive || net.is_failed(op.handle) ? AVRM_ERR_PEER : status;
}

// Frees UCX's request. Resets the record for its next use, because UCX does not initialise it
// again.
void give_back(Op &op) noexcept {
  op.state = Op::State::kIdle;
  ucp_request_free(&op);
}

void end(Op &op, avrm_request_t *request, ucs_status_t native, std::uint64_t match, std::uint64_t bytes) noexcept {
  const avrm_status_t status = native == UCS_OK ? AVRM_OK : verdict(op, native);
  give_back(op);
  const bool has_bytes = status == AVRM_OK || status == AVRM_ERR_TRUNCATED;
  request->complete(request, status, match, has_bytes ? bytes : 0);
}

// A list of requests, linked through their scratch. All records are released before any request
// completes, because a completion may post or cancel others.
class Abandoned {
public:
  void add(Op &op) noexcept {
    op.state = Op::State::kOrphan;
    op.request->op = nullptr;
    op.request->scratch[0] = reinterpret_cast<std::uintptr_t>(first_);
    first_ = op.request;
  }
  void end(avrm_status_t status) noexcept {
    while (first_ != nullptr) {
      avrm_request_t *const request = first_;
      first_ = reinterpret_cast<avrm_request_t *>(static_cast<std::uintptr_t>(request->scratch[0]));
      request->complete(request, status, 0, 0);
    }
  }

private:
  avrm_request_t *first_ = nullptr;
};

} // namespace

avrm_status_t posted_otherwise(Transport &net, const char *call, ucs_status_ptr_t result, avrm_request_t *request,
                               std::uint64_t handle, std::uint64_t bytes, bool is_receive) noexcept {
  if (UCS_PTR_IS_ERR(result)) {
    return net.refused(call, UCS_PTR_RAW_STATUS(result));
  }
  Op &op = *static_cast<Op *>(result);
  if (op.net == nullptr) {
    op.net = &net;
    net.records.add(&op);
  }
  if (op.state == Op::State::kNew) {
    note(&op, request, handle, bytes, is_receive);
    return AVRM_OK;
  }
  op.handle = handle;
  op.cancelled = false;
  op.is_receive = is_receive;
  end(op, request, op.native, op.match, is_receive ? op.bytes : bytes);
  return AVRM_OK;
}

void ended_otherwise(Op &op, ucs_status_t native, std::uint64_t match, std::uint64_t bytes) noexcept {
  switch (op.state) {
  case Op::State::kPosted: end(op, op.request, native, match, bytes); return;
  case Op::State::kIdle:
  case Op::State::kNew:
    op.native = native;
    op.match = match;
    op.bytes = bytes;
    op.state = Op::State::kEndedInside;
    return;
  case Op::State::kOrphan: give_back(op); return;
  case Op::State::kEndedInside: return; // UCX ends an operation once
  }
}

void on_sent(void *request, ucs_status_t native, void * /*user_data*/) noexcept {
  Op &op = *static_cast<Op *>(request);
  ended(op, native, 0, op.bytes);
}

void abandon_peer(Transport &net, std::uint64_t handle, avrm_status_t status) noexcept {
  Abandoned abandoned;
  net.records.for_each_posted([&](Op *op) {
    if (op->handle == handle) {
      abandoned.add(*op);
      if (op->is_receive) { // otherwise a later message would be written into its buffer
        ucp_request_cancel(net.worker.get(), op);
      }
    }
  });
  abandoned.end(status);
}

void abandon_all(Transport &net, avrm_status_t status) noexcept {
  Abandoned abandoned;
  net.records.for_each_posted([&](Op *op) { abandoned.add(*op); });
  abandoned.end(status);
}

} // namespace avrankmap::detail::ucx
