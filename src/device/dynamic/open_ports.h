// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ports that this process has opened.
#ifndef AVRANKMAP_SRC_DYNAMIC_OPEN_PORTS_H
#define AVRANKMAP_SRC_DYNAMIC_OPEN_PORTS_H

#include "core/device.h"
#include "dynamic/port.h"

namespace avrankmap::detail {

// Waits for a client at a port of this device. Writes a number to *seed_p that is the same on both
// sides.
[[nodiscard]] avrm_status_t accept_by_name(avrm_device_t *device, const char *name, Waiting &waiting, Socket *socket_p,
                                           std::uint32_t *seed_p) noexcept;
void close_ports(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
