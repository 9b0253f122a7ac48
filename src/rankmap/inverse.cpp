// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/inverse.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>

#include "rankmap/lut.h"
#include "rankmap/mlut.h"
#include "rankmap/segments.h"
#include "rankmap/table_inverse.h"

namespace avrankmap::detail {

namespace {

// Whether inverses are kept per map; else they are kept per table, for all maps that share it.
bool is_own(const avrm_rankmap_t *map) noexcept {
  const avrm_mode_t mode = mode_of(map);
  return mode == AVRM_MODE_CART || mode == AVRM_MODE_PACKED_LUT || mode == AVRM_MODE_PACKED_MLUT;
}

// A map of the whole table that `map` uses a part of. Not for maps whose inverse is their own. A lut holds no pgids, and maps
// of several process groups may share it: its inverse is of group 0.
avrm_rankmap_t whole_of(const avrm_rankmap_t *map) noexcept {
  if (map->mode == AVRM_MODE_LUT) {
    // Not a copy: what it has folded in of an implicit AV may be changing.
    avrm_rankmap_t whole{};
    whole.v.lut = map->v.lut - map->offset;
    whole.size = lut_header(map)->count;
    whole.block = 1;
    whole.klass = AVRM_CLASS_LUT;
    whole.mode = AVRM_MODE_LUT;
    whole.instance = map->instance;
    return whole;
  }
  avrm_rankmap_t whole = *map;
  if (map->mode == AVRM_MODE_MLUT) {
    whole.v.mlut -= map->offset;
    whole.size = mlut_header(map)->count;
  }
  whole.offset = 0;
  return whole;
}

// What an inverse is kept by.
const void *owner_of(const avrm_rankmap_t *map) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED: return nullptr;
  case AVRM_MODE_LUT: return lut_header(map);
  case AVRM_MODE_MLUT: return mlut_header(map);
  case AVRM_MODE_SEGMENTS: return segments_header(map);
  case AVRM_MODE_CART:
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT: return map;
  }
  AVRM_UNREACHABLE();
  return nullptr;
}

std::uint64_t key_of(const void *owner) noexcept { return reinterpret_cast<std::uintptr_t>(owner); }

// Calls use(const TableInverse &) while nobody can free it. AVRM_ERR_NO_MEMORY if it had to be built and could not.
template <typename Use>
avrm_status_t with_inverse(const avrm_rankmap_t *map, const avrm_rankmap_t &whole, Use use) noexcept {
  Caches &caches = map->instance->caches;
  const std::uint64_t key = key_of(owner_of(map));
  {
    const std::shared_lock guard(caches.lock);
    if (const void *const inverse = caches.inverses.find(key)) {
      use(*static_cast<const TableInverse *>(inverse));
      return AVRM_OK;
    }
  }
  Memory &memory = map->instance->memory;
  TableInverse *const built = TableInverse::create(whole); // without the lock: others may ask for other tables
  if (built == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const std::unique_lock guard(caches.lock);
  if (const void *const other = caches.inverses.find(key)) {
    built->destroy(memory);
    use(*static_cast<const TableInverse *>(other));
    return AVRM_OK;
  }
  if (!caches.inverses.insert(key, built)) {
    built->destroy(memory);
    return AVRM_ERR_NO_MEMORY;
  }
  use(*built);
  return AVRM_OK;
}

} // namespace

std::int32_t rank_in(const Regular &map, std::int64_t value) noexcept {
  // The first block that reaches the value: 0 <= distance - block * stride < map.block.
  const std::int64_t distance = value - map.offset;
  const std::int64_t ahead = map.stride > 0 ? distance - map.block + 1 : -distance;
  // Below 2^32, where division takes a fraction of what it does in 64 bits.
  const auto step = static_cast<std::uint32_t>(std::llabs(map.stride));
  const std::int64_t block = ahead <= 0 ? 0 : (static_cast<std::uint32_t>(ahead) - 1) / step + std::int64_t{1};
  const std::int64_t within = distance - block * map.stride;
  const std::int64_t rank = block * map.block + within;
  const bool found = block >= 0 && within >= 0 && within < map.block && rank < map.size;
  return found ? static_cast<std::int32_t>(rank) : AVRM_UNDEFINED;
}

void forget_inverse(avrm_instance_t *instance, const void *owner) noexcept {
  Caches &caches = instance->caches;
  const std::unique_lock guard(caches.lock);
  if (void *const inverse = caches.inverses.find(key_of(owner))) {
    caches.inverses.erase(key_of(owner), inverse);
    static_cast<TableInverse *>(inverse)->destroy(instance->memory);
  }
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_rankmap_ranks(const avrm_rankmap_t *map, size_t count, const avrm_gpid_t *processes,
                                 int32_t *ranks) noexcept {
  if (map == nullptr || (count > 0 && (processes == nullptr || ranks == nullptr))) {
    return AVRM_ERR_NULL;
  }
  if (is_regular(map)) {
    const Regular form = form_of(map);
    std::transform(processes, processes + count, ranks, [map, &form](const avrm_gpid_t &process) {
      return process.pgid == map->pgid ? rank_in(form, process.lpid) : AVRM_UNDEFINED;
    });
    return AVRM_OK;
  }
  const bool own = is_own(map);
  const avrm_rankmap_t copy = own ? avrm_rankmap_t{} : whole_of(map);
  const avrm_rankmap_t &whole = own ? *map : copy; // what follows a cart map in memory is not copied
  const std::int32_t start = own ? 0 : map->offset;
  const bool is_lut = map->mode == AVRM_MODE_LUT;
  return with_inverse(map, whole, [&](const TableInverse &inverse) {
    std::transform(processes, processes + count, ranks, [&](avrm_gpid_t process) {
      if (is_lut) {
        if (process.pgid != map->pgid) {
          return AVRM_UNDEFINED;
        }
        process.pgid = whole.pgid;
      }
      const std::int64_t rank = std::int64_t{inverse.index_of(whole, process, start)} - start;
      return rank >= 0 && rank < map->size ? static_cast<std::int32_t>(rank) : AVRM_UNDEFINED;
    });
  });
}

avrm_status_t avrm_rankmap_rank(const avrm_rankmap_t *map, avrm_gpid_t process, int32_t *rank_p) noexcept {
  return avrm_rankmap_ranks(map, 1, &process, rank_p);
}

avrm_status_t avrm_instance_drop_caches(avrm_instance_t *instance) noexcept {
  if (instance == nullptr) {
    return AVRM_ERR_NULL;
  }
  Caches &caches = instance->caches;
  const std::unique_lock guard(caches.lock);
  caches.inverses.clear([instance](void *inverse) { static_cast<TableInverse *>(inverse)->destroy(instance->memory); });
  return AVRM_OK;
}
