// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/distinct.h"

#include <bit>

#include "base/bits.h"

namespace avrankmap::detail {

namespace {

struct Stretch {
  std::int64_t low;
  std::int64_t high;
};

// Sorts the ranges that the runs span. AVRM_ERR_DUPLICATE only means that two ranges overlap.
avrm_status_t check_stretches(const ProcessList &ranks) noexcept {
  const Scratch<Stretch> stretches(ranks.memory(), ranks.size());
  if (!stretches) {
    return AVRM_ERR_NO_MEMORY;
  }
  Stretch *const end = std::transform(ranks.begin(), ranks.end(), stretches.data(), [](const Run &run) {
    return Stretch{low_lpid(run), high_lpid(run)};
  });
  std::sort(stretches.data(), end, [](const Stretch &a, const Stretch &b) { return a.low < b.low; });
  const auto overlap = [](const Stretch &a, const Stretch &b) { return a.high >= b.low; };
  return std::adjacent_find(stretches.data(), end, overlap) == end ? AVRM_OK : AVRM_ERR_DUPLICATE;
}

avrm_status_t check_bits(const ProcessList &ranks, std::int32_t bound) noexcept {
  Bits bits(ranks.memory(), bound);
  if (!bits) {
    return AVRM_ERR_NO_MEMORY;
  }
  const bool twice = std::any_of(ranks.begin(), ranks.end(),
                                 [&bits](const Run &run) { return bits.mark(run.offset, run.stride, run.count); });
  return twice ? AVRM_ERR_DUPLICATE : AVRM_OK;
}

avrm_status_t check_keys(const ProcessList &ranks) noexcept {
  const Scratch<std::int32_t> keys(ranks.memory(), static_cast<std::size_t>(ranks.total()));
  if (!keys) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::int32_t *end = keys.data();
  for (const Run &run : ranks) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      *end++ = static_cast<std::int32_t>(lpid_at(run, i));
    }
  }
  std::sort(keys.data(), end);
  return std::adjacent_find(keys.data(), end) == end ? AVRM_OK : AVRM_ERR_DUPLICATE;
}

} // namespace

avrm_status_t check_distinct(const ProcessList &ranks, std::int32_t bound) noexcept {
  if (ranks.status() == AVRM_ERR_NO_MEMORY || (ranks.failed() && ranks.is_full())) {
    return ranks.status();
  }
  // A list that failed for other reasons has more ranks than `bound`; if a stride is 0, a rank
  // repeats.
  if (ranks.failed() || ranks.total() > bound ||
      std::any_of(ranks.begin(), ranks.end(), [](const Run &run) { return run.stride == 0; })) {
    return AVRM_ERR_DUPLICATE;
  }
  if (ranks.size() <= 1) {
    return AVRM_OK;
  }
  const bool bits_fit = bound / 64 <= ranks.total();
  const auto runs = static_cast<std::int64_t>(ranks.size());
  const std::int64_t sort_cost = 4 * runs * std::bit_width(static_cast<std::uint64_t>(runs));
  if (!bits_fit || sort_cost <= bound / 256 + ranks.total() / 64) {
    const avrm_status_t status = check_stretches(ranks);
    if (status != AVRM_ERR_DUPLICATE) {
      return status;
    }
  }
  return bits_fit ? check_bits(ranks, bound) : check_keys(ranks);
}

} // namespace avrankmap::detail
