// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "baseline/vc_vcrt.h"

#include <new>

namespace avrankmap::bench {

namespace {

/// Adds a VC to a VCRT. The first reference to a VC also keeps its process group alive.
VcVcrt::Vc *retain(VcVcrt::Vc *vc) {
  if (vc->references++ == 0) {
    ++vc->group->references;
  }
  return vc;
}

void release(VcVcrt::Vc *vc) {
  if (--vc->references == 0) {
    --vc->group->references;
  }
}

} // namespace

VcVcrt::~VcVcrt() {
  for (ProcessGroup *const group : groups_) {
    memory_.give_back_array(group->vcs, static_cast<std::size_t>(group->size));
    memory_.give_back(group, sizeof(ProcessGroup));
  }
}

std::int32_t VcVcrt::add_world(std::int32_t size) {
  const auto pgid = static_cast<std::int32_t>(groups_.size());
  groups_.reserve(groups_.size() + 1);
  MemoryCount::Held<ProcessGroup> group = memory_.take<ProcessGroup>(sizeof(ProcessGroup));
  MemoryCount::Held<Vc> vcs = memory_.take_array<Vc>(static_cast<std::size_t>(size));

  for (std::int32_t lpid = 0; lpid < size; ++lpid) {
    Vc *const vc = ::new (static_cast<void *>(vcs.get() + lpid)) Vc{};
    vc->group = group.get();
    vc->group_rank = lpid;
    vc->lpid = lpid;
    vc->node = lpid;
    vc->state = kActive;
    vc->network.address = address_of({pgid, lpid});
  }
  group->references = 1;
  group->size = size;
  group->next = groups_.empty() ? nullptr : groups_.back();
  group->vcs = vcs.release();
  groups_.push_back(group.release());
  return pgid;
}

void VcVcrt::set_local(Gpid process) {
  Vc &vc = groups_[static_cast<std::size_t>(process.pgid)]->vcs[process.lpid];
  vc.is_local = 1;
  vc.start = {};
}

void VcVcrt::set_address(Gpid process, std::uint64_t address) {
  groups_[static_cast<std::size_t>(process.pgid)]->vcs[process.lpid].network.address = address;
}

void VcVcrt::set_functions(const Functions &functions) {
  for (ProcessGroup *const group : groups_) {
    for (std::int32_t lpid = 0; lpid < group->size; ++lpid) {
      if (group->vcs[lpid].is_local == 0) {
        group->vcs[lpid].start = functions;
      }
    }
  }
}

MemoryCount::Held<VcVcrt::Vcrt> VcVcrt::new_vcrt(std::size_t size) {
  MemoryCount::Held<Vcrt> vcrt = memory_.take<Vcrt>(Table::bytes(size));
  vcrt->size = static_cast<std::int32_t>(size);
  return vcrt;
}

VcVcrt::Comm VcVcrt::adopt(MemoryCount::Held<Vcrt> vcrt) { return Comm(Shared<VcVcrt, Vcrt>(*this, vcrt.release())); }

VcVcrt::Comm VcVcrt::make_world(std::int32_t pgid) {
  const ProcessGroup *const group = groups_[static_cast<std::size_t>(pgid)];
  MemoryCount::Held<Vcrt> vcrt = new_vcrt(static_cast<std::size_t>(group->size));
  Vc **const table = Table::of(vcrt.get());
  for (std::int32_t rank = 0; rank < group->size; ++rank) {
    table[rank] = retain(group->vcs + rank);
  }
  return adopt(std::move(vcrt));
}

VcVcrt::Comm VcVcrt::make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks) {
  MemoryCount::Held<Vcrt> vcrt = new_vcrt(parent_ranks.size());
  Vc **const table = Table::of(vcrt.get());
  Vc *const *const parent_table = Table::of(parent.vcrt_.get());
  for (std::size_t rank = 0; rank < parent_ranks.size(); ++rank) {
    table[rank] = retain(parent_table[parent_ranks[rank]]);
  }
  return adopt(std::move(vcrt));
}

VcVcrt::Comm VcVcrt::make_merged(std::span<const Gpid> processes) {
  MemoryCount::Held<Vcrt> vcrt = new_vcrt(processes.size());
  Vc **const table = Table::of(vcrt.get());
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const Gpid process = processes[rank];
    table[rank] = retain(groups_[static_cast<std::size_t>(process.pgid)]->vcs + process.lpid);
  }
  return adopt(std::move(vcrt));
}

VcVcrt::Comm VcVcrt::dup(const Comm &comm) { return Comm(comm.vcrt_.share()); }

void VcVcrt::destroy(Vcrt *vcrt) noexcept {
  const auto size = static_cast<std::size_t>(vcrt->size);
  Vc *const *const table = Table::of(vcrt);
  for (std::size_t rank = 0; rank < size; ++rank) {
    release(table[rank]);
  }
  memory_.give_back(vcrt, Table::bytes(size));
}

} // namespace avrankmap::bench
