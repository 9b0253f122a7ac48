// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs that this process has spawned and let go: what looks after them is reaped when it ends.
#ifndef AVRANKMAP_SRC_CORE_LAUNCHES_H
#define AVRANKMAP_SRC_CORE_LAUNCHES_H

#include "core/device.h"

namespace avrankmap::detail {

// With the device's lock held. Looks now and then only.
void serve_launches(avrm_device_t *device) noexcept;
// The last look. Who has not ended by now will be the nearest reaper's.
void drop_launches(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
