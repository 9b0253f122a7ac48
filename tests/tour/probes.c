// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Receives messages whose length and sender are not known before.
#include <avrankmap/device/probe.h>

#include "processes.h"

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  char text[100] = "";
  avrm_request_t *request;
  (void)device;
  if (rank != 0) {
    memset(text, 'a' + rank, sizeof text);
    must(avrm_isend(world, text, 10 * (size_t)rank, 0, rank, &request));
    must(avrm_wait(&request, NULL));
    return;
  }
  for (int32_t left = avrm_comm_size(world) - 1; left > 0; --left) {
    avrm_message_t *message = NULL;
    avrm_outcome_t found;
    must(avrm_mprobe(world, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &message, &found));
    char *const buffer = (char *)malloc(found.bytes);
    must(avrm_imrecv(&message, buffer, found.bytes, &request));
    must(avrm_wait(&request, NULL));

    EXPECT(found.tag == found.source && found.bytes == 10 * (uint64_t)found.source);
    EXPECT(buffer[found.bytes - 1] == 'a' + found.source);
    free(buffer);
  }
}

int main(void) { return tour(3, example); }
