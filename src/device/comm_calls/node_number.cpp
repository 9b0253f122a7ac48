// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/node_number.h"

#include <algorithm>

#include "core/device.h"
#include "rankmap/create/runs.h"

namespace avrankmap::detail {

avrm_status_t number_node(const avrm_comm_t *comm, std::int32_t *number_p) noexcept {
  const avrm_device_t *const device = comm->device;
  std::int32_t before = 0; // worlds whose first member precedes that of this world
  {
    const DeviceGuard guard(device);
    const Scratch<std::int32_t> seen(device->instance->memory, static_cast<std::size_t>(device->world_count) + 1);
    if (!seen) {
      return AVRM_ERR_NO_MEMORY;
    }
    bool found = device->worlds == nullptr;
    (void)for_each_run(comm->map, [&](const Run &run) {
      found = found || run.pgid == kOwnWorld;
      if (!found && std::find(seen.data(), seen.data() + before, run.pgid) == seen.data() + before) {
        seen.data()[before++] = run.pgid;
      }
      return found ? AVRM_ERR_AGAIN : AVRM_OK;
    });
  }
  constexpr int kNodeBits = 20;
  // Launchers number nodes from 0, or use a rank as a node's number.
  if (before != 0 && (device->node >> kNodeBits != 0 || before >> (31 - kNodeBits) != 0)) {
    return AVRM_ERR_LIMIT;
  }
  *number_p = static_cast<std::int32_t>(static_cast<std::uint32_t>(before) << kNodeBits | device->node);
  return AVRM_OK;
}

} // namespace avrankmap::detail
