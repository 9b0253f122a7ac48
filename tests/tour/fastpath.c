// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI-shaped interface: messages with and without requests, and puts.
#include <avrankmap/device/comm.h>
#include <avrankmap/device/fastpath.h>

#include "processes.h"

static void send(avrm_fp_comm_t *comm, int32_t rank, int32_t next, int32_t last) {
  double out[3] = {rank, rank, rank}, in[6];
  avrm_request_t *received[2], *sent;
  must(avrm_fp_irecv(&in[0], 3, AVRM_DOUBLE, last, 7, comm, &received[0]));
  must(avrm_fp_irecv(&in[3], 3, AVRM_DOUBLE, last, 7, comm, &received[1]));
  must(avrm_fp_isend(out, 3, AVRM_DOUBLE, next, 7, comm, &sent));
  must(avrm_wait(&sent, NULL));
  must(avrm_fp_isend_noreq(out, 3, AVRM_DOUBLE, next, 7, comm)); // any number of them
  must(avrm_fp_comm_waitall(comm));                              // out is free
  must(avrm_waitall(2, received, NULL));
  EXPECT(in[0] == last && in[5] == last);
}

static void put(avrm_fp_comm_t *comm, avrm_comm_t *world, int32_t rank, int32_t next, int32_t last) {
  int64_t part[16] = {0}, value = rank;
  avrm_fp_window_t *window;
  must(avrm_fp_window_create(comm, part, sizeof part, sizeof part[0], 0, &window));
  must(avrm_fp_put(&value, 1, AVRM_INT64, next, 5, window)); // to part[5] of the next process
  must(avrm_fp_flush_all(window));                           // it is there
  must(avrm_barrier(world));
  EXPECT(part[5] == last);
  must(avrm_fp_window_free(window));
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  const int32_t size = avrm_comm_size(world);
  const int32_t next = (rank + 1) % size, last = (rank + size - 1) % size;
  avrm_fp_t *fp;
  avrm_fp_comm_t *comm;
  must(avrm_fp_open(device, 1, &fp));
  must(avrm_fp_comm_create(fp, world, &comm));
  send(comm, rank, next, last);
  put(comm, world, rank, next, last);
  must(avrm_fp_comm_free(comm));
  must(avrm_fp_close(fp));
}

int main(void) { return tour(3, example); }
