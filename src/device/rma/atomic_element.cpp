// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/atomic_element.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

namespace avrankmap::detail {

namespace {

// The integer type of a given size, for C types with other names.
template <std::size_t kBytes, bool kSigned>
using Integer = std::conditional_t<
    kSigned,
    std::conditional_t<
        kBytes == 1, std::int8_t,
        std::conditional_t<kBytes == 2, std::int16_t, std::conditional_t<kBytes == 4, std::int32_t, std::int64_t>>>,
    std::conditional_t<
        kBytes == 1, std::uint8_t,
        std::conditional_t<kBytes == 2, std::uint16_t, std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>>;
template <typename T> using Same = Integer<sizeof(T), std::is_signed_v<T>>;

// Calls visit with a value of the C type of a datatype. Returns false if the datatype has no
// atomics.
template <typename Visit> bool with_type(avrm_datatype_t type, Visit visit) noexcept {
  switch (type) {
  case AVRM_INT8: visit(std::int8_t{}); return true;
  case AVRM_BYTE:
  case AVRM_UINT8: visit(std::uint8_t{}); return true;
  case AVRM_CHAR: visit(Same<char>{}); return true;
  case AVRM_INT16: visit(std::int16_t{}); return true;
  case AVRM_UINT16: visit(std::uint16_t{}); return true;
  case AVRM_INT32: visit(std::int32_t{}); return true;
  case AVRM_UINT32: visit(std::uint32_t{}); return true;
  case AVRM_INT64: visit(std::int64_t{}); return true;
  case AVRM_UINT64: visit(std::uint64_t{}); return true;
  case AVRM_INT: visit(Same<int>{}); return true;
  case AVRM_LONG: visit(Same<long>{}); return true;
  case AVRM_FLOAT: visit(float{}); return true;
  case AVRM_DOUBLE: visit(double{}); return true;
  default: return false;
  }
}

template <typename T> T sum(T a, T b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else { // unsigned, so that overflow is defined
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  }
}

template <typename T> T combine(std::uint64_t op, T old, T operand) noexcept {
  switch (op) {
  case AVRM_OP_SUM: return sum(old, operand);
  case AVRM_OP_MIN: return std::min(old, operand);
  case AVRM_OP_MAX: return std::max(old, operand);
  default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
    case AVRM_OP_BAND: return static_cast<T>(old & operand);
    case AVRM_OP_BOR: return static_cast<T>(old | operand);
    default: return static_cast<T>(old ^ operand);
    }
  }
  return old; // is_atomic excludes it
}

template <typename T> T load(const void *from) noexcept {
  T value{};
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Returns the old value. `operands`: as in operand_bytes.
template <typename T> T update(std::uint64_t op, T *place, const unsigned char *operands) noexcept {
  const std::atomic_ref<T> element(*place);
  if (op == AVRM_OP_NO_OP) {
    return element.load();
  }
  const T operand = load<T>(operands);
  if (op == AVRM_OP_REPLACE) {
    return element.exchange(operand);
  }
  if (op == kCompareAndSwap) {
    T old = load<T>(operands + sizeof(T));
    element.compare_exchange_strong(old, operand);
    return old;
  }
  T old = element.load();
  while (!element.compare_exchange_weak(old, combine(op, old, operand))) {
  }
  return old;
}

} // namespace

bool has_atomics(avrm_datatype_t type) noexcept {
  return with_type(type, [](auto) {});
}

bool is_atomic(std::uint64_t op, avrm_datatype_t type) noexcept {
  const bool floating = type == AVRM_FLOAT || type == AVRM_DOUBLE;
  const bool of_integers = op == AVRM_OP_BAND || op == AVRM_OP_BOR || op == AVRM_OP_BXOR || op == kCompareAndSwap;
  return op <= kCompareAndSwap && has_atomics(type) && !(floating && of_integers);
}

void apply_atomic(std::uint64_t op, avrm_datatype_t type, void *place, const void *operands, void *result,
                  std::size_t count) noexcept {
  with_type(type, [=](auto zero) {
    using T = decltype(zero);
    const auto *operand = static_cast<const unsigned char *>(operands);
    const std::size_t step = operand_bytes(op, sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
      const T old = update(op, static_cast<T *>(place) + i, operand);
      if (result != nullptr) {
        std::memcpy(static_cast<unsigned char *>(result) + i * sizeof old, &old, sizeof old);
      }
      operand = step == 0 ? operand : operand + step;
    }
  });
}

} // namespace avrankmap::detail
