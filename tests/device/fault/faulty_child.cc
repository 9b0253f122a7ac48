// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that tests spawn, in which calls fail before it reaches its parents:
//
//   faulty_child FAMILIES FAULT POINT IN_A_ROW TRANSPORT FILE
//
// It writes its progress to FILE: "begun", then "crashed", or "ended" with the number of calls that
// might have failed, followed by its status if a fault does not explain it, or by "leaks".
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "avrankmap/device/dynamic.h"
#include "tests/device/dynamic/multi_world_comms.h"
#include "tests/device/fault/faults.h"
#include "tests/support/sanitizers.h"

namespace avrankmap::test {
namespace {

int verdict_file = -1;

void write_verdict(const char *text) {
  (void)!ftruncate(verdict_file, 0);
  (void)!pwrite(verdict_file, text, std::strlen(text), 0);
}

void on_crash() { write_verdict("crashed"); }
void on_crash_by(int number) {
  on_crash();
  signal(number, SIG_DFL);
  raise(number);
}

bool is_clear(avrm_status_t status) {
  return status == AVRM_OK || status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_SYSTEM || status == AVRM_ERR_PEER ||
         status == AVRM_ERR_TRANSPORT || status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_TIMEOUT;
}

// Connects to the parents and disconnects. Returns the first status that is not AVRM_OK.
avrm_status_t live(const Transport &transport, bool is_well) {
  avrm_boot_t *boot = nullptr;
  avrm_status_t status = avrm_boot_open(&boot);
  if (status != AVRM_OK) {
    return status;
  }
  const avrm_device_options_t options = options_over(transport, boot);
  avrm_device_t *device = nullptr;
  status = avrm_device_open(&options, &device);
  if (status == AVRM_OK) {
    avrm_comm_t *parents = nullptr;
    status = avrm_comm_get_parent(device, &parents);
    disarm();
    if (status == AVRM_OK) {
      if (is_well) { // otherwise the parents may lack the communicator
        check_intercomm({avrm_device_world(device), id_of(1, 0)}, parents, ids_of(0, 1));
      }
      status = avrm_comm_disconnect(&parents);
    }
    const avrm_status_t closed = avrm_device_close(device);
    status = status == AVRM_OK ? closed : status;
  }
  avrm_boot_close(boot);
  return status;
}

int run(char **words) {
  verdict_file = open(words[6], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  write_verdict("begun");
#if AVRM_TEST_FINDS_LEAKS
  __sanitizer_set_death_callback(on_crash);
#endif
  for (const int number : {SIGABRT, SIGBUS, SIGFPE}) {
    signal(number, on_crash_by);
  }
#if !AVRM_TEST_FINDS_LEAKS
  signal(SIGSEGV, on_crash_by);
#endif
  arm(static_cast<unsigned>(std::atoi(words[1])), static_cast<Fault>(std::atoi(words[2])), std::atoll(words[3]),
      std::atoll(words[4]));
  const avrm_status_t status = live(transport_named(words[5]), std::atoi(words[1]) == 0);
  disarm();
  char text[64];
  const bool leaks = has_leaks();
  (void)std::snprintf(text, sizeof text, is_clear(status) && !leaks ? "ended %llu" : "ended %llu with %s",
                      static_cast<unsigned long long>(faults().calls), leaks ? "leaks" : avrm_status_name(status));
  write_verdict(text);
  return status == AVRM_OK ? 0 : 1;
}

} // namespace
} // namespace avrankmap::test

int main(int count, char **words) { return count == 7 ? avrankmap::test::run(words) : 2; }
