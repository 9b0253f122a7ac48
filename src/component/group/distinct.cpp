// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/distinct.h"

#include <bit>

#include "group/bits.h"
#include "rankmap/patterns/detect_kernels.h"

namespace avrankmap::detail {

namespace {

struct Stretch {
  std::int64_t low;
  std::int64_t high;
};

// Sorts the stretches that the runs lie in. AVRM_ERR_DUPLICATE means only that some of them
// overlap.
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

// Bytes that are 1, of a number of words of bytes that are 0 or 1.
std::int64_t count_ones(const std::uint64_t *words, std::size_t count) noexcept {
  constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffU;
  std::int64_t ones = 0;
  for (std::size_t i = 0; i < count;) {
    std::uint64_t sums = 0; // of each byte, as long as it cannot overflow
    for (const std::size_t end = std::min(count, i + 255); i < end; ++i) {
      sums += words[i];
    }
    const std::uint64_t pairs = (sums & kEven) + (sums >> 8 & kEven);
    ones += static_cast<std::int64_t>(pairs * 0x0001000100010001U >> 48);
  }
  return ones;
}

// Marks a byte per rank, which takes no load, and counts them.
bool are_distinct(std::int32_t count, const std::int32_t *ranks, std::uint64_t *words, std::size_t size) noexcept {
  auto *const marks = reinterpret_cast<unsigned char *>(words);
  for (std::int32_t i = 0; i < count; ++i) {
    marks[ranks[i]] = 1;
  }
  return count_ones(words, size) == count;
}

} // namespace

avrm_status_t check_distinct(Memory &memory, std::int32_t count, const std::int32_t *ranks,
                             std::int32_t bound) noexcept {
  if (detect_kernels().greatest(ranks, static_cast<std::size_t>(count)) >= static_cast<std::uint32_t>(bound)) {
    return AVRM_ERR_RANK;
  }
  if (count > bound) {
    return AVRM_ERR_DUPLICATE;
  }
  const std::size_t words = static_cast<std::size_t>(bound) / sizeof(std::uint64_t) + 1;
  constexpr std::size_t kFewWords = 128;
  if (words <= kFewWords) {
    std::uint64_t marks[kFewWords] = {};
    return are_distinct(count, ranks, marks, words) ? AVRM_OK : AVRM_ERR_DUPLICATE;
  }
  if (bound / 64 <= count) {
    const Scratch<std::uint64_t> marks(memory, words);
    if (!marks) {
      return AVRM_ERR_NO_MEMORY;
    }
    return are_distinct(count, ranks, marks.data(), words) ? AVRM_OK : AVRM_ERR_DUPLICATE;
  }
  ProcessList list(memory);
  for (std::int32_t i = 0; i < count; ++i) {
    list.append({0, 1, 0, ranks[i], 1});
  }
  return check_distinct(list, bound);
}

avrm_status_t check_distinct(const ProcessList &ranks, std::int32_t bound) noexcept {
  if (ranks.status() == AVRM_ERR_NO_MEMORY) {
    return AVRM_ERR_NO_MEMORY;
  }
  // There are more ranks than `bound` if the list is too long, and one rank repeats if a stride is
  // 0.
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
