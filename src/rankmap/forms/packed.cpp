// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/packed.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "rankmap/bind/implicit_bind.h"
#include "rankmap/create/duplicates.h"
#include "rankmap/create/gather.h"
#include "rankmap/create/intern.h"
#include "rankmap/inverse/inverse.h"
#include "rankmap/inverse/table_inverse.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlotBytes = sizeof(const avrm_ave_t *) + 2 * sizeof(std::int32_t);

std::size_t slots_bytes(std::int32_t slots) noexcept { return static_cast<std::size_t>(slots) * kSlotBytes; }

// Number of slots of the table.
std::int32_t slots_of(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_PACKED_MLUT ? packed_header(map)->slots : 0;
}

unsigned char *block_of(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<unsigned char *>(packed_header(map)) - slots_bytes(slots_of(map));
}

// Bit of the table at which the field of rank 0 begins.
std::uint64_t first_bit(const avrm_rankmap_t *map) noexcept {
  return static_cast<std::uint64_t>(map->block) * static_cast<std::uint64_t>(packed_bits(map));
}

// Makes a map read the fields at `data`, from its index of rank 0 on.
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

// Bytes from the header's end on.
std::size_t field_bytes(const avrm_rankmap_t *map) noexcept {
  return packed_bytes_of(map) - slots_bytes(slots_of(map)) - sizeof(PackedHeader);
}

// Key of the table: it contains the widths of the fields, since equal bytes with other widths are
// another table.
std::uint64_t key_of(const avrm_rankmap_t *map, std::uint32_t hash) noexcept {
  // It need not contain the least lpid, which follows from the greatest one, a part of the table.
  const int lpid_bits_plus_1 = map->mode == AVRM_MODE_PACKED_MLUT ? map->bits + 1 : 0;
  return static_cast<std::uint64_t>(lpid_bits_plus_1) << 40 | static_cast<std::uint64_t>(packed_bits(map)) << 32 | hash;
}

void give_up_table(avrm_rankmap_t *map) noexcept {
  PackedHeader *const header = packed_header(map);
  Interned &interned = map->instance->interned;
  const std::uint64_t key = header->hash == 0 ? 0 : key_of(map, header->hash);
  if (give_up_share(&interned, &interned.packed, &header->sharers, key, header)) {
    forget_inverse(map->instance, header);
    map->instance->memory.release(block_of(map), packed_bytes_of(map), kAlignment, kind_of(map));
  }
}

// Only tables with fields of the same widths have the same key and are compared.
struct Kind {
  using Header = PackedHeader;
  static HashTable &known(Interned &interned) noexcept { return interned.packed; }
  static Header *header(const avrm_rankmap_t *map) noexcept { return packed_header(map); }
  static bool same_shape(const Header *a, const Header *b) noexcept {
    return a->count == b->count && a->max_lpid == b->max_lpid; // packed mlut: as many groups
  }
  // The pgids lie right before the greatest lpids, and these before the header. A packed lut has
  // none.
  static std::size_t lists_bytes(const avrm_rankmap_t *map) noexcept {
    return map->mode == AVRM_MODE_PACKED_MLUT
               ? static_cast<std::size_t>(packed_header(map)->slots) * 2 * sizeof(std::int32_t)
               : 0;
  }
  static std::uint64_t hash(const avrm_rankmap_t *map) noexcept {
    const std::size_t lists = lists_bytes(map);
    const Header *const own = header(map);
    return hash_bytes(own + 1, field_bytes(map),
                      hash_bytes(reinterpret_cast<const unsigned char *>(own) - lists, lists, 3));
  }
  static bool same_content(const avrm_rankmap_t *map, const Header *other) noexcept {
    const std::size_t lists = lists_bytes(map);
    const auto *const a = reinterpret_cast<const unsigned char *>(header(map));
    const auto *const b = reinterpret_cast<const unsigned char *>(other);
    return std::memcmp(a - lists, b - lists, lists) == 0 &&
           std::memcmp(a + sizeof(Header), b + sizeof(Header), field_bytes(map)) == 0;
  }
  static std::uint64_t key(const avrm_rankmap_t *map, std::uint32_t hash) noexcept { return key_of(map, hash); }
  static void use(avrm_rankmap_t *map, Header *header) noexcept {
    look_at(map, header + 1);
    if (map->mode == AVRM_MODE_PACKED_MLUT) {
      map->u.pgids = pgids_of(map);
    }
  }
  static void give_up(avrm_rankmap_t *map) noexcept { give_up_table(map); }
};

std::optional<Offer> offer_packed(const Source &source) noexcept {
  const std::int32_t bits = packed_width(source.min_lpid, source.max_lpid, source.groups).bits();
  if (bits > kMostPackedBits) {
    return std::nullopt;
  }
  const auto make = [](const Source &from) noexcept {
    return new_packed_map(from.plain, from.min_lpid, from.max_lpid);
  };
  return Offer{packed_bytes(source.size, bits, source.groups), Cost::kPacked, true, make};
}

// A map that shares `count` fields of the parent's table from its rank `first` on.
MapOwner share(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept {
  MapOwner map(*parent);
  packed_header(parent)->sharers.fetch_add(1, std::memory_order_relaxed);
  map->base = nullptr;
  map->bound = 0;
  map->klass = natural_class(map.get());
  map->size = count;
  map->block = parent->block + first;
  look_at(map.get(), packed_header(parent) + 1);
  return map;
}

// The regular form of a map of one process group, if it has one.
std::optional<Regular> regular_form_of(const avrm_rankmap_t *map) noexcept {
  return regular_from_lpids(
      map->size, [map](std::int64_t rank) { return avrm_rankmap_gpid(map, static_cast<std::int32_t>(rank)).lpid; });
}

// The process group of all ranks of a map, if it is but one.
std::optional<std::int32_t> only_group_of(const avrm_rankmap_t *map) noexcept {
  const std::int32_t pgid = avrm_rankmap_gpid(map, 0).pgid;
  for (std::int32_t rank = 1; groups_of(map) > 1 && rank < map->size; ++rank) {
    if (avrm_rankmap_gpid(map, rank).pgid != pgid) {
      return std::nullopt;
    }
  }
  return pgid;
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

MapOwner new_packed_map(const avrm_rankmap_t *plain, std::int64_t min_lpid, std::int64_t max_lpid) noexcept {
  Memory &memory = plain->instance->memory;
  const bool several = plain->mode == AVRM_MODE_MLUT;
  const std::int32_t groups = groups_of(plain);
  const PackedWidth width = packed_width(min_lpid, max_lpid, groups);
  MapOwner map = new_map(plain->instance);
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

MapOwner PackedForm::copy(const avrm_rankmap_t *map) noexcept { return share(map, 0, map->size); }

void PackedForm::drop(avrm_rankmap_t *map) noexcept { give_up_table(map); }

void PackedForm::describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept {
  const PackedHeader *const header = packed_header(map);
  info->bits = packed_bits(map);
  info->table_entries = header->count;
  info->table_sharers = header->sharers.load(std::memory_order_relaxed);
  info->table_bytes = packed_bytes_of(map);
}

void PackedLutForm::max_lpids(const avrm_rankmap_t *map, std::int32_t /*first*/, std::int32_t /*count*/,
                              std::int32_t *max_lpids) noexcept {
  max_lpids[0] = packed_header(map)->max_lpid;
}

void PackedLutForm::exact_max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                                    std::int32_t *max_lpids) noexcept {
  if (map->size == packed_header(map)->count) {
    return PackedLutForm::max_lpids(map, first, count, max_lpids);
  }
  std::int32_t max = 0;
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    max = std::max(max, avrm_rankmap_gpid(map, rank).lpid);
  }
  max_lpids[0] = max;
}

std::int32_t PackedMlutForm::groups(const avrm_rankmap_t *map) noexcept { return packed_header(map)->slots; }

void PackedMlutForm::max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
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

avrm_status_t PackedLutForm::check_unique(const avrm_rankmap_t *map) noexcept {
  return check_unique_lpids(map, packed_header(map)->max_lpid);
}

avrm_status_t PackedMlutForm::check_unique(const avrm_rankmap_t *map) noexcept {
  // Different processes have different fields.
  const std::uint64_t space = std::uint64_t{1} << map->stride;
  return check_unique_keys(map->instance->memory, map->size, space,
                           [map, space](std::int32_t rank) { return avrm_i_packed_field(map, rank) & (space - 1); });
}

avrm_status_t PackedForm::intern(avrm_rankmap_t *map) noexcept { return intern_as<Kind>(map); }

const char *PackedForm::fault(const avrm_rankmap_t *map) noexcept {
  const PackedHeader *const header = packed_header(map);
  const bool several = map->mode == AVRM_MODE_PACKED_MLUT;
  if (!has_class(map) || (map->pgid < 0) != several) {
    return "the class or the pgid does not go with a packed table";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (map->block < 0 || map->block > header->count - map->size) {
    return "the part is not inside the table";
  }
  const std::int32_t groups = several ? header->slots : 1;
  const auto *const pgids = reinterpret_cast<const std::int32_t *>(packed_tables(map) + groups);
  if (several && (groups < 2 || map->u.pgids != pgids)) {
    return "the list of process groups is not sound";
  }
  const std::int32_t *const max_lpids = several ? pgids + groups : &header->max_lpid;
  const std::int64_t range = *std::max_element(max_lpids, max_lpids + groups) - std::int64_t{map->offset};
  const PackedWidth width = packed_width(0, std::max(range, std::int64_t{0}), groups);
  if (map->offset < 0 || packed_bits(map) != width.bits() || map->bits != (several ? width.lpid_bits : 0) ||
      (!several && map->stride != packed_mask(width.bits()))) {
    return "the width of a field is not sound";
  }
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    const std::uint64_t slot = several ? avrm_i_packed_slot(map, avrm_i_packed_field(map, rank)) : 0;
    if (slot >= static_cast<std::uint64_t>(groups) || avrm_rankmap_gpid(map, rank).lpid > max_lpids[slot]) {
      return "an lpid is out of range";
    }
  }
  return nullptr;
}

avrm_status_t PackedForm::ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                                std::int32_t *ranks) noexcept {
  PackedHeader *const header = packed_header(map);
  avrm_rankmap_t whole = *map;
  whole.klass = natural_class(map);
  whole.size = header->count;
  whole.block = 0;
  if (map->mode == AVRM_MODE_PACKED_LUT) {
    whole.pgid = 0; // maps of several process groups may share the table and its inverse
  }
  look_at(&whole, header + 1);
  return ranks_by_table(map, {header, &whole, map->block}, count, processes, ranks);
}

std::optional<Offer> PackedLutForm::offer(const Source &source) noexcept {
  return source.groups == 1 ? offer_packed(source) : std::nullopt;
}

std::optional<Offer> PackedMlutForm::offer(const Source &source) noexcept {
  return source.groups > 1 ? offer_packed(source) : std::nullopt;
}

avrm_status_t PackedLutForm::part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                                  MapOwner *map_p) noexcept {
  MapOwner map = share(parent, first, count);
  if (const std::optional<Regular> form = regular_form_of(map.get())) {
    map = new_regular_map(parent->instance, parent->pgid, *form);
  }
  *map_p = std::move(map);
  return AVRM_OK;
}

avrm_status_t PackedMlutForm::part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                                   MapOwner *map_p) noexcept {
  MapOwner map = share(parent, first, count);
  const std::optional<std::int32_t> pgid = only_group_of(map.get());
  if (!pgid) {
    *map_p = std::move(map);
    return AVRM_OK;
  }
  if (const std::optional<Regular> form = regular_form_of(map.get())) {
    *map_p = new_regular_map(parent->instance, *pgid, *form);
    return AVRM_OK;
  }
  return gather_one_group(
      parent->instance, *pgid, count, [&map](std::int32_t rank) { return avrm_rankmap_gpid(map.get(), rank).lpid; },
      map_p);
}

} // namespace avrankmap::detail
