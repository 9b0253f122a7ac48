// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for PMIx launchers: runs a part of the transport test suite with any number of
// processes. Usage: device_job TRANSPORT [PROCESSES_PER_NODE], which it checks if given.
#include <signal.h>
#include <unistd.h>

#include "tests/device/bodies.h"

namespace avrankmap::test {
namespace {

// Whether a body is for any number of processes. The large ones take too long where launchers
// share a machine.
bool is_for_launchers(const Body &body) {
  return body.run != sixty_four_mebibytes_arrive_intact && body.run != random_traffic_arrives_intact;
}

int run(const Transport &transport, int local_size) {
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK);
  AVRM_MUST(std::strcmp(avrm_boot_kind(boot), "pmix") == 0);
  AVRM_MUST(local_size == 0 || avrm_boot_local_size(boot) == local_size);
  avrm_device_options_t options = options_over(transport, boot);
  options.on_error = [](void *, avrm_status_t status, const char *text) {
    std::fprintf(stderr, "%s: %s\n", avrm_status_name(status), text);
  };
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (means_lacking(status)) {
    avrm_boot_close(boot);
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  for (const Body &body : kBodies) {
    if (is_for_launchers(body)) {
      body.run(process);
      barrier(process);
    }
  }
  AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
  avrm_boot_close(boot);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  alarm(100); // ends a process that hangs
  if (argc < 2) {
    return 2;
  }
  return avrankmap::test::run(avrankmap::test::transport_named(argv[1]), argc > 2 ? std::atoi(argv[2]) : 0);
}
