// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations of the processor on elements of a window's part in this address space.
#ifndef AVRANKMAP_SRC_RMA_ATOMIC_ELEMENT_H
#define AVRANKMAP_SRC_RMA_ATOMIC_ELEMENT_H

#include <cstddef>
#include <cstdint>

#include "avrankmap/device/atomics.h"

namespace avrankmap::detail {

// Numbers of operations, also used in messages: those of avrm_op_t, and one more.
inline constexpr std::uint64_t kCompareAndSwap = AVRM_OP_NO_OP + 1;

// True for the datatypes that have atomics.
[[nodiscard]] bool has_atomics(avrm_datatype_t type) noexcept;
// True if the operation exists for elements of the datatype. The arguments may have any values.
[[nodiscard]] bool is_atomic(std::uint64_t op, avrm_datatype_t type) noexcept;

// Returns the number of bytes of operands for `bytes` bytes of elements. In a compare-and-swap the
// operand is followed by the value to compare with.
[[nodiscard]] constexpr std::size_t operand_bytes(std::uint64_t op, std::size_t bytes) noexcept {
  return op == AVRM_OP_NO_OP ? 0 : op == kCompareAndSwap ? 2 * bytes : bytes;
}

// Combines `count` elements at `place`, which is aligned; `operands` and `result` need not be.
// Writes the old values to `result`, if that is not null. Requires is_atomic.
void apply_atomic(std::uint64_t op, avrm_datatype_t type, void *place, const void *operands, void *result,
                  std::size_t count) noexcept;

} // namespace avrankmap::detail

#endif
