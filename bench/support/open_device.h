// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opening a device, or an exception that says why there is none.
#ifndef AVRANKMAP_BENCH_SUPPORT_OPEN_DEVICE_H
#define AVRANKMAP_BENCH_SUPPORT_OPEN_DEVICE_H

#include "avrankmap/device/device.h"
#include "support/require.h"

#include <stdexcept>

namespace avrankmap::bench {

/// This machine or build lacks the transport; says why.
class TransportMissing : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether a device could not be opened for lack of its transport.
inline bool lacks_transport(avrm_status_t status) {
  return status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_OPTION;
}

/// Throws TransportMissing, or what require() throws.
inline avrm_device_t *open_device(const avrm_device_options_t &options) {
  avrm_device_t *device = nullptr;
  const avrm_status_t status = avrm_device_open(&options, &device);
  if (lacks_transport(status)) {
    throw TransportMissing(avrm_status_text(status));
  }
  require(status);
  return device;
}

/// A device whose processes are all of this machine, with a table AV.
inline avrm_device_t *open_over_shared_memory(avrm_boot_t *boot) {
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = "null";
  options.shmmod = "posix";
  options.av = AVRM_DEVICE_AV_TABLE; // pages say so: not the kind that the environment asks for
  return open_device(options);
}

} // namespace avrankmap::bench

#endif
