// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The process map of MPICH 5, which replaced the rank map: offset and stride, or a dense table.
//
//   communicator --> group { map: size, use_map, (offset, stride) or table }   48 bytes, shared
//                                                                   |
//                     int64 int64 ...  8 bytes per rank, (world << 32) | world rank
//   AV tables by world --> { size | entry 32 bytes ][ entry ] ...
//
// The address of one process costs a load of the AV table by its world, and one of the entry,
// in every case. A stride may be negative; there are no blocks, and a dense table is not
// shared by children.
//
// The original also tests at each look-up whether the rank is in range; that test is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "baseline/memory_count.h"
#include "baseline/scheme.h"

namespace avrankmap::bench {

class Mpich5 {
public:
  static constexpr const char *kName = "mpich5";
  static constexpr std::uint64_t kCommBytes = 8; // pointer to the group

  static constexpr std::int32_t kMaxWorlds = 1024; // as in the original, all allocated at the start

  /// World index in the upper half, rank in that world in the lower.
  using Lpid = std::int64_t;

  /// Entry of an AV table. The addresses of further interfaces would be behind `others`.
  struct AvEntry {
    std::uint64_t root_address;
    std::int64_t root_offset;
    std::uint64_t *others;
    std::uint32_t is_local;
    std::int32_t node;
  };

  /// Header of an AV table; entries follow, aligned so that none of them straddles two cache lines.
  struct alignas(32) AvTable {
    std::int32_t size;
  };

  struct Pmap {
    struct Regular {
      Lpid offset;
      Lpid stride;
    };
    std::int32_t size;
    bool use_table;
    union {
      Regular regular;
      Lpid *table;
    } map;
  };

  struct Group {
    std::int32_t handle;
    std::int32_t references = 1;
    std::int32_t rank;
    void *session;
    Pmap pmap;
  };

  /// Communicator.
  class Comm {
  public:
    [[nodiscard]] std::int32_t size() const { return group_->pmap.size; }
    [[nodiscard]] bool has_table() const { return group_->pmap.use_table; }

  private:
    friend class Mpich5;
    Comm(Shared<Mpich5, Group> group, const AvTable *const *tables) : group_(std::move(group)), tables_(tables) {}

    Shared<Mpich5, Group> group_;
    const AvTable *const *tables_; // global in the original
  };

  Mpich5();
  Mpich5(const Mpich5 &) = delete;
  Mpich5 &operator=(const Mpich5 &) = delete;
  ~Mpich5();

  /// At most kMaxWorlds times; then std::bad_alloc.
  std::int32_t add_world(std::int32_t size);
  /// Turns a process into one that is reached through shared memory.
  void set_local(Gpid process);

  Comm make_world(std::int32_t pgid);
  Comm make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks);
  Comm make_merged(std::span<const Gpid> processes);
  Comm dup(const Comm &comm);

  [[nodiscard]] std::uint64_t bytes() const { return memory_.bytes(); }

  static AVRM_BENCH_HOT std::uint64_t address_word(const Comm &comm, std::int32_t rank) {
    return entry(comm, rank)->root_address;
  }

  static AVRM_BENCH_HOT std::uint64_t address(const Comm &comm, std::int32_t rank) {
    const AvEntry *const peer = entry(comm, rank);
    if (AVRM_UNLIKELY(peer->is_local)) {
      return kNotNetwork;
    }
    return known_network(peer->root_address);
  }

private:
  friend class Shared<Mpich5, Group>;
  using Entries = Trailing<AvTable, AvEntry>;

  static AVRM_BENCH_HOT Lpid lpid_of(const Pmap &pmap, std::int32_t rank) {
    if (pmap.use_table) {
      return pmap.map.table[rank];
    }
    return pmap.map.regular.offset + rank * pmap.map.regular.stride;
  }

  static AVRM_BENCH_HOT const AvEntry *entry(const Comm &comm, std::int32_t rank) {
    const Lpid lpid = lpid_of(comm.group_->pmap, rank);
    const Lpid world = lpid >> 32;
    const Lpid world_rank = lpid & 0xffffffff;
    return Entries::of(comm.tables_[world]) + world_rank;
  }

  MemoryCount::Held<Lpid> new_table(std::size_t size);
  Comm make_regular(std::size_t size, Pmap::Regular regular);
  Comm adopt(MemoryCount::Held<Lpid> table, std::size_t size);
  Comm new_comm(const Pmap &pmap);
  void destroy(Group *group) noexcept;

  MemoryCount memory_;
  MemoryCount::Held<const AvTable *> tables_;
  std::int32_t world_count_ = 0;
};

static_assert(sizeof(Mpich5::AvEntry) == 32, "as MPICH 5 has it with libfabric");
static_assert(sizeof(Mpich5::Pmap) == 24 && sizeof(Mpich5::Group) == 48);
static_assert(Scheme<Mpich5>);

} // namespace avrankmap::bench
