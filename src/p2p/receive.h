// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that arrive other than by the netmod's own matching, and receives whose
// sender has failed.
#ifndef AVRANKMAP_SRC_P2P_RECEIVE_H
#define AVRANKMAP_SRC_P2P_RECEIVE_H

#include "core/device.h"

namespace avrankmap::detail {

// Hands a message to the receive that it matches, or keeps it. False without memory for that.
bool on_shm_message(void *device, const avrm_arrival_t *arrival) noexcept;
// Ends receives whose message was to come from a failed process, or may have been.
void fail_receives(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
