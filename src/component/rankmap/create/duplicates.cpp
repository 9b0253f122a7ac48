// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/duplicates.h"

#include <algorithm>

#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

namespace {

constexpr auto kCheckUnique = by_mode([]<typename F>() { return F::check_unique; });

// Two uses, one instantiation.
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

avrm_status_t check_unique_lpids(const avrm_rankmap_t *map, std::int32_t max_lpid) noexcept {
  return check_unique_keys(
      map->instance->memory, map->size, static_cast<std::uint64_t>(max_lpid) + 1,
      [map](std::int32_t rank) { return static_cast<std::uint64_t>(avrm_rankmap_gpid(map, rank).lpid); });
}

} // namespace avrankmap::detail
