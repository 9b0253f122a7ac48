// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creates children of a parent from a mapping array that is given as a formula.
#include "comm_algorithms/create/cart_child.h"

#include "rankmap/create/finish.h"
#include "rankmap/forms/lut.h"

namespace avrankmap::detail {

namespace {

avrm_status_t child_by_array(const avrm_rankmap_t *parent, const Cart &ranks, MapOwner *map_p) noexcept {
  const Scratch<std::int32_t> array(parent->instance->memory, static_cast<std::size_t>(ranks.size));
  if (!array) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t place = 0; place < ranks.size; ++place) {
    array.data()[place] = static_cast<std::int32_t>(ranks.at(place));
  }
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_child(parent, ranks.size, array.data(), AVRM_RANKMAP_DEFAULT, &map);
  *map_p = MapOwner(map);
  return status;
}

} // namespace

avrm_status_t child_by_cart(const avrm_rankmap_t *parent, const Cart &ranks, MapOwner *map_p) noexcept {
  avrm_rankmap_t map{};
  if (ranks.dimensions <= 1) {
    const avrm_status_t status = avrm_rankmap_create_child_regular(
        parent, ranks.size, ranks.offset, ranks.dimensions == 0 ? 1 : static_cast<std::int32_t>(ranks.strides[0]), 1,
        AVRM_RANKMAP_DEFAULT, &map);
    *map_p = MapOwner(map);
    return status;
  }
  if (ranks.dimensions == 2 && ranks.strides[0] == 1 && ranks.strides[1] != 0) {
    const avrm_status_t status =
        avrm_rankmap_create_child_regular(parent, ranks.size, ranks.offset, static_cast<std::int32_t>(ranks.strides[1]),
                                          ranks.extents[0], AVRM_RANKMAP_DEFAULT, &map);
    *map_p = MapOwner(map);
    return status;
  }
  const avrm_instance &instance = *parent->instance;
  if (!is_affine(parent) || !instance.compact() ||
      cart_bytes(ranks.dimensions) + instance.worth() > lut_bytes(ranks.size)) {
    return child_by_array(parent, ranks, map_p);
  }
  // The parent's stride is a common factor.
  Cart cart = ranks;
  cart.offset = static_cast<std::int32_t>(value_at(form_of(parent), ranks.offset));
  for (int k = 0; k < cart.dimensions; ++k) {
    cart.strides[k] *= parent->as.affine.stride;
  }
  *map_p = new_cart_map(parent->instance, parent->pgid, cart, greatest_of(cart));
  return *map_p == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
}

} // namespace avrankmap::detail
