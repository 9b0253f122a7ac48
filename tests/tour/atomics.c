// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A counter that all processes share, and a lock.
#include <avrankmap/device/atomics.h>
#include <avrankmap/device/comm.h>

#include "processes.h"

static uint64_t draw(avrm_window_t *window) {
  uint64_t ticket, one = 1;
  avrm_request_t *request;
  must(avrm_fetch_and_op(window, &one, &ticket, AVRM_UINT64, AVRM_OP_SUM, 0, 0, &request));
  must(avrm_wait(&request, NULL));
  return ticket;
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  uint64_t words[3] = {0, 0, 0}; // the counter, a lock, a sum
  const uint64_t none = 0, own = (uint64_t)rank + 1;
  uint64_t old;
  avrm_window_t *window;
  avrm_request_t *request;
  (void)device;
  must(avrm_window_create(world, words, sizeof words, 0, &window));
  must(avrm_barrier(world));
  const uint64_t ticket = draw(window);
  EXPECT(ticket < 10 * (uint64_t)avrm_comm_size(world));

  do {
    must(avrm_compare_and_swap(window, &own, &none, &old, AVRM_UINT64, 0, 8, &request));
    must(avrm_wait(&request, NULL));
  } while (old != none);
  EXPECT(draw(window) > ticket);
  must(avrm_accumulate(window, &none, 1, AVRM_UINT64, AVRM_OP_REPLACE, 0, 8, &request)); // unlocks
  must(avrm_wait(&request, NULL));

  must(avrm_accumulate(window, &own, 1, AVRM_UINT64, AVRM_OP_SUM, 0, 16, &request));
  must(avrm_wait(&request, NULL));
  must(avrm_flush(window, 0));
  must(avrm_barrier(world));
  if (rank == 0)
    EXPECT(words[0] == 2 * (uint64_t)avrm_comm_size(world) && words[1] == 0 && words[2] == 1 + 2 + 3);
  must(avrm_window_free(window));
}

int main(void) { return tour(3, example); }
