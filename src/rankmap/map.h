// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Making and unmaking rankmap objects, whatever their mode.
#ifndef AVRANKMAP_SRC_RANKMAP_MAP_H
#define AVRANKMAP_SRC_RANKMAP_MAP_H

#include <memory>

#include "av/instance.h"
#include "avrankmap/rankmap.h"
#include "rankmap/regular.h"

namespace avrankmap::detail {

struct MapDeleter {
  void operator()(avrm_rankmap_t *map) const noexcept { avrm_rankmap_destroy(map); }
};
using MapOwner = std::unique_ptr<avrm_rankmap_t, MapDeleter>;

// An empty rankmap of an instance, null without memory. It has no table yet and destroys cleanly. With bytes
// that follow it, it must become a cart map of as many dimensions before anything else.
[[nodiscard]] MapOwner new_map(avrm_instance_t *instance, std::size_t tail_bytes = 0) noexcept;

// The regular map of a process group. `form` must be simplified and its values in 0 .. kMaxLpid. Null without memory.
[[nodiscard]] MapOwner new_regular_map(avrm_instance_t *instance, std::int32_t pgid, const Regular &form) noexcept;

[[nodiscard]] inline avrm_mode_t mode_of(const avrm_rankmap_t *map) noexcept {
  return static_cast<avrm_mode_t>(map->mode);
}
[[nodiscard]] inline bool is_regular(const avrm_rankmap_t *map) noexcept { return map->mode <= AVRM_MODE_BLOCKED; }

[[nodiscard]] inline bool is_packed(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_PACKED_LUT || map->mode == AVRM_MODE_PACKED_MLUT;
}

// True for maps with an entry per rank in a table of which a part may be shared.
[[nodiscard]] inline bool has_table(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_LUT || map->mode == AVRM_MODE_MLUT || is_packed(map);
}

// Number of process groups in what the map holds; for a part of a shared table, in all of it.
[[nodiscard]] std::int32_t groups_of(const avrm_rankmap_t *map) noexcept;

// The integers of a regular map.
[[nodiscard]] inline Regular form_of(const avrm_rankmap_t *map) noexcept {
  return {map->size, map->offset, map->stride, map->block};
}

// ceil(2^64 / block), by which the hot path divides; `block` is at least 2.
[[nodiscard]] constexpr std::uint64_t reciprocal_of(std::int32_t block) noexcept {
  return ~std::uint64_t{0} / static_cast<std::uint64_t>(block) + 1;
}

// A second map of the same mapping, not bound; shares the table. Null without memory.
[[nodiscard]] MapOwner copy_of(const avrm_rankmap_t *map) noexcept;

// Makes an empty map share the entries of ranks first .. first + count - 1 of the table that the parent has (has_table).
void share_part(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept;

// Fills what the mode needs into an empty map: affine.cpp, blocked.cpp.
void make_affine(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept;
void make_blocked(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept;

} // namespace avrankmap::detail

#endif
