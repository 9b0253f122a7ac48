// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/intern.h"

#include <cstring>
#include <mutex>

#include "rankmap/lut.h"
#include "rankmap/mlut.h"
#include "rankmap/packed.h"
#include "rankmap/segments.h"

namespace avrankmap::detail {

namespace {

// Words of 64 bits in four lanes that do not wait for one another; the rest byte by byte.
std::uint64_t hash_bytes(const void *data, std::size_t size, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15U;
  const auto *bytes = static_cast<const unsigned char *>(data);
  std::uint64_t lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
  const auto mix = [](std::uint64_t lane, std::uint64_t word) {
    lane = (lane ^ word) * kMultiplier;
    return lane ^ lane >> 32;
  };
  for (; size >= sizeof lanes; size -= sizeof lanes, bytes += sizeof lanes) {
    std::uint64_t words[4];
    std::memcpy(words, bytes, sizeof words);
    for (int i = 0; i < 4; ++i) {
      lanes[i] = mix(lanes[i], words[i]);
    }
  }
  std::uint64_t hash = mix(mix(lanes[0], lanes[1]), mix(lanes[2], lanes[3]));
  for (; size > 0; --size, ++bytes) {
    hash = mix(hash, *bytes);
  }
  return hash;
}

// The kinds of tables: where they differ.
struct LutKind {
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
  static void use(avrm_rankmap_t *map, Header *header) noexcept { use_lut(map, header); }
  static void drop(avrm_rankmap_t *map) noexcept { drop_lut(map); }
};

struct MlutKind {
  using Header = MlutHeader;
  static HashTable &known(Interned &interned) noexcept { return interned.mluts; }
  static Header *header(const avrm_rankmap_t *map) noexcept { return mlut_header(map); }
  static bool same_shape(const Header *a, const Header *b) noexcept {
    return a->count == b->count && a->slots == b->slots;
  }
  // The pgids lie right before the greatest lpids, and these before the header.
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
  static void use(avrm_rankmap_t *map, Header *header) noexcept { use_mlut(map, header); }
  static void drop(avrm_rankmap_t *map) noexcept { drop_mlut(map); }
};

struct SegmentsKind {
  using Header = SegmentsHeader;
  static HashTable &known(Interned &interned) noexcept { return interned.segments; }
  static Header *header(const avrm_rankmap_t *map) noexcept { return segments_header(map); }
  static bool same_shape(const Header *a, const Header *b) noexcept {
    return a->count == b->count && a->slots == b->slots;
  }
  // The pgids lie right before the header. The directory follows from the rest.
  static std::size_t pgids_bytes(const Header *header) noexcept {
    return static_cast<std::size_t>(header->slots) * sizeof(std::int32_t);
  }
  static const unsigned char *pgids(const Header *header) noexcept {
    return reinterpret_cast<const unsigned char *>(header) - pgids_bytes(header);
  }
  static std::size_t list_bytes(const Header *header) noexcept {
    return static_cast<std::size_t>(header->count) * sizeof(avrm_segment_t);
  }
  static std::uint64_t hash(const avrm_rankmap_t *map) noexcept {
    const Header *const own = header(map);
    return hash_bytes(own + 1, list_bytes(own), hash_bytes(pgids(own), pgids_bytes(own), 2));
  }
  static bool same_content(const avrm_rankmap_t *map, const Header *b) noexcept {
    const Header *const a = header(map);
    return std::memcmp(pgids(a), pgids(b), pgids_bytes(a)) == 0 && std::memcmp(a + 1, b + 1, list_bytes(a)) == 0;
  }
  static std::uint64_t key(const avrm_rankmap_t *map, std::uint32_t hash) noexcept { return segments_key(map, hash); }
  static void use(avrm_rankmap_t *map, Header *header) noexcept { use_segments(map, header); }
  static void drop(avrm_rankmap_t *map) noexcept { drop_segments(map); }
};

// Widths are in the key, so only tables of the same ones are compared.
struct PackedKind {
  using Header = PackedHeader;
  static HashTable &known(Interned &interned) noexcept { return interned.packed; }
  static Header *header(const avrm_rankmap_t *map) noexcept { return packed_header(map); }
  static bool same_shape(const Header *a, const Header *b) noexcept {
    return a->count == b->count && a->max_lpid == b->max_lpid; // of packed mluts: the same number of groups
  }
  // The pgids lie right before the greatest lpids, and these before the header. A packed lut has none.
  static std::size_t lists_bytes(const avrm_rankmap_t *map) noexcept {
    return map->mode == AVRM_MODE_PACKED_MLUT
               ? static_cast<std::size_t>(packed_header(map)->slots) * 2 * sizeof(std::int32_t)
               : 0;
  }
  static std::uint64_t hash(const avrm_rankmap_t *map) noexcept {
    const std::size_t lists = lists_bytes(map);
    const Header *const own = header(map);
    return hash_bytes(own + 1, packed_field_bytes(map),
                      hash_bytes(reinterpret_cast<const unsigned char *>(own) - lists, lists, 3));
  }
  static bool same_content(const avrm_rankmap_t *map, const Header *other) noexcept {
    const std::size_t lists = lists_bytes(map);
    const auto *const a = reinterpret_cast<const unsigned char *>(header(map));
    const auto *const b = reinterpret_cast<const unsigned char *>(other);
    return std::memcmp(a - lists, b - lists, lists) == 0 &&
           std::memcmp(a + sizeof(Header), b + sizeof(Header), packed_field_bytes(map)) == 0;
  }
  static std::uint64_t key(const avrm_rankmap_t *map, std::uint32_t hash) noexcept { return packed_key(map, hash); }
  static void use(avrm_rankmap_t *map, Header *header) noexcept { use_packed(map, header); }
  static void drop(avrm_rankmap_t *map) noexcept { drop_packed(map); }
};

template <typename Kind> avrm_status_t intern_as(avrm_rankmap_t *map) noexcept {
  using Header = typename Kind::Header;
  Header *const own = Kind::header(map);
  if (own->hash != 0) {
    return AVRM_OK; // known
  }
  Interned &interned = map->instance->interned;
  HashTable &known = Kind::known(interned);
  const std::uint32_t hash = static_cast<std::uint32_t>(Kind::hash(map)) | 1;
  const std::uint64_t key = Kind::key(map, hash);
  const auto make_known = [&] {
    if (!known.insert(key, own)) {
      return AVRM_ERR_NO_MEMORY;
    }
    own->hash = hash;
    return AVRM_OK;
  };
  Header *like = nullptr;
  {
    const std::scoped_lock guard(interned.lock);
    like = static_cast<Header *>(known.find(
        key, [own](const void *header) { return Kind::same_shape(static_cast<const Header *>(header), own); }));
    if (like == nullptr) {
      return make_known();
    }
    like->sharers.fetch_add(1, std::memory_order_relaxed);
  }
  // Our share keeps the other table, so they are compared, and one of them is given up, without the lock.
  if (Kind::same_content(map, like)) {
    Kind::drop(map);
    Kind::use(map, like);
    return AVRM_OK;
  }
  avrm_rankmap_t other = *map;
  Kind::use(&other, like);
  Kind::drop(&other);
  const std::scoped_lock guard(interned.lock);
  return make_known();
}

} // namespace

avrm_status_t intern(avrm_rankmap_t *map) noexcept {
  if (!map->instance->interned.enabled) {
    return AVRM_OK;
  }
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED: return AVRM_OK;
  case AVRM_MODE_LUT: return intern_as<LutKind>(map);
  case AVRM_MODE_MLUT: return intern_as<MlutKind>(map);
  case AVRM_MODE_SEGMENTS: return intern_as<SegmentsKind>(map);
  case AVRM_MODE_CART: return AVRM_OK; // has no table
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT: return intern_as<PackedKind>(map);
  }
  AVRM_UNREACHABLE();
  return AVRM_OK;
}

bool give_up_share(Interned *interned, HashTable *known, std::atomic<std::uint32_t> *sharers, std::uint64_t key,
                   const void *header) noexcept {
  std::uint32_t count = sharers->load(std::memory_order_relaxed);
  // While a table is known, the last share must not go unseen by a thread that is about to take one.
  while (key == 0 || count > 1) {
    if (sharers->compare_exchange_weak(count, count - 1, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return count == 1;
    }
  }
  const std::scoped_lock guard(interned->lock);
  if (sharers->fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return false;
  }
  known->erase(key, header);
  return true;
}

} // namespace avrankmap::detail
