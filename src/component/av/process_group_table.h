// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Table of process groups: pgid -> AV.
//
// The table has 2^k slots. The low k bits of a pgid select its slot; the bits above them count the
// uses of that slot. No pgid is therefore used twice, and rankmaps store complete pgids: a rankmap
// that outlives its process group cannot refer to the next one in the slot. The pgids of a slot
// ascend in steps of 2^k:
//
//   slot    AV     live    last        with k = 2
//   0       AV 0   0       0
//   1       AV 5   5       5           pgid 1 was created and released
//   2       AV 2   -1      2           released, but bound rankmaps or holds keep the AV
//   3       -      -1      -1          free; the next pgid is 3, then 7, 11, ...
//
// When no slot is free, the number of slots doubles. Slot i is divided into slots i and i + 2^k,
// each of which continues with those pgids of the old slot whose low k + 1 bits are its number. The
// old slots are kept until the object is destroyed, since a thread may be reading them; together
// they take less memory than the newest slots. Readers therefore take no lock, and find a slot with
// one mask.
//
// All changes are made under the instance's lock.
#ifndef AVRANKMAP_SRC_AV_PROCESS_GROUP_TABLE_H
#define AVRANKMAP_SRC_AV_PROCESS_GROUP_TABLE_H

#include <atomic>
#include <cstdint>

#include "avrankmap/status.h"
#include "base/memory.h"

namespace avrankmap::detail {

class AddressVector;

class ProcessGroupTable {
public:
  explicit ProcessGroupTable(Memory &memory) noexcept;
  ~ProcessGroupTable();
  ProcessGroupTable(const ProcessGroupTable &) = delete;
  ProcessGroupTable &operator=(const ProcessGroupTable &) = delete;

  // Ensures that the next `insert` cannot fail.
  [[nodiscard]] avrm_status_t reserve() noexcept;
  // The pgid that `insert` will assign, so that an AV can be completed before other threads can
  // find it.
  [[nodiscard]] std::int32_t next() const noexcept;
  // Assigns pgid `next` to an AV. `reserve` must have succeeded.
  void insert(AddressVector *av) noexcept;
  // Prevents a pgid from being found. The AV is kept.
  void retire(std::int32_t pgid) noexcept;
  // Frees the slot of a retired pgid.
  void recycle(std::int32_t pgid) noexcept;
  // The AV of a pgid, retired or not, which must exist. Lock-free.
  [[nodiscard]] AddressVector *held(std::int32_t pgid) const noexcept {
    const Table *const table = table_.load(std::memory_order_acquire);
    const Slot &slot = table->slots()[static_cast<std::uint32_t>(pgid) & table->mask];
    return reinterpret_cast<AddressVector *>(slot.av.load(std::memory_order_relaxed));
  }
  // Lock-free.
  [[nodiscard]] avrm_status_t find(std::int32_t pgid, AddressVector **av_p) const noexcept;
  // The next pgid in the order of reversed bits, in which slots keep their positions when their
  // number doubles; negative at the end. Any negative number precedes the first one. Lock-free.
  [[nodiscard]] std::int32_t after(std::int32_t pgid) const noexcept;

private:
  struct Slot {
    std::atomic<std::uintptr_t> av; // for a free slot: 1 + the next free slot
    std::atomic<std::int32_t> live; // the pgid that can be found here, or -1
    std::atomic<std::int32_t> last; // the greatest pgid so far, or negative
  };
  struct alignas(16) Table {
    std::uint32_t mask; // number of slots - 1
    Table *older;       // kept for readers that still use it
    [[nodiscard]] Slot *slots() noexcept { return reinterpret_cast<Slot *>(this + 1); }
    [[nodiscard]] const Slot *slots() const noexcept { return reinterpret_cast<const Slot *>(this + 1); }
  };
  static constexpr std::uint32_t kSlotsAtFirst = 4;
  // Part of the object, so that a job with a few worlds allocates nothing.
  struct FirstTable {
    Table table;
    Slot slots[kSlotsAtFirst];
  };

  [[nodiscard]] static std::size_t bytes_of(std::uint64_t slots) noexcept {
    return sizeof(Table) + static_cast<std::size_t>(slots) * sizeof(Slot);
  }
  [[nodiscard]] Table *table() const noexcept { return table_.load(std::memory_order_relaxed); }
  [[nodiscard]] Slot &slot(std::int32_t pgid) const noexcept {
    return table()->slots()[static_cast<std::uint32_t>(pgid) & table()->mask];
  }
  // True if a slot has a pgid left.
  [[nodiscard]] static bool goes_on(const Table &table, const Slot &slot) noexcept;
  void put_on_free_list(Table *table, std::uint32_t i) noexcept;
  [[nodiscard]] avrm_status_t grow() noexcept;
  void divide(const Slot &from, Table *table, std::uint32_t i) noexcept;

  Memory &memory_;
  std::uintptr_t free_ = 0; // 1 + the first free slot, or 0
  FirstTable first_;
  std::atomic<Table *> table_;
};

} // namespace avrankmap::detail

#endif
