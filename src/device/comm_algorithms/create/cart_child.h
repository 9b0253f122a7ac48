// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A child map whose ranks form a grid in the parent.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_CART_CHILD_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_CART_CHILD_H

#include "rankmap/forms/cart.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

// Creates the map of a child whose mapping array is a cart of 0 (one process) or more dimensions.
// Uses no array if the child is regular, or if the parent is affine and the instance's cost class
// prefers a cart.
[[nodiscard]] avrm_status_t child_by_cart(const avrm_rankmap_t *parent, const Cart &ranks, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
