// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode segments: a list of affine runs, each in one process group, shared by reference count. For
// maps that are regular but for a few breaks: merged worlds, a parent without its failed ranks,
// unions.
//
//   +-----------+---------+-------------------+---------------+-----+--------------+
//   | per slot: | per     |                   |               |     | directory,   |
//   | AV table, | slot:   | header (16 bytes) | segment0 (16) | ... | 4 per entry  |
//   | 8         | pgid, 4 |                   |               |     |              |
//   +-----------+---------+-------------------+---------------+-----+--------------+
//
// Lists of five segments and more have the directory (stretches.h): the segment in which each
// stretch begins, and the last one.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_SEGMENTS_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_SEGMENTS_H

#include <atomic>

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

namespace avrankmap::detail {

struct SegmentsHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0; // segments
  std::int32_t slots = 0; // process groups
  std::uint32_t hash = 0; // of pgids and segments, once the list is known (intern.h)
};
static_assert(sizeof(SegmentsHeader) == 16);

[[nodiscard]] SegmentsHeader *segments_header(const avrm_rankmap_t *map) noexcept;

// log2 of the ranks per stretch of the directory of so many segments; 0 if they have none.
[[nodiscard]] std::int32_t segments_shift(std::int32_t size, std::int64_t count) noexcept;
// Bytes of a list, its directory included.
[[nodiscard]] std::uint64_t segments_bytes(std::int32_t size, std::int64_t count, std::int64_t slots) noexcept;

[[nodiscard]] const avrm_ave_t **segments_tables(const avrm_rankmap_t *map) noexcept;
// Directory of a map that has one.
[[nodiscard]] const std::uint32_t *segments_directory(const avrm_rankmap_t *map) noexcept;

// A segments map of runs that follow one another from rank 0 on. Null without memory.
[[nodiscard]] MapOwner new_segments_map(avrm_instance_t *instance, const Run *runs, std::int32_t count) noexcept;

// Number `i` of the segments, as a run.
[[nodiscard]] Run segment_run(const avrm_rankmap_t *map, std::int64_t i) noexcept;

struct SegmentsForm : NoParts,
                      NeverStrict,
                      FoldedBySlots<AVRM_CLASS_IMPLICIT_SEGMENTS, segments_tables>,
                      Slots<segments_tables>,
                      TranslatedAhead<avrm_i_segments>,
                      KnowsRuns<SegmentsForm> {
  static MapOwner copy(const avrm_rankmap_t *map) noexcept;
  static void drop(avrm_rankmap_t *map) noexcept;
  static std::int32_t groups(const avrm_rankmap_t *map) noexcept;
  static void describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept;
  // O(segments).
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                        std::int32_t *max_lpids) noexcept;
  static constexpr auto exact_max_lpids = max_lpids;
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_SEGMENTS; }
  static avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t intern(avrm_rankmap_t *map) noexcept;
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
  static std::optional<Offer> offer(const Source &source) noexcept;
};

template <> struct Form<AVRM_MODE_SEGMENTS> : SegmentsForm {};

} // namespace avrankmap::detail

#endif
