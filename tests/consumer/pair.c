// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include <avrankmap/device.h>
#include <stdio.h>

// Runs in each of two processes; rank 1 prints what it received from rank 0.
static int talk(avrm_boot_t *boot, void *user) {
  avrm_device_options_t options = {0};
  avrm_device_t *device;
  avrm_request_t *request;
  const int rank = avrm_boot_rank(boot);
  int number = rank == 0 ? *(int *)user : 0;
  options.boot = boot;
  options.netmod = "null";
  if (avrm_device_open(&options, &device))
    return 1;
  avrm_comm_t *world = avrm_device_world(device);
  if (rank == 0 ? avrm_isend(world, &number, sizeof number, 1, 7, &request)
                : avrm_irecv(world, &number, sizeof number, 0, 7, &request))
    return 1;
  if (avrm_wait(&request, NULL))
    return 1;
  if (rank == 1)
    printf("rank 1: %d\n", number);
  return avrm_device_close(device) != AVRM_OK;
}

int main(void) {
  avrm_fork_options_t options = {0};
  int number = 42;
  int32_t codes[2];
  options.size = 2;
  options.timeout_ms = 60000;
  if (avrm_boot_fork_run(&options, talk, &number, codes))
    return 1;
  return codes[0] || codes[1];
}
