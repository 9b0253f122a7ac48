// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/less.h"

#include <algorithm>
#include <new>

#include "rankmap/bind/implicit_bind.h"
#include "rankmap/forms/forms.h"
#include "rankmap/forms/rank_index.h"

namespace avrankmap::detail {

namespace {

constexpr auto kMaxLpids = by_mode([]<typename F>() { return F::max_lpids; });
constexpr auto kRanks = by_mode([]<typename F>() { return F::ranks; });

const std::uint32_t *keys_of(const avrm_less *less) noexcept {
  return reinterpret_cast<const std::uint32_t *>(less + 1);
}
std::uint32_t *keys_of(avrm_less *less) noexcept { return reinterpret_cast<std::uint32_t *>(less + 1); }

// A search in fewer than 32 keys takes at most five steps. With more keys, a rank index leads to a
// stretch of two to four keys on average.
std::int32_t shift_of(std::int32_t size, std::int32_t count) noexcept {
  return count < 32 ? 0 : rank_index_shift(size, count / 2);
}

// Number of removed ranks before a rank of the less map. The binary search has no branch that
// depends on the rank.
std::int32_t removed_before(const avrm_less *less, std::int32_t rank) noexcept {
  const std::uint32_t *const keys = keys_of(less);
  const std::uint32_t *key = keys;
  auto count = static_cast<std::uint32_t>(less->count);
  if (less->shift != 0) {
    const std::uint32_t *const stretch = keys + count + (rank >> less->shift);
    key += stretch[0];
    count = stretch[1] - stretch[0];
  }
  while (count > 0) {
    const std::uint32_t half = count / 2 + count % 2;
    key += half & (0 - static_cast<std::uint32_t>(key[half - 1] <= static_cast<std::uint32_t>(rank)));
    count -= half;
  }
  return static_cast<std::int32_t>(key - keys);
}

// Number of removed ranks before a rank of the base.
std::int32_t removed_below(const avrm_less *less, std::int32_t base_rank) noexcept {
  std::int32_t first = 0;
  std::int32_t count = less->count;
  while (count > 0) {
    const std::int32_t half = count / 2;
    const bool is_below = removed_rank(less, first + half) < base_rank;
    first = is_below ? first + half + 1 : first;
    count = is_below ? count - half - 1 : half;
  }
  return first;
}

MapOwner copy(const avrm_rankmap_t *map) noexcept {
  MapOwner copy(*map);
  map->as.less->sharers.fetch_add(1, std::memory_order_relaxed);
  copy->bound = 0;
  return copy;
}

void drop(avrm_rankmap_t *map) noexcept {
  avrm_less *const less = map->as.less;
  if (less->sharers.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    const MapOwner base(base_of(map));
    map->instance->memory.release(less, less_bytes(map->size, less->count), alignof(avrm_less), AVRM_MEM_RANKMAP);
  }
}

void max_lpids(const avrm_rankmap_t *map, std::int32_t *max_lpids) noexcept {
  const avrm_rankmap_t base = base_of(map);
  kMaxLpids[base.mode](&base, 0, 1, max_lpids);
}

void exact_max_lpids(const avrm_rankmap_t *map, std::int32_t *max_lpids) noexcept {
  std::int64_t max = -1;
  (void)for_each_run(map, [&max](const Run &run) {
    max = std::max({max, std::int64_t{run.offset}, last_lpid(run)});
    return AVRM_OK;
  });
  max_lpids[0] = static_cast<std::int32_t>(max);
}

// The part of the base's run that contains the rank and no removed rank.
Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const avrm_less *const less = map->as.less;
  const avrm_rankmap_t base = base_of(map);
  const std::int32_t before = removed_before(less, rank);
  const std::int32_t low = before == 0 ? 0 : removed_rank(less, before - 1) + 1;
  const std::int32_t high = before == less->count ? base.size : removed_rank(less, before);
  const Run run = run_before(&base, rank + before, high);
  const std::int32_t passed = std::max(low - run.first_rank, 0);
  const std::int32_t end = std::min(high - run.first_rank, run.count);
  Run part = part_of(run, passed, end - passed);
  part.first_rank -= before;
  return part;
}

avrm_gpid_t process(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const avrm_less *const less = map->as.less;
  const std::int32_t base_rank = rank + removed_before(less, rank);
  if (less->base_mode == AVRM_MODE_BLOCKED) {
    return {map->pgid, BlockedForm::lpid_of(less->base_as, less->base_offset, base_rank)};
  }
  if (less->base_mode == AVRM_MODE_CART) {
    return {map->pgid, CartForm::lpid_of(less->base_as, less->base_offset, base_rank)};
  }
  const avrm_rankmap_t base = base_of(map);
  return avrm_rankmap_gpid(&base, base_rank); // before by_runs (without.cpp) has chosen a form
}

struct Pieces {
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept { return detail::run_at(map, rank); }
};

constexpr LessOperations kOperations = {
    copy, drop, max_lpids, exact_max_lpids, run_at, MergesRuns<Pieces>::longest_run, process};

const char *list_fault(const avrm_less *less, std::int32_t size) noexcept {
  for (std::int32_t i = 0; i < less->count; ++i) {
    const std::int32_t rank = removed_rank(less, i);
    if (rank < (i == 0 ? 0 : removed_rank(less, i - 1) + 1) || rank >= size + less->count) {
      return "the removed ranks are not in order";
    }
  }
  const std::uint32_t *const rank_index = keys_of(less) + less->count;
  const std::size_t entries = rank_index_entries(size, less->shift);
  for (std::size_t entry = 0; entry < entries; ++entry) {
    const auto end =
        entry + 1 == entries ? rank_index : std::lower_bound(keys_of(less), rank_index, entry << less->shift);
    if (rank_index[entry] != static_cast<std::size_t>(end - keys_of(less))) {
      return "the index does not match the removed ranks";
    }
  }
  return nullptr;
}

} // namespace

std::uint64_t less_bytes(std::int32_t size, std::int32_t count) noexcept {
  return sizeof(avrm_less) +
         (static_cast<std::uint64_t>(count) + rank_index_entries(size, shift_of(size, count))) * sizeof(std::uint32_t);
}

MapOwner new_less_map(const avrm_rankmap_t *base, const std::int32_t *ranks, std::int32_t count) noexcept {
  const std::int32_t size = base->size - count;
  void *const block = base->instance->memory.allocate(less_bytes(size, count), alignof(avrm_less), AVRM_MEM_RANKMAP);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const less = new (block) avrm_less;
  const avrm_rankmap_t kept = copy_of(base).release();
  less->operations = &kOperations;
  less->base_as = kept.as;
  less->base_offset = kept.offset;
  less->base_klass = kept.klass;
  less->base_mode = kept.mode;
  less->count = count;
  less->shift = static_cast<std::uint8_t>(shift_of(size, count));
  std::uint32_t *const keys = keys_of(less);
  for (std::int32_t i = 0; i < count; ++i) {
    keys[i] = static_cast<std::uint32_t>(ranks[i] - i);
  }
  std::uint32_t *const rank_index = keys + count;
  const std::size_t entries = rank_index_entries(size, less->shift);
  std::uint32_t below = 0;
  for (std::size_t entry = 0; entry < entries; ++entry) {
    while (keys + below != rank_index && (keys[below] < entry << less->shift || entry + 1 == entries)) {
      ++below;
    }
    rank_index[entry] = below;
  }
  MapOwner map = new_map(base->instance);
  map->as.less = less;
  map->size = size;
  map->pgid = base->pgid;
  map->mode = AVRM_MODE_LESS;
  map->klass = AVRM_CLASS_THROUGH;
  return map;
}

void LessForm::describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept {
  const avrm_less *const less = map->as.less;
  const avrm_rankmap_t base = base_of(map);
  if (base.mode == AVRM_MODE_CART) {
    CartForm::describe(&base, info);
  } else {
    info->dimensions = 2;
    const Regular form = form_of(&base);
    info->extents[0] = form.block;
    info->extents[1] = (form.size - 1) / form.block + 1;
    info->strides[0] = 1;
    info->strides[1] = form.stride;
  }
  info->removed = less->count;
  info->table_sharers = less->sharers.load(std::memory_order_relaxed);
  info->table_bytes += less_bytes(map->size, less->count);
}

const char *LessForm::fault(const avrm_rankmap_t *map) noexcept {
  const avrm_less *const less = map->as.less;
  if (less->base_mode != AVRM_MODE_BLOCKED && less->base_mode != AVRM_MODE_CART) {
    return "the base is neither blocked nor a cart";
  }
  if (!has_class(map)) {
    return "the class does not match the mode";
  }
  if (less->sharers.load(std::memory_order_relaxed) == 0) {
    return "the list has no sharer";
  }
  if (less->count < 1 || less->count > INT32_MAX - map->size || less->shift != shift_of(map->size, less->count)) {
    return "the numbers of ranks do not match";
  }
  const char *reason = list_fault(less, map->size);
  if (reason == nullptr) {
    const avrm_rankmap_t base = base_of(map);
    (void)avrm_rankmap_validate(&base, &reason);
  }
  return reason;
}

avrm_status_t LessForm::ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                              std::int32_t *ranks) noexcept {
  const avrm_less *const less = map->as.less;
  const avrm_rankmap_t base = base_of(map);
  const avrm_status_t status = kRanks[base.mode](&base, count, processes, ranks);
  if (status != AVRM_OK) {
    return status;
  }
  std::transform(ranks, ranks + count, ranks, [less](std::int32_t rank) {
    if (rank == AVRM_UNDEFINED) {
      return rank;
    }
    const std::int32_t below = removed_below(less, rank);
    const bool is_removed = below != less->count && removed_rank(less, below) == rank;
    return is_removed ? AVRM_UNDEFINED : rank - below;
  });
  return AVRM_OK;
}

void LessForm::words(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                     std::uint64_t *words) noexcept {
  const AddressVector *const av = map->instance->process_groups.held(map->pgid);
  std::transform(ranks, ranks + count, words, [&](std::int32_t rank) { return av->word(process(map, rank).lpid); });
}

void LessForm::gpids(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                     avrm_gpid_t *gpids) noexcept {
  std::transform(ranks, ranks + count, gpids, [&](std::int32_t rank) { return process(map, rank); });
}

} // namespace avrankmap::detail
