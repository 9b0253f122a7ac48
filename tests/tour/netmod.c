// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device over a netmod of the program's (datagram/README.md), to which its fast path is bound.
#include "datagram/datagram.h"
#define AVRM_FP_BINDING DATAGRAM_BINDING
#include <avrankmap/device/fastpath.h>

#include <avrankmap/device/comm.h>

#include "tour.h"

enum { DOUBLES = 100000 };

static void exchange(avrm_device_t *device, avrm_comm_t *world) {
  const int32_t rank = avrm_comm_rank(world), size = avrm_comm_size(world);
  const int32_t next = (rank + 1) % size, last = (rank + size - 1) % size;
  static double out[DOUBLES], in[DOUBLES], part[DOUBLES];
  avrm_request_t *requests[2];
  avrm_window_t *window;
  for (int32_t i = 0; i < DOUBLES; ++i)
    out[i] = rank + i;

  // A large message and a small one, of the fast path.
  must(avrm_irecv(world, in, sizeof in, last, 7, &requests[0]));
  must(avrm_isend(world, out, sizeof out, next, 7, &requests[1]));
  must(avrm_waitall(2, requests, NULL));
  EXPECT(in[0] == last && in[DOUBLES - 1] == last + DOUBLES - 1);
  avrm_fp_t *fp;
  avrm_fp_comm_t *comm;
  must(avrm_fp_open(device, 1, &fp)); // AVRM_ERR_UNSUPPORTED over another netmod
  must(avrm_fp_comm_create(fp, world, &comm));
  must(avrm_fp_irecv(in, 1, AVRM_DOUBLE, last, 8, comm, &requests[0]));
  must(avrm_fp_isend_inline(&out[5], 1, AVRM_DOUBLE, next, 8, comm, &requests[1]));
  must(avrm_waitall(2, requests, NULL));
  EXPECT(in[0] == last + 5);
  must(avrm_fp_comm_free(comm));
  must(avrm_fp_close(fp));

  // The core sends puts as active messages, since the netmod has none of its own.
  must(avrm_window_create(world, part, sizeof part, AVRM_WINDOW_EXCHANGE, &window));
  must(avrm_put(window, out, sizeof out, next, 0, &requests[0]));
  must(avrm_wait(&requests[0], NULL));
  must(avrm_flush(window, next));
  must(avrm_barrier(world));
  EXPECT(part[0] == last && part[DOUBLES - 1] == last + DOUBLES - 1);
  must(avrm_window_free(window));
}

static int body(avrm_boot_t *boot, void *user) {
  avrm_device_options_t options = {0};
  options.boot = boot;
  options.netmod_ops = datagram_netmod();
  options.netmod = "datagram"; // whatever AVRM_NETMOD says
  options.shmmod = "none";     // the network is used within the node
  avrm_device_t *device;
  must(avrm_device_open(&options, &device));
  exchange(device, avrm_device_world(device));
  (void)user;
  return avrm_device_close(device) == AVRM_OK ? 0 : 1;
}

int main(void) {
  const avrm_fork_options_t job = {3, 1, 60000, 1};
  int32_t codes[3] = {0, 0, 0};
  must(avrm_boot_fork_run(&job, body, NULL, codes));
  return codes[0] | codes[1] | codes[2];
}
