// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation and destruction of rankmap objects of any mode.
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

// An empty rankmap of an instance, null without memory. It may be destroyed as it is, unless bytes
// follow it (Form::tail_bytes): then it must become a map of its form first.
[[nodiscard]] MapOwner new_map(avrm_instance_t *instance, std::size_t tail_bytes = 0) noexcept;

// The regular map of a process group. `form` must be simplified and its values in 0 .. kMaxLpid.
// Null without memory.
[[nodiscard]] MapOwner new_regular_map(avrm_instance_t *instance, std::int32_t pgid, const Regular &form) noexcept;

[[nodiscard]] inline avrm_mode_t mode_of(const avrm_rankmap_t *map) noexcept {
  return static_cast<avrm_mode_t>(map->mode);
}
[[nodiscard]] inline bool is_regular(const avrm_rankmap_t *map) noexcept { return map->mode <= AVRM_MODE_BLOCKED; }

// Number of process groups of the map; for a part of a shared table, of the whole table.
[[nodiscard]] std::int32_t groups_of(const avrm_rankmap_t *map) noexcept;

// The integers of a regular map.
[[nodiscard]] inline Regular form_of(const avrm_rankmap_t *map) noexcept {
  return {map->size, map->offset, map->stride, map->block};
}

// A second map of the same mapping, not bound; shares the table. Null without memory.
[[nodiscard]] MapOwner copy_of(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
