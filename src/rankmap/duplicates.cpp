// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/duplicates.h"

#include <algorithm>

#include "rankmap/lut.h"
#include "rankmap/mlut.h"
#include "rankmap/packed.h"
#include "rankmap/segments.h"

namespace avrankmap::detail {

namespace {

// Marks bits and says whether one was marked before.
template <typename BitOf> bool marks_twice(std::uint64_t *bits, std::int32_t size, BitOf bit_of) noexcept {
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const std::uint64_t bit = bit_of(rank);
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    if ((bits[bit / 64] & mask) != 0) {
      return true;
    }
    bits[bit / 64] |= mask;
  }
  return false;
}

// `space` is the number of bits that bit_of can return.
template <typename BitOf>
avrm_status_t check(Memory &memory, std::int32_t size, std::uint64_t space, BitOf bit_of) noexcept {
  const std::uint64_t words = space / 64 + 1;
  if (words <= 2 * static_cast<std::uint64_t>(size)) {
    const Scratch<std::uint64_t> bits(memory, words);
    if (!bits) {
      return AVRM_ERR_NO_MEMORY;
    }
    return marks_twice(bits.data(), size, bit_of) ? AVRM_ERR_DUPLICATE : AVRM_OK;
  }
  const Scratch<std::uint64_t> keys(memory, static_cast<std::size_t>(size));
  if (!keys) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t rank = 0; rank < size; ++rank) {
    keys.data()[rank] = bit_of(rank);
  }
  std::uint64_t *const end = keys.data() + size;
  std::sort(keys.data(), end);
  return std::adjacent_find(keys.data(), end) == end ? AVRM_OK : AVRM_ERR_DUPLICATE;
}

avrm_status_t check_mlut(const avrm_rankmap_t *map) noexcept {
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
  return check(memory, map->size, space, [map, &start](std::int32_t rank) {
    return start.data()[map->v.mlut[rank].slot] + map->v.mlut[rank].lpid;
  });
}

avrm_status_t check_one_group(const avrm_rankmap_t *map, std::int32_t max_lpid) noexcept {
  return check(map->instance->memory, map->size, static_cast<std::uint64_t>(max_lpid) + 1,
               [map](std::int32_t rank) { return static_cast<std::uint64_t>(avrm_rankmap_gpid(map, rank).lpid); });
}

avrm_status_t check_packed_mlut(const avrm_rankmap_t *map) noexcept {
  // A field is a number of its own for each process.
  const std::uint64_t space = std::uint64_t{1} << map->stride;
  return check(map->instance->memory, map->size, space,
               [map, space](std::int32_t rank) { return avrm_i_packed_field(map, rank) & (space - 1); });
}

// What a run covers, for sorting.
struct Cover {
  std::int32_t pgid;
  std::int32_t min;
  std::int32_t max;
};

// Runs that do not reach into one another are told apart by sorting them; else every rank has to be looked at.
avrm_status_t check_segments(const avrm_rankmap_t *map) noexcept {
  Memory &memory = map->instance->memory;
  const auto count = static_cast<std::size_t>(map->block);
  const Scratch<Cover> covers(memory, count);
  if (!covers) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint64_t space = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Run run = segment_run(map, static_cast<std::int64_t>(i));
    if (run.stride == 0) {
      return AVRM_ERR_DUPLICATE;
    }
    const auto last = static_cast<std::int32_t>(last_lpid(run));
    covers.data()[i] = {run.pgid, std::min(run.offset, last), std::max(run.offset, last)};
    space = std::max(space, static_cast<std::uint64_t>(covers.data()[i].max) + 1);
  }
  std::sort(covers.data(), covers.data() + count,
            [](const Cover &a, const Cover &b) { return a.pgid != b.pgid ? a.pgid < b.pgid : a.min < b.min; });
  const Cover *const overlap =
      std::adjacent_find(covers.data(), covers.data() + count,
                         [](const Cover &a, const Cover &b) { return a.pgid == b.pgid && a.max >= b.min; });
  if (overlap == covers.data() + count) {
    return AVRM_OK;
  }
  const std::int32_t slots = segments_header(map)->slots;
  return check(memory, map->size, space * static_cast<std::uint64_t>(slots), [map, space](std::int32_t rank) {
    const avrm_segment_t *const segment = avrm_i_segment_of(map, rank);
    const std::uint32_t lpid = segment->start + static_cast<std::uint32_t>(rank) * segment->stride;
    return segment->slot * space + lpid;
  });
}

} // namespace

avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED: return has_duplicates(form_of(map)) ? AVRM_ERR_DUPLICATE : AVRM_OK;
  case AVRM_MODE_LUT:
    return check(map->instance->memory, map->size, static_cast<std::uint64_t>(lut_header(map)->max_lpid) + 1,
                 [map](std::int32_t rank) { return std::uint64_t{map->v.lut[rank]}; });
  case AVRM_MODE_MLUT: return check_mlut(map);
  case AVRM_MODE_SEGMENTS: return check_segments(map);
  case AVRM_MODE_CART: return check_one_group(map, map->stride);
  case AVRM_MODE_PACKED_LUT: return check_one_group(map, packed_header(map)->max_lpid);
  case AVRM_MODE_PACKED_MLUT: return check_packed_mlut(map);
  }
  AVRM_UNREACHABLE();
  return AVRM_OK;
}

} // namespace avrankmap::detail
