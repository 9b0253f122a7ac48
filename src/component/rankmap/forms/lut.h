// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode lut: a table of the lpids of one process group, shared by reference count. A map may use a
// contiguous part of it.
//
//   +-------------------+------+------+-----
//   | header (16 bytes) | lpid | lpid | ...
//   +-------------------+------+------+-----
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_LUT_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_LUT_H

#include <atomic>

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

namespace avrankmap::detail {

struct LutHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0;    // number of entries
  std::int32_t max_lpid = 0; // greatest entry
  std::uint32_t hash = 0;    // hash of the entries, once the table is known (intern.h)
};
static_assert(sizeof(LutHeader) == 16);

// Header of the table that a lut map uses.
[[nodiscard]] LutHeader *lut_header(const avrm_rankmap_t *map) noexcept;
// Bytes of a table.
[[nodiscard]] std::uint64_t lut_bytes(std::int32_t count) noexcept;

// Creates a lut map with a new table, whose entries are zero; null if out of memory. The caller
// fills in the entries before any other map shares them, and stores the greatest one in the header
// (create/lpids.h).
[[nodiscard]] MapOwner new_lut_map(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size) noexcept;
[[nodiscard]] std::uint32_t *lut_entries(avrm_rankmap_t *map) noexcept;

// Step 3 of communicator creation (AV-Rankmap paper, IV-C1): converts a lut map that is regular to
// a regular map. O(size).
void reduce_lut(MapOwner *map) noexcept;

struct LutForm : NoOffer,
                 OneGroup,
                 FoldedByLine<AVRM_CLASS_IMPLICIT_LUT>,
                 Translated<LutForm>,
                 ScannedForRuns<LutForm> {
  static RankPlace place(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return {0, static_cast<std::int32_t>(map->as.lut.lpids[rank])};
  }
  static MapOwner copy(const avrm_rankmap_t *map) noexcept;
  static void drop(avrm_rankmap_t *map) noexcept;
  static void describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept;
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                        std::int32_t *max_lpids) noexcept;
  static void exact_max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                              std::int32_t *max_lpids) noexcept;
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_LUT; }
  static avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t intern(avrm_rankmap_t *map) noexcept;
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept;
  static avrm_status_t part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                            MapOwner *map_p) noexcept;
  static constexpr Model kModel = Model::kLut;
};

template <> struct Form<AVRM_MODE_LUT> : LutForm {};
template <> struct Translation<AVRM_CLASS_LUT> : OnTables<LutForm> {};
template <> struct Translation<AVRM_CLASS_IMPLICIT_LUT> : OnLines<LutForm> {};

} // namespace avrankmap::detail

#endif
