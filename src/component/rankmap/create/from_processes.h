// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation of a map from any sequence of processes, which composition uses if there is no closed
// form. A plain table is created first, and replaced if there is a smaller form.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_FROM_PROCESSES_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_FROM_PROCESSES_H

#include <algorithm>

#include "rankmap/create/choose.h"
#include "rankmap/create/lpids.h"
#include "rankmap/create/slot_index.h"
#include "rankmap/forms/lut.h"
#include "rankmap/forms/mlut.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

// Creates the map rank -> {pgid, lpid_at(rank)}. Returns AVRM_ERR_OVERFLOW for an lpid out of
// range.
template <typename LpidAt>
avrm_status_t map_from_lpids(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size, LpidAt lpid_at,
                             MapOwner *map_p) noexcept {
  MapOwner map = new_lut_map(instance, pgid, size);
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint32_t *const entries = lut_entries(map.get());
  for (std::int32_t rank = 0; rank < size; ++rank) {
    entries[rank] = static_cast<std::uint32_t>(lpid_at(rank));
  }
  const avrm_status_t status = settle_table(&map);
  if (status == AVRM_OK) {
    *map_p = std::move(map);
  }
  return status;
}

// Creates the map rank -> gpid_at(rank) in the form that the instance's cost class demands. gpid_at
// is called twice per rank. Returns AVRM_ERR_OVERFLOW for an lpid out of range, and
// AVRM_ERR_PGID_UNKNOWN for a negative pgid.
template <typename GpidAt>
avrm_status_t map_from_processes(avrm_instance_t *instance, std::int32_t size, GpidAt gpid_at,
                                 MapOwner *map_p) noexcept {
  SlotIndex index(instance->memory);
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const avrm_gpid_t gpid = gpid_at(rank);
    if (gpid.pgid < 0) {
      return AVRM_ERR_PGID_UNKNOWN;
    }
    if (gpid.lpid < 0 || gpid.lpid > kMaxLpid) {
      return AVRM_ERR_OVERFLOW;
    }
    if (index.slot_of(gpid.pgid) < 0) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  if (index.count() == 1) {
    return map_from_lpids(
        instance, gpid_at(0).pgid, size, [&gpid_at](std::int32_t rank) { return gpid_at(rank).lpid; }, map_p);
  }
  MapOwner map = new_mlut_map(instance, size, index.count());
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_pair_t *const entries = mlut_entries(map.get());
  std::int32_t *const pgids = mlut_pgids(map.get());
  std::int32_t *const max_lpids = mlut_max_lpids(map.get());
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const avrm_gpid_t gpid = gpid_at(rank);
    const std::int32_t slot = index.slot_of(gpid.pgid); // already known: allocates nothing
    entries[rank] = {static_cast<std::uint32_t>(gpid.lpid), static_cast<std::uint32_t>(slot)};
    pgids[slot] = gpid.pgid;
    max_lpids[slot] = std::max(max_lpids[slot], gpid.lpid);
  }
  const avrm_status_t status = compress(&map);
  if (status == AVRM_OK) {
    *map_p = std::move(map);
  }
  return status;
}

// map_from_processes for a gpid_at that may be called in any order. If four sample ranks suggest
// that there is one process group, the lpids are written to a table immediately.
template <typename GpidAt>
avrm_status_t gather_array(avrm_instance_t *instance, std::int32_t size, GpidAt gpid_at, MapOwner *map_p) noexcept {
  const std::int32_t pgid = gpid_at(0).pgid;
  if (pgid < 0 || gpid_at(size / 4).pgid != pgid || gpid_at(size / 2).pgid != pgid || gpid_at(size - 1).pgid != pgid) {
    return map_from_processes(instance, size, gpid_at, map_p);
  }
  MapOwner map = new_lut_map(instance, pgid, size);
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint32_t *const entries = lut_entries(map.get());
  std::uint32_t others = 0;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const avrm_gpid_t gpid = gpid_at(rank);
    entries[rank] = static_cast<std::uint32_t>(gpid.lpid);
    others |= static_cast<std::uint32_t>(gpid.pgid ^ pgid);
  }
  if (others != 0) {
    return map_from_processes(instance, size, gpid_at, map_p);
  }
  const avrm_status_t status = settle_table(&map);
  if (status == AVRM_OK) {
    *map_p = std::move(map);
  }
  return status;
}

} // namespace avrankmap::detail

#endif
