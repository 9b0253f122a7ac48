// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads and writes bodies of records, and addresses within them.
#ifndef AVRANKMAP_SHMMOD_POSIX_RECORD_H
#define AVRANKMAP_SHMMOD_POSIX_RECORD_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "posix/ring.h"

namespace avrankmap::detail::posix {

template <typename Body> [[nodiscard]] Body body_of(const Slot &slot) noexcept {
  static_assert(sizeof(Body) <= kInlineMax);
  Body body;
  std::memcpy(&body, slot.body, sizeof body);
  return body;
}

// `length` is the length of the data whose place the body contains; 0 if the body contains no
// place.
template <typename Body>
void put_record(Producer &out, Kind kind, std::uint64_t match, const Body &body, std::size_t length = 0) noexcept {
  static_assert(sizeof(Body) <= kInlineMax);
  Slot *const slot = out.slot();
  slot->match = match;
  std::memcpy(slot->body, &body, sizeof body);
  out.publish(slot, kind, length);
}

template <typename T> [[nodiscard]] T *from_word(std::uint64_t word) noexcept {
  return reinterpret_cast<T *>(static_cast<std::uintptr_t>(word));
}
[[nodiscard]] inline std::uint64_t to_word(const void *pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

} // namespace avrankmap::detail::posix

#endif
