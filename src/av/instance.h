// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an instance consists of.
#ifndef AVRANKMAP_SRC_AV_INSTANCE_H
#define AVRANKMAP_SRC_AV_INSTANCE_H

#include <mutex>
#include <shared_mutex>

#include "av/directory.h"
#include "avrankmap/instance.h"
#include "base/hash_table.h"
#include "base/memory.h"

namespace avrankmap::detail {

// What can be dropped and built again.
struct Caches {
  explicit Caches(Memory &memory) noexcept : inverses(memory) {}

  std::shared_mutex lock;
  HashTable inverses; // by the address of the table's header
};

// Tables that are shared by all maps that are equal, by the hash of their content.
struct Interned {
  Interned(Memory &memory, bool on) noexcept
      : enabled(on), luts(memory), mluts(memory), segments(memory), packed(memory) {}

  const bool enabled;
  std::mutex lock; // a known table's last share is given up, and a share of one that is found is taken, under it
  HashTable luts;
  HashTable mluts;
  HashTable segments;
  HashTable packed;
};

} // namespace avrankmap::detail

// The handle of the C interface.
struct avrm_instance {
  avrm_instance(const avrm_allocator_t &allocator, bool strict_mode, avrm_cost_t cost_class, bool interning) noexcept
      : memory(allocator), strict(strict_mode), cost(cost_class), directory(memory), caches(memory),
        interned(memory, interning) {}

  // True if forms beyond direct .. mlut may be chosen.
  [[nodiscard]] bool compact() const noexcept { return !strict && cost == AVRM_COST_BYTES; }

  avrankmap::detail::Memory memory;
  const bool strict;
  const avrm_cost_t cost;
  // Guards the directory, the reference counts of AVs, the binding of shared tables, and writes of AVEs. Never taken
  // by translation.
  std::mutex lock;
  avrankmap::detail::Directory directory;
  avrankmap::detail::Caches caches;
  avrankmap::detail::Interned interned;
};

#endif
