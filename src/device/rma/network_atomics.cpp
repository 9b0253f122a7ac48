// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/network_atomics.h"

#include "core/progress/progress.h"
#include "core/progress/queue.h"

namespace avrankmap::detail {

namespace {

// Maximum number of network operations that one call keeps pending.
constexpr std::uint64_t kMostParts = 64;

bool is_floating(avrm_datatype_t type) noexcept { return type == AVRM_FLOAT || type == AVRM_DOUBLE; }

avrm_netmod_atomic_op_t native_of(std::uint64_t op) noexcept {
  switch (op) {
  case AVRM_OP_SUM: return AVRM_NETMOD_ATOMIC_SUM;
  case AVRM_OP_BAND: return AVRM_NETMOD_ATOMIC_BAND;
  case AVRM_OP_BOR: return AVRM_NETMOD_ATOMIC_BOR;
  case AVRM_OP_BXOR: return AVRM_NETMOD_ATOMIC_BXOR;
  case AVRM_OP_REPLACE: return AVRM_NETMOD_ATOMIC_REPLACE;
  case kCompareAndSwap: return AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP;
  default: return AVRM_NETMOD_ATOMIC_READ; // is_of_network excludes the others
  }
}

// Returns the rest of an operation, starting at its i-th element.
avrm_netmod_atomic_t rest_of(const Atomic &atomic, std::size_t i) noexcept {
  const std::size_t bytes = atomic.element();
  const auto *const operand =
      static_cast<const unsigned char *>(atomic.operands) + (atomic.operands == nullptr ? 0 : i * bytes);
  return {native_of(atomic.op),
          static_cast<std::uint32_t>(bytes),
          atomic.count - i,
          operand,
          atomic.op == kCompareAndSwap ? operand + bytes : nullptr, // there is one element
          atomic.result == nullptr ? nullptr : static_cast<unsigned char *>(atomic.result) + i * bytes};
}

// Posts a part of an operation, starting at element *i, and adds the number of elements posted to
// *i. `whole`: the request of the operation, if there may be several parts.
avrm_status_t post_part(avrm_window_t *window, const Access &access, const Atomic &atomic, std::size_t *i,
                        Request *whole, avrm_request_t **request_p) noexcept {
  const avrm_netmod_atomic_t rest = rest_of(atomic, *i);
  const std::uint64_t remote = access.part.base + atomic.offset + *i * rest.bytes;
  std::size_t count = 0;
  const auto post = [&](avrm_netmod_t *net, Request *request) {
    if (whole != nullptr) {
      request->partner_request = whole;
      request->complete = on_part;
    }
    return net->ops->atomic(net, access.way.handle, remote, access.part.key, &rest, &count, request);
  };
  const avrm_status_t status = post_native(window, access, atomic.target, post, request_p);
  *i += status == AVRM_OK ? count : 0;
  return status;
}

avrm_status_t post_parts(avrm_window_t *window, const Access &access, const Atomic &atomic,
                         avrm_request_t **request_p) noexcept {
  Request *const whole = new_one_sided(window, atomic.target, RequestKind::kOneSided);
  if (whole == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  whole->outcome.status = AVRM_OK;
  whole->capacity = atomic.bytes();
  whole->pending_parts = 1; // until all are posted
  avrm_status_t status = AVRM_OK;
  Backoff backoff(window->device, Sleep::kHolding);
  for (std::size_t i = 0; i < atomic.count && status == AVRM_OK;) {
    while (whole->pending_parts > kMostParts) {
      backoff.after(progress(window->device));
    }
    ++whole->pending_parts;
    avrm_request_t *part = nullptr;
    status = post_part(window, access, atomic, &i, whole, &part);
    whole->pending_parts -= status == AVRM_OK ? 0 : 1;
  }
  *request_p = whole;
  end_part(whole, status);
  return AVRM_OK;
}

} // namespace

bool is_of_network(avrm_datatype_t type) noexcept {
  const std::size_t bytes = avrm_type_predefined_size(type);
  return bytes == 4 || bytes == 8;
}

bool is_of_network(std::uint64_t op, avrm_datatype_t type) noexcept {
  return op != AVRM_OP_MIN && op != AVRM_OP_MAX && !(op == AVRM_OP_SUM && is_floating(type));
}

bool takes_network_atomics(const avrm_window_t *window) noexcept {
  return (window->device->net->capabilities & AVRM_NETMOD_ATOMIC) != 0 &&
         reinterpret_cast<std::uintptr_t>(window->base) % 8 == 0;
}

avrm_status_t operate_by_network(avrm_window_t *window, const Access &reached, const Atomic &atomic,
                                 avrm_request_t **request_p) noexcept {
  if (atomic.offset % atomic.element() != 0) {
    return AVRM_ERR_SIZE;
  }
  const bool nothing = atomic.count == 0 || (atomic.op == AVRM_OP_NO_OP && atomic.result == nullptr);
  if (nothing) {
    *request_p = done_request();
    return AVRM_OK;
  }
  Access access = reached;
  if (reached.target != nullptr) {
    if (reached.target->local_part.size == 0) {
      return AVRM_ERR_TRANSPORT; // its key could not be opened
    }
    access.part = reached.target->local_part;
    access.way = net_route_to_local(window->device, *reached.target->local_net_peer);
  }
  std::size_t first = 0;
  return atomic.count == 1 ? post_part(window, access, atomic, &first, nullptr, request_p)
                           : post_parts(window, access, atomic, request_p);
}

} // namespace avrankmap::detail
