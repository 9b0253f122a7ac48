// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Between two removed ranks a less map is a piece of its base. Two pieces of a base are compared by
// arithmetic, so that no row is read.
#include "rankmap/forms/less_cart.h"

#include <algorithm>

#include "rankmap/forms/growing_cart.h"

namespace avrankmap::detail {

namespace {

Cart as_cart(const avrm_rankmap_t &base) noexcept {
  if (base.mode == AVRM_MODE_CART) {
    return cart_of(&base);
  }
  const Regular form = form_of(&base);
  return {2, form.size, form.offset, {form.block}, {1, form.stride}};
}

// Returns the first of ranks first .. end - 1 of a cart whose lpid plus `stride` is not the lpid of
// the rank `distance` later; `end` if there is none.
std::int64_t first_other(const Cart &cart, std::int64_t first, std::int64_t end, std::int64_t distance,
                         std::int64_t stride) noexcept {
  // The difference can change only where a new slice begins, at the rank or at the later one, and
  // only if `distance` is not a multiple of this slice. It does change there unless a larger slice
  // begins as well, which cannot be true of two successive slices, so the loop ends after a few
  // iterations.
  std::int64_t slice = 1;
  int k = 0;
  while (k + 1 < cart.dimensions && distance % slice == 0) {
    slice *= cart.extents[k++];
  }
  const bool is_constant = distance % slice == 0;
  for (std::int64_t rank = first; rank < end;) {
    if (cart.at(rank + distance) - cart.at(rank) != stride) {
      return rank;
    }
    rank = is_constant ? end : rank + std::min(slice - rank % slice, slice - (rank + distance) % slice);
  }
  return end;
}

// Returns the first rank at or after `first` whose lpid is not that of the rank `slice` before it
// plus `stride`; the size of the map if there is none.
std::int32_t first_break(const avrm_rankmap_t *map, const Cart &base, std::int64_t first, std::int64_t slice,
                         std::int64_t stride) noexcept {
  const avrm_less *const less = map->as.less;
  // Number of ranks before removed rank number i.
  const auto kept = [less, size = std::int64_t{map->size}](std::int64_t i) {
    return i < less->count ? removed_rank(less, i) - i : size;
  };
  std::int64_t passed = 0;         // removed ranks before `rank`
  std::int64_t passed_earlier = 0; // removed ranks before rank - slice
  for (std::int64_t rank = first; rank < map->size;) {
    while (kept(passed) <= rank) {
      ++passed;
    }
    while (kept(passed_earlier) <= rank - slice) {
      ++passed_earlier;
    }
    const std::int64_t end = std::min(kept(passed), kept(passed_earlier) + slice);
    const std::int64_t to_base = passed_earlier - slice;
    const std::int64_t other =
        first_other(base, rank + to_base, end + to_base, slice + passed - passed_earlier, stride) - to_base;
    if (other != end) {
      return static_cast<std::int32_t>(other);
    }
    rank = end;
  }
  return map->size;
}

} // namespace

std::optional<Cart> cart_of_less(const avrm_rankmap_t *map) noexcept {
  const Cart base = as_cart(base_of(map));
  GrowingCart growing;
  while (growing.push(LessForm::process(map, growing.cart().size).lpid)) {
    growing.extend_to(first_break(map, base, growing.cart().size, growing.slice(), growing.last_stride()));
    if (growing.cart().size == map->size) {
      return growing.cart();
    }
  }
  return std::nullopt;
}

} // namespace avrankmap::detail
