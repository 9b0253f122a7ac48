// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A keyed hash, with which processes prove that they know a secret without sending it: libsodium's
// BLAKE2b. Not available in builds without libsodium.
#ifndef AVRANKMAP_SRC_CORE_KEYED_HASH_H
#define AVRANKMAP_SRC_CORE_KEYED_HASH_H

#include <cstddef>
#include <cstdint>

namespace avrankmap::detail {

struct Secret {
  std::uint64_t words[2] = {};
  friend bool operator==(const Secret &, const Secret &) = default;
};

struct Digest {
  unsigned char bytes[32] = {};
};

// Returns false in builds without libsodium, where no digest equals another.
[[nodiscard]] bool has_keyed_hash() noexcept;
[[nodiscard]] Digest keyed_hash(const Secret &secret, const void *text, std::size_t bytes) noexcept;
// Takes constant time, regardless of where the arguments differ.
[[nodiscard]] bool is_same(const Digest &one, const Digest &other) noexcept;

} // namespace avrankmap::detail

#endif
