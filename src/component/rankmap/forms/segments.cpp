// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/segments.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/bits.h"
#include "rankmap/bind/implicit_bind.h"
#include "rankmap/create/duplicates.h"
#include "rankmap/create/intern.h"
#include "rankmap/create/slot_index.h"
#include "rankmap/forms/rank_index.h"
#include "rankmap/inverse/inverse.h"
#include "rankmap/inverse/span_inverse.h"
#include "rankmap/inverse/table_inverse.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlotBytes = sizeof(const avrm_ave_t *) + sizeof(std::int32_t);

// With at least this many segments, a rank index has at most one entry per two segments. With fewer
// segments it has at most two entries per segment and two more, so that a stretch is shorter than a
// segment if all segments are equally long.
constexpr std::int64_t kSparseFrom = 64;
constexpr std::int32_t kShiftOfTwo = 31; // shift for two segments, which have no rank index

// Sorting takes as long per segment as clearing and reading about this many words of bits.
constexpr std::uint64_t kWordsPerSegment = 64;

std::int32_t shift_of(std::int32_t size, std::int64_t count) noexcept {
  return count == 2 ? kShiftOfTwo : rank_index_shift(size, count < kSparseFrom ? 2 * count + 2 : count / 2);
}

std::uint64_t entries_of(std::int32_t size, std::int64_t count) noexcept {
  return count == 2 ? 0 : rank_index_entries(size, shift_of(size, count));
}

constexpr std::uint32_t place_of(std::uint64_t entries, std::uint32_t segment) noexcept {
  return static_cast<std::uint32_t>(entries * sizeof(std::uint32_t) + segment * sizeof(avrm_segment_t));
}

// True if translation need only compare a rank with the first rank of the next segment: there are
// at least two segments, and from each entry of the rank index to the next the position advances by
// at most one segment.
bool has_short_stretches(const std::uint32_t *rank_index, std::uint64_t entries, std::int32_t count) noexcept {
  const auto is_long = [](std::uint32_t place, std::uint32_t next) { return next - place > sizeof(avrm_segment_t); };
  return count == 2 ||
         (count > 2 && std::adjacent_find(rank_index, rank_index + entries, is_long) == rank_index + entries);
}

// Number of entries of a map's rank index.
std::uint64_t entries_of(const avrm_rankmap_t *map) noexcept {
  return map->as.segments.count == 2 ? 0 : rank_index_entries(map->size, map->as.segments.shift);
}

std::uint64_t slots_bytes(std::int64_t slots) noexcept { return static_cast<std::uint64_t>(slots) * kSlotBytes; }

unsigned char *block_of(SegmentsHeader *header) noexcept {
  return reinterpret_cast<unsigned char *>(header) - slots_bytes(header->slots);
}

const std::int32_t *pgids_of(SegmentsHeader *header) noexcept {
  return reinterpret_cast<const std::int32_t *>(header) - header->slots;
}

void fill(avrm_rankmap_t *map, SegmentsHeader *header, std::int32_t size, std::int32_t shift, bool searched) noexcept {
  const std::int32_t *const pgids = pgids_of(header);
  map->as.segments = {reinterpret_cast<const std::uint32_t *>(header + 1), pgids, header->count,
                      static_cast<std::uint8_t>(shift), searched};
  map->size = size;
  map->pgid = header->slots == 1 ? pgids[0] : -1;
  map->offset = 0;
  map->klass = AVRM_CLASS_SEGMENTS;
  map->mode = AVRM_MODE_SEGMENTS;
}

void write_rank_index(const avrm_segment_t *segments, std::int32_t count, std::int32_t shift, std::uint64_t entries,
                      std::uint32_t *rank_index) noexcept {
  const std::uint32_t last = static_cast<std::uint32_t>(count) - 1;
  std::uint32_t segment = 0;
  for (std::uint64_t entry = 0; entry + 1 < entries; ++entry) {
    while (segment < last && segments[segment + 1].first <= entry << shift) {
      ++segment;
    }
    rank_index[entry] = place_of(entries, segment);
  }
  rank_index[entries - 1] = place_of(entries, last);
  if (has_short_stretches(rank_index, entries, count)) {
    // Translation also reads the segment after the one to which an entry refers, so there must be
    // one.
    std::replace(rank_index, rank_index + entries - 1, place_of(entries, last), place_of(entries, last - 1));
  }
}

// Key of a map's list: its hash and the number of ranks, which is not part of a list. 0 if the list
// is not in the instance's table of known lists (intern.h).
std::uint64_t key_of(const avrm_rankmap_t *map, std::uint32_t hash) noexcept {
  return hash == 0 ? 0 : static_cast<std::uint64_t>(map->size) << 32 | hash;
}

struct Kind {
  using Header = SegmentsHeader;
  static HashTable &known(Interned &interned) noexcept { return interned.segments; }
  static Header *header(const avrm_rankmap_t *map) noexcept { return segments_header(map); }
  static bool same_shape(const Header *a, const Header *b) noexcept {
    return a->count == b->count && a->slots == b->slots;
  }
  // The pgids are located immediately before the header.
  static std::size_t pgids_bytes(const Header *header) noexcept {
    return static_cast<std::size_t>(header->slots) * sizeof(std::int32_t);
  }
  static const unsigned char *pgids(const Header *header) noexcept {
    return reinterpret_cast<const unsigned char *>(header) - pgids_bytes(header);
  }
  // The rank index and the list. Maps with equal keys have the same number of ranks.
  static std::size_t list_bytes(const avrm_rankmap_t *map) noexcept {
    return place_of(entries_of(map), static_cast<std::uint32_t>(map->as.segments.count));
  }
  static std::uint64_t hash(const avrm_rankmap_t *map) noexcept {
    const Header *const own = header(map);
    return hash_bytes(own + 1, list_bytes(map), hash_bytes(pgids(own), pgids_bytes(own), 2));
  }
  static bool same_content(const avrm_rankmap_t *map, const Header *b) noexcept {
    const Header *const a = header(map);
    return std::memcmp(pgids(a), pgids(b), pgids_bytes(a)) == 0 && std::memcmp(a + 1, b + 1, list_bytes(map)) == 0;
  }
  static std::uint64_t key(const avrm_rankmap_t *map, std::uint32_t hash) noexcept { return key_of(map, hash); }
  static void use(avrm_rankmap_t *map, Header *header) noexcept {
    // The contents are equal, so the shift and `searched` are equal as well.
    fill(map, header, map->size, map->as.segments.shift, map->as.segments.searched);
  }
  static void give_up(avrm_rankmap_t *map) noexcept { SegmentsForm::drop(map); }
};

// The first error in the rank index of a valid list; null if there is none.
const char *rank_index_fault(const avrm_rankmap_t *map) noexcept {
  const auto &as = map->as.segments;
  const std::uint64_t entries = entries_of(map->size, as.count);
  const std::int32_t shift = shift_of(map->size, as.count);
  if (as.shift != shift || as.searched == has_short_stretches(as.rank_index, entries, as.count)) {
    return "the shift or flag is invalid";
  }
  const auto *const list = reinterpret_cast<const avrm_segment_t *>(as.rank_index + entries);
  std::uint32_t segment = 0;
  const std::uint32_t last = static_cast<std::uint32_t>(as.count) - 1;
  for (std::uint64_t entry = 0; entry < entries; ++entry) {
    while (segment < last && (entry + 1 == entries || list[segment + 1].first <= entry << shift)) {
      ++segment;
    }
    const bool may_be_last = as.searched || entry + 1 == entries;
    if (as.rank_index[entry] != place_of(entries, may_be_last ? segment : std::min(segment, last - 1))) {
      return "the index is invalid";
    }
  }
  return nullptr;
}

} // namespace

SegmentsHeader *segments_header(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<SegmentsHeader *>(const_cast<std::uint32_t *>(map->as.segments.rank_index)) - 1;
}

std::uint64_t segments_bytes(std::int32_t size, std::int64_t count, std::int64_t slots) noexcept {
  return slots_bytes(slots) + sizeof(SegmentsHeader) + static_cast<std::uint64_t>(count) * sizeof(avrm_segment_t) +
         entries_of(size, count) * sizeof(std::uint32_t);
}

const avrm_ave_t **segments_tables(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const avrm_ave_t **>(block_of(segments_header(map)));
}

const avrm_segment_t *segments_of(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const avrm_segment_t *>(map->as.segments.rank_index + entries_of(map));
}

MapOwner new_segments_map(avrm_instance_t *instance, const Run *runs, std::int32_t count) noexcept {
  SlotIndex index(instance->memory);
  for (const Run *run = runs; run != runs + count; ++run) {
    if (index.slot_of(run->pgid) < 0) {
      return nullptr;
    }
  }
  MapOwner map = new_map(instance);
  const std::int32_t size = runs[count - 1].first_rank + runs[count - 1].count;
  void *const block =
      instance->memory.allocate(segments_bytes(size, count, index.count()), kAlignment, AVRM_MEM_SEGMENTS);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const header = new (static_cast<unsigned char *>(block) + slots_bytes(index.count())) SegmentsHeader;
  header->count = count;
  header->slots = index.count();
  auto *const pgids = reinterpret_cast<std::int32_t *>(static_cast<const avrm_ave_t **>(block) + header->slots);
  const std::uint64_t entries = entries_of(size, count);
  auto *const rank_index = reinterpret_cast<std::uint32_t *>(header + 1);
  auto *const segments = reinterpret_cast<avrm_segment_t *>(rank_index + entries);
  for (std::int32_t i = 0; i < count; ++i) {
    const Run &run = runs[i];
    const auto first = static_cast<std::uint32_t>(run.first_rank);
    const auto stride = static_cast<std::uint32_t>(run.stride);
    const std::int32_t slot = index.slot_of(run.pgid); // already known: allocates nothing
    segments[i] = {first, static_cast<std::uint32_t>(run.offset) - first * stride, stride,
                   static_cast<std::uint32_t>(slot)};
    pgids[slot] = run.pgid;
  }
  const std::int32_t shift = shift_of(size, count);
  if (entries != 0) {
    write_rank_index(segments, count, shift, entries, rank_index);
  }
  fill(map.get(), header, size, shift, !has_short_stretches(rank_index, entries, count));
  return map;
}

Run segment_run(const avrm_rankmap_t *map, const avrm_segment_t *segments, std::int64_t i) noexcept {
  const avrm_segment_t &segment = segments[i];
  const std::uint32_t end =
      i + 1 == map->as.segments.count ? static_cast<std::uint32_t>(map->size) : segments[i + 1].first;
  return {static_cast<std::int32_t>(segment.first), static_cast<std::int32_t>(end - segment.first),
          map->as.segments.pgids[segment.slot],
          static_cast<std::int32_t>(segment.start + segment.first * segment.stride),
          static_cast<std::int32_t>(segment.stride)};
}

MapOwner SegmentsForm::copy(const avrm_rankmap_t *map) noexcept {
  MapOwner copy = new_map(map->instance);
  SegmentsHeader *const header = segments_header(map);
  header->sharers.fetch_add(1, std::memory_order_relaxed);
  fill(copy.get(), header, map->size, map->as.segments.shift, map->as.segments.searched);
  return copy;
}

void SegmentsForm::drop(avrm_rankmap_t *map) noexcept {
  SegmentsHeader *const header = segments_header(map);
  Interned &interned = map->instance->interned;
  if (give_up_share(&interned, &interned.segments, &header->sharers, key_of(map, header->hash), header)) {
    forget_inverse(map->instance, header);
    forget_inverse(map->instance, map->as.segments.rank_index);
    map->instance->memory.release(block_of(header), segments_bytes(map->size, header->count, header->slots), kAlignment,
                                  AVRM_MEM_SEGMENTS);
  }
}

std::int32_t SegmentsForm::groups(const avrm_rankmap_t *map) noexcept { return segments_header(map)->slots; }

void SegmentsForm::describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept {
  const SegmentsHeader *const header = segments_header(map);
  info->segments = header->count;
  info->table_sharers = header->sharers.load(std::memory_order_relaxed);
  info->table_bytes = segments_bytes(map->size, header->count, header->slots);
  info->inverse_bytes =
      inverse_bytes(map->instance, header) + inverse_bytes(map->instance, map->as.segments.rank_index);
}

void SegmentsForm::max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                             std::int32_t *max_lpids) noexcept {
  std::fill_n(max_lpids, count, -1);
  const avrm_segment_t *const segments = segments_of(map);
  for (std::int32_t i = 0; i < map->as.segments.count; ++i) {
    const std::int64_t slot = std::int64_t{segments[i].slot} - first;
    if (slot >= 0 && slot < count) {
      const Run run = segment_run(map, segments, i);
      max_lpids[slot] = std::max({max_lpids[slot], run.offset, static_cast<std::int32_t>(last_lpid(run))});
    }
  }
}

// Segments that are few compared with the range of lpids are sorted first; if none overlap, no
// process occurs twice. Otherwise bits are marked, segment by segment, or, if the lpids are too
// sparse for bits, the processes of all ranks are sorted.
avrm_status_t SegmentsForm::check_unique(const avrm_rankmap_t *map) noexcept {
  Memory &memory = map->instance->memory;
  const auto count = static_cast<std::size_t>(map->as.segments.count);
  const avrm_segment_t *const segments = segments_of(map);
  const Scratch<std::uint64_t> ends(memory, 2 * count);
  if (!ends) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint64_t space = 0; // 1 + the greatest lpid of any process group
  for (std::size_t i = 0; i < count; ++i) {
    const Run run = segment_run(map, segments, static_cast<std::int64_t>(i));
    if (run.stride == 0) {
      return AVRM_ERR_DUPLICATE;
    }
    const auto last = static_cast<std::int32_t>(last_lpid(run));
    const std::uint64_t slot = std::uint64_t{segments[i].slot} << 32;
    const std::int32_t low = std::min(run.offset, last);
    const std::int32_t high = std::max(run.offset, last);
    ends.data()[2 * i] = slot | 2 * static_cast<std::uint64_t>(low);
    ends.data()[2 * i + 1] = slot | (2 * static_cast<std::uint64_t>(high) + 1);
    space = std::max(space, static_cast<std::uint64_t>(high) + 1);
  }
  const std::uint64_t all = space * static_cast<std::uint64_t>(segments_header(map)->slots);
  if (static_cast<std::uint64_t>(map->size) > all) {
    return AVRM_ERR_DUPLICATE;
  }
  if (all / 64 > kWordsPerSegment * count && !overlap(ends.data(), 2 * count)) {
    return AVRM_OK;
  }
  if (!are_bits_worth(map->size, all)) {
    return check_unique_sorted(memory, map->size, [map, space](std::int32_t rank) {
      const RankPlace at = place(map, rank);
      return at.slot * space + static_cast<std::uint32_t>(at.lpid);
    });
  }
  Bits bits(memory, static_cast<std::int64_t>(all));
  if (!bits) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Run run = segment_run(map, segments, static_cast<std::int64_t>(i));
    if (bits.mark(static_cast<std::int64_t>(segments[i].slot * space) + run.offset, run.stride, run.count)) {
      return AVRM_ERR_DUPLICATE;
    }
  }
  return AVRM_OK;
}

avrm_status_t SegmentsForm::intern(avrm_rankmap_t *map) noexcept { return intern_as<Kind>(map); }

const char *SegmentsForm::fault(const avrm_rankmap_t *map) noexcept {
  const SegmentsHeader *const header = segments_header(map);
  if (!has_class(map)) {
    return "the class does not match segments";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (header->count < 1 || map->as.segments.count != header->count) {
    return "the number of segments is invalid";
  }
  const std::int32_t *const pgids = pgids_of(segments_header(map));
  if (header->slots < 1 || map->as.segments.pgids != pgids || map->pgid != (header->slots == 1 ? pgids[0] : -1)) {
    return "the list of process groups is invalid";
  }
  const avrm_segment_t *const segments = segments_of(map);
  std::uint32_t end = 0;
  for (std::int32_t i = 0; i < map->as.segments.count; ++i) {
    const avrm_segment_t &segment = segments[i];
    if ((i == 0 ? segment.first != 0 : segment.first < end) || segment.first >= static_cast<std::uint32_t>(map->size)) {
      return "the first ranks of the segments are invalid";
    }
    end = segment.first + 1;
    if (segment.slot >= static_cast<std::uint32_t>(header->slots)) {
      return "a process group is out of range";
    }
    const Run run = segment_run(map, segments, i);
    if (run.offset < 0 || run.offset > kMaxLpid || last_lpid(run) < 0 || last_lpid(run) > kMaxLpid) {
      return "an lpid is out of range";
    }
  }
  return rank_index_fault(map);
}

avrm_status_t SegmentsForm::ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                                  std::int32_t *ranks) noexcept {
  bool is_useful = false;
  const avrm_status_t status = with_inverse<SpanInverse>(
      map->instance, segments_header(map), [map] { return SpanInverse::create(map); },
      [&](const SpanInverse &inverse) {
        is_useful = inverse.is_useful();
        if (is_useful) {
          std::transform(processes, processes + count, ranks, [&](const avrm_gpid_t &process) {
            const std::int32_t rank = inverse.rank_of(map, process);
            return rank >= 0 ? rank : AVRM_UNDEFINED;
          });
        }
      });
  if (status != AVRM_OK || is_useful) {
    return status;
  }
  return ranks_by_table(map, {map->as.segments.rank_index, map, 0}, count, processes, ranks);
}

Run SegmentsForm::run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const avrm_segment_t *const segments = segments_of(map);
  return segment_run(map, segments, segment_at(map, static_cast<std::uint32_t>(rank)) - segments);
}

std::optional<Offer> SegmentsForm::offer(const Source &source) noexcept {
  if (source.runs == nullptr) {
    return std::nullopt;
  }
  const auto make = [](const Source &from) noexcept {
    return new_segments_map(from.instance, from.runs->begin(), from.runs->count());
  };
  const std::uint64_t bytes = segments_bytes(source.size, source.runs->count(), source.groups);
  if (bytes > std::uint64_t{1} << 31) { // entries of the rank index are byte offsets of 32 bits
    return std::nullopt;
  }
  return Offer{bytes, Cost::kSearch, make};
}

} // namespace avrankmap::detail
