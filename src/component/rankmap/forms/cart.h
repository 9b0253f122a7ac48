// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode cart: mixed-radix maps of 2 to 8 dimensions (n-D Cartesian compression paper; unlike in the
// paper, the pattern is detected in the map itself and needs no world rectangle). A rank's
// coordinates are c0 = rank % extent0, c1 = rank / extent0 % extent1, ..., the last one unbounded,
// and lpid = offset + sum of ck * stride[k].
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_CART_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_CART_H

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

namespace avrankmap::detail {

inline constexpr int kMostDimensions = 8;

// Maps that are duplicates of each other share the entries of their dimensions, which follow the
// header.
struct CartHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t row = 0; // extent of the first dimension
};
static_assert(sizeof(CartHeader) == 8);

struct Cart {
  int dimensions = 0;
  std::int32_t size = 0;
  std::int32_t offset = 0;
  std::int32_t extents[kMostDimensions] = {}; // extents of all dimensions except the last
  std::int64_t strides[kMostDimensions] = {};

  // The value at a rank.
  [[nodiscard]] std::int64_t at(std::int64_t rank) const noexcept {
    std::int64_t value = offset;
    for (int k = 0; k < dimensions; ++k) {
      const bool last = k + 1 == dimensions;
      value += (last ? rank : rank % extents[k]) * strides[k];
      rank = last ? 0 : rank / extents[k];
    }
    return value;
  }
};

// Bytes in addition to the rankmap.
[[nodiscard]] constexpr std::uint64_t cart_bytes(int dimensions) noexcept {
  return sizeof(CartHeader) + static_cast<std::uint64_t>(dimensions - 1) * sizeof(avrm_cart_t);
}

// The lpids of a list of runs in one process group.
class LpidRuns {
public:
  explicit LpidRuns(const RunList &runs) noexcept : runs_(runs), run_(runs.begin()) {}
  [[nodiscard]] std::int32_t size() const noexcept { return runs_.size(); }
  [[nodiscard]] std::int64_t at(std::int64_t rank) noexcept {
    seek(rank);
    return lpid_at(*run_, rank - run_->first_rank);
  }
  [[nodiscard]] std::int32_t first_run() const noexcept { return runs_.begin()->count; }
  [[nodiscard]] std::int32_t longest_run() const noexcept;
  [[nodiscard]] bool follows(std::int64_t rank, std::int64_t count, std::int64_t lpid, std::int64_t stride) noexcept;

private:
  void seek(std::int64_t rank) noexcept;
  const RunList &runs_;
  const Run *run_; // run of the last rank that was read
};

// The cart with the fewest dimensions that a sequence of lpids follows, if there is one. The
// sequence must not be a regular map. A sequence of at least three equal lpids is a cart of two
// dimensions. O(runs).
[[nodiscard]] std::optional<Cart> detect_cart(LpidRuns lpids) noexcept;

// Creates a cart map. `max_lpid` is the greatest lpid. Null if out of memory.
[[nodiscard]] MapOwner new_cart_map(avrm_instance_t *instance, std::int32_t pgid, const Cart &cart,
                                    std::int64_t max_lpid) noexcept;

// The greatest value.
[[nodiscard]] std::int64_t greatest_of(const Cart &cart) noexcept;

// Extents and strides of a cart map.
[[nodiscard]] Cart cart_of(const avrm_rankmap_t *map) noexcept;

// A 128-bit product of two factors, one of which is below 2^31.
struct Product {
  std::uint64_t low;
  std::uint64_t high;
};
// For targets without 128-bit integers.
[[nodiscard]] inline Product multiply_by_halves(std::uint64_t value, std::uint64_t factor) noexcept {
  const auto [narrow, wide] = value >> 31 == 0 ? std::pair(value, factor) : std::pair(factor, value);
  const std::uint64_t low_half = narrow * static_cast<std::uint32_t>(wide);
  return {narrow * wide, (narrow * (wide >> 32) + (low_half >> 32)) >> 32};
}
[[nodiscard]] inline Product multiply(std::uint64_t value, std::uint64_t factor) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(value) * factor;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
  return multiply_by_halves(value, factor);
#endif
}

// MergesRuns, because a row may continue the previous row.
struct CartForm : NoTable,
                  NeverStrict,
                  OneGroup,
                  FoldedByLine<AVRM_CLASS_IMPLICIT_CART>,
                  Translated<CartForm>,
                  MergesRuns<CartForm> {
  static RankPlace place(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return {0, lpid_of(map->as, map->offset, rank)};
  }
  static std::int32_t lpid_of(const decltype(avrm_rankmap_t::as) &fields, std::int32_t offset,
                              std::int32_t rank) noexcept {
    const auto &as = fields.cart;
    std::uint64_t lpid = static_cast<std::uint64_t>(offset + std::int64_t{rank} * as.stride);
    auto fraction = static_cast<std::uint64_t>(rank);
    const auto add = [&](const avrm_cart_t &dimension) {
      const Product product = multiply(fraction, dimension.factor);
      fraction = product.low;
      lpid += product.high * dimension.step;
    };
    // Carts of two and three dimensions, which are the most common, do not need the loop.
    add(as.dimensions[0]);
    if (as.count > 2) {
      add(as.dimensions[1]);
    }
    for (std::int32_t i = 2; i < as.count - 1; ++i) {
      add(as.dimensions[i]);
    }
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(lpid));
  }
  static MapOwner copy(const avrm_rankmap_t *map) noexcept;
  static void drop(avrm_rankmap_t *map) noexcept;
  static void describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept;
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                        std::int32_t *max_lpids) noexcept;
  static constexpr auto exact_max_lpids = max_lpids;
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_CART; }
  static avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept; // the rank's row
  static std::optional<Offer> offer(const Source &source) noexcept;
};

template <> struct Form<AVRM_MODE_CART> : CartForm {};
template <> struct Translation<AVRM_CLASS_CART> : OnTables<CartForm> {};
template <> struct Translation<AVRM_CLASS_IMPLICIT_CART> : OnLines<CartForm> {};

} // namespace avrankmap::detail

#endif
