// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hierarchy/by_grid.h"

#include <cstdlib>
#include <limits>

#include "av/instance.h"

namespace avrankmap::detail {

namespace {

// A digit of a rank in the mixed radix of a grid's extents, or part of such a digit.
struct Digit {
  std::uint64_t extent;
  std::int64_t stride;

  [[nodiscard]] std::uint64_t pace() const noexcept { return static_cast<std::uint64_t>(std::abs(stride)); }
  // Difference between the lpids of its first and last value.
  [[nodiscard]] std::uint64_t span() const noexcept { return (extent - 1) * pace(); }
};

[[nodiscard]] std::uint64_t rounded_up(std::uint64_t number, std::uint64_t by) noexcept {
  return (number + by - 1) / by;
}

// All digits of a rank, the fastest-varying first. The slowest one may have more values than ranks
// need.
class Digits {
public:
  // Splits dimensions at the end of a node, and of a round of nodes. False if a dimension other
  // than the last does not divide evenly there.
  [[nodiscard]] bool split(const Cart &grid, std::uint64_t block, std::uint64_t round) noexcept {
    auto left = static_cast<std::uint64_t>(grid.size);
    for (int k = 0; k < grid.dimensions; ++k) {
      const bool last = k + 1 == grid.dimensions;
      Digit digit{last ? left : static_cast<std::uint64_t>(grid.extents[k]), grid.strides[k]};
      left = rounded_up(left, digit.extent);
      for (const std::uint64_t whole : {block, round}) {
        const std::uint64_t pace = digit.pace();
        if (pace == 0 || whole % pace != 0 || digit.extent <= whole / pace || pace == whole) {
          continue;
        }
        const std::uint64_t lower = whole / pace;
        if (digit.extent % lower != 0 && !last) {
          return false;
        }
        push({lower, digit.stride});
        digit = {rounded_up(digit.extent, lower), digit.stride * static_cast<std::int64_t>(lower)};
      }
      push(digit);
    }
    return true;
  }

  [[nodiscard]] const Digit *begin() const noexcept { return digits_; }
  [[nodiscard]] const Digit *end() const noexcept { return digits_ + count_; }

private:
  void push(const Digit &digit) noexcept {
    if (digit.extent > 1) {
      digits_[count_++] = digit;
    }
  }

  Digit digits_[3 * kMostDimensions];
  int count_ = 0;
};

// The effect of the digits on the node.
class Course {
public:
  explicit Course(const NodeIdRule &rule) noexcept : rule_(rule) {}

  // Adds the next digit. False if it does not fit.
  [[nodiscard]] bool add(const Digit &digit) noexcept {
    if (digit.pace() < rule_.block) {
      within_ += digit.span();
      return stay(digit);
    }
    if (digit.pace() % rule_.block != 0) {
      return false;
    }
    const std::uint64_t nodes = digit.pace() / rule_.block;
    return nodes % rule_.period == 0 ? stay(digit) : go(digit, nodes);
  }
  // True if different values of the digits that move yield different nodes, and the digits that
  // stay never cross the end of a block. `in` is the position of the lowest lpid on its node.
  [[nodiscard]] bool is_exact(std::uint64_t in) noexcept {
    std::uint64_t reach = 0;
    std::sort(paces_, paces_ + count_, [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
    for (int i = 0; i < count_; ++i) {
      if (paces_[i].pace() <= reach) {
        return false;
      }
      reach += paces_[i].span();
    }
    return reach < rule_.period && in + within_ < rule_.block;
  }
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
  [[nodiscard]] std::uint64_t nodes() const noexcept { return nodes_; }

private:
  [[nodiscard]] bool stay(const Digit &digit) noexcept {
    if (count_ == 0) {
      block_ *= digit.extent;
    } else {
      has_round_ = true;
    }
    return true;
  }
  [[nodiscard]] bool go(const Digit &digit, std::uint64_t nodes) noexcept {
    paces_[count_++] = {digit.extent, static_cast<std::int64_t>(nodes)};
    nodes_ *= digit.extent;
    return !has_round_;
  }

  const NodeIdRule &rule_;
  // How far the digits that stay in a block reach beyond the lowest lpid in it.
  std::uint64_t within_ = 0;
  std::uint64_t block_ = 1;
  std::uint64_t nodes_ = 1;
  bool has_round_ = false;
  Digit paces_[3 * kMostDimensions]; // strides in units of nodes
  int count_ = 0;
};

// Collects the dimensions of a child, in terms of its parent's dimensions.
class ChildGrid {
public:
  ChildGrid(const Cart &parent, const Regular &inner) noexcept : parent_(parent) {
    child_.offset = static_cast<std::int32_t>(parent.at(inner.offset));
    child_.size = inner.size;
    std::int64_t rest = inner.offset;
    for (int k = 0; k < parent.dimensions; ++k) {
      const std::int64_t extent = extent_of(k);
      used_[k] = rest % extent;
      rest /= extent;
    }
  }

  // Adds `extent` ranks of the parent that are `stride` apart. Only the last dimension may be
  // incomplete.
  [[nodiscard]] bool add(std::int64_t extent, std::int64_t stride, bool last) noexcept {
    int k = 0;
    for (; stride >= extent_of(k); ++k) {
      if (stride % extent_of(k) != 0) {
        return false;
      }
      stride /= extent_of(k);
    }
    for (; extent > 1; ++k, stride = 1) {
      const std::int64_t room = (extent_of(k) - 1) / stride + 1;
      const std::int64_t taken = std::min(extent, room);
      const bool goes_on = taken < extent;
      if (goes_on && (extent_of(k) % stride != 0 || (extent % taken != 0 && !last))) {
        return false;
      }
      used_[k] += (taken - 1) * stride;
      if (used_[k] >= extent_of(k) || !push(taken, parent_.strides[k] * stride)) {
        return false;
      }
      extent = (extent + taken - 1) / taken;
    }
    return true;
  }

  [[nodiscard]] const Cart &grid() const noexcept { return child_; }

private:
  [[nodiscard]] std::int64_t extent_of(int k) const noexcept {
    return k + 1 == parent_.dimensions ? std::numeric_limits<std::int64_t>::max() : parent_.extents[k];
  }
  [[nodiscard]] bool push(std::int64_t extent, std::int64_t stride) noexcept {
    int &count = child_.dimensions;
    if (count > 0 && stride == child_.strides[count - 1] * child_.extents[count - 1]) {
      child_.extents[count - 1] *= static_cast<std::int32_t>(extent);
    } else if (extent > 1) {
      if (count == kMostDimensions) {
        return false;
      }
      child_.extents[count] = static_cast<std::int32_t>(extent);
      child_.strides[count++] = stride;
    }
    return true;
  }

  const Cart &parent_;
  Cart child_;
  std::int64_t used_[kMostDimensions] = {}; // greatest coordinate used in the parent
};

// Carts with fewer ranks than kManyRanks, or with fewer rows (runs of ranks) than kManyRows, may be
// smaller in another form, which compose_regular finds.
constexpr std::int32_t kManyRanks = 4096;
constexpr std::int32_t kManyRows = 64;

} // namespace

std::optional<Cart> grid_of(const avrm_rankmap_t *map) noexcept {
  if (map->mode == AVRM_MODE_CART) {
    return cart_of(map);
  }
  if (map->mode != AVRM_MODE_BLOCKED) {
    return std::nullopt;
  }
  const Regular form = form_of(map);
  Cart grid;
  grid.dimensions = 2;
  grid.size = form.size;
  grid.offset = form.offset;
  grid.extents[0] = form.block;
  grid.strides[0] = 1;
  grid.strides[1] = form.stride;
  return grid;
}

std::optional<Piece> piece_of_grid(const Cart &grid, const NodeIdRule &rule) noexcept {
  Digits digits;
  Course course(rule);
  if (!digits.split(grid, rule.block, std::uint64_t{rule.block} * rule.period)) {
    return std::nullopt;
  }
  std::int64_t lowest = grid.offset;
  for (const Digit &digit : digits) {
    lowest -= digit.stride < 0 ? static_cast<std::int64_t>(digit.span()) : 0;
    if (!course.add(digit)) {
      return std::nullopt;
    }
  }
  const std::int64_t position = lowest - std::int64_t{rule.first} + rule.phase;
  if (lowest < rule.first || greatest_of(grid) >= std::int64_t{rule.end} ||
      !course.is_exact(static_cast<std::uint64_t>(position) % rule.block) ||
      course.block() * course.nodes() > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return Piece{0,
               1,
               static_cast<std::uint32_t>(grid.size),
               static_cast<std::uint32_t>(course.block()),
               0,
               static_cast<std::uint32_t>(course.nodes())};
}

avrm_status_t child_of_grid(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  const std::optional<Cart> grid = grid_of(parent);
  if (!grid || !parent->instance->compact() || inner.stride < 1) {
    return AVRM_ERR_UNSUPPORTED;
  }
  ChildGrid child(*grid, inner);
  const std::int64_t blocks = (std::int64_t{inner.size} + inner.block - 1) / inner.block;
  if ((inner.block > 1 && !child.add(inner.block, 1, false)) || !child.add(blocks, inner.stride, true)) {
    return AVRM_ERR_UNSUPPORTED;
  }
  const Cart &cart = child.grid();
  Regular form{cart.size, cart.offset, cart.dimensions == 0 ? 1 : static_cast<std::int32_t>(cart.strides[0]), 1};
  if (cart.dimensions == 2 && cart.strides[0] == 1) {
    form.stride = static_cast<std::int32_t>(cart.strides[1]);
    form.block = cart.extents[0];
  } else if (cart.dimensions > 1) {
    if (cart.size < kManyRanks || cart.size / cart.extents[0] < kManyRows) {
      return AVRM_ERR_UNSUPPORTED;
    }
    *map_p = new_cart_map(parent->instance, parent->pgid, cart, greatest_of(cart));
    return *map_p == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  if (form.stride == 0) {
    return AVRM_ERR_UNSUPPORTED;
  }
  *map_p = new_regular_map(parent->instance, parent->pgid, simplified(form));
  return AVRM_OK;
}

} // namespace avrankmap::detail
