// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/process_group_table.h"

#include <algorithm>
#include <limits>

namespace avrankmap::detail {

namespace {

constexpr std::int64_t kGreatestPgid = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 31;

// Returns a number with its bits in reverse order.
std::uint32_t mirrored(std::uint32_t bits) noexcept {
  bits = (bits >> 1 & 0x55555555U) | (bits & 0x55555555U) << 1;
  bits = (bits >> 2 & 0x33333333U) | (bits & 0x33333333U) << 2;
  bits = (bits >> 4 & 0x0f0f0f0fU) | (bits & 0x0f0f0f0fU) << 4;
  bits = (bits >> 8 & 0x00ff00ffU) | (bits & 0x00ff00ffU) << 8;
  return bits >> 16 | bits << 16;
}

} // namespace

ProcessGroupTable::ProcessGroupTable(Memory &memory) noexcept : memory_(memory), first_{}, table_(&first_.table) {
  static_assert(sizeof(FirstTable) == sizeof(Table) + kSlotsAtFirst * sizeof(Slot), "the slots follow the table");
  first_.table.mask = kSlotsAtFirst - 1;
  for (std::uint32_t i = kSlotsAtFirst; i-- > 0;) {
    first_.slots[i].last.store(static_cast<std::int32_t>(i) - static_cast<std::int32_t>(kSlotsAtFirst),
                               std::memory_order_relaxed);
    put_on_free_list(&first_.table, i);
  }
}

ProcessGroupTable::~ProcessGroupTable() {
  Table *table = this->table();
  while (table != &first_.table) {
    Table *const older = table->older;
    memory_.release(table, bytes_of(std::uint64_t{table->mask} + 1), alignof(Table), AVRM_MEM_INSTANCE);
    table = older;
  }
}

bool ProcessGroupTable::goes_on(const Table &table, const Slot &slot) noexcept {
  return slot.last.load(std::memory_order_relaxed) + std::int64_t{table.mask} + 1 <= kGreatestPgid;
}

// The slot's AV is written last: a reader that finds a link of the free list instead of an AV also
// finds that its pgid is no longer live.
void ProcessGroupTable::put_on_free_list(Table *table, std::uint32_t i) noexcept {
  Slot &slot = table->slots()[i];
  slot.live.store(-1, std::memory_order_relaxed);
  slot.av.store(free_, std::memory_order_release);
  free_ = std::uintptr_t{i} + 1;
}

// Copies an occupied or exhausted slot of the previous table to a table of twice its size. `i` is
// its index in the old table.
void ProcessGroupTable::divide(const Slot &from, Table *table, std::uint32_t i) noexcept {
  const std::uint32_t old_slots = (table->mask + 1) / 2;
  const std::int32_t last = from.last.load(std::memory_order_relaxed);
  const std::uint32_t same = static_cast<std::uint32_t>(last) & table->mask;
  Slot &mine = table->slots()[same];
  mine.av.store(from.av.load(std::memory_order_relaxed), std::memory_order_relaxed);
  mine.live.store(from.live.load(std::memory_order_relaxed), std::memory_order_relaxed);
  mine.last.store(last, std::memory_order_relaxed);
  Slot &other = table->slots()[same == i ? i + old_slots : i];
  // The old slot's pgids were old_slots apart, so the one before its last pgid is the last one
  // here.
  other.last.store(static_cast<std::int32_t>(last - std::int64_t{old_slots}), std::memory_order_relaxed);
  other.live.store(-1, std::memory_order_relaxed);
}

avrm_status_t ProcessGroupTable::grow() noexcept {
  Table *const old = table();
  const std::uint64_t slots = 2 * (std::uint64_t{old->mask} + 1);
  const Slot *const begin = old->slots();
  const Slot *const end = begin + old->mask + 1;
  if (slots > kMostSlots || std::none_of(begin, end, [old](const Slot &s) { return goes_on(*old, s); })) {
    return AVRM_ERR_LIMIT;
  }
  auto *const table = static_cast<Table *>(memory_.allocate(bytes_of(slots), alignof(Table), AVRM_MEM_INSTANCE));
  if (table == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  table->mask = static_cast<std::uint32_t>(slots - 1);
  table->older = old;
  for (std::uint32_t i = 0; i <= old->mask; ++i) {
    divide(old->slots()[i], table, i);
  }
  for (std::uint32_t i = table->mask + 1; i-- > 0;) { // downwards, so that the list ascends
    if (table->slots()[i].av.load(std::memory_order_relaxed) == 0 && goes_on(*table, table->slots()[i])) {
      put_on_free_list(table, i);
    }
  }
  table_.store(table, std::memory_order_release);
  return AVRM_OK;
}

avrm_status_t ProcessGroupTable::reserve() noexcept { return free_ != 0 ? AVRM_OK : grow(); }

std::int32_t ProcessGroupTable::next() const noexcept {
  const Slot &slot = table()->slots()[free_ - 1];
  return static_cast<std::int32_t>(slot.last.load(std::memory_order_relaxed) + std::int64_t{table()->mask} + 1);
}

void ProcessGroupTable::insert(AddressVector *av) noexcept {
  const std::int32_t pgid = next();
  Slot &slot = table()->slots()[free_ - 1];
  free_ = slot.av.load(std::memory_order_relaxed);
  slot.av.store(reinterpret_cast<std::uintptr_t>(av), std::memory_order_relaxed);
  slot.live.store(pgid, std::memory_order_release);
  slot.last.store(pgid, std::memory_order_release);
}

void ProcessGroupTable::retire(std::int32_t pgid) noexcept { slot(pgid).live.store(-1, std::memory_order_release); }

void ProcessGroupTable::recycle(std::int32_t pgid) noexcept {
  Slot &s = slot(pgid);
  if (goes_on(*table(), s)) {
    put_on_free_list(table(), static_cast<std::uint32_t>(pgid) & table()->mask);
  } else {
    s.av.store(0, std::memory_order_release);
  }
}

avrm_status_t ProcessGroupTable::find(std::int32_t pgid, AddressVector **av_p) const noexcept {
  if (pgid < 0) {
    return AVRM_ERR_PGID_UNKNOWN;
  }
  const Table *const table = table_.load(std::memory_order_acquire);
  const Slot &slot = table->slots()[static_cast<std::uint32_t>(pgid) & table->mask];
  // `last` is loaded first: `insert` stores `live` before `last`, so a pgid up to `last` is live
  // unless it was released.
  if (pgid > slot.last.load(std::memory_order_acquire)) {
    return AVRM_ERR_PGID_UNKNOWN;
  }
  if (slot.live.load(std::memory_order_acquire) != pgid) {
    return AVRM_ERR_PGID_RELEASED;
  }
  const std::uintptr_t av = slot.av.load(std::memory_order_acquire);
  if (slot.live.load(std::memory_order_relaxed) != pgid) { // `av` may belong to another pgid
    return AVRM_ERR_PGID_RELEASED;
  }
  *av_p = reinterpret_cast<AddressVector *>(av);
  return AVRM_OK;
}

std::int32_t ProcessGroupTable::after(std::int32_t pgid) const noexcept {
  const Table *const table = table_.load(std::memory_order_acquire);
  // The distance between successive reversed slot numbers, which occupy the upper bits.
  const std::uint32_t unit = mirrored(table->mask) & (0U - mirrored(table->mask));
  std::uint32_t place = 0;
  if (pgid >= 0) {
    place = mirrored(static_cast<std::uint32_t>(pgid) & table->mask) + unit;
    if (place == 0) {
      return -1;
    }
  }
  do {
    const std::int32_t live = table->slots()[mirrored(place)].live.load(std::memory_order_acquire);
    if (live >= 0) {
      return live;
    }
    place += unit;
  } while (place != 0);
  return -1;
}

} // namespace avrankmap::detail
