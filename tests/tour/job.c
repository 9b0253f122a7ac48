// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A complete program. Under "mpirun -n 2" it uses the processes of the launcher; otherwise it forks
// two.
#include <avrankmap/device.h>
#include <stdio.h>
#include <string.h>

static void on_error(void *user, avrm_status_t status, const char *text) {
  fprintf(stderr, "%s: %s\n", avrm_status_name(status), text);
  (void)user;
}

static int body(avrm_boot_t *boot, void *user) {
  avrm_device_options_t options = {0};
  avrm_device_t *device;
  options.boot = boot;
  options.on_error = on_error;
  avrm_status_t status = avrm_device_open(&options, &device);
  if (status != AVRM_OK)
    return status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_OPTION ? 77 : 1;

  char text[6] = "hello";
  avrm_comm_t *world = avrm_device_world(device);
  avrm_request_t *request;
  if (avrm_comm_rank(world) == 0)
    status = avrm_isend(world, text, sizeof text, 1, 0, &request);
  else
    status = avrm_irecv(world, memset(text, 0, sizeof text), sizeof text, 0, 0, &request);
  if (status == AVRM_OK)
    status = avrm_wait(&request, NULL);
  printf("%s over %s: %s\n", text, avrm_device_describe(device), avrm_status_text(status));

  (void)user;
  return avrm_device_close(device) == AVRM_OK && strcmp(text, "hello") == 0 ? 0 : 1;
}

int main(void) {
  avrm_boot_t *boot;
  if (avrm_boot_open(&boot) != AVRM_OK)
    return 1;
  int32_t size = avrm_boot_size(boot), codes[2] = {0, 0};
  if (size > 1)
    codes[0] = body(boot, NULL);
  avrm_boot_close(boot);

  const avrm_fork_options_t options = {2, 0, 60000, 1};
  if (size == 1 && avrm_boot_fork_run(&options, body, NULL, codes) != AVRM_OK)
    return 1;
  return codes[0] != 0 ? codes[0] : codes[1];
}
