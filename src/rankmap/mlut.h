// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode mlut: a table of (process group, lpid) pairs, shared by reference count. A map may use a contiguous part of it.
//
// The pairs name process groups by slots, numbered in order of first use, so that the table itself can hold the AV
// table of each: translation needs no directory, and the 4 bytes of a slot never run out.
//
//   +----------------------+-----------------+---------------------+-------------------+--------------+--------------+---
//   | AV table per slot, 8 | pgid per slot, 4 | max lpid per slot, 4 | header (16 bytes) | lpid4, slot4 | lpid4, slot4 | ...
//   +----------------------+-----------------+---------------------+-------------------+--------------+--------------+---
#ifndef AVRANKMAP_SRC_RANKMAP_MLUT_H
#define AVRANKMAP_SRC_RANKMAP_MLUT_H

#include <atomic>

#include "rankmap/map.h"

namespace avrankmap::detail {

struct MlutHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0; // pairs
  std::int32_t slots = 0; // process groups
  std::uint32_t hash = 0; // of pgids and pairs, once the table is known (intern.h)
};
static_assert(sizeof(MlutHeader) == 16);

[[nodiscard]] MlutHeader *mlut_header(const avrm_rankmap_t *map) noexcept;
[[nodiscard]] std::size_t mlut_bytes(std::int32_t count, std::int32_t slots) noexcept;

// The arrays before the header.
[[nodiscard]] const avrm_ave_t **mlut_tables(const avrm_rankmap_t *map) noexcept;
[[nodiscard]] std::int32_t *mlut_pgids(const avrm_rankmap_t *map) noexcept;
[[nodiscard]] std::int32_t *mlut_max_lpids(const avrm_rankmap_t *map) noexcept;

// A new mlut map with a table of its own, all zero; null without memory. The caller fills the pairs, the pgids and the
// greatest lpids.
[[nodiscard]] MapOwner new_mlut_map(avrm_instance_t *instance, std::int32_t size, std::int32_t slots) noexcept;
[[nodiscard]] avrm_pair_t *mlut_entries(avrm_rankmap_t *map) noexcept;

// Makes an empty map share `count` pairs of the parent's table from its rank `first` on.
void share_mlut(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept;

// Makes an mlut map use all of a table, of which it owns a share already.
void use_mlut(avrm_rankmap_t *map, MlutHeader *header) noexcept;

// Gives up the table of an mlut map.
void drop_mlut(avrm_rankmap_t *map) noexcept;

// Greatest lpid of the ranks of an mlut map in each of the slots first .. first + count - 1; -1 where it has none, which
// can only be for a part of a table. O(size) for a part, else O(count).
void mlut_max_lpids_of(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                       std::int32_t *max_lpids) noexcept;

} // namespace avrankmap::detail

#endif
