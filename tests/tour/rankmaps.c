// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The map of a communicator, without a device: creation from an array, translation to addresses and
// back to ranks, and runs that can be sent to another process.
#include <avrankmap/convert.h>
#include <avrankmap/inverse.h>

#include "tour.h"

static const int32_t size = 12;

static void fill(avrm_av_t *av) {
  for (int32_t lpid = 0; lpid < size; ++lpid) {
    avrm_ave_t ave;
    must(avrm_ofi_pack(100 + (uint64_t)lpid, (uint32_t)lpid / 4, &ave));
    must(avrm_av_set(av, lpid, &ave));
  }
}

static void detect(avrm_instance_t *instance, const avrm_av_t *world, avrm_rankmap_t *map_p) {
  avrm_rankmap_t map;
  const int32_t lpids[4] = {10, 7, 4, 1}; // a stride of -3: the array is not kept
  must(avrm_rankmap_create_lpids(instance, world->pgid, 4, lpids, AVRM_RANKMAP_UNIQUE, &map));

  avrm_rankmap_info_t info;
  must(avrm_rankmap_describe(&map, &info));
  EXPECT(info.mode == AVRM_MODE_STRIDE && info.table_bytes == 0);
  *map_p = map; // a rankmap that is not bound may be moved
}

static uint64_t address_of(const avrm_rankmap_t *map, int32_t rank) {
  const uint64_t word = avrm_rankmap_word(map, rank); // the hot path
  if (avrm_ofi_is_network(word))
    return avrm_ofi_address(word);
  return UINT64_MAX; // shared memory, or not connected yet: address_vectors.c
}

static void translate(avrm_rankmap_t *map) {
  must(avrm_rankmap_bind(map));
  for (int32_t rank = 0; rank < avrm_rankmap_size(map); ++rank) {
    EXPECT(address_of(map, rank) == 110 - 3 * (uint64_t)rank);
    EXPECT(avrm_rankmap_node(map, rank) == (uint32_t)(10 - 3 * rank) / 4);
  }
}

// Creates the map of the last two ranks, in reverse order.
static void make_child(const avrm_rankmap_t *parent) {
  avrm_rankmap_t child;
  const int32_t parent_ranks[2] = {3, 2};
  must(avrm_rankmap_create_child(parent, 2, parent_ranks, 0, &child));
  EXPECT(avrm_rankmap_lpid(&child, 0) == 1 && avrm_rankmap_lpid(&child, 1) == 4);
  avrm_rankmap_destroy(&child);
}

static void invert(const avrm_rankmap_t *map, int32_t pgid) {
  int32_t rank;
  const avrm_gpid_t process = {pgid, 7}, stranger = {pgid, 8};
  must(avrm_rankmap_rank(map, process, &rank));
  EXPECT(rank == 1);
  must(avrm_rankmap_rank(map, stranger, &rank));
  EXPECT(rank == AVRM_UNDEFINED); // no member
}

static void copy(avrm_instance_t *instance, const avrm_rankmap_t *map) {
  avrm_run_t runs[8];
  avrm_rankmap_t copy;
  size_t count;
  must(avrm_rankmap_runs(map, 8, runs, &count)); // for another process, or a file
  EXPECT(count <= 8);                            // otherwise repeat it with room for all
  must(avrm_rankmap_create_runs(instance, (int32_t)count, runs, 0, &copy));
  EXPECT(count == 1);
  EXPECT(avrm_rankmap_size(&copy) == 4 && avrm_rankmap_lpid(&copy, 3) == 1);
  avrm_rankmap_destroy(&copy);
}

int main(void) {
  avrm_instance_t *instance;
  avrm_av_t *world;
  avrm_rankmap_t map;
  must(avrm_instance_create(NULL, &instance));
  must(avrm_av_create(instance, size, NULL, &world));
  fill(world);
  detect(instance, world, &map);
  translate(&map);
  make_child(&map);
  invert(&map, world->pgid);
  copy(instance, &map);
  avrm_rankmap_destroy(&map);
  avrm_av_release(world);
  must(avrm_instance_destroy(instance));
  return 0;
}
