// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode mlut: a table of (process group, lpid) pairs, shared by reference count. A map may use a
// contiguous part of it.
//
// The pairs contain slots instead of pgids, numbered in order of first use. The table itself can
// therefore store the AV table of each process group: translation does not look up pgids, and 4
// bytes are always sufficient for a slot.
//
//   +-----------+---------+-----------+-------------------+--------------+--------------+-----
//   | per slot: | per     | per slot: |                   |              |              |
//   | AV table, | slot:   | greatest  | header (16 bytes) | lpid4, slot4 | lpid4, slot4 | ...
//   | 8         | pgid, 4 | lpid, 4   |                   |              |              |
//   +-----------+---------+-----------+-------------------+--------------+--------------+-----
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_MLUT_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_MLUT_H

#include <atomic>

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

namespace avrankmap::detail {

struct MlutHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0; // number of pairs
  std::int32_t slots = 0; // number of process groups
  std::uint32_t hash = 0; // hash of pgids and pairs, once the table is known (intern.h)
};
static_assert(sizeof(MlutHeader) == 16);

[[nodiscard]] MlutHeader *mlut_header(const avrm_rankmap_t *map) noexcept;
[[nodiscard]] std::uint64_t mlut_bytes(std::int32_t count, std::int32_t slots) noexcept;

// The arrays before the header.
[[nodiscard]] const avrm_ave_t **mlut_tables(const avrm_rankmap_t *map) noexcept;
[[nodiscard]] std::int32_t *mlut_pgids(const avrm_rankmap_t *map) noexcept;
[[nodiscard]] std::int32_t *mlut_max_lpids(const avrm_rankmap_t *map) noexcept;

// Creates an mlut map with a new table, all zero; null if out of memory. The caller fills in the
// pairs, the pgids and the greatest lpids.
[[nodiscard]] MapOwner new_mlut_map(avrm_instance_t *instance, std::int32_t size, std::int32_t slots) noexcept;
[[nodiscard]] avrm_pair_t *mlut_entries(avrm_rankmap_t *map) noexcept;

struct MlutForm : NoOffer,
                  FoldedBySlots<AVRM_CLASS_IMPLICIT_MLUT, mlut_tables>,
                  Slots<MlutForm, mlut_tables>,
                  Translated<MlutForm>,
                  ScannedForRuns<MlutForm> {
  static RankPlace place(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    const avrm_pair_t pair = map->as.mlut.pairs[rank];
    return {pair.slot, static_cast<std::int32_t>(pair.lpid)};
  }
  static const std::int32_t *pgids(const avrm_rankmap_t *map) noexcept { return map->as.mlut.pgids; }
  static MapOwner copy(const avrm_rankmap_t *map) noexcept;
  static void drop(avrm_rankmap_t *map) noexcept;
  static std::int32_t groups(const avrm_rankmap_t *map) noexcept;
  static void describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept;
  // O(size) for part of a table, otherwise O(count).
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                        std::int32_t *max_lpids) noexcept;
  static constexpr auto exact_max_lpids = max_lpids;
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_MLUT; }
  static avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t intern(avrm_rankmap_t *map) noexcept;
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept;
  static avrm_status_t part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                            MapOwner *map_p) noexcept;
  static constexpr Model kModel = Model::kMlut;
};

template <> struct Form<AVRM_MODE_MLUT> : MlutForm {};
template <> struct Translation<AVRM_CLASS_MLUT> : OnTables<MlutForm> {};
template <> struct Translation<AVRM_CLASS_IMPLICIT_MLUT> : OnLines<MlutForm> {};

} // namespace avrankmap::detail

#endif
