// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Process 0 waits for messages of all others: for any, for some, for all, and for a time.
#include "processes.h"

static void send(avrm_comm_t *world, int32_t dest, int32_t tag) {
  avrm_request_t *request;
  must(avrm_isend(world, NULL, 0, dest, tag, &request));
  must(avrm_wait(&request, NULL));
}

static void post(avrm_comm_t *world, avrm_request_t **requests, int32_t tag) {
  for (int32_t source = 1; source < avrm_comm_size(world); ++source)
    must(avrm_irecv(world, NULL, 0, source, tag, &requests[source - 1]));
}

static void wait_in_all_ways(avrm_comm_t *world, int32_t count) {
  avrm_request_t *requests[TOUR_MOST];
  avrm_outcome_t outcome, outcomes[TOUR_MOST];
  int32_t index, indices[TOUR_MOST], finished, left = count;

  post(world, requests, 1);
  must(avrm_waitany(count, requests, &index, &outcome)); // requests[index] is null now
  EXPECT(outcome.source == index + 1 && requests[index] == NULL);

  for (;;) {
    must(avrm_waitsome(count, requests, &finished, indices, outcomes));
    if (finished == AVRM_UNDEFINED)
      break; // all are null
    for (int32_t i = 0; i < finished; ++i)
      printf("message from %d\n", outcomes[i].source);
  }

  post(world, requests, 2);
  must(avrm_waitall(count, requests, outcomes));
  EXPECT(outcomes[count - 1].source == count);

  avrm_request_t *request;
  must(avrm_irecv(world, NULL, 0, AVRM_ANY_SOURCE, 3, &request));
  avrm_status_t status = avrm_wait_for(&request, 1000000, &outcome); // a millisecond
  if (status == AVRM_ERR_TIMEOUT) {
    must(avrm_cancel(request));
    status = avrm_wait(&request, &outcome); // AVRM_ERR_CANCELLED, or a message came after all
  }
  EXPECT(status == AVRM_ERR_CANCELLED);

  post(world, requests, 4);
  for (int32_t dest = 1; dest <= count; ++dest)
    send(world, dest, 4);
  for (bool done = false; left > 0; left -= done && index != AVRM_UNDEFINED)
    must(avrm_testany(count, requests, &index, &done, &outcome));
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  (void)device;
  if (rank == 0) {
    wait_in_all_ways(world, avrm_comm_size(world) - 1);
    return;
  }
  avrm_request_t *request;
  must(avrm_irecv(world, NULL, 0, 0, 4, &request));
  send(world, 0, 1);
  send(world, 0, 2);
  must(avrm_wait(&request, NULL));
  send(world, 0, 4);
}

int main(void) { return tour(4, example); }
