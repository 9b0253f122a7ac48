// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/mlut.h"

#include <algorithm>
#include <new>

#include "rankmap/intern.h"
#include "rankmap/inverse.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlotBytes = sizeof(const avrm_ave_t *) + 2 * sizeof(std::int32_t);

std::size_t slots_bytes(std::int32_t slots) noexcept { return static_cast<std::size_t>(slots) * kSlotBytes; }

unsigned char *block_of(MlutHeader *header) noexcept {
  return reinterpret_cast<unsigned char *>(header) - slots_bytes(header->slots);
}

void fill(avrm_rankmap_t *map, MlutHeader *header, std::int32_t first, std::int32_t size) noexcept {
  map->v.mlut = reinterpret_cast<const avrm_pair_t *>(header + 1) + first;
  map->size = size;
  map->pgid = -1;
  map->offset = first;
  map->stride = 0;
  map->block = 1;
  map->klass = AVRM_CLASS_MLUT;
  map->mode = AVRM_MODE_MLUT;
  map->u.pgids = mlut_pgids(map);
}

} // namespace

MlutHeader *mlut_header(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<MlutHeader *>(const_cast<avrm_pair_t *>(map->v.mlut - map->offset)) - 1;
}

std::size_t mlut_bytes(std::int32_t count, std::int32_t slots) noexcept {
  return slots_bytes(slots) + sizeof(MlutHeader) + static_cast<std::size_t>(count) * sizeof(avrm_pair_t);
}

const avrm_ave_t **mlut_tables(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const avrm_ave_t **>(block_of(mlut_header(map)));
}

std::int32_t *mlut_pgids(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<std::int32_t *>(mlut_tables(map) + mlut_header(map)->slots);
}

std::int32_t *mlut_max_lpids(const avrm_rankmap_t *map) noexcept { return mlut_pgids(map) + mlut_header(map)->slots; }

MapOwner new_mlut_map(avrm_instance_t *instance, std::int32_t size, std::int32_t slots) noexcept {
  MapOwner map = new_map(instance);
  if (map == nullptr) {
    return nullptr;
  }
  void *const block = instance->memory.allocate(mlut_bytes(size, slots), kAlignment, AVRM_MEM_MLUT);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const header = new (static_cast<unsigned char *>(block) + slots_bytes(slots)) MlutHeader;
  header->count = size;
  header->slots = slots;
  fill(map.get(), header, 0, size);
  return map;
}

avrm_pair_t *mlut_entries(avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<avrm_pair_t *>(mlut_header(map) + 1);
}

void share_mlut(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept {
  MlutHeader *const header = mlut_header(parent);
  header->sharers.fetch_add(1, std::memory_order_relaxed);
  fill(map, header, parent->offset + first, count);
}

void use_mlut(avrm_rankmap_t *map, MlutHeader *header) noexcept { fill(map, header, 0, header->count); }

void drop_mlut(avrm_rankmap_t *map) noexcept {
  MlutHeader *const header = mlut_header(map);
  Interned &interned = map->instance->interned;
  if (give_up_share(&interned, &interned.mluts, &header->sharers, header->hash, header)) {
    forget_inverse(map->instance, header);
    map->instance->memory.release(block_of(header), mlut_bytes(header->count, header->slots), kAlignment,
                                  AVRM_MEM_MLUT);
  }
}

void mlut_max_lpids_of(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                       std::int32_t *max_lpids) noexcept {
  if (map->size == mlut_header(map)->count) {
    std::copy_n(mlut_max_lpids(map) + first, count, max_lpids);
    return;
  }
  std::fill_n(max_lpids, count, -1);
  for (const avrm_pair_t *pair = map->v.mlut; pair != map->v.mlut + map->size; ++pair) {
    const std::int64_t i = std::int64_t{pair->slot} - first;
    if (i >= 0 && i < count) {
      max_lpids[i] = std::max(max_lpids[i], static_cast<std::int32_t>(pair->lpid));
    }
  }
}

} // namespace avrankmap::detail
