// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each process puts into the window of the next one, and gets from it.
#include <avrankmap/device/comm.h>

#include "processes.h"

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  const int32_t size = avrm_comm_size(world);
  const int32_t next = (rank + 1) % size;
  const int32_t last = (rank + size - 1) % size;
  (void)device;

  void *base;
  avrm_window_t *window;
  avrm_request_t *request;
  must(avrm_window_allocate(world, 64 * sizeof(int64_t), AVRM_WINDOW_EXCHANGE, &base, &window));
  memset(base, 0, 64 * sizeof(int64_t));
  must(avrm_barrier(world)); // nobody puts before all have cleared their part

  int64_t value = rank, back = -1;
  must(avrm_put(window, &value, sizeof value, next, 5 * sizeof value, &request));
  must(avrm_wait(&request, NULL)); // the buffer is free
  must(avrm_flush(window, next));  // the value is in the window
  must(avrm_get(window, &back, sizeof back, next, 5 * sizeof back, &request));
  must(avrm_wait(&request, NULL));
  EXPECT(back == rank);

  must(avrm_rput(window, &value, sizeof value, next, 6 * sizeof value, &request));
  must(avrm_wait(&request, NULL)); // the value is in the window: no flush

  int64_t column[8];
  for (int row = 0; row < 8; ++row)
    column[row] = 100 * rank + row;
  const avrm_layout_t here = {sizeof column, 1, 0};
  const avrm_layout_t there = {sizeof column[0], 8, 8 * sizeof column[0]};
  must(avrm_put_strided(window, column, &here, next, 0, &there, &request));
  must(avrm_flush_local(window, next)); // column is free
  must(avrm_wait(&request, NULL));

  must(avrm_flush_all(window));
  must(avrm_barrier(world));
  const int64_t *const part = (const int64_t *)base;
  EXPECT(part[5] == last && part[6] == last && part[24] == 100 * last + 3);
  must(avrm_window_free(window));
}

int main(void) { return tour(3, example); }
