// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/dims.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace {

constexpr int kMostExtents = 31;    // extents above 1, whose product is below 2^31
constexpr int kMostDivisors = 1600; // divisors of a number below 2^31 (2095133040)
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// True if base^exponent is at most `limit`.
bool power_is_within(std::int64_t base, int exponent, std::int64_t limit) noexcept {
  std::int64_t power = 1;
  for (; exponent > 0 && power <= limit; --exponent) {
    power *= base;
  }
  return power <= limit;
}

// Writes a number as a product of `count` extents. Chooses them from the smallest to the largest,
// each from its greatest possible value down, so that of several products with the same difference
// between the largest and the smallest extent, the first one found is the one that dims.h
// specifies.
class Search {
public:
  Search(std::int64_t number, int count) noexcept : count_(count) {
    for (std::int64_t divisor = 1; divisor * divisor <= number; ++divisor) {
      if (number % divisor == 0) {
        divisors_[divisors_end_++] = static_cast<std::int32_t>(divisor);
      }
    }
    for (int i = divisors_end_ - 1; i >= 0; --i) {
      const std::int64_t other = number / divisors_[i];
      if (other != divisors_[divisors_end_ - 1]) {
        divisors_[divisors_end_++] = static_cast<std::int32_t>(other);
      }
    }
    extend(0, 0, number);
  }

  // In ascending order.
  [[nodiscard]] const std::int32_t *extents() const noexcept { return best_; }

private:
  // The extents before `position` are chosen. The others must have the product `left`, and each
  // must be at least the divisor with index `least`.
  void extend(int position, int least, std::int64_t left) noexcept {
    const int others = count_ - position;
    if (others == 1) {
      current_[position] = static_cast<std::int32_t>(left);
      const std::int64_t difference = left - current_[0];
      if (difference < difference_) {
        difference_ = difference;
        std::copy_n(current_, count_, best_);
      }
      return;
    }
    int i = least;
    while (i + 1 < divisors_end_ && power_is_within(divisors_[i + 1], others, left)) {
      ++i;
    }
    for (; i >= least; --i) {
      const std::int64_t divisor = divisors_[i];
      if (left % divisor != 0) {
        continue;
      }
      // To be better, the largest extent must stay below smallest + difference_, which may be
      // impossible with the remaining extents.
      const std::int64_t smallest = position == 0 ? divisor : current_[0];
      if (difference_ != kNone && power_is_within(smallest + difference_ - 1, others - 1, left / divisor - 1)) {
        return; // a smaller divisor leaves a greater product
      }
      current_[position] = static_cast<std::int32_t>(divisor);
      extend(position + 1, i, left / divisor);
    }
  }

  int count_;
  int divisors_end_ = 0;
  std::int64_t difference_ = kNone; // difference of the best extents so far
  std::int32_t divisors_[kMostDivisors] = {};
  std::int32_t current_[kMostExtents] = {};
  std::int32_t best_[kMostExtents] = {};
};

} // namespace

avrm_status_t avrm_dims_create(int32_t processes, int32_t count, int32_t *dims) noexcept {
  if (processes < 1 || count < 0) {
    return AVRM_ERR_SIZE;
  }
  if (count > 0 && dims == nullptr) {
    return AVRM_ERR_NULL;
  }
  std::int64_t left = processes;
  std::int32_t open = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    if (dims[i] < 0) {
      return AVRM_ERR_SIZE;
    }
    open += dims[i] == 0 ? 1 : 0;
  }
  for (std::int32_t i = 0; i < count; ++i) {
    if (dims[i] > 0) {
      if (left % dims[i] != 0) {
        return AVRM_ERR_DIMENSIONS;
      }
      left /= dims[i];
    }
  }
  if (open == 0) {
    return left == 1 || count == 0 ? AVRM_OK : AVRM_ERR_DIMENSIONS;
  }
  const int found = std::min(open, kMostExtents);
  const Search search(left, found);
  int taken = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    if (dims[i] == 0) {
      dims[i] = taken < found ? search.extents()[found - 1 - taken] : 1;
      ++taken;
    }
  }
  return AVRM_OK;
}
