// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/regular_form.h"

#include <algorithm>
#include <cstdlib>

#include "avrankmap/inverse.h"
#include "rankmap/bind/implicit_bind.h"
#include "rankmap/forms/affine.h"
#include "rankmap/forms/blocked.h"
#include "rankmap/inverse/affine_inverse.h"

namespace avrankmap::detail {

namespace {

// For at least this many processes, a division is replaced by a prepared multiplication.
constexpr std::size_t kMany = 8;

// The lowest rank of a regular map with this value, or AVRM_UNDEFINED if there is none.
// steps_below(n) is (n - 1) / |stride|, for positive n.
template <typename Steps> std::int32_t rank_in(const Regular &map, std::int64_t value, Steps steps_below) noexcept {
  // The first block that reaches the value: 0 <= distance - block * stride < map.block.
  const std::int64_t distance = value - map.offset;
  const std::int64_t ahead = map.stride > 0 ? distance - map.block + 1 : -distance;
  const std::int64_t block = ahead <= 0 ? 0 : steps_below(static_cast<std::uint32_t>(ahead)) + std::int64_t{1};
  const std::int64_t within = distance - block * map.stride;
  const std::int64_t rank = block * map.block + within;
  const bool found = block >= 0 && within >= 0 && within < map.block && rank < map.size;
  return found ? static_cast<std::int32_t>(rank) : AVRM_UNDEFINED;
}

} // namespace

MapOwner new_regular_map(avrm_instance_t *instance, std::int32_t pgid, const Regular &form) noexcept {
  MapOwner map = new_map(instance);
  if (form.block > 1) {
    make_blocked(map.get(), pgid, form);
  } else {
    make_affine(map.get(), pgid, form);
  }
  return map;
}

MapOwner RegularForm::copy(const avrm_rankmap_t *map) noexcept {
  return new_regular_map(map->instance, map->pgid, form_of(map));
}

void RegularForm::describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept {
  const Regular form = form_of(map);
  info->offset = form.offset;
  info->stride = form.stride;
  info->block = form.block;
}

void RegularForm::max_lpids(const avrm_rankmap_t *map, std::int32_t /*first*/, std::int32_t /*count*/,
                            std::int32_t *max_lpids) noexcept {
  max_lpids[0] = static_cast<std::int32_t>(range_of(form_of(map)).max);
}

avrm_status_t RegularForm::check_unique(const avrm_rankmap_t *map) noexcept {
  return has_duplicates(form_of(map)) ? AVRM_ERR_DUPLICATE : AVRM_OK;
}

const char *regular_fault(const avrm_rankmap_t *map) noexcept {
  const Regular form = form_of(map);
  if (map->size == 0) {
    return map->pgid == -1 && form == Regular{0, 0, 1, 1} && has_class(map) ? nullptr : "an empty map has parameters";
  }
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
  return has_class(map) ? nullptr : "the class does not match the mode";
}

avrm_status_t RegularForm::ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                                 std::int32_t *ranks) noexcept {
  const Regular form = form_of(map);
  const std::int32_t pgid = map->pgid;
  const auto all = [=](auto steps_below) {
    std::transform(processes, processes + count, ranks, [&](const avrm_gpid_t &process) {
      return process.pgid == pgid ? rank_in(form, process.lpid, steps_below) : AVRM_UNDEFINED;
    });
  };
  const auto step = static_cast<std::uint32_t>(std::llabs(form.stride));
  if (count < kMany) {
    // A 32-bit division takes a fraction of the time of a 64-bit one.
    all([step](std::uint32_t number) -> std::int64_t { return (number - 1) / step; });
  } else if (form.block == 1) {
    AffineInverse(form).ranks_of(pgid, count, processes, ranks);
  } else {
    // Rounded down, so that the product is less than number / step, by less than 2^-32.
    const std::uint64_t reciprocal = ~std::uint64_t{0} / step;
    all([reciprocal](std::uint32_t number) { return avrm_i_block_of(number, reciprocal); });
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail
