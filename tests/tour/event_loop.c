// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An event loop that waits for the device's descriptor beside a pipe.
#include <avrankmap/device/event.h>

#include <poll.h>
#include <unistd.h>

#include "processes.h"

static void loop(avrm_device_t *device, int other, avrm_request_t **request_p) {
  struct pollfd descriptors[2] = {{.events = POLLIN}, {.fd = other, .events = POLLIN}};
  must(avrm_device_descriptor(device, &descriptors[0].fd));
  for (bool done = false, heard = false; !done || !heard;) {
    while (avrm_progress(device) != 0) {
    }
    must(avrm_test(request_p, &done, NULL));
    int64_t nanoseconds = 0;
    const bool armed = avrm_device_arm(device, &nanoseconds) == AVRM_OK;
    poll(descriptors, 2, armed ? (int)(nanoseconds / 1000000) : 0);
    if (armed)
      avrm_device_disarm(device);

    char byte;
    if (descriptors[1].revents != 0 && read(other, &byte, 1) == 1)
      heard = true;
  }
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  int number = 0, pipes[2];
  avrm_request_t *request;
  if (rank != 0) {
    number = 42;
    must(avrm_isend(world, &number, sizeof number, 0, 0, &request));
    must(avrm_wait(&request, NULL));
    return;
  }
  EXPECT(pipe(pipes) == 0 && write(pipes[1], "x", 1) == 1);
  must(avrm_irecv(world, &number, sizeof number, 1, 0, &request));
  loop(device, pipes[0], &request);
  EXPECT(number == 42);
  close(pipes[0]);
  close(pipes[1]);
}

int main(void) { return tour(2, example); }
