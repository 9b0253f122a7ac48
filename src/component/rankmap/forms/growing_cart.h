// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_GROWING_CART_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_GROWING_CART_H

#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

// Finds the cart with the fewest dimensions that a sequence of lpids follows, like detect_cart, but
// takes one lpid at a time. A cart of one dimension is affine, or a repetition of one lpid.
class GrowingCart {
public:
  // Appends an lpid. Returns false, and appends nothing, if no cart begins with these lpids.
  [[nodiscard]] bool push(std::int32_t lpid) noexcept {
    const std::int64_t rank = cart_.size;
    if (rank == 0) {
      cart_.offset = lpid;
    } else if (rank == 1) {
      cart_.strides[0] = std::int64_t{lpid} - cart_.offset;
    } else if (lpid != cart_.at(rank)) {
      // The last dimension ends here if all its slices are complete.
      if (rank % slice_ != 0 || cart_.dimensions == kMostDimensions) {
        return false;
      }
      cart_.extents[cart_.dimensions - 1] = static_cast<std::int32_t>(rank / slice_);
      cart_.strides[cart_.dimensions++] = std::int64_t{lpid} - cart_.offset;
      slice_ = rank;
    }
    ++cart_.size;
    return true;
  }
  // Appends ranks up to `size`, each of which has the lpid of the rank one slice before it plus the
  // stride of the last dimension.
  void extend_to(std::int32_t size) noexcept { cart_.size = size; }

  [[nodiscard]] const Cart &cart() const noexcept { return cart_; }
  // Ranks per step of the last dimension.
  [[nodiscard]] std::int64_t slice() const noexcept { return slice_; }
  // Stride of the last dimension; 1 until there is a second lpid.
  [[nodiscard]] std::int64_t last_stride() const noexcept { return cart_.strides[cart_.dimensions - 1]; }

private:
  static Cart one_dimension() noexcept {
    Cart cart;
    cart.dimensions = 1;
    cart.strides[0] = 1;
    return cart;
  }
  Cart cart_ = one_dimension();
  std::int64_t slice_ = 1;
};

// A cart as a regular map, if it is one.
[[nodiscard]] inline std::optional<Regular> regular_from(const Cart &cart) noexcept {
  const std::int64_t stride = cart.strides[cart.dimensions - 1];
  if (stride == 0 || cart.dimensions > 2 || (cart.dimensions == 2 && cart.strides[0] != 1)) {
    return std::nullopt;
  }
  return simplified(
      {cart.size, cart.offset, static_cast<std::int32_t>(stride), cart.dimensions == 1 ? 1 : cart.extents[0]});
}

} // namespace avrankmap::detail

#endif
