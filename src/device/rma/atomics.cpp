// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The origin side of atomics. In windows with network atomics, the network executes them; otherwise
// the processor does if the memory is mapped; otherwise they are sent as active messages. The
// handler of these messages also uses the processor, so that the last two are atomic with respect
// to each other.
#include "avrankmap/device/atomics.h"

#include <cstring>

#include "core/progress/progress.h"
#include "rma/network_atomics.h"

namespace avrankmap::detail {

namespace {

// Sends elements piece by piece; operands are copied. Pieces without a request are counted in
// `target`.
avrm_status_t send_pieces(avrm_window_t *window, Target *target, const Atomic &atomic, Request *request) noexcept {
  // Whole elements, with room for the second operand of a compare-and-swap.
  const std::size_t most = active_payload_max(window->device) / 16 * 8;
  const bool fetches = request != nullptr;
  const std::uint64_t token = fetches ? request->match : static_cast<std::uint64_t>(target->rank);
  std::uint64_t *const unanswered = fetches ? &request->pending_parts : &target->unacknowledged;
  for (std::size_t position = 0; position < atomic.bytes(); position += most) {
    const std::size_t bytes = std::min(atomic.bytes() - position, most);
    ActiveHeader header = header_for(window, fetches ? ActiveType::kFetchAtomic : ActiveType::kAtomic, token);
    header.offset = atomic.offset + position;
    header.position = position;
    header.bytes = bytes;
    header.block = atomic.op;
    header.pitch = atomic.type;
    const std::size_t payload = operand_bytes(atomic.op, bytes);
    const auto *const operands = static_cast<const unsigned char *>(atomic.operands) + (payload == 0 ? 0 : position);
    ++*unanswered;
    const avrm_status_t status = send_active(window->device, target->process, header, operands, payload, Retry::kNow);
    if (status != AVRM_OK) {
      *unanswered -= *unanswered == 0 ? 0 : 1; // 0: the target has failed
      return status;
    }
  }
  return AVRM_OK;
}

avrm_status_t by_active(avrm_window_t *window, Target *target, const Atomic &atomic,
                        avrm_request_t **request_p) noexcept {
  if (atomic.result == nullptr) {
    return send_pieces(window, target, atomic, nullptr);
  }
  Request *const request = new_one_sided(window, target->rank, RequestKind::kOneSided);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  request->buffer = atomic.result;
  request->shape = one_block(atomic.bytes());
  expect_answers(window, request, atomic.bytes());
  end_sending(window, request, send_pieces(window, target, atomic, request));
  *request_p = request;
  return AVRM_OK;
}

bool is_aligned(const void *place, std::size_t element) noexcept {
  return reinterpret_cast<std::uintptr_t>(place) % element == 0;
}

avrm_status_t operate(avrm_window_t *window, const Atomic &atomic, avrm_request_t **request_p) noexcept {
  Access access;
  const auto operation = window->network_atomics ? unsigned{AVRM_NETMOD_ATOMIC} : kByActive;
  const avrm_status_t status = reach_room(window, atomic.target, operation, atomic.offset, atomic.bytes(), &access);
  if (status != AVRM_OK) {
    return status;
  }
  Target *const target = access.target;
  if (window->network_atomics) {
    return operate_by_network(window, access, atomic, request_p);
  }
  if (atomic.offset % atomic.element() != 0 ||
      (target->mapped != nullptr && !is_aligned(target->mapped + atomic.offset, atomic.element()))) {
    return AVRM_ERR_SIZE;
  }
  *request_p = done_request();
  if (atomic.count == 0) {
    return AVRM_OK;
  }
  if (target->mapped == nullptr) {
    return by_active(window, target, atomic, request_p);
  }
  apply_atomic(atomic.op, atomic.type, target->mapped + atomic.offset, atomic.operands, atomic.result, atomic.count);
  target->written = target->written || atomic.op != AVRM_OP_NO_OP;
  count_local_operation(window->device);
  return AVRM_OK;
}

avrm_status_t check(const avrm_window_t *window, const Atomic &atomic, avrm_request_t *const *request_p) noexcept {
  const avrm_status_t status = check_target(window, atomic.target, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (!has_atomics(atomic.type) || (window->narrow_atomics && !is_of_network(atomic.type))) {
    return AVRM_ERR_DATATYPE;
  }
  if (!is_atomic(atomic.op, atomic.type) || (window->narrow_atomics && !is_of_network(atomic.op, atomic.type))) {
    return AVRM_ERR_OPTION;
  }
  if (atomic.count > SIZE_MAX / 16) {
    return AVRM_ERR_SIZE;
  }
  return atomic.operands == nullptr && atomic.op != AVRM_OP_NO_OP && atomic.count != 0 ? AVRM_ERR_NULL : AVRM_OK;
}

avrm_status_t check_and_operate(avrm_window_t *window, const Atomic &atomic, avrm_request_t **request_p) noexcept {
  const avrm_status_t status = check(window, atomic, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  const DeviceGuard guard(window->device);
  return operate(window, atomic, request_p);
}

// Returns the number of a caller's operation, or an invalid number.
std::uint64_t number_of(avrm_op_t op) noexcept {
  const auto number = static_cast<std::uint64_t>(op);
  return number <= AVRM_OP_NO_OP ? number : UINT64_MAX;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_accumulate(avrm_window_t *window, const void *operand, size_t count, avrm_datatype_t type,
                              avrm_op_t op, int32_t target, uint64_t offset, avrm_request_t **request_p) noexcept {
  return check_and_operate(window, {number_of(op), type, operand, nullptr, count, target, offset}, request_p);
}

avrm_status_t avrm_get_accumulate(avrm_window_t *window, const void *operand, void *result, size_t count,
                                  avrm_datatype_t type, avrm_op_t op, int32_t target, uint64_t offset,
                                  avrm_request_t **request_p) noexcept {
  if (result == nullptr && count != 0) {
    return AVRM_ERR_NULL;
  }
  return check_and_operate(window, {number_of(op), type, operand, result, count, target, offset}, request_p);
}

avrm_status_t avrm_fetch_and_op(avrm_window_t *window, const void *operand, void *result, avrm_datatype_t type,
                                avrm_op_t op, int32_t target, uint64_t offset, avrm_request_t **request_p) noexcept {
  return avrm_get_accumulate(window, operand, result, 1, type, op, target, offset, request_p);
}

avrm_status_t avrm_compare_and_swap(avrm_window_t *window, const void *operand, const void *compare, void *result,
                                    avrm_datatype_t type, int32_t target, uint64_t offset,
                                    avrm_request_t **request_p) noexcept {
  if (operand == nullptr || compare == nullptr || result == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (!has_atomics(type)) {
    return AVRM_ERR_DATATYPE;
  }
  unsigned char both[2 * sizeof(std::uint64_t)];
  const std::size_t bytes = avrm_type_predefined_size(type);
  std::memcpy(both, operand, bytes);
  std::memcpy(both + bytes, compare, bytes);
  return check_and_operate(window, {kCompareAndSwap, type, both, result, 1, target, offset}, request_p);
}

bool avrm_window_has_network_atomics(const avrm_window_t *window) noexcept { return window->network_atomics; }
