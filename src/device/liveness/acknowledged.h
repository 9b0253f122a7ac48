// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths of a communicator's possible senders, and whether they are acknowledged: until then nobody
// waits for a message from anybody.
#ifndef AVRANKMAP_SRC_LIVENESS_ACKNOWLEDGED_H
#define AVRANKMAP_SRC_LIVENESS_ACKNOWLEDGED_H

#include "core/device.h"
#include "core/progress/progress.h"

namespace avrankmap::detail {

// With the device's lock held. Looks for the dead after a new death, else for none.
[[nodiscard]] std::int32_t count_dead(avrm_comm_t *comm) noexcept;
// Planes carry messages of the library, which knows what it waits for.
[[nodiscard]] inline bool has_unacknowledged(avrm_comm_t *comm) noexcept {
  return !comm->is_internal() && count_dead(comm) > comm->acknowledged;
}

} // namespace avrankmap::detail

#endif
