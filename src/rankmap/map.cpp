// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/map.h"

#include <new>

#include "rankmap/lut.h"
#include "rankmap/mlut.h"

namespace avrankmap::detail {

namespace {
constexpr std::size_t kAlignment = 64; // the hot part in one cache line
}

MapOwner new_map(avrm_instance_t *instance) noexcept {
  void *const block = instance->memory.allocate(sizeof(avrm_rankmap_t), kAlignment, AVRM_MEM_RANKMAP);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const map = new (block) avrm_rankmap_t{};
  map->instance = instance;
  return MapOwner(map);
}

MapOwner new_regular_map(avrm_instance_t *instance, std::int32_t pgid, const Regular &form) noexcept {
  MapOwner map = new_map(instance);
  if (map != nullptr) {
    if (form.block > 1) {
      make_blocked(map.get(), pgid, form);
    } else {
      make_affine(map.get(), pgid, form);
    }
  }
  return map;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

void avrm_rankmap_destroy(avrm_rankmap_t *map) noexcept {
  if (map == nullptr) {
    return;
  }
  if (map->bound != 0) {
    avrm_rankmap_unbind(map);
  }
  if (map->size != 0 && map->mode == AVRM_MODE_LUT) {
    drop_lut(map);
  } else if (map->size != 0 && map->mode == AVRM_MODE_MLUT) {
    drop_mlut(map);
  }
  map->instance->memory.release(map, sizeof(avrm_rankmap_t), kAlignment, AVRM_MEM_RANKMAP);
}

avrm_status_t avrm_rankmap_dup(const avrm_rankmap_t *map, avrm_rankmap_t **map_p) noexcept {
  if (map == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  MapOwner copy = is_regular(map) ? new_regular_map(map->instance, map->pgid, form_of(map)) : new_map(map->instance);
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (map->mode == AVRM_MODE_LUT) {
    share_lut(copy.get(), map, 0, map->size);
  } else if (map->mode == AVRM_MODE_MLUT) {
    share_mlut(copy.get(), map, 0, map->size);
  }
  *map_p = copy.release();
  return AVRM_OK;
}

const char *avrm_mode_label(avrm_mode_t mode) noexcept {
  switch (mode) {
#define AVRM_LABEL(name, label)                                                                                        \
  case name: return label;
    AVRM_MODE_LIST(AVRM_LABEL)
#undef AVRM_LABEL
  }
  return "?";
}

avrm_status_t avrm_rankmap_describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info_p) noexcept {
  if (map == nullptr || info_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  avrm_rankmap_info_t info{};
  info.mode = mode_of(map);
  info.size = map->size;
  info.pgid = map->pgid;
  info.process_groups = 1;
  info.bound = map->bound != 0;
  info.own_bytes = sizeof(avrm_rankmap_t);
  if (is_regular(map)) {
    info.offset = map->offset;
    info.stride = map->stride;
    info.block = map->block;
  } else if (map->mode == AVRM_MODE_LUT) {
    const LutHeader *const header = lut_header(map);
    info.table_sharers = header->sharers.load(std::memory_order_relaxed);
    info.table_bytes = lut_bytes(header->count);
  } else {
    const MlutHeader *const header = mlut_header(map);
    info.process_groups = header->slots;
    info.table_sharers = header->sharers.load(std::memory_order_relaxed);
    info.table_bytes = mlut_bytes(header->count, header->slots);
  }
  *info_p = info;
  return AVRM_OK;
}
