// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Standard streams of a process that was started without some of them, such as a daemon.
#ifndef AVRANKMAP_SRC_DEVICE_BASE_STANDARD_STREAMS_H
#define AVRANKMAP_SRC_DEVICE_BASE_STANDARD_STREAMS_H

#include "avrankmap/status.h"

namespace avrankmap::detail {

// Opens /dev/null permanently in place of each of the descriptors 0 to 2 that is closed. Otherwise
// descriptors of transports would get these numbers and become the standard streams of this process
// and of those that it spawns. Returns AVRM_OK, or AVRM_ERR_SYSTEM if it cannot be opened.
[[nodiscard]] avrm_status_t fill_standard_streams() noexcept;

} // namespace avrankmap::detail

#endif
