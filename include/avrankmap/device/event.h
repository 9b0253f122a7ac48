// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for a device in an event loop. One file descriptor becomes readable when the device needs
// attention; the loop polls it together with its own descriptors.
//
// One iteration of the loop (tests/tour/event_loop.c):
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
// If the device could not be armed, usually because it still has work to do, the loop only polls
// its own descriptors, without waiting.
//
// The time returned by avrm_device_arm is an upper limit for the wait, after which the loop must
// make progress: some events, such as failures, are found only by progress. With libfabric's
// providers shm, net and sockets, and over every network if the device was opened with
// AVRM_SPIN_FOREVER, arrivals over the network do not make the descriptor readable, and the time is
// short (a millisecond).
//
// Thread-safe on a device with `threads` set. If another thread's progress finds an event, the
// descriptor becomes readable, so that the loop wakes.
#ifndef AVRANKMAP_DEVICE_EVENT_H
#define AVRANKMAP_DEVICE_EVENT_H

#include "avrankmap/device/device.h"

AVRM_BEGIN_DECLS

/// Returns the device's descriptor for poll, epoll and similar calls; the same in each call. The
/// first call takes two file descriptors of the process, unless the device already has them because
/// its threads may sleep. The device closes the descriptor.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SYSTEM (no file descriptors are left)
avrm_status_t avrm_device_descriptor(avrm_device_t *device, int *descriptor_p) AVRM_NOEXCEPT;

/// Prepares the descriptor for a wait. Cost: a few system calls.
/// @param nanoseconds_p  receives the longest time that the loop may wait, at least a millisecond
/// @return AVRM_OK (armed: disarm the device after the wait), AVRM_ERR_AGAIN (not armed: an event
///         has occurred since the last call of this function, or work is due; make progress and
///         test requests first), AVRM_ERR_NULL, AVRM_ERR_SYSTEM (no file descriptors are left)
avrm_status_t avrm_device_arm(avrm_device_t *device, int64_t *nanoseconds_p) AVRM_NOEXCEPT;

/// Ends a wait. A no-op if the device is null or not armed.
void avrm_device_disarm(avrm_device_t *device) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
