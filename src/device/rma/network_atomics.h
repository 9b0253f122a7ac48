// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics that the network executes, including those on parts of this node and of this process.
#ifndef AVRANKMAP_SRC_RMA_NETWORK_ATOMICS_H
#define AVRANKMAP_SRC_RMA_NETWORK_ATOMICS_H

#include "rma/atomic_element.h"
#include "rma/one_sided.h"

namespace avrankmap::detail {

// An operation of a caller.
struct Atomic {
  std::uint64_t op; // as in atomic_element.h
  avrm_datatype_t type;
  const void *operands; // as in operand_bytes
  void *result;         // null: none
  std::size_t count;
  std::int32_t target;
  std::uint64_t offset;

  [[nodiscard]] std::size_t element() const noexcept { return avrm_type_predefined_size(type); }
  [[nodiscard]] std::size_t bytes() const noexcept { return count * element(); }
};

// True for types and operations for which networks have atomics. The first requires has_atomics,
// the second is_atomic.
[[nodiscard]] bool is_of_network(avrm_datatype_t type) noexcept;
[[nodiscard]] bool is_of_network(std::uint64_t op, avrm_datatype_t type) noexcept;
// True if this process's part of a window supports network atomics.
[[nodiscard]] bool takes_network_atomics(const avrm_window_t *window) noexcept;

// Posts an operation for which networks have atomics, to a part that reach_room found for
// AVRM_NETMOD_ATOMIC.
[[nodiscard]] avrm_status_t operate_by_network(avrm_window_t *window, const Access &reached, const Atomic &atomic,
                                               avrm_request_t **request_p) noexcept;

} // namespace avrankmap::detail

#endif
