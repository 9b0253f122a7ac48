// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/packed.h"

#include <algorithm>
#include <bit>
#include <new>

#include "rankmap/implicit_bind.h"
#include "rankmap/intern.h"
#include "rankmap/mlut.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlotBytes = sizeof(const avrm_ave_t *) + 2 * sizeof(std::int32_t);

std::size_t slots_bytes(std::int32_t slots) noexcept { return static_cast<std::size_t>(slots) * kSlotBytes; }

// Process groups that the table has a place for.
std::int32_t slots_of(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_PACKED_MLUT ? packed_header(map)->slots : 0;
}

unsigned char *block_of(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<unsigned char *>(packed_header(map)) - slots_bytes(slots_of(map));
}

// Where in the table the field of rank 0 begins.
std::uint64_t first_bit(const avrm_rankmap_t *map) noexcept {
  return static_cast<std::uint64_t>(map->block) * static_cast<std::uint64_t>(packed_bits(map));
}

// Makes a map look at the fields behind `data`, from its index of rank 0 on.
void look_at(avrm_rankmap_t *map, const void *data) noexcept {
  if (map->mode == AVRM_MODE_PACKED_LUT) {
    map->v.bit_address = (static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data)) << 3) + first_bit(map);
  } else {
    map->v.packed = static_cast<const unsigned char *>(data);
  }
}

avrm_mem_kind_t kind_of(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_PACKED_LUT ? AVRM_MEM_LUT : AVRM_MEM_MLUT;
}

const std::int32_t *pgids_of(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const std::int32_t *>(packed_tables(map) + packed_header(map)->slots);
}

// Fields are written in order into zero-filled memory.
void put(unsigned char *data, std::uint64_t bit, std::uint64_t field) noexcept {
  const std::uint64_t word = avrm_i_load_little(data + (bit >> 3)) | field << (bit & 7);
  for (int byte = 0; byte < 8; ++byte) {
    data[(bit >> 3) + static_cast<std::uint64_t>(byte)] = static_cast<unsigned char>(word >> (8 * byte));
  }
}

} // namespace

PackedWidth packed_width(std::int64_t min_lpid, std::int64_t max_lpid, std::int32_t groups) noexcept {
  return {static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(max_lpid - min_lpid))),
          static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(groups) - 1))};
}

std::uint64_t packed_bytes(std::int32_t count, std::int32_t bits, std::int32_t groups) noexcept {
  const std::uint64_t last = (static_cast<std::uint64_t>(count) - 1) * static_cast<std::uint64_t>(bits);
  return slots_bytes(groups == 1 ? 0 : groups) + sizeof(PackedHeader) + (last >> 3) + sizeof(std::uint64_t);
}

std::uint64_t packed_bytes_of(const avrm_rankmap_t *map) noexcept {
  return packed_bytes(packed_header(map)->count, packed_bits(map), std::max(slots_of(map), 1));
}

PackedHeader *packed_header(const avrm_rankmap_t *map) noexcept {
  const auto data = map->mode == AVRM_MODE_PACKED_LUT
                        ? static_cast<std::uintptr_t>((map->v.bit_address - first_bit(map)) >> 3)
                        : reinterpret_cast<std::uintptr_t>(map->v.packed);
  return reinterpret_cast<PackedHeader *>(data) - 1;
}

const avrm_ave_t **packed_tables(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const avrm_ave_t **>(block_of(map));
}

std::size_t packed_field_bytes(const avrm_rankmap_t *map) noexcept {
  return packed_bytes_of(map) - slots_bytes(slots_of(map)) - sizeof(PackedHeader);
}

std::uint64_t packed_key(const avrm_rankmap_t *map, std::uint32_t hash) noexcept {
  // The least lpid is not among them: it follows from the greatest one, which the table holds.
  const int lpid_bits_plus_1 = map->mode == AVRM_MODE_PACKED_MLUT ? map->bits + 1 : 0;
  return static_cast<std::uint64_t>(lpid_bits_plus_1) << 40 | static_cast<std::uint64_t>(packed_bits(map)) << 32 | hash;
}

MapOwner new_packed_map(const avrm_rankmap_t *plain, std::int64_t min_lpid, std::int64_t max_lpid) noexcept {
  Memory &memory = plain->instance->memory;
  const bool several = plain->mode == AVRM_MODE_MLUT;
  const std::int32_t groups = groups_of(plain);
  const PackedWidth width = packed_width(min_lpid, max_lpid, groups);
  MapOwner map = new_map(plain->instance);
  if (map == nullptr) {
    return nullptr;
  }
  void *const block = memory.allocate(packed_bytes(plain->size, width.bits(), groups), kAlignment,
                                      several ? AVRM_MEM_MLUT : AVRM_MEM_LUT);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const header = new (static_cast<unsigned char *>(block) + slots_bytes(several ? groups : 0)) PackedHeader;
  header->count = plain->size;
  if (several) {
    header->slots = groups;
  } else {
    header->max_lpid = static_cast<std::int32_t>(max_lpid);
  }
  auto *const data = reinterpret_cast<unsigned char *>(header + 1);
  for (std::int32_t rank = 0; rank < plain->size; ++rank) {
    const std::uint64_t slot = several ? plain->v.mlut[rank].slot : 0;
    const std::uint64_t lpid = several ? plain->v.mlut[rank].lpid : plain->v.lut[rank];
    put(data, static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(width.bits()),
        slot << width.lpid_bits | (lpid - static_cast<std::uint64_t>(min_lpid)));
  }
  map->size = plain->size;
  map->pgid = plain->pgid;
  map->offset = static_cast<std::int32_t>(min_lpid);
  map->stride = several ? width.bits() : packed_mask(width.bits());
  map->block = 0;
  map->bits = several ? static_cast<std::uint8_t>(width.lpid_bits) : 0;
  map->klass = several ? AVRM_CLASS_PACKED_MLUT : AVRM_CLASS_PACKED_LUT;
  map->mode = several ? AVRM_MODE_PACKED_MLUT : AVRM_MODE_PACKED_LUT;
  look_at(map.get(), data);
  if (several) {
    std::copy_n(mlut_pgids(plain), 2 * static_cast<std::size_t>(groups),
                const_cast<std::int32_t *>(pgids_of(map.get())));
    map->u.pgids = pgids_of(map.get());
  } else {
    map->u.step = width.bits();
  }
  return map;
}

void share_packed(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept {
  packed_header(parent)->sharers.fetch_add(1, std::memory_order_relaxed);
  *map = *parent;
  map->base = nullptr;
  map->bound = 0;
  map->klass = natural_class(map);
  map->size = count;
  map->block = parent->block + first;
  look_at(map, packed_header(parent) + 1);
}

void use_packed(avrm_rankmap_t *map, PackedHeader *header) noexcept {
  look_at(map, header + 1);
  if (map->mode == AVRM_MODE_PACKED_MLUT) {
    map->u.pgids = pgids_of(map);
  }
}

void drop_packed(avrm_rankmap_t *map) noexcept {
  PackedHeader *const header = packed_header(map);
  Interned &interned = map->instance->interned;
  const std::uint64_t key = header->hash == 0 ? 0 : packed_key(map, header->hash);
  if (give_up_share(&interned, &interned.packed, &header->sharers, key, header)) {
    map->instance->memory.release(block_of(map), packed_bytes_of(map), kAlignment, kind_of(map));
  }
}

std::int32_t packed_max_lpid(const avrm_rankmap_t *map) noexcept {
  const PackedHeader *const header = packed_header(map);
  if (map->size == header->count) {
    return header->max_lpid;
  }
  std::int32_t max = 0;
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    max = std::max(max, avrm_rankmap_gpid(map, rank).lpid);
  }
  return max;
}

void packed_max_lpids_of(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                         std::int32_t *max_lpids) noexcept {
  const PackedHeader *const header = packed_header(map);
  if (map->size == header->count) {
    std::copy_n(pgids_of(map) + header->slots + first, count, max_lpids);
    return;
  }
  std::fill_n(max_lpids, count, -1);
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    const std::uint64_t field = avrm_i_packed_field(map, rank);
    const std::int64_t i = static_cast<std::int64_t>(avrm_i_packed_slot(map, field)) - first;
    if (i >= 0 && i < count) {
      max_lpids[i] = std::max(max_lpids[i], static_cast<std::int32_t>(avrm_i_packed_lpid(map, field)));
    }
  }
}

} // namespace avrankmap::detail
