// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data in several pieces.
#ifndef AVRANKMAP_NETMOD_OFI_IOVEC_H
#define AVRANKMAP_NETMOD_OFI_IOVEC_H

#include <cstddef>
#include <cstring>

#include "avrankmap/device/netmod.h"

namespace avrankmap::detail::ofi {

[[nodiscard]] inline std::size_t bytes_of(const avrm_piece_t *pieces, std::size_t count) noexcept {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += pieces[i].bytes;
  }
  return bytes;
}

// Concatenates the pieces.
inline void join(unsigned char *to, const avrm_piece_t *pieces, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes != 0) { // otherwise its base may be null
      std::memcpy(to, pieces[i].base, pieces[i].bytes);
      to += pieces[i].bytes;
    }
  }
}

} // namespace avrankmap::detail::ofi

#endif
