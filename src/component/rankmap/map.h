// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Owner of a rankmap of any mode, and operations that are independent of the mode.
#ifndef AVRANKMAP_SRC_RANKMAP_MAP_H
#define AVRANKMAP_SRC_RANKMAP_MAP_H

#include <cstddef>
#include <utility>

#include "av/instance.h"
#include "avrankmap/rankmap.h"
#include "rankmap/patterns/regular.h"

namespace avrankmap::detail {

// Owns a rankmap, or nothing (null). A bound rankmap must not be moved, so its owner must not be
// moved either.
class MapOwner {
public:
  MapOwner() noexcept = default;
  MapOwner(std::nullptr_t) noexcept {} // NOLINT(google-explicit-constructor): for functions that return no map
  // Takes ownership of a map; the caller's copy of its bytes must no longer be used.
  explicit MapOwner(const avrm_rankmap_t &map) noexcept : map_(map) {}
  MapOwner(MapOwner &&other) noexcept : map_(other.release()) {}
  MapOwner &operator=(MapOwner &&other) noexcept;
  MapOwner(const MapOwner &) = delete;
  MapOwner &operator=(const MapOwner &) = delete;
  ~MapOwner() { avrm_rankmap_destroy(&map_); }

  [[nodiscard]] avrm_rankmap_t *get() noexcept { return &map_; }
  [[nodiscard]] const avrm_rankmap_t *get() const noexcept { return &map_; }
  avrm_rankmap_t *operator->() noexcept { return &map_; }
  const avrm_rankmap_t *operator->() const noexcept { return &map_; }
  friend bool operator==(const MapOwner &owner, std::nullptr_t) noexcept { return owner.map_.instance == nullptr; }

  // Gives up ownership: returns the map's bytes, which the caller stores in their final place.
  [[nodiscard]] avrm_rankmap_t release() noexcept;

private:
  avrm_rankmap_t map_{};
};

// A rankmap with no ranks.
[[nodiscard]] MapOwner new_map(avrm_instance_t *instance) noexcept;

// The regular map of a process group. `form` must be simplified and its values in 0 .. kMaxLpid.
[[nodiscard]] MapOwner new_regular_map(avrm_instance_t *instance, std::int32_t pgid, const Regular &form) noexcept;

[[nodiscard]] inline avrm_mode_t mode_of(const avrm_rankmap_t *map) noexcept {
  return static_cast<avrm_mode_t>(map->mode);
}
[[nodiscard]] inline bool is_regular(const avrm_rankmap_t *map) noexcept { return map->mode <= AVRM_MODE_BLOCKED; }
[[nodiscard]] inline bool is_affine(const avrm_rankmap_t *map) noexcept { return map->mode <= AVRM_MODE_STRIDE; }

// Number of process groups of the map; for part of a shared table, those of the whole table.
[[nodiscard]] std::int32_t groups_of(const avrm_rankmap_t *map) noexcept;

// The parameters of a regular map.
[[nodiscard]] inline Regular form_of(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_BLOCKED ? Regular{map->size, map->offset, map->as.blocked.stride, map->as.blocked.block}
                                        : Regular{map->size, map->offset, map->as.affine.stride, 1};
}

// A second map of the same mapping, not bound. It shares the table.
[[nodiscard]] MapOwner copy_of(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
