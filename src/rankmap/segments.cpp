// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/segments.h"

#include <algorithm>
#include <new>

#include "rankmap/intern.h"
#include "rankmap/inverse.h"
#include "rankmap/slot_index.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSlotBytes = sizeof(const avrm_ave_t *) + sizeof(std::int32_t);

// Below this, a search takes five steps at most, and a directory would save little.
constexpr std::int64_t kDirectoryFrom = 32;

std::size_t slots_bytes(std::int64_t slots) noexcept { return static_cast<std::size_t>(slots) * kSlotBytes; }

unsigned char *block_of(SegmentsHeader *header) noexcept {
  return reinterpret_cast<unsigned char *>(header) - slots_bytes(header->slots);
}

std::uint64_t directory_entries(std::int32_t size, std::int32_t shift) noexcept {
  return shift == 0 ? 0 : (static_cast<std::uint64_t>(size - 1) >> shift) + 2;
}

void fill(avrm_rankmap_t *map, SegmentsHeader *header, std::int32_t size) noexcept {
  map->v.segments = reinterpret_cast<const avrm_segment_t *>(header + 1);
  map->size = size;
  map->block = header->count;
  map->offset = 0;
  map->stride = segments_shift(size, header->count);
  map->klass = AVRM_CLASS_SEGMENTS;
  map->mode = AVRM_MODE_SEGMENTS;
  auto *const pgids = reinterpret_cast<const std::int32_t *>(segments_tables(map) + header->slots);
  map->u.pgids = pgids;
  map->pgid = header->slots == 1 ? pgids[0] : -1;
}

void write_directory(const avrm_segment_t *segments, std::int32_t count, std::int32_t shift, std::uint64_t entries,
                     std::uint32_t *directory) noexcept {
  std::uint32_t segment = 0;
  for (std::uint64_t entry = 0; entry + 1 < entries; ++entry) {
    while (segment + 1 < static_cast<std::uint32_t>(count) && segments[segment + 1].first <= entry << shift) {
      ++segment;
    }
    directory[entry] = segment;
  }
  directory[entries - 1] = static_cast<std::uint32_t>(count) - 1;
}

} // namespace

SegmentsHeader *segments_header(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<SegmentsHeader *>(const_cast<avrm_segment_t *>(map->v.segments)) - 1;
}

std::int32_t segments_shift(std::int32_t size, std::int64_t count) noexcept {
  if (count < kDirectoryFrom) {
    return 0;
  }
  // About two segments to a stretch: one entry of 4 bytes for two segments of 16.
  std::int32_t shift = 1;
  while (static_cast<std::int64_t>(directory_entries(size, shift)) > count / 2) {
    ++shift;
  }
  return shift;
}

std::uint64_t segments_bytes(std::int32_t size, std::int64_t count, std::int64_t slots) noexcept {
  return slots_bytes(slots) + sizeof(SegmentsHeader) + static_cast<std::uint64_t>(count) * sizeof(avrm_segment_t) +
         directory_entries(size, segments_shift(size, count)) * sizeof(std::uint32_t);
}

const avrm_ave_t **segments_tables(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const avrm_ave_t **>(block_of(segments_header(map)));
}

const std::uint32_t *segments_directory(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const std::uint32_t *>(map->v.segments + map->block);
}

MapOwner new_segments_map(avrm_instance_t *instance, const Run *runs, std::int32_t count) noexcept {
  SlotIndex index(instance->memory);
  for (const Run *run = runs; run != runs + count; ++run) {
    if (index.slot_of(run->pgid) < 0) {
      return nullptr;
    }
  }
  MapOwner map = new_map(instance);
  if (map == nullptr) {
    return nullptr;
  }
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
  auto *const segments = reinterpret_cast<avrm_segment_t *>(header + 1);
  for (std::int32_t i = 0; i < count; ++i) {
    const Run &run = runs[i];
    const auto first = static_cast<std::uint32_t>(run.first_rank);
    const auto stride = static_cast<std::uint32_t>(run.stride);
    const std::int32_t slot = index.slot_of(run.pgid); // seen before, so this needs no memory
    segments[i] = {first, static_cast<std::uint32_t>(run.offset) - first * stride, stride,
                   static_cast<std::uint32_t>(slot)};
    pgids[slot] = run.pgid;
  }
  fill(map.get(), header, size);
  if (map->stride != 0) {
    write_directory(segments, count, map->stride, directory_entries(size, map->stride),
                    reinterpret_cast<std::uint32_t *>(segments + count));
  }
  return map;
}

void share_segments(avrm_rankmap_t *map, const avrm_rankmap_t *parent) noexcept {
  SegmentsHeader *const header = segments_header(parent);
  header->sharers.fetch_add(1, std::memory_order_relaxed);
  fill(map, header, parent->size);
}

void use_segments(avrm_rankmap_t *map, SegmentsHeader *header) noexcept { fill(map, header, map->size); }

void drop_segments(avrm_rankmap_t *map) noexcept {
  SegmentsHeader *const header = segments_header(map);
  Interned &interned = map->instance->interned;
  if (give_up_share(&interned, &interned.segments, &header->sharers, segments_key(map, header->hash), header)) {
    forget_inverse(map->instance, header);
    map->instance->memory.release(block_of(header), segments_bytes(map->size, header->count, header->slots), kAlignment,
                                  AVRM_MEM_SEGMENTS);
  }
}

Run segment_run(const avrm_rankmap_t *map, std::int64_t i) noexcept {
  const avrm_segment_t &segment = map->v.segments[i];
  const std::uint32_t end = i + 1 == map->block ? static_cast<std::uint32_t>(map->size) : map->v.segments[i + 1].first;
  return {static_cast<std::int32_t>(segment.first), static_cast<std::int32_t>(end - segment.first),
          map->u.pgids[segment.slot], static_cast<std::int32_t>(segment.start + segment.first * segment.stride),
          static_cast<std::int32_t>(segment.stride)};
}

void segments_max_lpids_of(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                           std::int32_t *max_lpids) noexcept {
  std::fill_n(max_lpids, count, -1);
  for (std::int32_t i = 0; i < map->block; ++i) {
    const std::int64_t slot = std::int64_t{map->v.segments[i].slot} - first;
    if (slot >= 0 && slot < count) {
      const Run run = segment_run(map, i);
      max_lpids[slot] = std::max({max_lpids[slot], run.offset, static_cast<std::int32_t>(last_lpid(run))});
    }
  }
}

} // namespace avrankmap::detail
