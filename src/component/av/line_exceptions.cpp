// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/line_exceptions.h"

#include <cstdlib>

namespace avrankmap::detail {

namespace {

std::uint64_t magnitude_of(std::int64_t step) noexcept { return static_cast<std::uint64_t>(std::llabs(step)); }
std::uint64_t with_sign_of(std::int64_t step, std::uint64_t factor) noexcept { return step < 0 ? 0 - factor : factor; }

} // namespace

void LineExceptions::add(std::uint32_t first, std::uint32_t end) noexcept {
  if (first == end) {
    return;
  }
  if (stretches_ == 0) {
    first_ = first;
    length_ = end - first;
    stretches_ = 1;
  } else if (first == end_) { // extends the current range
    length_ += stretches_ == 1 ? end - first : 0;
    periodic_ = periodic_ && (stretches_ == 1 || end - first_ - (stretches_ - 1) * period_ <= length_);
  } else {
    period_ = stretches_ == 1 ? first - first_ : period_;
    periodic_ = periodic_ && first - first_ == std::uint64_t{stretches_} * period_ && end - first <= length_;
    ++stretches_;
  }
  end_ = end;
}

bool LineExceptions::make_periodic(avrm_line_t *line, std::int32_t size) const noexcept {
  if (stretches_ == 1 || !periodic_) {
    return false;
  }
  // The pattern continues before the first range and after the last one.
  const std::uint64_t periods = static_cast<std::uint64_t>(size) / period_ + 1;
  if (periods * length_ >= std::uint64_t{end_} - first_) {
    return false;
  }
  const std::uint64_t magnitude = magnitude_of(line->step);
  const std::uint64_t period = period_ * magnitude;
  std::uint64_t factor = ~std::uint64_t{0} / period + 1; // 2^64 / period, rounded up
  factor += factor & 1;
  const std::uint64_t excess = factor * period; // excess over 2^64
  if (excess * (periods + 1) >= factor * magnitude) {
    return false;
  }
  // The origin is before lpid 0, so that no lpid precedes it.
  const std::int64_t origin = std::int64_t{first_ % period_} - std::int64_t{period_};
  line->origin = line->word + distance(origin, line->step);
  line->factor = with_sign_of(line->step, factor);
  line->limit = length_ * magnitude * factor;
  return true;
}

std::optional<avrm_line_t> LineExceptions::line(std::uint64_t word, std::int64_t step,
                                                std::int32_t size) const noexcept {
  avrm_line_t line{word, step, 0, 0, 0};
  if (stretches_ == 0) {
    return line;
  }
  // The words of all lpids extend over at most this, so that no product exceeds 64 bits.
  constexpr std::uint64_t kMostSpan = std::uint64_t{1} << 61;
  if (step == 0 || magnitude_of(step) > kMostSpan / static_cast<std::uint32_t>(size)) {
    return std::nullopt;
  }
  if (!make_periodic(&line, size)) {
    line.origin = word + distance(first_, step);
    line.factor = with_sign_of(step, 2);
    line.limit = 2 * magnitude_of(step) * (end_ - first_);
  }
  return line;
}

} // namespace avrankmap::detail
