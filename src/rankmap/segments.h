// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode segments: a list of affine runs, each in a process group of its own, shared by reference count. For maps that are
// regular but for a few breaks: merged worlds, a parent without its failed ranks, unions.
//
//   +----------------------+------------------+-------------------+----------------+-----+------------------------+
//   | AV table per slot, 8 | pgid per slot, 4 | header (16 bytes) | segment0 (16)  | ... | directory, 4 per entry |
//   +----------------------+------------------+-------------------+----------------+-----+------------------------+
//
// The directory, which only long lists have, divides the ranks into stretches of 2^shift: entry k is the segment in which
// stretch k begins, the last entry the last segment.
#ifndef AVRANKMAP_SRC_RANKMAP_SEGMENTS_H
#define AVRANKMAP_SRC_RANKMAP_SEGMENTS_H

#include <atomic>

#include "rankmap/map.h"
#include "rankmap/runs.h"

namespace avrankmap::detail {

struct SegmentsHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0; // segments
  std::int32_t slots = 0; // process groups
  std::uint32_t hash = 0; // of pgids and segments, once the list is known (intern.h)
};
static_assert(sizeof(SegmentsHeader) == 16);

[[nodiscard]] SegmentsHeader *segments_header(const avrm_rankmap_t *map) noexcept;

// log2 of the ranks per stretch of the directory of so many segments; 0: none.
[[nodiscard]] std::int32_t segments_shift(std::int32_t size, std::int64_t count) noexcept;
// Bytes of a list, its directory included.
[[nodiscard]] std::uint64_t segments_bytes(std::int32_t size, std::int64_t count, std::int64_t slots) noexcept;

[[nodiscard]] const avrm_ave_t **segments_tables(const avrm_rankmap_t *map) noexcept;
// Directory of a map that has one.
[[nodiscard]] const std::uint32_t *segments_directory(const avrm_rankmap_t *map) noexcept;

// A segments map of runs that follow one another from rank 0 on. Null without memory.
[[nodiscard]] MapOwner new_segments_map(avrm_instance_t *instance, const Run *runs, std::int32_t count) noexcept;

// Makes an empty map share the parent's list.
void share_segments(avrm_rankmap_t *map, const avrm_rankmap_t *parent) noexcept;
// Makes a segments map use a list of as many ranks, of which it owns a share already.
void use_segments(avrm_rankmap_t *map, SegmentsHeader *header) noexcept;
// What the list of a map is known by: its hash and, since lists do not hold it, the number of ranks.
[[nodiscard]] inline std::uint64_t segments_key(const avrm_rankmap_t *map, std::uint32_t hash) noexcept {
  return hash == 0 ? 0 : static_cast<std::uint64_t>(map->size) << 32 | hash;
}
// Gives up the list of a segments map.
void drop_segments(avrm_rankmap_t *map) noexcept;

// Number `i` of the segments, as a run.
[[nodiscard]] Run segment_run(const avrm_rankmap_t *map, std::int64_t i) noexcept;

// Greatest lpid in each of the slots first .. first + count - 1. O(segments).
void segments_max_lpids_of(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                           std::int32_t *max_lpids) noexcept;

} // namespace avrankmap::detail

#endif
