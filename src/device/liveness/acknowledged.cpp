// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "liveness/acknowledged.h"

#include "liveness/dead_members.h"

namespace avrankmap::detail {

std::int32_t count_dead(avrm_comm_t *comm) noexcept {
  const std::uint32_t failures = failures_of(comm->device);
  if (failures != comm->failures_counted) {
    comm->failures_counted = failures;
    comm->dead = 0;
    for (DeadMembers members(comm->device, comm->map); members.next() != kNobody;) {
      ++comm->dead;
    }
  }
  return comm->dead;
}

} // namespace avrankmap::detail
