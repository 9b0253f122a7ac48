// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The part of a parent that a grid names.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_CART_CHILD_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_CART_CHILD_H

#include "rankmap/forms/cart.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

// The map of a child of the parent whose mapping array is a cart, of 0 dimensions (one process) or
// more. No array is read or written if both sides are regular and the instance's cost class takes
// a cart.
[[nodiscard]] avrm_status_t child_by_cart(const avrm_rankmap_t *parent, const Cart &ranks, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
