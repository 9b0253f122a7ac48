// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "window_table/fields.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace avrankmap::detail {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
// Exceptions are in runs of at most this length; a longer run rules out the form.
constexpr std::uint32_t kLongestException = 64;

// Statistics of the runs of a field, collected in one pass.
struct Survey {
  std::uint64_t runs = 0;
  bool has_steps = false;
  // Rule of the first run.
  std::uint64_t start = 0;
  std::uint64_t step = 0;
  // The rule that more than half of the ranks follow, if there is one.
  std::uint64_t most_start = 0;
  std::uint64_t most_step = 0;
  std::uint64_t most_votes = 0;
  // Bounds of all values.
  std::uint64_t least = kNever;
  std::uint64_t greatest = 0;

  void add(const FieldRun &run) noexcept {
    const std::uint64_t at_zero = run.value - run.first * run.step;
    if (runs++ == 0) {
      start = at_zero;
      step = run.step;
    }
    has_steps = has_steps || run.step != 0;
    if (most_votes == 0) {
      most_start = at_zero;
      most_step = run.step;
    }
    if (most_start == at_zero && most_step == run.step) {
      most_votes += run.count;
    } else if (most_votes >= run.count) {
      most_votes -= run.count;
    } else {
      most_votes = run.count - most_votes;
      most_start = at_zero;
      most_step = run.step;
    }
    bound(run);
  }

private:
  void bound(const FieldRun &run) noexcept {
    const std::uint64_t last = run.value + (run.count - 1) * run.step;
    const bool rises = static_cast<std::int64_t>(run.step) >= 0;
    const std::uint64_t by = rises ? run.step : std::uint64_t{0} - run.step;
    std::uint64_t way = 0;
    const bool is_far = __builtin_mul_overflow(by, std::uint64_t{run.count} - 1, &way);
    const bool wraps = is_far || (rises ? last < run.value : last > run.value);
    least = wraps ? 0 : std::min({least, run.value, last});
    greatest = wraps ? kNever : std::max({greatest, run.value, last});
  }
};

// Calls visit(rank, value) for the ranks that do not follow a rule. False if a run of such ranks is
// too long.
template <typename Visit>
[[nodiscard]] bool for_each_exception(const FieldSource &source, std::uint64_t start, std::uint64_t step,
                                      Visit visit) noexcept {
  bool all_short = true;
  source.for_each_run([&](const FieldRun &run) {
    if (run.step == step && run.value == start + run.first * step) {
      return;
    }
    all_short = all_short && run.count <= kLongestException;
    for (std::uint32_t i = 0; all_short && i < run.count; ++i) {
      const std::uint64_t value = run.value + i * run.step;
      const std::uint32_t rank = run.first + i;
      if (value != start + rank * step) {
        visit(rank, value);
      }
    }
  });
  return all_short;
}

[[nodiscard]] constexpr std::uint64_t list_bytes(std::uint64_t count, bool has_steps) noexcept {
  return count * (has_steps ? 16 : 8) + (count * 4 + 7) / 8 * 8;
}

} // namespace

Field Field::plan(const FieldSource &source) noexcept {
  Survey survey;
  source.for_each_run([&survey](const FieldRun &run) { survey.add(run); });
  Field field;
  if (survey.runs <= 1) {
    field.start_ = survey.start;
    field.step_ = survey.step;
    return field;
  }
  std::uint64_t exceptions = 0;
  const bool all_short = for_each_exception(source, survey.most_start, survey.most_step,
                                            [&exceptions](std::uint32_t, std::uint64_t) { ++exceptions; });
  if (all_short && exceptions == 0) {
    field.start_ = survey.most_start;
    field.step_ = survey.most_step;
    return field;
  }
  const std::uint64_t by_exceptions = all_short ? list_bytes(exceptions, false) : kNever;
  const std::uint64_t by_runs = list_bytes(survey.runs, survey.has_steps);
  const auto bits = static_cast<std::uint64_t>(std::bit_width(survey.greatest - survey.least));
  const std::uint64_t by_bits = ((bits * source.ranks() + 63) / 64 + 1) * 8;
  field.bytes_ = std::min({by_exceptions, by_runs, by_bits});
  if (field.bytes_ == by_exceptions) {
    field.kind_ = FieldKind::kExceptions;
    field.start_ = survey.most_start;
    field.step_ = survey.most_step;
    field.count_ = static_cast<std::uint32_t>(exceptions);
  } else if (field.bytes_ == by_runs) {
    field.kind_ = FieldKind::kRuns;
    field.has_steps_ = survey.has_steps;
    field.count_ = static_cast<std::uint32_t>(survey.runs);
  } else {
    field.kind_ = FieldKind::kPacked;
    field.start_ = survey.least;
    field.bits_ = static_cast<std::uint8_t>(bits);
  }
  return field;
}

void Field::fill(const FieldSource &source, std::uint64_t *room) noexcept {
  values_ = room;
  steps_ = has_steps_ ? room + count_ : nullptr;
  first_ranks_ = reinterpret_cast<std::uint32_t *>(room + count_ + (has_steps_ ? count_ : 0));
  std::size_t at = 0;
  switch (kind_) {
  case FieldKind::kRule: return;
  case FieldKind::kExceptions:
    (void)for_each_exception(source, start_, step_, [&](std::uint32_t rank, std::uint64_t value) {
      values_[at] = value;
      first_ranks_[at++] = rank;
    });
    return;
  case FieldKind::kRuns:
    source.for_each_run([&](const FieldRun &run) {
      values_[at] = run.value;
      if (has_steps_) {
        steps_[at] = run.step;
      }
      first_ranks_[at++] = run.first;
    });
    return;
  case FieldKind::kPacked:
    source.for_each_run([&](const FieldRun &run) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        const std::uint64_t value = run.value + i * run.step - start_;
        const std::uint64_t bit = (std::uint64_t{run.first} + i) * bits_;
        values_[bit / 64] |= value << (bit % 64);
        values_[bit / 64 + 1] |= value >> 1 >> (63 - bit % 64);
      }
    });
    return;
  }
}

std::uint64_t Field::at(std::uint32_t rank) const noexcept {
  switch (kind_) {
  case FieldKind::kRule: break;
  case FieldKind::kExceptions: {
    const std::uint32_t *const found = std::lower_bound(first_ranks_, first_ranks_ + count_, rank);
    if (found != first_ranks_ + count_ && *found == rank) {
      return values_[found - first_ranks_];
    }
    break;
  }
  case FieldKind::kRuns: {
    const std::int64_t i = std::upper_bound(first_ranks_, first_ranks_ + count_, rank) - first_ranks_ - 1;
    return values_[i] + (has_steps_ ? steps_[i] * (rank - first_ranks_[i]) : 0);
  }
  case FieldKind::kPacked: {
    const std::uint64_t bit = std::uint64_t{rank} * bits_;
    const std::uint64_t value = values_[bit / 64] >> (bit % 64) | values_[bit / 64 + 1] << 1 << (63 - bit % 64);
    return start_ + (value & (kNever >> (64 - bits_)));
  }
  }
  return start_ + rank * step_;
}

} // namespace avrankmap::detail
