// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/mlut.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "rankmap/bind/implicit_bind.h"
#include "rankmap/create/duplicates.h"
#include "rankmap/create/from_processes.h"
#include "rankmap/create/intern.h"
#include "rankmap/inverse/inverse.h"
#include "rankmap/inverse/table_inverse.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlotBytes = sizeof(const avrm_ave_t *) + 2 * sizeof(std::int32_t);

std::uint64_t slots_bytes(std::int32_t slots) noexcept { return static_cast<std::uint64_t>(slots) * kSlotBytes; }

unsigned char *block_of(MlutHeader *header) noexcept {
  return reinterpret_cast<unsigned char *>(header) - slots_bytes(header->slots);
}

std::int32_t *pgids_of(MlutHeader *header) noexcept {
  return reinterpret_cast<std::int32_t *>(block_of(header) + static_cast<std::size_t>(header->slots) * sizeof(void *));
}

void fill(avrm_rankmap_t *map, MlutHeader *header, std::int32_t first, std::int32_t size) noexcept {
  map->as.mlut = {reinterpret_cast<const avrm_pair_t *>(header + 1) + first, pgids_of(header), first};
  map->size = size;
  map->pgid = -1;
  map->offset = 0;
  map->klass = AVRM_CLASS_MLUT;
  map->mode = AVRM_MODE_MLUT;
}

struct Kind {
  using Header = MlutHeader;
  static HashTable &known(Interned &interned) noexcept { return interned.mluts; }
  static Header *header(const avrm_rankmap_t *map) noexcept { return mlut_header(map); }
  static bool same_shape(const Header *a, const Header *b) noexcept {
    return a->count == b->count && a->slots == b->slots;
  }
  // The pgids are located immediately before the greatest lpids, which are located immediately
  // before the header.
  static std::size_t lists_bytes(const Header *header) noexcept {
    return static_cast<std::size_t>(header->slots) * 2 * sizeof(std::int32_t);
  }
  static const unsigned char *lists(const Header *header) noexcept {
    return reinterpret_cast<const unsigned char *>(header) - lists_bytes(header);
  }
  static std::size_t pairs_bytes(const Header *header) noexcept {
    return static_cast<std::size_t>(header->count) * sizeof(avrm_pair_t);
  }
  static std::uint64_t hash(const avrm_rankmap_t *map) noexcept {
    const Header *const own = header(map);
    return hash_bytes(own + 1, pairs_bytes(own), hash_bytes(lists(own), lists_bytes(own), 1));
  }
  static bool same_content(const avrm_rankmap_t *map, const Header *b) noexcept {
    const Header *const a = header(map);
    return std::memcmp(lists(a), lists(b), lists_bytes(a)) == 0 && std::memcmp(a + 1, b + 1, pairs_bytes(a)) == 0;
  }
  static std::uint64_t key(const avrm_rankmap_t * /*map*/, std::uint32_t hash) noexcept { return hash; }
  static void use(avrm_rankmap_t *map, Header *header) noexcept { fill(map, header, 0, header->count); }
  static void give_up(avrm_rankmap_t *map) noexcept { MlutForm::drop(map); }
};

// Creates a map that shares `count` pairs of the parent's table, beginning at the parent's rank
// `first`.
MapOwner share(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept {
  MapOwner map = new_map(parent->instance);
  MlutHeader *const header = mlut_header(parent);
  header->sharers.fetch_add(1, std::memory_order_relaxed);
  fill(map.get(), header, parent->as.mlut.first + first, count);
  return map;
}

} // namespace

MlutHeader *mlut_header(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<MlutHeader *>(const_cast<avrm_pair_t *>(map->as.mlut.pairs - map->as.mlut.first)) - 1;
}

std::uint64_t mlut_bytes(std::int32_t count, std::int32_t slots) noexcept {
  return slots_bytes(slots) + sizeof(MlutHeader) + static_cast<std::uint64_t>(count) * sizeof(avrm_pair_t);
}

const avrm_ave_t **mlut_tables(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const avrm_ave_t **>(block_of(mlut_header(map)));
}

std::int32_t *mlut_pgids(const avrm_rankmap_t *map) noexcept { return pgids_of(mlut_header(map)); }

std::int32_t *mlut_max_lpids(const avrm_rankmap_t *map) noexcept { return mlut_pgids(map) + mlut_header(map)->slots; }

MapOwner new_mlut_map(avrm_instance_t *instance, std::int32_t size, std::int32_t slots) noexcept {
  MapOwner map = new_map(instance);
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

MapOwner MlutForm::copy(const avrm_rankmap_t *map) noexcept { return share(map, 0, map->size); }

void MlutForm::drop(avrm_rankmap_t *map) noexcept {
  MlutHeader *const header = mlut_header(map);
  Interned &interned = map->instance->interned;
  if (give_up_share(&interned, &interned.mluts, &header->sharers, header->hash, header)) {
    forget_inverse(map->instance, header);
    map->instance->memory.release(block_of(header), mlut_bytes(header->count, header->slots), kAlignment,
                                  AVRM_MEM_MLUT);
  }
}

void MlutForm::max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                         std::int32_t *max_lpids) noexcept {
  if (map->size == mlut_header(map)->count) {
    std::copy_n(mlut_max_lpids(map) + first, count, max_lpids);
    return;
  }
  std::fill_n(max_lpids, count, -1);
  for (const avrm_pair_t *pair = map->as.mlut.pairs; pair != map->as.mlut.pairs + map->size; ++pair) {
    const std::int64_t i = std::int64_t{pair->slot} - first;
    if (i >= 0 && i < count) {
      max_lpids[i] = std::max(max_lpids[i], static_cast<std::int32_t>(pair->lpid));
    }
  }
}

std::int32_t MlutForm::groups(const avrm_rankmap_t *map) noexcept { return mlut_header(map)->slots; }

void MlutForm::describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept {
  const MlutHeader *const header = mlut_header(map);
  info->table_entries = header->count;
  info->table_sharers = header->sharers.load(std::memory_order_relaxed);
  info->table_bytes = mlut_bytes(header->count, header->slots);
  info->inverse_bytes = inverse_bytes(map->instance, header);
}

avrm_status_t MlutForm::check_unique(const avrm_rankmap_t *map) noexcept {
  // The lpids of slot s begin at bit start[s].
  Memory &memory = map->instance->memory;
  const std::int32_t slots = mlut_header(map)->slots;
  const Scratch<std::uint64_t> start(memory, static_cast<std::size_t>(slots));
  if (!start) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint64_t space = 0;
  for (std::int32_t slot = 0; slot < slots; ++slot) {
    start.data()[slot] = space;
    space += static_cast<std::uint64_t>(mlut_max_lpids(map)[slot]) + 1;
  }
  return check_unique_keys(memory, map->size, space, [map, &start](std::int32_t rank) {
    return start.data()[map->as.mlut.pairs[rank].slot] + map->as.mlut.pairs[rank].lpid;
  });
}

avrm_status_t MlutForm::intern(avrm_rankmap_t *map) noexcept { return intern_as<Kind>(map); }

const char *MlutForm::fault(const avrm_rankmap_t *map) noexcept {
  const MlutHeader *const header = mlut_header(map);
  if (!has_class(map) || map->pgid != -1) {
    return "the class or the pgid does not match an mlut";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (header->slots < 2 || map->as.mlut.pgids != mlut_pgids(map)) {
    return "the list of process groups is invalid";
  }
  if (map->as.mlut.first < 0 || map->as.mlut.first > header->count - map->size) {
    return "the part is not inside the table";
  }
  const std::int32_t *const max_lpids = mlut_max_lpids(map);
  const bool bounded = std::all_of(map->as.mlut.pairs, map->as.mlut.pairs + map->size, [&](const avrm_pair_t &pair) {
    return pair.slot < static_cast<std::uint32_t>(header->slots) &&
           pair.lpid <= static_cast<std::uint32_t>(max_lpids[pair.slot]);
  });
  return bounded ? nullptr : "a pair is out of range";
}

avrm_status_t MlutForm::ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                              std::int32_t *ranks) noexcept {
  MlutHeader *const header = mlut_header(map);
  avrm_rankmap_t whole{}; // not a copy: binding changes some fields of the map
  fill(&whole, header, 0, header->count);
  whole.instance = map->instance;
  return ranks_by_table(map, {header, &whole, map->as.mlut.first}, count, processes, ranks);
}

avrm_status_t MlutForm::part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                             MapOwner *map_p) noexcept {
  const avrm_pair_t *const pairs = parent->as.mlut.pairs + first;
  const std::uint32_t slot = pairs[0].slot;
  if (std::all_of(pairs, pairs + count, [slot](const avrm_pair_t &pair) { return pair.slot == slot; })) {
    return map_from_lpids(
        parent->instance, parent->as.mlut.pgids[slot], count, [pairs](std::int32_t rank) { return pairs[rank].lpid; },
        map_p);
  }
  *map_p = share(parent, first, count);
  return AVRM_OK;
}

} // namespace avrankmap::detail
