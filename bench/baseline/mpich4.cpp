// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "baseline/mpich4.h"

#include <algorithm>
#include <new>

namespace avrankmap::bench {

namespace {

using Mode = Mpich4Parts::Mode;

/// A mode without the difference that _INTRA makes.
enum class Model { kDirect, kOffset, kStride, kStrideBlock, kLut, kMlut };

Model model_of(Mode mode) { return static_cast<Model>(static_cast<std::int32_t>(mode) / 2); }

Mode mode_of(Model model, std::int32_t avtid) {
  const bool has_twin = model != Model::kMlut;
  return static_cast<Mode>(static_cast<std::int32_t>(model) * 2 + (has_twin && avtid == 0 ? 1 : 0));
}

/// A mapping as a formula; kLut if there is none.
struct Pattern {
  Model model = Model::kLut;
  std::int32_t offset = 0;
  std::int32_t stride = 0;
  std::int32_t block = 0;
};

Pattern offset_pattern(std::int32_t offset) {
  return {.model = offset == 0 ? Model::kDirect : Model::kOffset, .offset = offset};
}

/// Offset first, then stride with a block length. A stride that is not longer than its block, hence
/// every negative one, is irregular.
Pattern detect(std::span<const std::int32_t> array) {
  const std::int64_t offset = array[0];
  std::int64_t run = 1;
  const auto size = static_cast<std::int64_t>(array.size());
  while (run < size && array[static_cast<std::size_t>(run)] == offset + run) {
    ++run;
  }
  if (run == size) {
    return offset_pattern(array[0]);
  }
  const std::int64_t block = run;
  const std::int64_t stride = array[static_cast<std::size_t>(run)] - offset;
  if (stride <= block) {
    return {};
  }
  std::int64_t first = offset;
  for (std::int64_t begin = 0; begin < size; begin += block, first += stride) {
    const std::int64_t end = std::min(begin + block, size);
    for (std::int64_t i = begin; i < end; ++i) {
      if (array[static_cast<std::size_t>(i)] != first + (i - begin)) {
        return {};
      }
    }
  }
  return {.model = block == 1 ? Model::kStride : Model::kStrideBlock,
          .offset = array[0],
          .stride = static_cast<std::int32_t>(stride),
          .block = static_cast<std::int32_t>(block)};
}

Mpich4Parts::RankMap regular_map(std::int32_t avtid, std::size_t size, const Pattern &pattern) {
  Mpich4Parts::RankMap map;
  map.mode = mode_of(pattern.model, avtid);
  map.avtid = avtid;
  map.size = static_cast<std::int32_t>(size);
  map.offset = pattern.offset;
  map.stride = pattern.stride;
  map.block = pattern.block;
  return map;
}

/// lpid of a rank in a map that has no pairs.
std::int32_t lpid_of(const Mpich4Parts::RankMap &map, std::int32_t rank) {
  switch (model_of(map.mode)) {
  case Model::kDirect: return rank;
  case Model::kOffset: return rank + map.offset;
  case Model::kStride: return rank * map.stride + map.offset;
  case Model::kStrideBlock: return rank / map.block * (map.stride - map.block) + rank + map.offset;
  case Model::kLut: return map.first.lpids[rank];
  case Model::kMlut: break;
  }
  return -1;
}

} // namespace

template <class Entry> BasicMpich4<Entry>::BasicMpich4() : tables_(memory_.take_array<const AvTable *>(kMaxWorlds)) {
  std::fill_n(tables_.get(), kMaxWorlds, nullptr);
}

template <class Entry> BasicMpich4<Entry>::~BasicMpich4() {
  for (std::int32_t avtid = 0; avtid < world_count_; ++avtid) {
    const AvTable *const table = tables_.get()[avtid];
    memory_.give_back(const_cast<AvTable *>(table), Entries::bytes(static_cast<std::size_t>(table->size)));
  }
}

template <class Entry> std::int32_t BasicMpich4<Entry>::add_world(std::int32_t size) {
  if (world_count_ == kMaxWorlds) {
    throw std::bad_alloc();
  }
  const std::int32_t pgid = world_count_;
  MemoryCount::Held<AvTable> table = memory_.take<AvTable>(Entries::bytes(static_cast<std::size_t>(size)));
  table->references = 1;
  table->size = size;
  AvEntry *const entries = Entries::of(table.get());
  for (std::int32_t lpid = 0; lpid < size; ++lpid) {
    entries[lpid] = {.destination = {address_of({pgid, lpid})}, .is_local = 0};
  }
  tables_.get()[pgid] = table.release();
  ++world_count_;
  return pgid;
}

template <class Entry> void BasicMpich4<Entry>::set_local(Gpid process) {
  auto *const table = const_cast<AvTable *>(tables_.get()[process.pgid]);
  Entries::of(table)[process.lpid].is_local = 1;
}

template <class Entry> MemoryCount::Held<Mpich4Parts::Lut> BasicMpich4<Entry>::new_lut(std::size_t size) {
  MemoryCount::Held<Lut> lut = memory_.take<Lut>(Lpids::bytes(size));
  lut->size = static_cast<std::int32_t>(size);
  return lut;
}

template <class Entry> MemoryCount::Held<Mpich4Parts::Lut> BasicMpich4<Entry>::new_mlut(std::size_t size) {
  MemoryCount::Held<Lut> mlut = memory_.take<Lut>(Pairs::bytes(size));
  mlut->size = static_cast<std::int32_t>(size);
  return mlut;
}

/// Step 3 of the paper: a lut that holds a regular mapping is dropped.
template <class Entry>
typename BasicMpich4<Entry>::Comm BasicMpich4<Entry>::adopt_lut(std::int32_t avtid, MemoryCount::Held<Lut> lut) {
  const std::int32_t *const lpids = Lpids::of(lut.get());
  const auto size = static_cast<std::size_t>(lut->size);
  const Pattern pattern = detect({lpids, size});
  RankMap map = regular_map(avtid, size, pattern);
  if (pattern.model == Model::kLut) {
    map.first.lpids = lpids;
    map.table = lut.release();
  }
  return Comm(*this, map);
}

/// The same for an mlut: one of a single process group becomes a lut.
template <class Entry> typename BasicMpich4<Entry>::Comm BasicMpich4<Entry>::adopt_mlut(MemoryCount::Held<Lut> mlut) {
  const Pair *const pairs = Pairs::of(mlut.get());
  const auto size = static_cast<std::size_t>(mlut->size);
  const std::int32_t avtid = pairs[0].avtid;
  if (std::all_of(pairs, pairs + size, [avtid](const Pair &pair) { return pair.avtid == avtid; })) {
    MemoryCount::Held<Lut> lut = new_lut(size);
    std::transform(pairs, pairs + size, Lpids::of(lut.get()), [](const Pair &pair) { return pair.lpid; });
    return adopt_lut(avtid, std::move(lut));
  }
  RankMap map;
  map.mode = Mode::kMlut;
  map.size = mlut->size;
  map.first.pairs = pairs;
  map.table = mlut.release();
  return Comm(*this, map);
}

/// Table II, footnote a: the child of a contiguous part points into its parent's table.
template <class Entry>
typename BasicMpich4<Entry>::Comm BasicMpich4<Entry>::share_table(const Comm &parent, std::int32_t offset,
                                                                  std::int32_t size) {
  RankMap map = parent.map_;
  map.size = size;
  if (map.mode == Mode::kMlut) {
    map.first.pairs += offset;
  } else {
    map.first.lpids += offset;
  }
  ++map.table->references;
  return Comm(*this, map);
}

template <class Entry> typename BasicMpich4<Entry>::Comm BasicMpich4<Entry>::make_world(std::int32_t pgid) {
  const auto size = static_cast<std::size_t>(tables_.get()[pgid]->size);
  return Comm(*this, regular_map(pgid, size, offset_pattern(0)));
}

template <class Entry>
typename BasicMpich4<Entry>::Comm BasicMpich4<Entry>::make_child(const Comm &parent,
                                                                 std::span<const std::int32_t> parent_ranks) {
  const RankMap &from = parent.map_;
  const std::size_t size = parent_ranks.size();
  Pattern pattern = detect(parent_ranks);
  const bool contiguous = pattern.model == Model::kDirect || pattern.model == Model::kOffset;

  switch (model_of(from.mode)) {
  case Model::kDirect:
  case Model::kOffset:
    if (contiguous) {
      return Comm(*this, regular_map(from.avtid, size, offset_pattern(from.offset + pattern.offset)));
    }
    if (pattern.model != Model::kLut) {
      pattern.offset += from.offset;
      return Comm(*this, regular_map(from.avtid, size, pattern));
    }
    break;
  case Model::kStride:
  case Model::kStrideBlock:
    if (pattern.model == Model::kDirect) {
      RankMap map = from;
      map.size = static_cast<std::int32_t>(size);
      return Comm(*this, map);
    }
    break;
  case Model::kLut:
    if (contiguous) {
      return share_table(parent, pattern.offset, static_cast<std::int32_t>(size));
    }
    break;
  case Model::kMlut: {
    if (contiguous) {
      return share_table(parent, pattern.offset, static_cast<std::int32_t>(size));
    }
    MemoryCount::Held<Lut> mlut = new_mlut(size);
    std::transform(parent_ranks.begin(), parent_ranks.end(), Pairs::of(mlut.get()),
                   [&from](std::int32_t rank) { return from.first.pairs[rank]; });
    return adopt_mlut(std::move(mlut));
  }
  }
  MemoryCount::Held<Lut> lut = new_lut(size);
  std::transform(parent_ranks.begin(), parent_ranks.end(), Lpids::of(lut.get()),
                 [&from](std::int32_t rank) { return lpid_of(from, rank); });
  return adopt_lut(from.avtid, std::move(lut));
}

template <class Entry>
typename BasicMpich4<Entry>::Comm BasicMpich4<Entry>::make_merged(std::span<const Gpid> processes) {
  MemoryCount::Held<Lut> mlut = new_mlut(processes.size());
  std::transform(processes.begin(), processes.end(), Pairs::of(mlut.get()),
                 [](Gpid process) { return Pair{.avtid = process.pgid, .lpid = process.lpid}; });
  return adopt_mlut(std::move(mlut));
}

template <class Entry> typename BasicMpich4<Entry>::Comm BasicMpich4<Entry>::dup(const Comm &comm) {
  if (comm.map_.table != nullptr) {
    ++comm.map_.table->references;
  }
  return Comm(*this, comm.map_);
}

template <class Entry> void BasicMpich4<Entry>::destroy(Mode mode, Lut *table) noexcept {
  const auto size = static_cast<std::size_t>(table->size);
  memory_.give_back(table, mode == Mode::kMlut ? Pairs::bytes(size) : Lpids::bytes(size));
}

template <class Entry>
BasicMpich4<Entry>::Comm::Comm(BasicMpich4 &owner, const RankMap &map) noexcept
    : map_(map), table0_(owner.tables_.get()[0]), tables_(owner.tables_.get()), owner_(&owner) {
  owner.memory_.charge(kCommBytes);
}

template <class Entry>
BasicMpich4<Entry>::Comm::Comm(Comm &&other) noexcept
    : map_(other.map_), table0_(other.table0_), tables_(other.tables_), owner_(std::exchange(other.owner_, nullptr)) {}

template <class Entry> typename BasicMpich4<Entry>::Comm &BasicMpich4<Entry>::Comm::operator=(Comm &&other) noexcept {
  std::swap(map_, other.map_);
  std::swap(table0_, other.table0_);
  std::swap(tables_, other.tables_);
  std::swap(owner_, other.owner_);
  return *this;
}

template <class Entry> BasicMpich4<Entry>::Comm::~Comm() {
  if (owner_ == nullptr) {
    return;
  }
  owner_->memory_.discharge(kCommBytes);
  if (map_.table != nullptr && --map_.table->references == 0) {
    owner_->destroy(map_.mode, map_.table);
  }
}

template class BasicMpich4<Mpich4OfiEntry>;
template class BasicMpich4<Mpich4UcxEntry>;

} // namespace avrankmap::bench
