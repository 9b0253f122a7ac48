// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_LESS_CART_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_LESS_CART_H

#include "rankmap/forms/cart.h"
#include "rankmap/forms/less.h"

namespace avrankmap::detail {

// The cart with the fewest dimensions that a less map follows, if there is one; regular maps are
// carts of one or two dimensions. The base must be blocked or a cart, and no two of its dimensions
// may be equivalent to one. Cost: O(removed ranks), regardless of the number of ranks; allocates
// nothing.
[[nodiscard]] std::optional<Cart> cart_of_less(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
