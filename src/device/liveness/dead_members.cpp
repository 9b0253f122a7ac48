// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "liveness/dead_members.h"

#include <algorithm>

#include "comm_algorithms/create/from_group.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

// Counts the dead processes of all process groups.
std::int64_t count_all_dead(const avrm_device_t *device) noexcept {
  std::int64_t count = device->boot->failures().count();
  for (const World *world = device->worlds; world != nullptr; world = world->next) {
    count += is_lost(device, world) ? world->av->size : static_cast<std::int64_t>(world->failures.count());
  }
  return count;
}

} // namespace

DeadMembers::DeadMembers(const avrm_device_t *device, const avrm_rankmap_t *map) noexcept
    : device_(device), map_(map), world_(device->worlds) {
  if (failures_of(device) == 0) {
    world_ = nullptr;
    return;
  }
  walks_ = map->size <= count_all_dead(device);
  enter(kOwnWorld, device->boot->failures(), 0);
}

void DeadMembers::enter(std::int32_t pgid, const FailedProcesses &failures, std::int32_t all) noexcept {
  pgid_ = pgid;
  failures_ = all != 0 ? nullptr : &failures;
  at_ = 0;
  end_ = all != 0 ? all : failures.size();
}

std::int32_t DeadMembers::next() noexcept {
  while (walks_) {
    if (at_ == map_->size) {
      return kNobody;
    }
    const std::int32_t rank = at_++;
    if (has_failed(device_, avrm_rankmap_gpid(map_, rank))) {
      return rank;
    }
  }
  for (;;) {
    const std::int32_t lpid = failures_ != nullptr ? failures_->next(at_) : at_;
    if (lpid < end_) {
      at_ = lpid + 1;
      const std::int32_t rank = rank_in(map_, {pgid_, lpid});
      if (rank != kNobody) {
        return rank;
      }
    } else if (world_ == nullptr) {
      return kNobody;
    } else {
      enter(world_->av->pgid, world_->failures, is_lost(device_, world_) ? world_->av->size : 0);
      world_ = world_->next;
    }
  }
}

bool has_dead(const avrm_device_t *device, const avrm_rankmap_t *map) noexcept {
  return DeadMembers(device, map).next() != kNobody;
}

void list_dead(const avrm_device_t *device, const avrm_rankmap_t *map, Array<std::int32_t> &ranks) noexcept {
  DeadMembers members(device, map);
  for (std::int32_t rank = members.next(); rank != kNobody; rank = members.next()) {
    ranks.append(rank);
  }
  std::sort(ranks.begin(), ranks.end());
}

} // namespace avrankmap::detail
