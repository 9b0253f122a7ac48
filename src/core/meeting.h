// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two groups meet: the root of each finds the other, and they make an intercommunicator.
#ifndef AVRANKMAP_SRC_CORE_MEETING_H
#define AVRANKMAP_SRC_CORE_MEETING_H

#include "core/creation.h"

namespace avrankmap::detail {

class Meeting {
public:
  virtual ~Meeting() = default;
  // The root's way to the other root. `seed_p` receives a number that is the same in both.
  [[nodiscard]] virtual avrm_status_t reach(Creation &creation, Socket *socket_p, std::uint32_t *seed_p) noexcept = 0;
};

// Collective over `comm`; only the root's `meeting` is asked.
[[nodiscard]] avrm_status_t meet(avrm_comm_t *comm, std::int32_t root, Meeting &meeting, avrm_comm_t **comm_p) noexcept;
// Waits for a client at a port of this device.
[[nodiscard]] avrm_status_t accept_by_name(avrm_device_t *device, const char *name, Waiting &waiting, Socket *socket_p,
                                           std::uint32_t *seed_p) noexcept;

} // namespace avrankmap::detail

#endif
