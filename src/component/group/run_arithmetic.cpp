// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/run_arithmetic.h"

#include <cstdlib>

namespace avrankmap::detail {

namespace {

constexpr RunIndices kNone{0, 1, 0};

// Rounds towards minus infinity; b > 0.
std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept { return a >= 0 ? a / b : -((b - 1 - a) / b); }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return -floor_div(-a, b); }
std::int64_t modulo(std::int64_t a, std::int64_t b) noexcept { return a - floor_div(a, b) * b; }

struct Bezout {
  std::int64_t gcd;
  std::int64_t factor; // factor * a is gcd modulo b
};

// a, b > 0. |factor| < b.
Bezout bezout(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t factor = 1;
  std::int64_t next_factor = 0;
  while (b != 0) {
    const std::int64_t quotient = a / b;
    const std::int64_t rest = a - quotient * b;
    const std::int64_t rest_factor = factor - quotient * next_factor;
    a = b;
    b = rest;
    factor = next_factor;
    next_factor = rest_factor;
  }
  return {a, factor};
}

} // namespace

RunIndices common_indices(const Run &run, const Run &other) noexcept {
  const std::int64_t low = low_lpid(other);
  const std::int64_t high = high_lpid(other);
  if (run.pgid != other.pgid || high_lpid(run) < low || low_lpid(run) > high) {
    return kNone;
  }
  const std::int64_t step = run.count == 1 ? 1 : std::abs(std::int64_t{run.stride});
  const std::int64_t grid = other.count == 1 ? 1 : std::abs(std::int64_t{other.stride});
  // The indices between the ends of `other`; with a negative stride the distance counts down.
  const bool up = run.count == 1 || run.stride > 0;
  const std::int64_t to_low = up ? low - run.offset : run.offset - high;
  const std::int64_t to_high = up ? high - run.offset : run.offset - low;
  const std::int64_t begin = std::max<std::int64_t>(0, ceil_div(to_low, step));
  const std::int64_t end = std::min<std::int64_t>(run.count - 1, floor_div(to_high, step));
  if (begin > end) {
    return kNone;
  }
  if (grid == 1) {
    return {begin, 1, end - begin + 1};
  }
  // Select those that are on the grid of `other`: index * step is to_low modulo grid.
  const Bezout common = bezout(step, grid);
  if (to_low % common.gcd != 0) {
    return kNone;
  }
  const std::int64_t period = grid / common.gcd;
  // Both factors are below 2^31.
  const std::int64_t residue = modulo(modulo(to_low / common.gcd, period) * modulo(common.factor, period), period);
  const std::int64_t first = begin + modulo(residue - begin, period);
  return first > end ? kNone : RunIndices{first, period, (end - first) / period + 1};
}

std::optional<Cart> rows_without(const Run &run, const Run &other) noexcept {
  const RunIndices places = common_indices(run, other);
  const std::int64_t row = places.step - 1;
  const std::int64_t after = run.count - 1 - (places.first + (places.count - 1) * places.step);
  // With rows of two, the removed process may also be in the middle of a row.
  const bool is_split = row == 2 && places.first == 1;
  const bool whole_first_row = places.first == 0 || places.first == row || is_split;
  const std::int64_t size = run.count - places.count;
  if (places.count < 2 || row < 2 || size <= row || !whole_first_row || after > row) {
    return std::nullopt;
  }
  Cart rows;
  rows.dimensions = 2;
  rows.size = static_cast<std::int32_t>(size);
  rows.offset = static_cast<std::int32_t>(lpid_at(run, places.first == 0 ? 1 : 0));
  rows.extents[0] = static_cast<std::int32_t>(row);
  rows.strides[0] = std::int64_t{run.stride} * (is_split ? 2 : 1);
  rows.strides[1] = std::int64_t{run.stride} * places.step;
  return rows;
}

} // namespace avrankmap::detail
