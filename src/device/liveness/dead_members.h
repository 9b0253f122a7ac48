// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a map that have died, found from the set of dead processes: O(f log P) if f of P
// processes have died, independent of the map's size, once the inverse of a table is built.
#ifndef AVRANKMAP_SRC_LIVENESS_DEAD_MEMBERS_H
#define AVRANKMAP_SRC_LIVENESS_DEAD_MEMBERS_H

#include "base/array.h"
#include "comm_algorithms/channel/channel.h"
#include "core/device.h"
#include "launch/failed_processes.h"

namespace avrankmap::detail {

// The device's lock must be held as long as this object exists, because other threads may add and
// remove worlds.
class DeadMembers {
public:
  DeadMembers(const avrm_device_t *device, const avrm_rankmap_t *map) noexcept;

  // Returns the rank of the next dead member, in no particular order; kNobody if there are no more.
  [[nodiscard]] std::int32_t next() noexcept;

private:
  void enter(std::int32_t pgid, const FailedProcesses &failures, std::int32_t all) noexcept;

  const avrm_device_t *device_;
  const avrm_rankmap_t *map_;
  bool walks_ = false; // scans the map's ranks, which are fewer than the dead
  const World *world_; // the next one to search
  // The process group that is being searched, starting at `at_`.
  std::int32_t pgid_ = 0;
  const FailedProcesses *failures_ = nullptr; // null: all of them are dead
  std::int32_t at_ = 0;
  std::int32_t end_ = 0;
};

[[nodiscard]] bool has_dead(const avrm_device_t *device, const avrm_rankmap_t *map) noexcept;
// Appends the ranks of the dead members, in ascending order.
void list_dead(const avrm_device_t *device, const avrm_rankmap_t *map, Array<std::int32_t> &ranks) noexcept;

} // namespace avrankmap::detail

#endif
