// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for launchers: runs a part of the transport test suite with any number of processes.
// Usage: device_job TRANSPORT [PROCESSES_PER_NODE [KIND]]. It checks the number if it is not 0, and
// the launcher's kind (pmix).
#include <signal.h>
#include <unistd.h>

#include "tests/device/core/launched.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

// Whether a body is for any number of processes. The large ones take too long where launchers
// share a machine.
bool is_for_launchers(const Body &body) {
  return body.run != sixty_four_mebibytes_arrive_intact && body.run != random_traffic_arrives_intact;
}

int run(const Transport &transport, int local_size, const char *kind) {
  std::optional<Process> process = open_launched(transport, true, kind);
  if (!process) {
    return kSkipped;
  }
  AVRM_MUST(local_size == 0 || avrm_boot_local_size(process->boot) == local_size);
  for (const Body &body : kBodies) {
    if (is_for_launchers(body)) {
      body.run(*process);
      barrier(*process);
    }
  }
  close_launched(*process);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  alarm(avrankmap::test::kHangsAfterS); // ends a process that hangs
  if (argc < 2) {
    return 2;
  }
  return avrankmap::test::run(avrankmap::test::launched_transport(argv[1]), argc > 2 ? std::atoi(argv[2]) : 0,
                              argc > 3 ? argv[3] : "pmix");
}
