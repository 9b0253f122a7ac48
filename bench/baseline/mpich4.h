// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The wide switch of MPICH 4.0.2: the AV-Rankmap scheme as its authors shipped it, with the mapping
// models of the paper in twelve modes.
//
//   communicator { rank map: mode, avtid, size, offset, stride, block, table }
//                                    |                                  |
//      AV tables by avtid --> { references, size | entry 72 bytes ][ entry ] ... per process group
//                                                                       |
//       lut { references | lpid lpid ... }   mlut { references | (avtid, lpid) ... }
//           4 bytes per rank                     8 bytes per rank
//
// Each regular mode and the lut come twice: the _INTRA twin is for avtid 0 and reads that table's
// address directly. An entry has room for the addresses of eight network interfaces, of which one
// is in use, and the locality bit; in the build for UCX it has one address and takes 16 bytes.
//
// The directory of AV tables is fixed in size here, since communicators point to it; in the
// original it is global and grows by reallocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "baseline/memory_count.h"
#include "baseline/scheme.h"

namespace avrankmap::bench {

/// The part that does not depend on the network.
struct Mpich4Parts {
  // The rank map; the original has a second one, for intercommunicators.
  static constexpr std::uint64_t kCommBytes = 40;

  static constexpr std::int32_t kMaxWorlds = 64;

  /// Header of an AV table; entries follow.
  struct AvTable {
    std::int32_t handle;
    std::int32_t references;
    std::int32_t size;
    std::int32_t padding;
  };

  enum class Mode : std::int32_t {
    kDirect,
    kDirectIntra,
    kOffset,
    kOffsetIntra,
    kStride,
    kStrideIntra,
    kStrideBlock,
    kStrideBlockIntra,
    kLut,
    kLutIntra,
    kMlut,
    kNone, // communicator without a mapping
  };

  /// Header of a lut or an mlut; lpids or pairs follow.
  struct Lut {
    std::int32_t size; // where the original keeps an object handle
    std::int32_t references = 1;
  };

  struct Pair {
    std::int32_t avtid;
    std::int32_t lpid;
  };

  struct RankMap {
    Mode mode = Mode::kNone;
    std::int32_t avtid = 0;
    std::int32_t size = 0;
    std::int32_t offset = 0;
    std::int32_t stride = 0;
    std::int32_t block = 0;
    Lut *table = nullptr; // lut and mlut
    union {
      // First rank's entry in the table, which the communicator may share a part of.
      const std::int32_t *lpids;
      const Pair *pairs;
    } first = {nullptr};
  };
};

/// Entry of an AV table in the build for libfabric: addresses of eight network interfaces.
struct Mpich4OfiEntry {
  static constexpr const char *kName = "mpich4";
  std::uint64_t destination[8];
  std::uint32_t is_local : 1;
};
/// The same in the build for UCX, with one interface: the endpoint.
struct Mpich4UcxEntry {
  static constexpr const char *kName = "mpich4-ucx";
  std::uint64_t destination[1];
  std::uint32_t is_local : 1;
};

/// The same in MPICH 4.1 to 4.3: 64 virtual interfaces at each of the eight, whatever a job uses
/// (src/mpid/ch4/subconfigure.m4: --with-ch4-max-vcis is 64 by default since 4.1). The rest of the
/// scheme is that of 4.0.2, so that it is counted and not built: a table for 4 million processes
/// takes 17 GB, each of its pages holding part of an address.
struct Mpich41OfiEntry {
  static constexpr const char *kName = "mpich4.1";
  std::uint64_t destination[8][64];
  std::uint32_t is_local : 1;
};
/// Bytes in MPICH 4.1 to 4.3 of what takes `mpich4` bytes in 4.0.2.
constexpr std::uint64_t mpich41_bytes(std::uint64_t mpich4, std::int32_t processes) {
  return mpich4 + (sizeof(Mpich41OfiEntry) - sizeof(Mpich4OfiEntry)) * static_cast<std::uint64_t>(processes);
}

template <class Entry> class BasicMpich4 : public Mpich4Parts {
public:
  using AvEntry = Entry;
  static constexpr const char *kName = Entry::kName;

  /// Communicator.
  class Comm {
  public:
    Comm(Comm &&other) noexcept;
    Comm &operator=(Comm &&other) noexcept;
    ~Comm();

    [[nodiscard]] std::int32_t size() const { return map_.size; }
    [[nodiscard]] Mode mode() const { return map_.mode; }

  private:
    friend class BasicMpich4;
    Comm(BasicMpich4 &owner, const RankMap &map) noexcept;

    RankMap map_;
    const AvTable *table0_;        // global in the original
    const AvTable *const *tables_; // global in the original
    BasicMpich4 *owner_;
  };

  BasicMpich4();
  BasicMpich4(const BasicMpich4 &) = delete;
  BasicMpich4 &operator=(const BasicMpich4 &) = delete;
  ~BasicMpich4();

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
    const AvEntry *const peer = entry(comm, rank);
    return peer->destination[0];
  }

  static AVRM_BENCH_HOT std::uint64_t address(const Comm &comm, std::int32_t rank) {
    const AvEntry *const peer = entry(comm, rank);
    if (AVRM_UNLIKELY(peer->is_local)) {
      return kNotNetwork;
    }
    return known_network(peer->destination[0]);
  }

private:
  using Entries = Trailing<AvTable, AvEntry>;
  using Lpids = Trailing<Lut, std::int32_t>;
  using Pairs = Trailing<Lut, Pair>;

  static AVRM_BENCH_HOT const AvEntry *entry(const Comm &comm, std::int32_t rank) {
    const RankMap &map = comm.map_;
    switch (map.mode) {
    case Mode::kDirect: return Entries::of(comm.tables_[map.avtid]) + rank;
    case Mode::kDirectIntra: return Entries::of(comm.table0_) + rank;
    case Mode::kOffset: return Entries::of(comm.tables_[map.avtid]) + (rank + map.offset);
    case Mode::kOffsetIntra: return Entries::of(comm.table0_) + (rank + map.offset);
    case Mode::kStride: return Entries::of(comm.tables_[map.avtid]) + (rank * map.stride + map.offset);
    case Mode::kStrideIntra: return Entries::of(comm.table0_) + (rank * map.stride + map.offset);
    case Mode::kStrideBlock: return Entries::of(comm.tables_[map.avtid]) + blocked(map, rank);
    case Mode::kStrideBlockIntra: return Entries::of(comm.table0_) + blocked(map, rank);
    case Mode::kLut: return Entries::of(comm.tables_[map.avtid]) + map.first.lpids[rank];
    case Mode::kLutIntra: return Entries::of(comm.table0_) + map.first.lpids[rank];
    case Mode::kMlut: return Entries::of(comm.tables_[map.first.pairs[rank].avtid]) + map.first.pairs[rank].lpid;
    case Mode::kNone: break;
    }
    return nullptr;
  }

  static AVRM_BENCH_HOT std::int32_t blocked(const RankMap &map, std::int32_t rank) {
    return rank / map.block * (map.stride - map.block) + rank + map.offset;
  }

  MemoryCount::Held<Lut> new_lut(std::size_t size);
  MemoryCount::Held<Lut> new_mlut(std::size_t size);
  Comm adopt_lut(std::int32_t avtid, MemoryCount::Held<Lut> lut);
  Comm adopt_mlut(MemoryCount::Held<Lut> mlut);
  Comm share_table(const Comm &parent, std::int32_t offset, std::int32_t size);
  void destroy(Mode mode, Lut *table) noexcept;

  MemoryCount memory_;
  MemoryCount::Held<const AvTable *> tables_;
  std::int32_t world_count_ = 0;
};

extern template class BasicMpich4<Mpich4OfiEntry>;
extern template class BasicMpich4<Mpich4UcxEntry>;
using Mpich4 = BasicMpich4<Mpich4OfiEntry>;
using Mpich4Ucx = BasicMpich4<Mpich4UcxEntry>;

static_assert(sizeof(Mpich4::AvEntry) == 72, "as MPICH 4.0.2 has it with libfabric");
static_assert(sizeof(Mpich41OfiEntry) == 4104, "as MPICH 4.1 to 4.3 have it with libfabric");
static_assert(sizeof(Mpich4Ucx::AvEntry) == 16, "as MPICH 4.0.2 has it with UCX");
static_assert(sizeof(Mpich4::AvTable) == 16 && sizeof(Mpich4::Lut) == 8 && sizeof(Mpich4::RankMap) == 40);
static_assert(Scheme<Mpich4> && Scheme<Mpich4Ucx>);

} // namespace avrankmap::bench
