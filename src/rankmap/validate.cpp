// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "rankmap/cart.h"
#include "rankmap/implicit_bind.h"
#include "rankmap/lut.h"
#include "rankmap/mlut.h"
#include "rankmap/packed.h"
#include "rankmap/segments.h"

using namespace avrankmap::detail;

namespace {

// Whether a map has the class of its mode, or one of those of implicit AVs, which implicit_fault judges.
bool has_class(const avrm_rankmap_t *map, avrm_class_t klass) noexcept {
  return is_bound_implicitly(map) || map->klass == klass;
}

// Each returns the first violation found, or null.

const char *regular_fault(const avrm_rankmap_t *map) noexcept {
  const Regular form = form_of(map);
  if (map->pgid < 0) {
    return "the pgid of a single-group map is negative";
  }
  if (form.block < 1 || form.stride == 0) {
    return "a regular map has a stride of zero or a block below one";
  }
  if (form != simplified(form) || mode_of(form) != mode_of(map)) {
    return "the mode is not the simplest that holds";
  }
  const Range range = range_of(form);
  if (range.min < 0 || range.max > kMaxLpid) {
    return "an lpid is out of range";
  }
  const bool blocked = map->mode == AVRM_MODE_BLOCKED;
  if (!has_class(map, blocked ? AVRM_CLASS_BLOCKED : AVRM_CLASS_AFFINE)) {
    return "the class does not go with the mode";
  }
  const std::int64_t step = blocked ? std::int64_t{form.stride} - form.block : form.stride;
  if ((blocked || !is_bound_implicitly(map)) && map->u.step != step * static_cast<std::int64_t>(sizeof(avrm_ave_t))) {
    return "the step in bytes does not go with the stride";
  }
  if (blocked && map->v.reciprocal != reciprocal_of(form.block)) {
    return "the reciprocal does not go with the block";
  }
  return nullptr;
}

const char *lut_fault(const avrm_rankmap_t *map) noexcept {
  const LutHeader *const header = lut_header(map);
  if (!has_class(map, AVRM_CLASS_LUT) || map->pgid < 0) {
    return "the class or the pgid does not go with a lut";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (map->offset < 0 || map->offset > header->count - map->size) {
    return "the part is not inside the table";
  }
  const auto max_lpid = static_cast<std::uint32_t>(header->max_lpid);
  const bool bounded =
      std::all_of(map->v.lut, map->v.lut + map->size, [max_lpid](std::uint32_t lpid) { return lpid <= max_lpid; });
  return bounded && header->max_lpid <= kMaxLpid ? nullptr : "an lpid is out of range";
}

const char *mlut_fault(const avrm_rankmap_t *map) noexcept {
  const MlutHeader *const header = mlut_header(map);
  if (!has_class(map, AVRM_CLASS_MLUT) || map->pgid != -1) {
    return "the class or the pgid does not go with an mlut";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (header->slots < 2 || map->u.pgids != mlut_pgids(map)) {
    return "the list of process groups is not sound";
  }
  if (map->offset < 0 || map->offset > header->count - map->size) {
    return "the part is not inside the table";
  }
  const std::int32_t *const max_lpids = mlut_max_lpids(map);
  const bool bounded = std::all_of(map->v.mlut, map->v.mlut + map->size, [&](const avrm_pair_t &pair) {
    return pair.slot < static_cast<std::uint32_t>(header->slots) &&
           pair.lpid <= static_cast<std::uint32_t>(max_lpids[pair.slot]);
  });
  return bounded ? nullptr : "a pair is out of range";
}

const char *segments_fault(const avrm_rankmap_t *map) noexcept {
  const SegmentsHeader *const header = segments_header(map);
  if (!has_class(map, AVRM_CLASS_SEGMENTS)) {
    return "the class does not go with segments";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (header->count < 1 || map->block != header->count || map->stride != segments_shift(map->size, header->count)) {
    return "the number of segments is not sound";
  }
  const auto *const pgids = reinterpret_cast<const std::int32_t *>(segments_tables(map) + header->slots);
  if (header->slots < 1 || map->u.pgids != pgids || map->pgid != (header->slots == 1 ? pgids[0] : -1)) {
    return "the list of process groups is not sound";
  }
  std::uint32_t end = 0;
  for (std::int32_t i = 0; i < map->block; ++i) {
    const avrm_segment_t &segment = map->v.segments[i];
    if ((i == 0 ? segment.first != 0 : segment.first < end) || segment.first >= static_cast<std::uint32_t>(map->size)) {
      return "the segments do not cover the ranks";
    }
    end = segment.first + 1;
    if (segment.slot >= static_cast<std::uint32_t>(header->slots)) {
      return "a process group is out of range";
    }
    const Run run = segment_run(map, i);
    if (run.offset < 0 || run.offset > kMaxLpid || last_lpid(run) < 0 || last_lpid(run) > kMaxLpid) {
      return "an lpid is out of range";
    }
  }
  for (std::int64_t rank = 0; map->stride != 0 && rank < map->size; rank += std::int64_t{1} << map->stride) {
    const std::uint32_t entry = segments_directory(map)[rank >> map->stride];
    if (entry >= static_cast<std::uint32_t>(map->block) || map->v.segments[entry].first > rank ||
        rank >= segment_run(map, entry).first_rank + std::int64_t{segment_run(map, entry).count}) {
      return "the directory is not sound";
    }
  }
  return nullptr;
}

const char *packed_fault(const avrm_rankmap_t *map) noexcept {
  const PackedHeader *const header = packed_header(map);
  const bool several = map->mode == AVRM_MODE_PACKED_MLUT;
  if (!has_class(map, several ? AVRM_CLASS_PACKED_MLUT : AVRM_CLASS_PACKED_LUT) || (map->pgid < 0) != several) {
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

const char *cart_fault(const avrm_rankmap_t *map) noexcept {
  if (map->pgid < 0) {
    return "the pgid of a single-group map is negative";
  }
  if (map->block < 2 || map->block > kMostDimensions || map->v.row < 2 || map->v.row >= map->size ||
      map->u.step % static_cast<std::int64_t>(sizeof(avrm_ave_t)) != 0) {
    return "the dimensions are not sound";
  }
  if (!has_class(map, map->block == 3 ? AVRM_CLASS_CART_3D : AVRM_CLASS_CART)) {
    return "the class does not go with the dimensions";
  }
  std::int64_t max = -1;
  for (std::int64_t rank = 0; rank < map->size; rank += map->v.row) {
    const Run row = cart_run(map, static_cast<std::int32_t>(rank));
    if (row.offset < 0 || last_lpid(row) < 0 ||
        last_lpid(row) != avrm_rankmap_gpid(map, row.first_rank + (row.count - 1)).lpid) {
      return "an lpid is out of range";
    }
    max = std::max({max, std::int64_t{row.offset}, last_lpid(row)});
  }
  if (max != map->stride || max > kMaxLpid || avrm_rankmap_gpid(map, 0).lpid != map->offset) {
    return "the greatest lpid is not sound";
  }
  return nullptr;
}

const char *fault(const avrm_rankmap_t *map) noexcept {
  if (map->size <= 0 || map->instance == nullptr) {
    return "the size or the instance is not sound";
  }
  if (map->bound > 1 || (map->bound != 0) != (map->base != nullptr)) {
    return "the binding is not sound";
  }
  if (const char *const text = implicit_fault(map); text != nullptr) {
    return text;
  }
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED: return regular_fault(map);
  case AVRM_MODE_LUT: return lut_fault(map);
  case AVRM_MODE_MLUT: return mlut_fault(map);
  case AVRM_MODE_SEGMENTS: return segments_fault(map);
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT: return packed_fault(map);
  case AVRM_MODE_CART: return cart_fault(map);
  }
  return "the mode is unknown";
}

} // namespace

bool avrm_rankmap_validate(const avrm_rankmap_t *map, const char **reason_p) noexcept {
  const char *const reason = map == nullptr ? "the map is null" : fault(map);
  if (reason_p != nullptr) {
    *reason_p = reason;
  }
  return reason == nullptr;
}
