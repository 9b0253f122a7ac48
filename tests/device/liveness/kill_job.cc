// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for launchers: one scenario in which a process, all of a host, or the launcher is
// killed. Usage: kill_job TRANSPORT SCENARIO FILE [KIND]. FILE holds a KillRecord. SCENARIO is
// one of kill.h, Host, or Launcher. KIND is the launcher's (pmix).
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "tests/device/core/launched.h"
#include "tests/device/liveness/kill.h"

namespace avrankmap::test {
namespace {

KillRecord &kill_record_in(const char *path) {
  const int file = open(path, O_RDWR);
  void *const pages = mmap(nullptr, sizeof(KillRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  AVRM_MUST(pages != MAP_FAILED);
  return *static_cast<KillRecord *>(pages);
}

int run(const Transport &transport, const char *scenario, KillRecord &kill_record, const char *kind) {
  const bool launcher = std::strcmp(scenario, "Launcher") == 0;
  std::optional<Process> process = open_launched(transport, !launcher, kind);
  if (!process) {
    return kSkipped;
  }
  if (launcher) {
    lose_the_launcher(*process, kill_record);
  } else if (std::strcmp(scenario, "Host") == 0) {
    lose_a_host(*process, kill_record);
  } else {
    scenario_named(scenario).run(*process, kill_record);
  }
  const avrm_status_t closed = close_after(*process, kill_record);
  // Without a launcher, too, the others' ends may be known before the launcher's.
  const bool is_told = closed == AVRM_ERR_PEER || (launcher && closed == AVRM_ERR_BOOT);
  if (!is_told) {
    std::fprintf(stderr, "closed: %s\n", avrm_status_name(closed));
  }
  AVRM_MUST(is_told);
  std::atomic_ref(kill_record.survivors).fetch_add(1);
  avrm_boot_close(process->boot);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  using namespace avrankmap::test;
  alarm(kHangsAfterS); // ends a process that hangs
  if (argc < 4) {
    return 2;
  }
  return run(transport_named(argv[1]), argv[2], kill_record_in(argv[3]), argc > 4 ? argv[4] : "pmix");
}
