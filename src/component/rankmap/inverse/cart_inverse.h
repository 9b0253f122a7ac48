// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a cart by arithmetic. If the dimensions are put in order of |stride| and each
// stride is greater than all that the dimensions before it reach together, an lpid has one set of
// coordinates, which divisions by the strides find, the greatest first. So it is with any
// permutation of the dimensions of an array, also with gaps and backwards.
#ifndef AVRANKMAP_SRC_RANKMAP_INVERSE_CART_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_INVERSE_CART_INVERSE_H

#include <optional>

#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

class CartInverse {
public:
  // Nothing if the strides do not allow it. O(dimensions^2), no memory.
  [[nodiscard]] static std::optional<CartInverse> of(const Cart &cart) noexcept;

  // -1 if no rank has the lpid. One division per dimension.
  [[nodiscard]] std::int32_t rank_of(std::int64_t lpid) const noexcept;

private:
  struct Dimension {
    std::int64_t stride; // above zero
    std::int64_t slice;  // ranks per step; below zero if the lpids fall
    std::int64_t extent;
  };

  int dimensions_ = 0;
  std::int64_t size_ = 0;
  // Of the box that contains the cart: the last dimension may end within a step.
  std::int64_t least_ = 0; // lpid
  std::int64_t rank_of_least_ = 0;
  Dimension by_stride_[kMostDimensions] = {}; // the greatest first
};

} // namespace avrankmap::detail

#endif
