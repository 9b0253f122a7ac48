// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launchers of jobs that this process has spawned and let go. Each is reaped when it ends.
#ifndef AVRANKMAP_SRC_DYNAMIC_LAUNCHES_H
#define AVRANKMAP_SRC_DYNAMIC_LAUNCHES_H

#include <memory>

#include "core/device.h"
#include "launch/launch.h"

namespace avrankmap::detail {

// Keeps a launcher until it has ended.
void keep_launch(avrm_device_t *device, std::unique_ptr<Launch> launch) noexcept;
// Reaps launchers that have ended; checks only occasionally. Requires the device's lock.
void serve_launches(avrm_device_t *device) noexcept;
// Reaps launchers that have ended and forgets the others, which the system reaps later.
void drop_launches(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
