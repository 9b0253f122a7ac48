// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/keyed_hash.h"

#include <sodium.h>

namespace avrankmap::detail {

static_assert(sizeof(Secret) >= crypto_generichash_KEYBYTES_MIN && sizeof(Digest) == crypto_generichash_BYTES);

bool has_keyed_hash() noexcept { return sodium_init() >= 0; }

Digest keyed_hash(const Secret &secret, const void *text, std::size_t bytes) noexcept {
  Digest digest;
  (void)crypto_generichash(digest.bytes, sizeof digest.bytes, static_cast<const unsigned char *>(text), bytes,
                           reinterpret_cast<const unsigned char *>(&secret), sizeof secret);
  return digest;
}

bool is_same(const Digest &one, const Digest &other) noexcept {
  return sodium_memcmp(one.bytes, other.bytes, sizeof one.bytes) == 0;
}

} // namespace avrankmap::detail
