// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths among the possible senders of a communicator, and whether they have been acknowledged.
// Until they have been, receives from any source fail.
#ifndef AVRANKMAP_SRC_LIVENESS_ACKNOWLEDGED_H
#define AVRANKMAP_SRC_LIVENESS_ACKNOWLEDGED_H

#include "core/device.h"
#include "core/progress/progress.h"

namespace avrankmap::detail {

// Requires the device's lock. Searches for dead members only if a process has died since the last
// call.
[[nodiscard]] std::int32_t count_dead(avrm_comm_t *comm) noexcept;
// Never true for the library's internal communicators: the library receives from known senders.
[[nodiscard]] inline bool has_unacknowledged(avrm_comm_t *comm) noexcept {
  return !comm->is_internal() && count_dead(comm) > comm->acknowledged;
}

} // namespace avrankmap::detail

#endif
