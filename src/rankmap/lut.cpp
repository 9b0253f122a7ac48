// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/lut.h"

#include <algorithm>
#include <new>

#include "rankmap/intern.h"
#include "rankmap/inverse.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64;

void fill(avrm_rankmap_t *map, const std::uint32_t *entries, std::int32_t pgid, std::int32_t first,
          std::int32_t size) noexcept {
  map->v.lut = entries + first;
  map->size = size;
  map->pgid = pgid;
  map->offset = first;
  map->stride = 0;
  map->block = 1;
  map->klass = AVRM_CLASS_LUT;
  map->mode = AVRM_MODE_LUT;
}

} // namespace

LutHeader *lut_header(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<LutHeader *>(const_cast<std::uint32_t *>(map->v.lut - map->offset)) - 1;
}

std::size_t lut_bytes(std::int32_t count) noexcept {
  return sizeof(LutHeader) + static_cast<std::size_t>(count) * sizeof(std::uint32_t);
}

MapOwner new_lut_map(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size) noexcept {
  MapOwner map = new_map(instance);
  if (map == nullptr) {
    return nullptr;
  }
  void *const block = instance->memory.allocate(lut_bytes(size), kAlignment, AVRM_MEM_LUT);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const header = new (block) LutHeader;
  header->count = size;
  fill(map.get(), reinterpret_cast<const std::uint32_t *>(header + 1), pgid, 0, size);
  return map;
}

std::uint32_t *lut_entries(avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<std::uint32_t *>(lut_header(map) + 1);
}

bool seal_lut(avrm_rankmap_t *map) noexcept {
  // A negative lpid is a large number here, so one maximum tells all.
  std::uint32_t max = 0;
  for (std::int32_t i = 0; i < map->size; ++i) {
    max = std::max(max, map->v.lut[i]);
  }
  if (max > kMaxLpid) {
    return false;
  }
  lut_header(map)->max_lpid = static_cast<std::int32_t>(max);
  return true;
}

void share_lut(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept {
  LutHeader *const header = lut_header(parent);
  header->sharers.fetch_add(1, std::memory_order_relaxed);
  fill(map, reinterpret_cast<const std::uint32_t *>(header + 1), parent->pgid, parent->offset + first, count);
}

void use_lut(avrm_rankmap_t *map, LutHeader *header) noexcept {
  fill(map, reinterpret_cast<const std::uint32_t *>(header + 1), map->pgid, 0, header->count);
}

void drop_lut(avrm_rankmap_t *map) noexcept {
  LutHeader *const header = lut_header(map);
  Interned &interned = map->instance->interned;
  if (give_up_share(&interned, &interned.luts, &header->sharers, header->hash, header)) {
    forget_inverse(map->instance, header);
    map->instance->memory.release(header, lut_bytes(header->count), kAlignment, AVRM_MEM_LUT);
  }
}

std::int32_t lut_max_lpid(const avrm_rankmap_t *map) noexcept {
  const LutHeader *const header = lut_header(map);
  if (map->size == header->count) {
    return header->max_lpid;
  }
  return static_cast<std::int32_t>(*std::max_element(map->v.lut, map->v.lut + map->size));
}

} // namespace avrankmap::detail
