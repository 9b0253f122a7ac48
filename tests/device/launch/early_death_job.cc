// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for any launcher, whose last process ends before it has opened a device. Usage:
// early_death_job FILE WHEN HOW
//
//   FILE   the outcome of each process: a word that is kNoOutcome, or else the status that it got
//   WHEN   "unopened": it has not joined the job; "opened": it has
//   HOW    its exit code, or "kill"
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "avrankmap/device/device.h"
#include "tests/device/launch/early_death.h"
#include "tests/support/settings.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

// Of the launcher's variables, as this process has not joined its job yet.
int number_in(std::initializer_list<const char *> names) {
  for (const char *name : names) {
    if (const char *const value = std::getenv(name)) {
      return std::atoi(value);
    }
  }
  std::abort();
}

[[noreturn]] void end(std::string_view how) {
  if (how == "kill") {
    (void)raise(SIGKILL);
  }
  _exit(std::atoi(how.data()));
}

// A launcher may complete the fence without the process that has ended. Then the others learn of it
// as of any later death.
avrm_status_t use_device(avrm_boot_t *boot) {
  const avrm_device_options_t options = options_over(transport_named("ucx_tcp"), boot);
  avrm_device_t *device = nullptr;
  avrm_request_t *request = nullptr;
  int word = 0;
  avrm_status_t status = avrm_device_open(&options, &device);
  if (status == AVRM_OK) {
    status = avrm_irecv(avrm_device_world(device), &word, sizeof word, AVRM_ANY_SOURCE, 0, &request);
  }
  status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
  (void)avrm_device_close(device);
  return status;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  using namespace avrankmap::test;
  if (argc != 4) {
    return 2;
  }
  alarm(kHangsAfterS); // ends a process that hangs
  const std::string_view when = argv[2];
  const int rank = number_in({"PMIX_RANK", "PMI_RANK"});
  const int last = number_in({"OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "PMI_SIZE"}) - 1;
  if (rank == last && when == "unopened") {
    end(argv[3]);
  }
  avrm_boot_t *boot = nullptr;
  avrm_status_t status = avrm_boot_open(&boot);
  if (status == AVRM_OK) {
    if (rank == last) {
      end(argv[3]);
    }
    status = use_device(boot);
  }
  if (means_lacking(status)) {
    return kSkipped;
  }
  std::fprintf(stderr, "%d: %s: %s\n", rank, avrm_status_name(status), avrm_device_open_error());
  const int file = open(argv[1], O_RDWR);
  const int outcome = status;
  if (pwrite(file, &outcome, sizeof outcome, static_cast<off_t>(sizeof outcome) * rank) != sizeof outcome) {
    return 1;
  }
  avrm_boot_close(boot);
  return 0;
}
