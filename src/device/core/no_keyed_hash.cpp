// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replacement in builds without libsodium, in which ports and spawning are not available.
#include "core/keyed_hash.h"

namespace avrankmap::detail {

bool has_keyed_hash() noexcept { return false; }
Digest keyed_hash(const Secret & /*secret*/, const void * /*text*/, std::size_t /*bytes*/) noexcept { return {}; }
bool is_same(const Digest & /*one*/, const Digest & /*other*/) noexcept { return false; }

} // namespace avrankmap::detail
