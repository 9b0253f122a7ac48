// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/acknowledged.h"

namespace avrankmap::detail {

std::int32_t count_dead(avrm_comm_t *comm) noexcept {
  const std::uint32_t failures = failures_of(comm->device);
  if (failures != comm->failures_counted) {
    comm->failures_counted = failures;
    comm->dead = 0;
    for (std::int32_t rank = 0; rank < comm->map->size; ++rank) {
      comm->dead += has_failed(comm->device, gpid_of(comm, rank)) ? 1 : 0;
    }
  }
  return comm->dead;
}

} // namespace avrankmap::detail
