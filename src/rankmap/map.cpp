// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/map.h"

#include <new>

#include "rankmap/cart.h"
#include "rankmap/inverse.h"
#include "rankmap/lut.h"
#include "rankmap/mlut.h"
#include "rankmap/packed.h"
#include "rankmap/segments.h"

namespace avrankmap::detail {

namespace {
constexpr std::size_t kAlignment = 64; // the hot part in one cache line

std::size_t own_bytes(const avrm_rankmap_t *map) noexcept {
  return sizeof(avrm_rankmap_t) + (map->mode == AVRM_MODE_CART ? cart_bytes(map->block) : 0);
}

// Gives up the table of a map that has one.
void drop_table(avrm_rankmap_t *map) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT: // an empty map, too
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED:
  case AVRM_MODE_CART: return forget_inverse(map->instance, map);
  case AVRM_MODE_LUT: return drop_lut(map);
  case AVRM_MODE_MLUT: return drop_mlut(map);
  case AVRM_MODE_SEGMENTS: return drop_segments(map);
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT: forget_inverse(map->instance, map); return drop_packed(map);
  }
}

} // namespace

MapOwner copy_of(const avrm_rankmap_t *map) noexcept {
  if (is_regular(map)) {
    return new_regular_map(map->instance, map->pgid, form_of(map));
  }
  if (map->mode == AVRM_MODE_CART) {
    return copy_cart_map(map);
  }
  MapOwner copy = new_map(map->instance);
  if (copy != nullptr) {
    if (map->mode == AVRM_MODE_SEGMENTS) {
      share_segments(copy.get(), map);
    } else {
      share_part(copy.get(), map, 0, map->size);
    }
  }
  return copy;
}

void share_part(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept {
  if (parent->mode == AVRM_MODE_LUT) {
    share_lut(map, parent, first, count);
  } else if (parent->mode == AVRM_MODE_MLUT) {
    share_mlut(map, parent, first, count);
  } else {
    share_packed(map, parent, first, count);
  }
}

MapOwner new_map(avrm_instance_t *instance, std::size_t tail_bytes) noexcept {
  void *const block = instance->memory.allocate(sizeof(avrm_rankmap_t) + tail_bytes, kAlignment, AVRM_MEM_RANKMAP);
  if (block == nullptr) {
    return nullptr;
  }
  // cppcheck-suppress legacyUninitvar ; it takes the placement for a use
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

std::int32_t groups_of(const avrm_rankmap_t *map) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED:
  case AVRM_MODE_LUT:
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_CART: return 1;
  case AVRM_MODE_PACKED_MLUT: return packed_header(map)->slots;
  case AVRM_MODE_MLUT: return mlut_header(map)->slots;
  case AVRM_MODE_SEGMENTS: return segments_header(map)->slots;
  }
  AVRM_UNREACHABLE();
  return 0;
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
  drop_table(map);
  map->instance->memory.release(map, own_bytes(map), kAlignment, AVRM_MEM_RANKMAP);
}

avrm_status_t avrm_rankmap_dup(const avrm_rankmap_t *map, avrm_rankmap_t **map_p) noexcept {
  if (map == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  MapOwner copy = copy_of(map);
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
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
  info.process_groups = groups_of(map);
  info.bound = map->bound != 0;
  info.own_bytes = own_bytes(map);
  if (is_regular(map)) {
    info.offset = map->offset;
    info.stride = map->stride;
    info.block = map->block;
  } else if (map->mode == AVRM_MODE_LUT) {
    const LutHeader *const header = lut_header(map);
    info.table_sharers = header->sharers.load(std::memory_order_relaxed);
    info.table_entries = header->count;
    info.table_bytes = lut_bytes(header->count);
  } else if (map->mode == AVRM_MODE_CART) {
    info.dimensions = map->block;
  } else if (is_packed(map)) {
    info.bits = packed_bits(map);
    info.table_entries = packed_header(map)->count;
    info.table_sharers = packed_header(map)->sharers.load(std::memory_order_relaxed);
    info.table_bytes = packed_bytes_of(map);
  } else if (map->mode == AVRM_MODE_SEGMENTS) {
    const SegmentsHeader *const header = segments_header(map);
    info.segments = header->count;
    info.table_sharers = header->sharers.load(std::memory_order_relaxed);
    info.table_bytes = segments_bytes(map->size, header->count, header->slots);
  } else {
    const MlutHeader *const header = mlut_header(map);
    info.table_sharers = header->sharers.load(std::memory_order_relaxed);
    info.table_entries = header->count;
    info.table_bytes = mlut_bytes(header->count, header->slots);
  }
  *info_p = info;
  return AVRM_OK;
}
