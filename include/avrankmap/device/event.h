// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for a device in an event loop. One file descriptor becomes readable when the device has
// something to do; the loop polls it beside its own.
//
// A turn of the loop (tests/tour/event_loop.c):
//
//   while (avrm_progress(device) != 0) {
//   }
//   must(avrm_test(request_p, &done, NULL));
//   int64_t nanoseconds = 0;
//   const bool armed = avrm_device_arm(device, &nanoseconds) == AVRM_OK;
//   poll(descriptors, 2, armed ? (int)(nanoseconds / 1000000) : 0);
//   if (armed)
//     avrm_device_disarm(device);
//
// A device that is not armed has more to do at once; the loop still looks at its own descriptors.
//
// The time is a limit: deaths, for instance, are looked for, not announced. The loop must make
// progress again when it is over. With libfabric's providers shm, net and sockets the
// descriptor does not become readable, and the time is short.
//
// Thread-safe on a device for several threads. A thread that finds something for the loop makes the
// descriptor readable.
#ifndef AVRANKMAP_DEVICE_EVENT_H
#define AVRANKMAP_DEVICE_EVENT_H

#include "avrankmap/device/device.h"

AVRM_BEGIN_DECLS

/// Writes the device's descriptor, the same each time, for poll, epoll and the like. It takes two
/// descriptors of the process, which a device whose threads may sleep has from the start. The
/// device closes it.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SYSTEM (no descriptors are left)
avrm_status_t avrm_device_descriptor(avrm_device_t *device, int *descriptor_p) AVRM_NOEXCEPT;

/// Prepares the descriptor for a wait. Cost: some system calls.
/// @param nanoseconds_p  receives how long the loop may wait; at least a millisecond
/// @return AVRM_OK: disarm the device after the wait. AVRM_ERR_AGAIN: something has happened since
///         the last call of this function, or must be done now; nothing is armed. Make progress and
///         test requests first. AVRM_ERR_NULL, AVRM_ERR_SYSTEM (no descriptors are left)
avrm_status_t avrm_device_arm(avrm_device_t *device, int64_t *nanoseconds_p) AVRM_NOEXCEPT;

/// Ends a wait. Does nothing if the device is not armed, or null.
void avrm_device_disarm(avrm_device_t *device) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
