// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/inverse/table_inverse.h"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>

#include "base/array.h"
#include "rankmap/create/slot_index.h"

namespace avrankmap::detail {

TableInverse *TableInverse::create(const avrm_rankmap_t &whole) noexcept {
  Memory &memory = whole.instance->memory;
  SlotIndex index(memory);
  Array<Group> groups(memory);
  for (std::int32_t i = 0; i < whole.size; ++i) {
    const avrm_gpid_t process = avrm_rankmap_gpid(&whole, i);
    const std::int32_t slot = index.slot_of(process.pgid);
    if (slot < 0) {
      return nullptr;
    }
    if (static_cast<std::size_t>(slot) == groups.size()) {
      groups.append({process.pgid, process.lpid, process.lpid, 0, 0});
      if (groups.failed()) {
        return nullptr;
      }
    }
    Group &group = groups[static_cast<std::size_t>(slot)];
    group.low = std::min(group.low, process.lpid);
    group.high = std::max(group.high, process.lpid);
  }
  std::sort(groups.begin(), groups.end(), [](const Group &a, const Group &b) { return a.pgid < b.pgid; });
  std::int64_t places = 0;
  for (Group &group : groups) {
    group.start = places;
    places += std::int64_t{group.high} - group.low + 1;
  }

  TableInverse *inverse = nullptr;
  if (places <= 2 * std::int64_t{whole.size}) {
    const std::int32_t width = std::bit_width(static_cast<std::uint32_t>(whole.size));
    const auto words = static_cast<std::uint64_t>(places * width / 64 + 2); // `get` reads two words
    inverse = allocate(memory, groups.begin(), groups.size(), width, words * sizeof(std::uint64_t));
    if (inverse == nullptr || inverse->fill_dense(whole)) {
      return inverse;
    }
    inverse->destroy(memory);
  }
  inverse =
      allocate(memory, groups.begin(), groups.size(), 0, static_cast<std::uint64_t>(whole.size) * sizeof(std::int32_t));
  if (inverse != nullptr) {
    inverse->fill_sorted(whole);
  }
  return inverse;
}

TableInverse *TableInverse::allocate(Memory &memory, const Group *groups, std::size_t group_count, std::int32_t width,
                                     std::uint64_t data_bytes) noexcept {
  const std::uint64_t bytes = sizeof(TableInverse) + group_count * sizeof(Group) + data_bytes;
  void *const block = memory.allocate(bytes, kAlignment, AVRM_MEM_CACHE);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const inverse =
      new (block) TableInverse(static_cast<std::size_t>(bytes), static_cast<std::int32_t>(group_count), width);
  std::copy_n(groups, group_count, const_cast<Group *>(inverse->groups()));
  return inverse;
}

const TableInverse::Group *TableInverse::group_of(std::int32_t pgid) const noexcept {
  const Group *const end = groups() + group_count_;
  const Group *const group =
      std::lower_bound(groups(), end, pgid, [](const Group &a, std::int32_t wanted) { return a.pgid < wanted; });
  return group != end && group->pgid == pgid ? group : nullptr;
}

std::uint64_t TableInverse::get(std::int64_t place) const noexcept {
  const std::int64_t bit = place * width_;
  const std::uint64_t *const words = data<std::uint64_t>() + bit / 64;
  const int shift = static_cast<int>(bit % 64);
  const std::uint64_t value = words[0] >> shift | words[1] << 1 << (63 - shift);
  return value & ((std::uint64_t{1} << width_) - 1);
}

void TableInverse::put(std::int64_t place, std::uint64_t value) noexcept {
  const std::int64_t bit = place * width_;
  std::uint64_t *const words = data<std::uint64_t>() + bit / 64;
  const int shift = static_cast<int>(bit % 64);
  words[0] |= value << shift;
  words[1] |= value >> 1 >> (63 - shift);
}

bool TableInverse::fill_dense(const avrm_rankmap_t &whole) noexcept {
  for (std::int32_t i = 0; i < whole.size; ++i) {
    const avrm_gpid_t process = avrm_rankmap_gpid(&whole, i);
    const Group *const group = group_of(process.pgid);
    const std::int64_t place = group->start + process.lpid - group->low;
    if (get(place) != 0) {
      return false;
    }
    put(place, static_cast<std::uint64_t>(i) + 1);
  }
  return true;
}

void TableInverse::fill_sorted(const avrm_rankmap_t &whole) noexcept {
  auto *const indices = data<std::int32_t>();
  std::iota(indices, indices + whole.size, 0);
  std::sort(indices, indices + whole.size, [&whole](std::int32_t a, std::int32_t b) {
    const avrm_gpid_t process_a = avrm_rankmap_gpid(&whole, a);
    const avrm_gpid_t process_b = avrm_rankmap_gpid(&whole, b);
    return before(process_a, process_b) || (!before(process_b, process_a) && a < b);
  });
}

std::int32_t TableInverse::index_of(const avrm_rankmap_t &whole, avrm_gpid_t process,
                                    std::int32_t first) const noexcept {
  const Group *const group = group_of(process.pgid);
  if (group == nullptr || process.lpid < group->low || process.lpid > group->high) {
    return -1;
  }
  if (width_ != 0) {
    const auto index = static_cast<std::int32_t>(get(group->start + process.lpid - group->low)) - 1;
    return index >= first ? index : -1;
  }
  const auto *const indices = data<std::int32_t>();
  const auto *const end = indices + whole.size;
  const auto *const found = std::lower_bound(indices, end, process, [&](std::int32_t index, const avrm_gpid_t &wanted) {
    const avrm_gpid_t at = avrm_rankmap_gpid(&whole, index);
    return before(at, wanted) || (!before(wanted, at) && index < first);
  });
  if (found == end) {
    return -1;
  }
  const avrm_gpid_t at = avrm_rankmap_gpid(&whole, *found);
  return !before(process, at) ? *found : -1;
}

avrm_status_t ranks_by_table(const avrm_rankmap_t *map, const Placement &placement, std::size_t count,
                             const avrm_gpid_t *processes, std::int32_t *ranks) noexcept {
  const avrm_rankmap_t &whole = *placement.whole;
  const auto rank_of = [&](const TableInverse &inverse, avrm_gpid_t process) {
    if (map->pgid >= 0) { // the inverse may have been built for another pgid
      if (process.pgid != map->pgid) {
        return AVRM_UNDEFINED;
      }
      process.pgid = whole.pgid;
    }
    const std::int64_t rank = std::int64_t{inverse.index_of(whole, process, placement.first)} - placement.first;
    return rank >= 0 && rank < map->size ? static_cast<std::int32_t>(rank) : AVRM_UNDEFINED;
  };
  return with_inverse<TableInverse>(
      map->instance, placement.owner, [&whole] { return TableInverse::create(whole); },
      [&](const TableInverse &inverse) {
        std::transform(processes, processes + count, ranks,
                       [&](const avrm_gpid_t &process) { return rank_of(inverse, process); });
      });
}

} // namespace avrankmap::detail
