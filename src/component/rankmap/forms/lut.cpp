// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/lut.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "rankmap/bind/implicit_bind.h"
#include "rankmap/create/duplicates.h"
#include "rankmap/create/intern.h"
#include "rankmap/inverse/inverse.h"
#include "rankmap/inverse/table_inverse.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 8; // allocators may take more bytes for a greater one

void fill(avrm_rankmap_t *map, const std::uint32_t *entries, std::int32_t pgid, std::int32_t first,
          std::int32_t size) noexcept {
  map->as.lut = {entries + first, first};
  map->size = size;
  map->pgid = pgid;
  map->offset = 0;
  map->klass = AVRM_CLASS_LUT;
  map->mode = AVRM_MODE_LUT;
}

struct Kind {
  using Header = LutHeader;
  static HashTable &known(Interned &interned) noexcept { return interned.luts; }
  static Header *header(const avrm_rankmap_t *map) noexcept { return lut_header(map); }
  static bool same_shape(const Header *a, const Header *b) noexcept { return a->count == b->count; }
  static std::uint64_t hash(const avrm_rankmap_t *map) noexcept {
    return hash_bytes(header(map) + 1, lut_bytes(header(map)->count) - sizeof(Header), 0);
  }
  static bool same_content(const avrm_rankmap_t *map, const Header *b) noexcept {
    const Header *const a = header(map);
    return std::memcmp(a + 1, b + 1, lut_bytes(a->count) - sizeof(Header)) == 0;
  }
  static std::uint64_t key(const avrm_rankmap_t * /*map*/, std::uint32_t hash) noexcept { return hash; }
  static void use(avrm_rankmap_t *map, Header *header) noexcept {
    fill(map, reinterpret_cast<const std::uint32_t *>(header + 1), map->pgid, 0, header->count);
  }
  static void give_up(avrm_rankmap_t *map) noexcept { LutForm::drop(map); }
};

// Creates a map that shares `count` entries of the parent's table, beginning at the parent's rank
// `first`.
MapOwner share(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept {
  MapOwner map = new_map(parent->instance);
  LutHeader *const header = lut_header(parent);
  header->sharers.fetch_add(1, std::memory_order_relaxed);
  fill(map.get(), reinterpret_cast<const std::uint32_t *>(header + 1), parent->pgid, parent->as.lut.first + first,
       count);
  return map;
}

} // namespace

LutHeader *lut_header(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<LutHeader *>(const_cast<std::uint32_t *>(map->as.lut.lpids - map->as.lut.first)) - 1;
}

std::uint64_t lut_bytes(std::int32_t count) noexcept {
  return sizeof(LutHeader) + static_cast<std::uint64_t>(count) * sizeof(std::uint32_t);
}

MapOwner new_lut_map(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size) noexcept {
  MapOwner map = new_map(instance);
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

void reduce_lut(MapOwner *map) noexcept {
  // Entries are lpids below 2^31, so they may be read as signed numbers.
  const auto *const lpids = reinterpret_cast<const std::int32_t *>((*map)->as.lut.lpids);
  const std::int32_t size = (*map)->size;
  const std::optional<Regular> form = regular_from(detect(lpids, static_cast<std::size_t>(size)), size);
  if (form) {
    *map = new_regular_map((*map)->instance, (*map)->pgid, *form);
  }
}

MapOwner LutForm::copy(const avrm_rankmap_t *map) noexcept { return share(map, 0, map->size); }

void LutForm::drop(avrm_rankmap_t *map) noexcept {
  LutHeader *const header = lut_header(map);
  Interned &interned = map->instance->interned;
  if (give_up_share(&interned, &interned.luts, &header->sharers, header->hash, header)) {
    forget_inverse(map->instance, header);
    map->instance->memory.release(header, lut_bytes(header->count), kAlignment, AVRM_MEM_LUT);
  }
}

void LutForm::describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept {
  const LutHeader *const header = lut_header(map);
  info->table_entries = header->count;
  info->table_sharers = header->sharers.load(std::memory_order_relaxed);
  info->table_bytes = lut_bytes(header->count);
  info->inverse_bytes = inverse_bytes(map->instance, header);
}

void LutForm::max_lpids(const avrm_rankmap_t *map, std::int32_t /*first*/, std::int32_t /*count*/,
                        std::int32_t *max_lpids) noexcept {
  max_lpids[0] = lut_header(map)->max_lpid;
}

void LutForm::exact_max_lpids(const avrm_rankmap_t *map, std::int32_t /*first*/, std::int32_t /*count*/,
                              std::int32_t *max_lpids) noexcept {
  const LutHeader *const header = lut_header(map);
  max_lpids[0] = map->size == header->count
                     ? header->max_lpid
                     : static_cast<std::int32_t>(*std::max_element(map->as.lut.lpids, map->as.lut.lpids + map->size));
}

avrm_status_t LutForm::check_unique(const avrm_rankmap_t *map) noexcept {
  // Entries are lpids below 2^31, so they may be read as signed numbers.
  return check_distinct(map->instance->memory, map->size, reinterpret_cast<const std::int32_t *>(map->as.lut.lpids),
                        static_cast<std::uint64_t>(lut_header(map)->max_lpid) + 1);
}

avrm_status_t LutForm::intern(avrm_rankmap_t *map) noexcept { return intern_as<Kind>(map); }

const char *LutForm::fault(const avrm_rankmap_t *map) noexcept {
  const LutHeader *const header = lut_header(map);
  if (!has_class(map) || map->pgid < 0) {
    return "the class or the pgid does not match a lut";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (map->as.lut.first < 0 || map->as.lut.first > header->count - map->size) {
    return "the part is not inside the table";
  }
  const auto max_lpid = static_cast<std::uint32_t>(header->max_lpid);
  const bool bounded = std::all_of(map->as.lut.lpids, map->as.lut.lpids + map->size,
                                   [max_lpid](std::uint32_t lpid) { return lpid <= max_lpid; });
  return bounded && header->max_lpid <= kMaxLpid ? nullptr : "an lpid is out of range";
}

// A table contains no pgid, and maps of several process groups may share it. The inverse of a table
// is built for pgid 0.
avrm_status_t LutForm::ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept {
  avrm_rankmap_t whole{}; // not a copy: binding changes some fields of the map
  fill(&whole, map->as.lut.lpids - map->as.lut.first, 0, 0, lut_header(map)->count);
  whole.instance = map->instance;
  return ranks_by_table(map, {lut_header(map), &whole, map->as.lut.first}, count, processes, ranks);
}

avrm_status_t LutForm::part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                            MapOwner *map_p) noexcept {
  MapOwner map = share(parent, first, count);
  reduce_lut(&map);
  *map_p = std::move(map);
  return AVRM_OK;
}

} // namespace avrankmap::detail
