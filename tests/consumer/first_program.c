// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include <avrankmap/avrankmap.h>
#include <inttypes.h>
#include <stdio.h>

int main(void) {
  avrm_instance_t *instance;
  avrm_av_t *world;    // addresses of a million processes
  avrm_rankmap_t comm; // a communicator of every 16th of them, from number 3 on
  avrm_ave_t peer;
  // 70016: a libfabric address, on node 125.
  if (avrm_instance_create(NULL, &instance) || avrm_av_create(instance, 1000000, NULL, &world) ||
      avrm_rankmap_create_stride(instance, world->pgid, 62500, 3, 16, &comm) || avrm_rankmap_bind(&comm) ||
      avrm_ofi_pack(70016, 125, &peer) || avrm_av_set(world, 16003, &peer))
    return 1;
  printf("rank 1000: address %" PRIu64 ", node %u\n", avrm_ofi_address(avrm_rankmap_word(&comm, 1000)),
         avrm_rankmap_node(&comm, 1000));
  avrm_rankmap_destroy(&comm);
  avrm_av_release(world);
  return avrm_instance_destroy(instance);
}
