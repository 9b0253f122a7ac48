// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// MPICH's state per rank, without the maps of its communicators, with libfabric:
//
//   nodes        of each rank of a communicator its node and its local rank here   8 bytes
//   parts        of each rank's part of a window base, key or size, and unit      24 bytes
//   addresses    of each process, from its second address on all of them           8 bytes each
//
// MPICH 3.2 and 4.0 always keep the nodes. MPICH 5 does not where each node has the same number of
// consecutive ranks. Parts are kept where the provider chooses keys. The third is of MPICH 5, which
// allocates a block per process; here they are one block, and none of their headers is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "baseline/memory_count.h"

namespace avrankmap::bench {

/// A window's part in MPICH 3.2.
struct Mpich3Part {
  void *base;
  std::int64_t size;
  std::int32_t unit;
  std::int32_t handle;
};
static_assert(sizeof(Mpich3Part) == 24);

/// The same in MPICH 4 and 5.
struct MpichPart {
  std::int32_t unit;
  std::uint64_t key;
  std::uint64_t base;
};
static_assert(sizeof(MpichPart) == 24);

class PerRankTables {
public:
  /// Of a communicator whose rank r is process r * stride, on node r * stride / per_node.
  /// @param if_needed  only if nodes differ in size or their ranks do not follow one another
  void add_nodes(std::int32_t size, std::int32_t stride, std::int32_t per_node, bool if_needed);
  template <class Part> void add_window(std::int32_t size) {
    auto parts = memory_.take_array<Part>(static_cast<std::size_t>(size));
    for (std::int32_t rank = 0; rank < size; ++rank) {
      parts.get()[rank] = Part{};
    }
    kept_.emplace_back(std::move(parts));
  }
  void add_addresses(std::int32_t processes, std::int32_t each);

  [[nodiscard]] std::uint64_t bytes() const { return memory_.bytes(); }

private:
  MemoryCount memory_;
  std::vector<MemoryCount::Held<void>> kept_;
};

} // namespace avrankmap::bench
