// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode segments: a list of affine runs, each in one process group, shared by reference count. For
// maps that are regular except for a few breaks: merged worlds, a parent without its failed ranks,
// unions.
//
//   +-----------+---------+-------------------+--------------+---------------+-----+
//   | per slot: | per     |                   | rank index,  |               |     |
//   | AV table, | slot:   | header (16 bytes) | 4 per entry  | segment0 (16) | ... |
//   | 8         | pgid, 4 |                   |              |               |     |
//   +-----------+---------+-------------------+--------------+---------------+-----+
//
// The rank index (rank_index.h) has one entry per stretch of ranks: the position of the segment in
// which the stretch begins, in bytes from the start of the index; the last entry is the position of
// the last segment. If no stretch overlaps more than two segments, translation compares the rank
// with the first rank of the next segment. In this case only the last entry refers to the last
// segment. Otherwise translation searches up to the segment of the next entry. A list of two
// segments has no rank index: its first word, which is 0, serves as the only entry, with a shift of
// 31.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_SEGMENTS_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_SEGMENTS_H

#include <atomic>
#include <cstddef>

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

namespace avrankmap::detail {

struct SegmentsHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0; // number of segments
  std::int32_t slots = 0; // number of process groups
  // Hash of pgids, rank index and segments, once the list is known (intern.h).
  std::uint32_t hash = 0;
};
static_assert(sizeof(SegmentsHeader) == 16);

[[nodiscard]] SegmentsHeader *segments_header(const avrm_rankmap_t *map) noexcept;

// Bytes of the whole block of a segments map: AV tables, pgids, header, rank index and list.
[[nodiscard]] std::uint64_t segments_bytes(std::int32_t size, std::int64_t count, std::int64_t slots) noexcept;

[[nodiscard]] const avrm_ave_t **segments_tables(const avrm_rankmap_t *map) noexcept;
[[nodiscard]] const avrm_segment_t *segments_of(const avrm_rankmap_t *map) noexcept;

// Creates a segments map from consecutive runs that begin at rank 0. Null if out of memory.
[[nodiscard]] MapOwner new_segments_map(avrm_instance_t *instance, const Run *runs, std::int32_t count) noexcept;

// Returns `later` if the rank is at or after its first rank, otherwise `segment`. There is no
// branch, because it would depend on the rank.
[[nodiscard]] inline const avrm_segment_t *later_of(const avrm_segment_t *segment, const avrm_segment_t *later,
                                                    std::uint32_t rank) noexcept {
  return segment + ((later - segment) & (0 - static_cast<std::ptrdiff_t>(later->first <= rank)));
}

// The segment of a rank: the one in which the rank's stretch begins, or the next one. If some
// stretch overlaps more segments, a binary search follows.
[[nodiscard]] inline const avrm_segment_t *segment_at(const avrm_rankmap_t *map, std::uint32_t rank) noexcept {
  const auto &as = map->as.segments;
  const std::uint32_t *const stretch = as.rank_index + (rank >> as.shift);
  const auto *segment =
      reinterpret_cast<const avrm_segment_t *>(reinterpret_cast<const char *>(as.rank_index) + stretch[0]);
  if (AVRM_LIKELY(!as.searched)) {
    return later_of(segment, segment + 1, rank);
  }
  for (std::uint64_t more = (stretch[1] - stretch[0]) / sizeof *segment; more != 0; more /= 2) {
    segment = later_of(segment, segment + (more + 1) / 2, rank);
  }
  return segment;
}

// Segment number `i` of a map, as a run.
[[nodiscard]] Run segment_run(const avrm_rankmap_t *map, const avrm_segment_t *segments, std::int64_t i) noexcept;

struct SegmentsForm : NoParts,
                      NeverStrict,
                      FoldedBySlots<AVRM_CLASS_IMPLICIT_SEGMENTS, segments_tables>,
                      Slots<SegmentsForm, segments_tables>,
                      TranslatedAhead<SegmentsForm>,
                      KnowsRuns<SegmentsForm> {
  static RankPlace place(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    const avrm_segment_t *const segment = segment_at(map, static_cast<std::uint32_t>(rank));
    const std::uint32_t lpid = segment->start + static_cast<std::uint32_t>(rank) * segment->stride;
    return {segment->slot, static_cast<std::int32_t>(lpid)};
  }
  static const std::int32_t *pgids(const avrm_rankmap_t *map) noexcept { return map->as.segments.pgids; }
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
template <> struct Translation<AVRM_CLASS_SEGMENTS> : OnTables<SegmentsForm> {};
template <> struct Translation<AVRM_CLASS_IMPLICIT_SEGMENTS> : OnLines<SegmentsForm> {};

} // namespace avrankmap::detail

#endif
