// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a cart by arithmetic. If the dimensions are sorted by |stride| and each stride is
// greater than the distance that all dimensions of smaller strides reach together, an lpid has a
// unique set of coordinates, which divisions by the strides yield, in descending order. This is the
// case for any permutation of the dimensions of an array, even with gaps or reversed dimensions.
#ifndef AVRANKMAP_SRC_RANKMAP_INVERSE_CART_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_INVERSE_CART_INVERSE_H

#include <optional>

#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

class CartInverse {
public:
  // Returns nothing if the strides do not allow it. O(dimensions^2); allocates nothing.
  [[nodiscard]] static std::optional<CartInverse> of(const Cart &cart) noexcept;

  // Returns -1 if no rank has this lpid. One division per dimension.
  [[nodiscard]] std::int32_t rank_of(std::int64_t lpid) const noexcept;

private:
  struct Dimension {
    std::int64_t stride; // positive
    std::int64_t slice;  // ranks per step; negative if the lpids descend
    std::int64_t extent;
  };

  int dimensions_ = 0;
  std::int64_t size_ = 0;
  // Bounds of the box that contains the cart: the last dimension may end within a step.
  std::int64_t least_ = 0; // least lpid
  std::int64_t rank_of_least_ = 0;
  Dimension by_stride_[kMostDimensions] = {}; // in descending order of stride
};

} // namespace avrankmap::detail

#endif
