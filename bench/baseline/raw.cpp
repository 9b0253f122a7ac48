// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "baseline/raw.h"

#include <algorithm>

namespace avrankmap::bench {

std::int32_t Raw::add_world(std::int32_t size) {
  world_sizes_.push_back(size);
  return static_cast<std::int32_t>(world_sizes_.size()) - 1;
}

MemoryCount::Held<Raw::Table> Raw::new_table(std::size_t size) {
  MemoryCount::Held<Table> table = memory_.take<Table>(Addresses::bytes(size));
  table->size = static_cast<std::int32_t>(size);
  return table;
}

Raw::Comm Raw::adopt(MemoryCount::Held<Table> table) { return Comm(Shared<Raw, Table>(*this, table.release())); }

Raw::Comm Raw::make_world(std::int32_t pgid) {
  const std::int32_t size = world_sizes_[static_cast<std::size_t>(pgid)];
  MemoryCount::Held<Table> table = new_table(static_cast<std::size_t>(size));
  std::uint64_t *const addresses = Addresses::of(table.get());
  for (std::int32_t rank = 0; rank < size; ++rank) {
    addresses[rank] = address_of({pgid, rank});
  }
  return adopt(std::move(table));
}

Raw::Comm Raw::make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks) {
  MemoryCount::Held<Table> table = new_table(parent_ranks.size());
  const std::uint64_t *const from = Addresses::of(parent.table_.get());
  std::transform(parent_ranks.begin(), parent_ranks.end(), Addresses::of(table.get()),
                 [from](std::int32_t rank) { return from[rank]; });
  return adopt(std::move(table));
}

Raw::Comm Raw::make_merged(std::span<const Gpid> processes) {
  MemoryCount::Held<Table> table = new_table(processes.size());
  std::transform(processes.begin(), processes.end(), Addresses::of(table.get()), address_of);
  return adopt(std::move(table));
}

Raw::Comm Raw::dup(const Comm &comm) { return Comm(comm.table_.share()); }

void Raw::destroy(Table *table) noexcept {
  memory_.give_back(table, Addresses::bytes(static_cast<std::size_t>(table->size)));
}

} // namespace avrankmap::bench
