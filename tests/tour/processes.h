// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs an example: in the processes of a launcher such as mpirun, otherwise in forked ones.
// Environment variables select the transport (include/ENVIRONMENT.md).
#ifndef AVRANKMAP_TESTS_TOUR_PROCESSES_H
#define AVRANKMAP_TESTS_TOUR_PROCESSES_H

#include <avrankmap/device.h>

#include "tour.h"

#define TOUR_MOST 8

typedef void (*tour_example_t)(avrm_device_t *device, avrm_comm_t *world, int32_t rank);

static inline int tour_process(avrm_boot_t *boot, void *user) {
  avrm_device_options_t options = {0};
  avrm_device_t *device = NULL;
  options.boot = boot;
  const avrm_status_t status = avrm_device_open(&options, &device);
  must(status == AVRM_ERR_OPTION ? AVRM_ERR_UNSUPPORTED : status);
  (*(tour_example_t *)user)(device, avrm_device_world(device), avrm_boot_rank(boot));
  const avrm_status_t closed = avrm_device_close(device);
  return closed == AVRM_OK || closed == AVRM_ERR_PEER ? 0 : 1; // in some examples a process fails
}

static inline int tour(int32_t size, tour_example_t example) {
  avrm_boot_t *boot = NULL;
  avrm_fork_options_t options = {0};
  int32_t codes[TOUR_MOST] = {0};
  must(avrm_boot_open(&boot));
  if (avrm_boot_size(boot) > 1) {
    const int code = tour_process(boot, &example);
    avrm_boot_close(boot);
    return code;
  }
  avrm_boot_close(boot);
  options.size = size;
  options.timeout_ms = 120000;
  must(avrm_boot_fork_run(&options, tour_process, &example, codes));
  int code = 0;
  for (int32_t rank = 0; rank < size; ++rank)
    if (codes[rank] != 0 && codes[rank] != 128 + 9 && code != TOUR_SKIPPED) // killed by the example
      code = codes[rank];
  return code;
}

#endif
