// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include <avrankmap/avrankmap.h>
#include <cinttypes>
#include <cstdio>
#include <vector>

int main() {
  std::vector<avrm_ave_t> peers(1000000); // 128 to a node
  for (unsigned lpid = 0; lpid < peers.size(); ++lpid)
    if (avrm_ofi_pack(54013 + lpid, lpid / 128, &peers[lpid]))
      return 1;
  avrm_instance_t *instance;
  avrm_av_t *world;
  avrm_rankmap_t comm; // every 16th of them, from number 3 on
  if (avrm_instance_create(nullptr, &instance) || avrm_av_create(instance, 1000000, nullptr, &world) ||
      avrm_av_set_range(world, 0, 1000000, peers.data()) ||
      avrm_rankmap_create_stride(instance, world->pgid, 62500, 3, 16, &comm) || avrm_rankmap_bind(&comm))
    return 1;
  const std::uint64_t address = avrm_ofi_address(avrm_rankmap_word(&comm, 1000));
  std::printf("rank 1000: address %" PRIu64 ", node %u\n", address, avrm_rankmap_node(&comm, 1000));
  avrm_rankmap_destroy(&comm);
  avrm_av_release(world);
  return avrm_instance_destroy(instance);
}
