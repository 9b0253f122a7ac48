// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Places of processes: of a machine that is described, and of these.
#include <avrankmap/device/topo.h>

#include "processes.h"

// Two packages of two NUMA nodes, each with two cores.
static void describe_a_machine(void) {
  const uint32_t cpus[3] = {0, 1, 6};
  avrm_topo_t *topo;
  avrm_locality_t place[3];
  avrm_domain_t shared;
  must(avrm_topo_open("pack:2 numa:2 core:2 pu:1", &topo));
  EXPECT(avrm_topo_count(topo, AVRM_DOMAIN_NUMA) == 4);
  for (int i = 0; i < 3; ++i)
    must(avrm_topo_cpus(topo, &cpus[i], 1, &place[i]));
  EXPECT(place[0].numa == 0 && place[2].numa == 3 && place[2].package == 1);
  must(avrm_topo_shared(&place[0], &place[1], &shared));
  EXPECT(shared == AVRM_DOMAIN_NUMA);
  must(avrm_topo_shared(&place[0], &place[2], &shared));
  EXPECT(shared == AVRM_DOMAIN_MACHINE);
  avrm_topo_close(topo);
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  const int32_t size = avrm_comm_size(world);
  const int32_t next = (rank + 1) % size, last = (rank + size - 1) % size;
  avrm_request_t *sent, *received;
  (void)device;

  avrm_topo_t *topo;
  avrm_locality_t own, other;
  avrm_domain_t shared;
  must(avrm_topo_open(NULL, &topo));
  must(avrm_topo_process(topo, 0, &own)); // own.numa: a number, or AVRM_TOPO_SPREAD
  must(avrm_irecv(world, &other, sizeof other, last, 0, &received));
  must(avrm_isend(world, &own, sizeof own, next, 0, &sent));
  must(avrm_wait(&received, NULL));
  must(avrm_wait(&sent, NULL));
  bool near = avrm_topo_shared(&own, &other, &shared) == AVRM_OK; // else on another machine
  if (near)
    near = shared <= AVRM_DOMAIN_NUMA;
  printf("process %d: machine %08x, NUMA node %d, process %d is %s\n", rank, own.machine, own.numa, last,
         near ? "near" : "far");

  avrm_av_options_t options = {.codec = AVRM_CODEC_OFI};
  const avrm_status_t status = avrm_topo_bind_av(topo, &options);
  EXPECT(status == (own.numa == AVRM_TOPO_SPREAD ? AVRM_ERR_UNSUPPORTED : AVRM_OK));
  EXPECT(options.bind_numa == (status == AVRM_OK));
  avrm_topo_close(topo);
}

int main(void) {
  describe_a_machine();
  return tour(2, example);
}
