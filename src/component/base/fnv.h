// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// FNV-1a hashes of 32 or 64 bits, for names and messages that need no protection against forgery.
#ifndef AVRANKMAP_SRC_BASE_FNV_H
#define AVRANKMAP_SRC_BASE_FNV_H

#include <cstdint>
#include <string_view>

namespace avrankmap::detail {

/// Continues from `hash`, the result for the preceding bytes.
[[nodiscard]] constexpr std::uint32_t fnv_32(std::string_view bytes, std::uint32_t hash = 2166136261u) noexcept {
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
  }
  return hash;
}
[[nodiscard]] constexpr std::uint64_t fnv_64(std::string_view bytes,
                                             std::uint64_t hash = 14695981039346656037u) noexcept {
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  }
  return hash;
}

} // namespace avrankmap::detail

#endif
