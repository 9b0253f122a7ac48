// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every kind of call of the device, one after the other, in a process that has a low limit.
#ifndef AVRANKMAP_TESTS_LIMITS_CALLS_H
#define AVRANKMAP_TESTS_LIMITS_CALLS_H

#include <functional>

#include "avrankmap/device/device.h"
#include "tests/support/transports.h"

namespace avrankmap::test {

// Exit codes of a process.
inline constexpr int kAllWell = 0;       // every call did what it should
inline constexpr int kUnclear = 1;       // wrong data, leaks, spins, or an unclear status
inline constexpr int kEndedByStatus = 3; // a call returned a status, and the process ended

struct Calls {
  const Transport *transport;
  std::function<void(int rank)> before_opening; // these set the limit
  std::function<void(int rank)> after_opening;
  bool may_lack = false; // exit with kSkipped if the transport is not there
};
// Makes all calls, until one returns a status: opens a device, exchanges messages, creates
// communicators and windows, makes the further calls, meets at a port, spawns, closes.
int make_calls(avrm_boot_t *boot, void *calls) noexcept;
// Parts of it. *wrong_p becomes true if data are wrong.
avrm_status_t make_further_calls(avrm_device_t *device, bool *wrong_p) noexcept;
avrm_status_t make_other_calls(avrm_boot_t *boot, avrm_device_t *device, bool *wrong_p) noexcept;

} // namespace avrankmap::test

#endif
