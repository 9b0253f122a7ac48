// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/duplicates.h"

#include <algorithm>

#include "rankmap/forms/forms.h"
#include "rankmap/patterns/detect_kernels.h"

namespace avrankmap::detail {

namespace {

constexpr auto kCheckUnique = by_mode([]<typename F>() { return F::check_unique; });

// One instantiation for both uses.
[[gnu::noinline]] void sort(std::uint64_t *keys, std::size_t count) noexcept { std::sort(keys, keys + count); }

} // namespace

avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept { return kCheckUnique[map->mode](map); }

bool has_twice(std::uint64_t *keys, std::int32_t size) noexcept {
  sort(keys, static_cast<std::size_t>(size));
  return std::adjacent_find(keys, keys + size) != keys + size;
}

bool overlap(std::uint64_t *ends, std::size_t count) noexcept {
  sort(ends, count);
  const auto is_same_end = [](std::uint64_t a, std::uint64_t b) { return (a & 1) == (b & 1); };
  return std::adjacent_find(ends, ends + count, is_same_end) != ends + count;
}

avrm_status_t check_distinct(Memory &memory, std::int32_t count, const std::int32_t *numbers,
                             std::uint64_t space) noexcept {
  const auto size = static_cast<std::size_t>(count);
  if (size > space) {
    return AVRM_ERR_DUPLICATE;
  }
  if (!are_bits_worth(count, space)) {
    return check_unique_sorted(memory, count,
                               [numbers](std::int32_t i) { return static_cast<std::uint64_t>(numbers[i]); });
  }
  const auto words = static_cast<std::size_t>(space / 32 + 1);
  constexpr std::size_t kFewWords = 128;
  if (words <= kFewWords) {
    std::uint32_t few[kFewWords];
    std::fill_n(few, words, 0);
    return detect_kernels().different(numbers, size, few, words) == size ? AVRM_OK : AVRM_ERR_DUPLICATE;
  }
  const Scratch<std::uint32_t> bits(memory, words);
  if (!bits) {
    return AVRM_ERR_NO_MEMORY;
  }
  return detect_kernels().different(numbers, size, bits.data(), words) == size ? AVRM_OK : AVRM_ERR_DUPLICATE;
}

avrm_status_t check_unique_lpids(const avrm_rankmap_t *map, std::int32_t max_lpid) noexcept {
  if (map->size > std::int64_t{max_lpid} + 1) {
    return AVRM_ERR_DUPLICATE;
  }
  Memory &memory = map->instance->memory;
  const Scratch<std::int32_t> lpids(memory, static_cast<std::size_t>(map->size));
  if (!lpids) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    lpids.data()[rank] = avrm_rankmap_gpid(map, rank).lpid;
  }
  return check_distinct(memory, map->size, lpids.data(), static_cast<std::uint64_t>(max_lpid) + 1);
}

} // namespace avrankmap::detail
