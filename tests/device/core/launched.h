// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process of a job that a launcher started, in programs that tests run under mpirun or mpiexec.
#ifndef AVRANKMAP_TESTS_DEVICE_LAUNCHED_H
#define AVRANKMAP_TESTS_DEVICE_LAUNCHED_H

#include "tests/device/core/process.h"

namespace avrankmap::test {

// UCX with all of its transports, as users have it who choose none.
inline constexpr Transport kUcxAsShipped{"ucx_as_shipped_and_posix", "ucx", nullptr, "posix", 2, Suites::kAll};

inline const Transport &launched_transport(std::string_view name) {
  return name == kUcxAsShipped.name ? kUcxAsShipped : transport_named(name);
}

// Opens the process's device. Empty if this machine or build lacks the transport: then the program
// ends with kSkipped. `has_reader`: the launcher lives to read its errors. `kind`: of its boot.
inline std::optional<Process> open_launched(const Transport &transport, bool has_reader = true,
                                            const char *kind = "pmix") {
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK);
  AVRM_MUST(std::strcmp(avrm_boot_kind(boot), kind) == 0);
  avrm_device_options_t options = options_over(transport, boot);
  if (has_reader) {
    options.on_error = [](void *, avrm_status_t status, const char *text) {
      std::fprintf(stderr, "%s: %s\n", avrm_status_name(status), text);
    };
  }
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (means_lacking(status)) {
    avrm_boot_close(boot);
    return std::nullopt;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  return process;
}

inline void close_launched(const Process &process) {
  AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
  avrm_boot_close(process.boot);
}

} // namespace avrankmap::test

#endif
