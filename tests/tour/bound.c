// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for libfabric only: its messages and puts end in calls of the provider's functions.
#include <avrankmap/netmod/ofi/ofi_fast.h>
#define AVRM_FP_BINDING AVRM_I_FP_OFI
#include <avrankmap/device/fastpath.h>

#include <avrankmap/device/comm.h>

#include "processes.h"

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  const int32_t size = avrm_comm_size(world);
  const int32_t next = (rank + 1) % size, last = (rank + size - 1) % size;
  avrm_fp_t *fp;
  avrm_fp_comm_t *comm;
  avrm_fp_window_t *window;
  avrm_request_t *requests[2];
  int64_t out = rank, in = -1, part[16] = {0};
  must(avrm_fp_open(device, 1, &fp)); // AVRM_ERR_UNSUPPORTED over another netmod
  must(avrm_fp_comm_create(fp, world, &comm));
  must(avrm_fp_window_create(comm, part, sizeof part, sizeof part[0], AVRM_WINDOW_EXCHANGE, &window));

  must(avrm_fp_irecv(&in, 1, AVRM_INT64, last, 7, comm, &requests[0]));
  must(avrm_fp_isend_inline(&out, 1, AVRM_INT64, next, 7, comm, &requests[1]));
  must(avrm_waitall(2, requests, NULL));
  must(avrm_fp_put_inline(&out, 1, AVRM_INT64, next, 5, window));
  must(avrm_fp_flush_all(window));
  must(avrm_barrier(world));
  EXPECT(in == last && part[5] == last);

  must(avrm_fp_window_free(window));
  must(avrm_fp_comm_free(comm));
  must(avrm_fp_close(fp));
}

int main(void) { return tour(3, example); }
