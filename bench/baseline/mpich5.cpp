// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "baseline/mpich5.h"

#include <algorithm>
#include <new>

namespace avrankmap::bench {

namespace {

Mpich5::Lpid lpid_of_process(Gpid process) { return Mpich5::Lpid{process.pgid} << 32 | process.lpid; }

} // namespace

Mpich5::Mpich5() : tables_(memory_.take_array<const AvTable *>(kMaxWorlds)) {
  std::fill_n(tables_.get(), kMaxWorlds, nullptr);
}

Mpich5::~Mpich5() {
  for (std::int32_t world = 0; world < world_count_; ++world) {
    const AvTable *const table = tables_.get()[world];
    memory_.give_back(const_cast<AvTable *>(table), Entries::bytes(static_cast<std::size_t>(table->size)));
  }
}

std::int32_t Mpich5::add_world(std::int32_t size) {
  if (world_count_ == kMaxWorlds) {
    throw std::bad_alloc();
  }
  const std::int32_t pgid = world_count_;
  MemoryCount::Held<AvTable> table = memory_.take<AvTable>(Entries::bytes(static_cast<std::size_t>(size)));
  table->size = size;
  AvEntry *const entries = Entries::of(table.get());
  for (std::int32_t lpid = 0; lpid < size; ++lpid) {
    entries[lpid] = {
        .root_address = address_of({pgid, lpid}), .root_offset = 0, .others = nullptr, .is_local = 0, .node = lpid};
  }
  tables_.get()[pgid] = table.release();
  ++world_count_;
  return pgid;
}

void Mpich5::set_local(Gpid process) {
  auto *const table = const_cast<AvTable *>(tables_.get()[process.pgid]);
  Entries::of(table)[process.lpid].is_local = 1;
}

Mpich5::Comm Mpich5::new_comm(const Pmap &pmap) {
  MemoryCount::Held<Group> group = memory_.take<Group>(sizeof(Group));
  group->pmap = pmap;
  return Comm(Shared<Mpich5, Group>(*this, group.release()), tables_.get());
}

Mpich5::Comm Mpich5::make_regular(std::size_t size, Pmap::Regular regular) {
  return new_comm({.size = static_cast<std::int32_t>(size), .use_table = false, .map = {.regular = regular}});
}

MemoryCount::Held<Mpich5::Lpid> Mpich5::new_table(std::size_t size) { return memory_.take_array<Lpid>(size); }

/// Every map is first written out, then kept as offset and stride if it is that.
Mpich5::Comm Mpich5::adopt(MemoryCount::Held<Lpid> table, std::size_t size) {
  const Lpid *const lpids = table.get();
  const Lpid offset = lpids[0];
  const Lpid stride = size == 1 ? 1 : lpids[1] - offset;
  std::size_t rank = 1;
  while (rank < size && lpids[rank] == offset + static_cast<Lpid>(rank) * stride) {
    ++rank;
  }
  if (rank == size) {
    return make_regular(size, {.offset = offset, .stride = stride});
  }
  Comm comm = new_comm({.size = static_cast<std::int32_t>(size), .use_table = true, .map = {.table = table.get()}});
  static_cast<void>(table.release());
  return comm;
}

Mpich5::Comm Mpich5::make_world(std::int32_t pgid) {
  const auto size = static_cast<std::size_t>(tables_.get()[pgid]->size);
  return make_regular(size, {.offset = lpid_of_process({pgid, 0}), .stride = 1});
}

Mpich5::Comm Mpich5::make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks) {
  MemoryCount::Held<Lpid> table = new_table(parent_ranks.size());
  const Pmap &from = parent.group_->pmap;
  std::transform(parent_ranks.begin(), parent_ranks.end(), table.get(),
                 [&from](std::int32_t rank) { return lpid_of(from, rank); });
  return adopt(std::move(table), parent_ranks.size());
}

Mpich5::Comm Mpich5::make_merged(std::span<const Gpid> processes) {
  MemoryCount::Held<Lpid> table = new_table(processes.size());
  std::transform(processes.begin(), processes.end(), table.get(), lpid_of_process);
  return adopt(std::move(table), processes.size());
}

Mpich5::Comm Mpich5::dup(const Comm &comm) { return Comm(comm.group_.share(), comm.tables_); }

void Mpich5::destroy(Group *group) noexcept {
  const Pmap &pmap = group->pmap;
  if (pmap.use_table) {
    memory_.give_back_array(pmap.map.table, static_cast<std::size_t>(pmap.size));
  }
  memory_.give_back(group, sizeof(Group));
}

} // namespace avrankmap::bench
