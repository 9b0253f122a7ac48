// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/choose.h"

#include <algorithm>

#include "rankmap/cart.h"
#include "rankmap/lut.h"
#include "rankmap/mlut.h"
#include "rankmap/packed.h"
#include "rankmap/runs.h"
#include "rankmap/segments.h"

namespace avrankmap::detail {

namespace {

std::uint64_t plain_bytes(const Traits &traits) noexcept {
  return traits.groups == 1 ? lut_bytes(traits.size) : mlut_bytes(traits.size, traits.groups);
}

// Least and greatest lpid of a plain table.
void measure_lpids(const avrm_rankmap_t *map, Traits *traits) noexcept {
  std::uint32_t min = ~std::uint32_t{0};
  std::uint32_t max = 0;
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    const std::uint32_t lpid = map->mode == AVRM_MODE_LUT ? map->v.lut[rank] : map->v.mlut[rank].lpid;
    min = std::min(min, lpid);
    max = std::max(max, lpid);
  }
  traits->min_lpid = min;
  traits->max_lpid = max;
}

// The runs of a table, if there are at most `runs->limit`.
avrm_status_t list_runs(const avrm_rankmap_t *map, RunList *runs) noexcept {
  return for_each_run(map, [runs](const Run &run) { return runs->push(run); });
}

} // namespace

std::int64_t most_segments(std::int32_t size, std::int32_t groups) noexcept {
  Traits traits;
  traits.size = size;
  traits.groups = groups;
  return static_cast<std::int64_t>(plain_bytes(traits) / sizeof(avrm_segment_t));
}

avrm_mode_t smallest_form(const avrm_instance_t *instance, const Traits &traits) noexcept {
  // In order of the cost of translation: a later form has to be smaller.
  avrm_mode_t form = traits.groups == 1 ? AVRM_MODE_LUT : AVRM_MODE_MLUT;
  if (!instance->compact()) {
    return form;
  }
  std::uint64_t bytes = plain_bytes(traits);
  const auto consider = [&form, &bytes](avrm_mode_t candidate, std::uint64_t candidate_bytes) {
    if (candidate_bytes < bytes) {
      form = candidate;
      bytes = candidate_bytes;
    }
  };
  if (traits.dimensions != 0) {
    consider(AVRM_MODE_CART, cart_bytes(traits.dimensions));
  }
  const PackedWidth width = packed_width(traits.min_lpid, traits.max_lpid, traits.groups);
  if (width.bits() <= kMostPackedBits) {
    consider(traits.groups == 1 ? AVRM_MODE_PACKED_LUT : AVRM_MODE_PACKED_MLUT,
             packed_bytes(traits.size, width.bits(), traits.groups));
  }
  if (traits.runs != 0) {
    consider(AVRM_MODE_SEGMENTS, segments_bytes(traits.size, traits.runs, traits.groups));
  }
  return form;
}

avrm_status_t compress(MapOwner *map) noexcept {
  avrm_instance_t *const instance = (*map)->instance;
  if (!instance->compact()) {
    return AVRM_OK;
  }
  Traits traits;
  traits.size = (*map)->size;
  traits.groups = groups_of(map->get());
  measure_lpids(map->get(), &traits);
  std::optional<Cart> cart;
  if (traits.groups == 1) {
    cart = detect_cart(LpidArray((*map)->v.lut, traits.size));
    traits.dimensions = cart ? cart->dimensions : 0;
  }
  RunList runs(instance->memory, most_segments(traits.size, traits.groups));
  const avrm_status_t status = list_runs(map->get(), &runs);
  if (status == AVRM_ERR_NO_MEMORY) {
    return status;
  }
  traits.runs = status == AVRM_OK ? runs.count() : 0;
  MapOwner smaller;
  switch (smallest_form(instance, traits)) {
  case AVRM_MODE_CART: smaller = new_cart_map(instance, (*map)->pgid, *cart, traits.max_lpid); break;
  case AVRM_MODE_SEGMENTS: smaller = new_segments_map(instance, runs.begin(), runs.count()); break;
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT: smaller = new_packed_map(map->get(), traits.min_lpid, traits.max_lpid); break;
  default: return AVRM_OK;
  }
  if (smaller == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  *map = std::move(smaller);
  return AVRM_OK;
}

} // namespace avrankmap::detail
