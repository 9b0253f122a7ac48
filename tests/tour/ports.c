// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two groups that know of each other only the name of a port. They are of one job here; those of
// two jobs do the same.
#include <avrankmap/device/dynamic.h>

#include "processes.h"

static void tell(avrm_comm_t *world, int32_t rank, char *name) {
  avrm_request_t *request;
  must(rank == 0 ? avrm_isend(world, name, AVRM_PORT_MAX, 1, 0, &request)
                 : avrm_irecv(world, name, AVRM_PORT_MAX, 0, 0, &request));
  must(avrm_wait(&request, NULL));
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  char name[AVRM_PORT_MAX] = "";
  avrm_comm_t *group, *inter, *both;
  must(avrm_comm_split(world, rank % 2, 0, &group));

  if (rank == 0)
    must(avrm_port_open(device, name));
  if (rank < 2)
    tell(world, rank, name); // passes it to rank 1; other jobs could use a file
  if (rank % 2 == 0)
    must(avrm_comm_accept(group, 0, name, NULL, &inter));
  else
    must(avrm_comm_connect(group, 0, name, NULL, &inter));

  EXPECT(avrm_comm_is_inter(inter) && avrm_comm_remote_size(inter) == 2);
  must(avrm_intercomm_merge(inter, rank % 2 == 1, &both));
  EXPECT(avrm_comm_size(both) == 4 && avrm_comm_rank(both) == rank / 2 + 2 * (rank % 2));
  must(avrm_comm_disconnect(&both));
  must(avrm_comm_disconnect(&inter));
  if (rank == 0)
    must(avrm_port_close(device, name));
  must(avrm_comm_free(group));
}

int main(void) { return tour(4, example); }
