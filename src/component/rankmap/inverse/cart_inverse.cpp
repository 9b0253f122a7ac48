// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/inverse/cart_inverse.h"

#include <cstdlib>

namespace avrankmap::detail {

std::optional<CartInverse> CartInverse::of(const Cart &cart) noexcept {
  CartInverse inverse;
  inverse.dimensions_ = cart.dimensions;
  inverse.size_ = cart.size;
  inverse.least_ = cart.offset;
  std::int64_t slice = 1;
  for (int k = 0; k < cart.dimensions; ++k) {
    const bool last = k + 1 == cart.dimensions;
    const std::int64_t extent = last ? (cart.size + slice - 1) / slice : cart.extents[k];
    const std::int64_t stride = cart.strides[k];
    // Insert the dimension in order among the previous ones.
    Dimension *place = inverse.by_stride_ + k;
    for (; place != inverse.by_stride_ && place[-1].stride < std::abs(stride); --place) {
      *place = place[-1];
    }
    *place = {std::abs(stride), stride < 0 ? -slice : slice, extent};
    if (stride < 0) {
      inverse.least_ += (extent - 1) * stride;
      inverse.rank_of_least_ += (extent - 1) * slice;
    }
    slice *= extent;
  }
  std::int64_t reach = 0; // distance that dimensions of smaller stride reach
  for (int k = cart.dimensions - 1; k >= 0; --k) {
    const Dimension &dimension = inverse.by_stride_[k];
    if (dimension.stride <= reach) {
      return std::nullopt;
    }
    reach += (dimension.extent - 1) * dimension.stride;
  }
  return inverse;
}

std::int32_t CartInverse::rank_of(std::int64_t lpid) const noexcept {
  std::int64_t rest = lpid - least_;
  if (rest < 0) {
    return -1;
  }
  std::int64_t rank = rank_of_least_;
  for (int k = 0; k < dimensions_; ++k) {
    const Dimension &dimension = by_stride_[k];
    const std::int64_t coordinate = rest / dimension.stride;
    if (coordinate >= dimension.extent) {
      return -1;
    }
    rest -= coordinate * dimension.stride;
    rank += coordinate * dimension.slice;
  }
  return rest == 0 && rank < size_ ? static_cast<std::int32_t>(rank) : -1;
}

} // namespace avrankmap::detail
