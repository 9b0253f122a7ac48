// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process is killed. The others go on without it.
#include <avrankmap/device/ft.h>

#include <signal.h>

#include "processes.h"

// Goes on in *comm_p, or in a communicator of the survivors if an operation has failed.
static void repair(avrm_comm_t **comm_p, avrm_status_t status) {
  uint64_t good = status == AVRM_OK;
  avrm_comm_t *survivors;
  if (status != AVRM_OK)
    must(avrm_comm_revoke(*comm_p)); // ends the operations of those who have not noticed
  const avrm_status_t agreed = avrm_comm_agree(*comm_p, &good);
  if (agreed == AVRM_OK && good)
    return;
  must(avrm_comm_shrink(*comm_p, &survivors));
  must(avrm_comm_free(*comm_p));
  *comm_p = survivors;
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  avrm_comm_t *comm;
  avrm_group_t *dead;
  must(avrm_comm_dup(world, &comm));
  repair(&comm, avrm_barrier(comm)); // nobody has died
  EXPECT(avrm_comm_size(comm) == 4);
  if (rank == 2)
    raise(SIGKILL);
  repair(&comm, avrm_barrier(comm));
  EXPECT(avrm_comm_size(comm) == 3 && avrm_comm_rank(comm) == rank - (rank > 2));

  must(avrm_comm_get_failed(world, &dead));
  EXPECT(avrm_group_size(dead) == 1);
  avrm_group_destroy(dead);
  must(avrm_barrier(comm)); // closing does not wait for others any more
  must(avrm_comm_free(comm));
  (void)device;
}

int main(void) { return tour(4, example); }
