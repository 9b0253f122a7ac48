// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode lut: a table of lpids of one process group, shared by reference count. A map may use a contiguous part of it.
//
//   +-------------------+------+------+-----
//   | header (16 bytes) | lpid | lpid | ...
//   +-------------------+------+------+-----
#ifndef AVRANKMAP_SRC_RANKMAP_LUT_H
#define AVRANKMAP_SRC_RANKMAP_LUT_H

#include <atomic>

#include "rankmap/map.h"

namespace avrankmap::detail {

struct LutHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0;    // entries
  std::int32_t max_lpid = 0; // greatest entry
  std::uint32_t hash = 0;    // of the entries, once the table is known (intern.h)
};
static_assert(sizeof(LutHeader) == 16);

// Header of the table that a lut map uses.
[[nodiscard]] LutHeader *lut_header(const avrm_rankmap_t *map) noexcept;
// Bytes of a table.
[[nodiscard]] std::size_t lut_bytes(std::int32_t count) noexcept;

// A new lut map with a table of its own, whose entries are zero; null without memory. The caller fills the entries, which
// are not shared yet, and then calls `seal_lut`.
[[nodiscard]] MapOwner new_lut_map(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size) noexcept;
[[nodiscard]] std::uint32_t *lut_entries(avrm_rankmap_t *map) noexcept;
// Notes the greatest entry. Returns false if some entry is not in 0 .. kMaxLpid.
[[nodiscard]] bool seal_lut(avrm_rankmap_t *map) noexcept;

// Makes an empty map share `count` entries of the parent's table from its rank `first` on.
void share_lut(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept;

// Makes a lut map use all of a table, of which it owns a share already.
void use_lut(avrm_rankmap_t *map, LutHeader *header) noexcept;

// Gives up the table of a lut map.
void drop_lut(avrm_rankmap_t *map) noexcept;

// Greatest lpid of the ranks of a lut map; exact for a part of a table, too. O(size) for a part, else O(1).
[[nodiscard]] std::int32_t lut_max_lpid(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
