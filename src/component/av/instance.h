// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The instance behind the handle of the C interface.
#ifndef AVRANKMAP_SRC_AV_INSTANCE_H
#define AVRANKMAP_SRC_AV_INSTANCE_H

#include "av/process_group_table.h"
#include "avrankmap/instance.h"
#include "base/hash_table.h"
#include "base/lock.h"
#include "base/memory.h"

namespace avrankmap::detail {

// Data that can be dropped and rebuilt.
struct Caches {
  explicit Caches(Memory &memory) noexcept : inverses(memory) {}

  SharedMutex lock;
  HashTable inverses; // keyed by the address of their owner (rankmap/inverse/inverse.h)
};

// Tables that equal maps share, keyed by the hash of their content (rankmap/create/intern.h).
struct Interned {
  Interned(Memory &memory, bool on) noexcept
      : enabled(on), luts(memory), mluts(memory), segments(memory), hierarchies(memory) {}

  const bool enabled;
  // Held while the last reference to an interned table is dropped, and while a reference to a table
  // that was found is taken.
  Mutex lock;
  HashTable luts;
  HashTable mluts;
  HashTable segments;
  HashTable hierarchies;
};

} // namespace avrankmap::detail

// The handle of the C interface.
struct avrm_instance {
  avrm_instance(const avrm_allocator_t &allocator, bool strict_mode, avrm_cost_t cost_class, bool interning) noexcept
      : memory(allocator), strict(strict_mode), cost(cost_class), process_groups(memory), caches(memory),
        interned(memory, interning) {}

  // True if forms other than direct .. mlut may be chosen.
  [[nodiscard]] bool compact() const noexcept { return !strict && cost != AVRM_COST_SPEED; }
  // Number of bytes that a slower form must save.
  [[nodiscard]] std::uint64_t worth() const noexcept { return cost == AVRM_COST_BALANCED ? AVRM_COST_PAGE : 1; }

  avrankmap::detail::Memory memory;
  const bool strict;
  const avrm_cost_t cost;
  // Guards the table of process groups, the reference counts of AVs, the binding of shared tables,
  // and writes of AVEs. Translation never takes it.
  avrankmap::detail::Mutex lock;
  std::int32_t unheld_avs = 0; // number of AVs that nothing holds; under the lock
  avrankmap::detail::ProcessGroupTable process_groups;
  avrankmap::detail::Caches caches;
  avrankmap::detail::Interned interned;
};

#endif
