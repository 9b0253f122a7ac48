// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "baseline/ompi_sparse.h"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>

namespace avrankmap::bench {

namespace {

using Group = OmpiSparse::Group;
using Range = OmpiSparse::Range;

std::optional<Group::Strided> detect_stride(std::span<const std::int32_t> ranks) {
  const std::int32_t offset = ranks[0];
  const std::int32_t stride = ranks.size() == 1 ? 1 : ranks[1] - offset;
  if (stride < 0) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] != stride) {
      return std::nullopt;
    }
  }
  return Group::Strided{.offset = offset, .stride = stride, .last = ranks.back()};
}

/// True if the range that ends with `previous` goes on with `next`.
bool continues(std::int32_t previous, std::int32_t next) { return next == previous + 1; }

std::size_t count_ranges(std::span<const std::int32_t> ranks) {
  std::size_t count = 1;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    count += continues(ranks[i - 1], ranks[i]) ? 0 : 1;
  }
  return count;
}

void fill_ranges(std::span<const std::int32_t> ranks, Range *range) {
  *range = {.first = ranks[0], .length = 1};
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (continues(ranks[i - 1], ranks[i])) {
      ++range->length;
    } else {
      *++range = {.first = ranks[i], .length = 1};
    }
  }
}

std::int32_t rank_in_ranges(const Group::Sporadic &sporadic, std::int32_t rank) {
  const Range *range = sporadic.ranges;
  while (rank >= range->length) {
    rank -= range->length;
    ++range;
  }
  return range->first + rank;
}

/// Position of the set bit that `rank` others precede; bit by bit, as the original counts.
std::int32_t rank_in_bitmap(const Group::Bitmap &bitmap, std::int32_t rank) {
  for (std::int32_t byte = 0; byte < bitmap.bytes; ++byte) {
    for (std::int32_t bit = 0; bit < 8; ++bit) {
      if ((bitmap.bits[byte] >> bit & 1) != 0 && rank-- == 0) {
        return byte * 8 + bit;
      }
    }
  }
  return -1;
}

/// The name of a process that was not contacted, as an odd pointer.
std::uintptr_t sentinel_of(Gpid process) {
  return static_cast<std::uintptr_t>(static_cast<std::uint32_t>(process.pgid)) << 33 |
         static_cast<std::uintptr_t>(static_cast<std::uint32_t>(process.lpid)) << 1 | 1;
}

Gpid process_of(std::uintptr_t sentinel) {
  return {static_cast<std::int32_t>(sentinel >> 33), static_cast<std::int32_t>(sentinel >> 1 & 0xffffffff)};
}

} // namespace

std::int32_t OmpiSparse::parent_rank(const Group *group, std::int32_t rank) {
  switch (group->form) {
  case Form::kStrided: return group->sparse.strided.offset + rank * group->sparse.strided.stride;
  case Form::kSporadic: return rank_in_ranges(group->sparse.sporadic, rank);
  case Form::kBitmap: return rank_in_bitmap(group->sparse.bitmap, rank);
  case Form::kDense: break;
  }
  return rank;
}

OmpiSparse::~OmpiSparse() {
  for (const World &world : worlds_) {
    if (world.processes != nullptr) {
      const auto size = static_cast<std::size_t>(world.size);
      memory_.give_back_array(world.processes, size);
      memory_.give_back_array(world.endpoints, size);
    }
  }
  for (const auto &[sentinel, contacted] : contacted_) {
    memory_.give_back(contacted.process, sizeof(Process));
    memory_.give_back(contacted.endpoint, sizeof(Endpoint));
  }
}

void OmpiSparse::fill(Process *process, Endpoint *endpoint, Gpid name) {
  endpoint->address = address_of(name);
  process->job = name.pgid;
  process->rank_in_job = name.lpid;
  process->endpoints[0] = endpoint;
}

std::int32_t OmpiSparse::add_world(std::int32_t size) {
  const auto pgid = static_cast<std::int32_t>(worlds_.size());
  worlds_.reserve(worlds_.size() + 1);
  if (contact_ == Contact::kNone) {
    worlds_.push_back({nullptr, nullptr, size});
    return pgid;
  }
  const auto count = static_cast<std::size_t>(size);
  MemoryCount::Held<Process> processes = memory_.take_array<Process>(count);
  MemoryCount::Held<Endpoint> endpoints = memory_.take_array<Endpoint>(count);
  for (std::int32_t lpid = 0; lpid < size; ++lpid) {
    fill(::new (static_cast<void *>(processes.get() + lpid)) Process{},
         ::new (static_cast<void *>(endpoints.get() + lpid)) Endpoint{}, {pgid, lpid});
  }
  worlds_.push_back({processes.release(), endpoints.release(), size});
  return pgid;
}

OmpiSparse::Process *OmpiSparse::pointer_to(Gpid process) const {
  Process *const processes = worlds_[static_cast<std::size_t>(process.pgid)].processes;
  return processes == nullptr ? reinterpret_cast<Process *>(sentinel_of(process)) : processes + process.lpid;
}

void OmpiSparse::contact(const Comm &comm, std::int32_t rank) {
  const Group *group = comm.group_.get();
  while (group->form != Form::kDense) {
    rank = parent_rank(group, rank);
    group = group->parent;
  }
  const auto sentinel = reinterpret_cast<std::uintptr_t>(group->processes[rank]);
  if ((sentinel & 1) == 0) {
    return;
  }
  Contacted &contacted = contacted_[sentinel];
  if (contacted.process == nullptr) {
    contacted.process = memory_.take<Process>(sizeof(Process)).release();
    contacted.endpoint = memory_.take<Endpoint>(sizeof(Endpoint)).release();
    fill(contacted.process, contacted.endpoint, process_of(sentinel));
  }
  group->processes[rank] = contacted.process;
}

void OmpiSparse::set_local(Gpid process) {
  worlds_[static_cast<std::size_t>(process.pgid)].processes[process.lpid].is_local = 1;
}

MemoryCount::Held<OmpiSparse::Group> OmpiSparse::new_group(Form form, std::size_t size) {
  MemoryCount::Held<Group> group = memory_.take<Group>(sizeof(Group));
  group->form = form;
  group->size = static_cast<std::int32_t>(size);
  return group;
}

MemoryCount::Held<OmpiSparse::Process *> OmpiSparse::new_table(std::size_t size) {
  return memory_.take_array<Process *>(size);
}

OmpiSparse::Comm OmpiSparse::adopt(MemoryCount::Held<Group> group) {
  return Comm(Shared<OmpiSparse, Group>(*this, group.release()));
}

OmpiSparse::Comm OmpiSparse::adopt_dense(MemoryCount::Held<Process *> table, std::size_t size) {
  MemoryCount::Held<Group> group = new_group(Form::kDense, size);
  group->processes = table.release();
  return adopt(std::move(group));
}

OmpiSparse::Comm OmpiSparse::make_world(std::int32_t pgid) {
  const World &world = worlds_[static_cast<std::size_t>(pgid)];
  const auto size = static_cast<std::size_t>(world.size);
  MemoryCount::Held<Process *> table = new_table(size);
  for (std::int32_t rank = 0; rank < world.size; ++rank) {
    table.get()[rank] = pointer_to({pgid, rank});
  }
  return adopt_dense(std::move(table), size);
}

OmpiSparse::Comm OmpiSparse::make_merged(std::span<const Gpid> processes) {
  MemoryCount::Held<Process *> table = new_table(processes.size());
  std::transform(processes.begin(), processes.end(), table.get(), [this](Gpid process) { return pointer_to(process); });
  return adopt_dense(std::move(table), processes.size());
}

OmpiSparse::Comm OmpiSparse::make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks) {
  constexpr std::size_t kPointerBytes = 8;
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  const std::size_t size = parent_ranks.size();
  Group *const up = parent.group_.get();

  const std::optional<Group::Strided> strided = detect_stride(parent_ranks);
  const std::size_t range_count = count_ranges(parent_ranks);
  const bool ascending = std::is_sorted(parent_ranks.begin(), parent_ranks.end());
  const std::size_t bitmap_bytes = (static_cast<std::size_t>(up->size) + 7) / 8;

  const std::size_t bytes[] = {groups_ == Groups::kDense ? 0 : kPointerBytes * size,
                               strided ? sizeof(Group::Strided) : kNever, sizeof(Range) * range_count,
                               ascending ? bitmap_bytes : kNever};
  const auto form = static_cast<Form>(std::min_element(std::begin(bytes), std::end(bytes)) - std::begin(bytes));

  if (form == Form::kDense) {
    MemoryCount::Held<Process *> table = new_table(size);
    std::transform(parent_ranks.begin(), parent_ranks.end(), table.get(),
                   [&parent](std::int32_t rank) { return const_cast<Process *>(process(parent, rank)); });
    return adopt_dense(std::move(table), size);
  }
  MemoryCount::Held<Group> group = new_group(form, size);
  if (form == Form::kStrided) {
    group->sparse.strided = *strided;
  } else if (form == Form::kSporadic) {
    MemoryCount::Held<Range> ranges = memory_.take_array<Range>(range_count);
    fill_ranges(parent_ranks, ranges.get());
    group->sparse.sporadic = {.ranges = ranges.release(), .count = static_cast<std::int32_t>(range_count)};
  } else {
    MemoryCount::Held<std::uint8_t> bits = memory_.take_array<std::uint8_t>(bitmap_bytes);
    std::fill_n(bits.get(), bitmap_bytes, std::uint8_t{0});
    for (const std::int32_t rank : parent_ranks) {
      bits.get()[rank / 8] |= static_cast<std::uint8_t>(1U << (rank % 8));
    }
    group->sparse.bitmap = {.bits = bits.release(), .bytes = static_cast<std::int32_t>(bitmap_bytes)};
  }
  group->parent = up;
  ++up->references;
  return adopt(std::move(group));
}

OmpiSparse::Comm OmpiSparse::dup(const Comm &comm) { return Comm(comm.group_.share()); }

/// Frees a group, and each ancestor that nothing else refers to.
void OmpiSparse::destroy(Group *group) noexcept {
  do {
    Group *const parent = group->parent;
    switch (group->form) {
    case Form::kDense: memory_.give_back_array(group->processes, static_cast<std::size_t>(group->size)); break;
    case Form::kStrided: break;
    case Form::kSporadic:
      memory_.give_back_array(group->sparse.sporadic.ranges, static_cast<std::size_t>(group->sparse.sporadic.count));
      break;
    case Form::kBitmap:
      memory_.give_back_array(group->sparse.bitmap.bits, static_cast<std::size_t>(group->sparse.bitmap.bytes));
      break;
    }
    memory_.give_back(group, sizeof(Group));
    group = parent;
  } while (group != nullptr && --group->references == 0);
}

} // namespace avrankmap::bench
