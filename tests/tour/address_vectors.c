// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Address vectors of 12 processes on three nodes, without a device: one connects on demand, the
// other has all addresses from the start.
#include <avrankmap/rankmap.h>

#include "tour.h"

static const int32_t size = 12, per_node = 4, self = 5;

// Stands in for fi_av_insert.
static uint64_t insert(int32_t lpid) { return (uint64_t)lpid; }

// Sets the node ids of all processes, and shared memory for those on the local node.
static void set_nodes(avrm_av_t *av) {
  for (int32_t lpid = 0; lpid < size; ++lpid) {
    avrm_far_t far = {AVRM_FAR_UNCONNECTED, 0};
    avrm_ave_t ave;
    if (lpid / per_node == self / per_node) {
      far.kind = lpid == self ? AVRM_FAR_SELF : AVRM_FAR_LOCAL;
      far.local_rank = (uint32_t)(lpid % per_node);
    }
    must(avrm_ofi_pack_far(far, (uint32_t)(lpid / per_node), &ave));
    must(avrm_av_set(av, lpid, &ave));
  }
}

static uint64_t connect_to(avrm_av_t *av, int32_t lpid, uint32_t node) {
  avrm_ave_t ave;
  uint64_t found;
  must(avrm_ofi_pack(insert(lpid), node, &ave));
  must(avrm_av_set_if(av, lpid, 0, &ave, &found));
  return found == 0 ? avrm_ave_word(&ave) : found; // found is 0 unless another thread was first
}

static uint64_t word_of(avrm_av_t *av, const avrm_rankmap_t *map, int32_t rank) {
  uint64_t word = avrm_rankmap_word(map, rank);
  if (!avrm_ofi_is_network(word) && !avrm_ofi_is_local(word)) // not connected yet
    word = connect_to(av, avrm_rankmap_lpid(map, rank), avrm_rankmap_node(map, rank));
  return word;
}

static void use_table(avrm_instance_t *instance) {
  avrm_av_t *av;
  avrm_rankmap_t map;
  must(avrm_av_create(instance, size, NULL, &av));
  set_nodes(av);
  must(avrm_rankmap_create_direct(instance, av->pgid, size, &map));
  must(avrm_rankmap_bind(&map));

  for (int round = 0; round < 2; ++round) // the second one finds all peers connected
    for (int32_t rank = 0; rank < size; ++rank) {
      const uint64_t word = word_of(av, &map, rank);
      if (rank / per_node == self / per_node)
        EXPECT(!avrm_ofi_is_network(word) && avrm_ofi_local_rank(word) == (uint32_t)(rank % per_node));
      else
        EXPECT(avrm_ofi_is_network(word) && avrm_ofi_address(word) == (uint64_t)rank);
    }
  avrm_rankmap_destroy(&map);
  avrm_av_release(av);
}

static void use_implicit(avrm_instance_t *instance) {
  avrm_av_t *av;
  avrm_av_info_t info;
  avrm_rankmap_t map;
  avrm_av_options_t options = {.codec = AVRM_CODEC_OFI};
  options.kind = AVRM_AV_IMPLICIT;
  must(avrm_av_create(instance, size, &options, &av));
  for (int32_t lpid = 0; lpid < size; ++lpid) {
    avrm_ave_t ave;
    must(avrm_ofi_pack(insert(lpid), (uint32_t)(lpid / per_node), &ave));
    must(avrm_av_set(av, lpid, &ave));
  }
  must(avrm_rankmap_create_direct(instance, av->pgid, size, &map));
  must(avrm_rankmap_bind(&map)); // after the addresses are set

  must(avrm_av_describe(av, &info));
  EXPECT(info.kind == AVRM_AV_IMPLICIT && info.word_runs == 1 && info.node_runs == 1);
  EXPECT(avrm_ofi_address(avrm_rankmap_word(&map, 7)) == 7 && avrm_rankmap_node(&map, 7) == 1);
  avrm_rankmap_destroy(&map);
  avrm_av_release(av);
}

// Returns the number of processes in all worlds.
static int64_t count_processes(avrm_instance_t *instance) {
  int64_t count = 0;
  avrm_av_t *av;
  int32_t pgid = -1;
  while (avrm_av_next(instance, pgid, &pgid) == AVRM_OK && pgid >= 0)
    if (avrm_av_hold(instance, pgid, &av) == AVRM_OK) {
      count += av->size;
      avrm_av_drop(av);
    }
  return count;
}

int main(void) {
  avrm_instance_t *instance;
  avrm_av_t *first, *second;
  must(avrm_instance_create(NULL, &instance));
  use_table(instance);
  use_implicit(instance);
  must(avrm_av_create(instance, size, NULL, &first));
  must(avrm_av_create(instance, 1, NULL, &second));
  EXPECT(count_processes(instance) == size + 1);
  avrm_av_release(first);
  avrm_av_release(second);
  must(avrm_instance_destroy(instance));
  return 0;
}
