// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The component without a device: 12 processes on three nodes, each with two addresses; the
// communicator of those with odd ranks, its nodes and its group; and the parts of a window.
#include <avrankmap/addresses.h>
#include <avrankmap/directory.h>
#include <avrankmap/group.h>
#include <avrankmap/hierarchy.h>

#include "tour.h"

static const int32_t size = 12;

static void fill(avrm_av_t *av) {
  uint64_t addresses[12];
  for (int32_t lpid = 0; lpid < size; ++lpid) {
    avrm_ave_t ave;
    must(avrm_ofi_pack(100 + (uint64_t)lpid, (uint32_t)lpid / 4, &ave));
    must(avrm_av_set(av, lpid, &ave));
    addresses[lpid] = 200 + (uint64_t)lpid;
  }
  must(avrm_addresses_set(av, 1, 0, size, addresses)); // as fi_av_insert returned them for k = 1
}

static void ask_address(const avrm_av_t *av, const avrm_rankmap_t *map, int32_t rank) {
  uint64_t word = avrm_rankmap_word(map, rank); // word 0, which also shows the locality
  if (avrm_ofi_is_network(word))
    word = avrm_addresses_word(av, avrm_rankmap_lpid(map, rank), word, 1);

  EXPECT(avrm_ofi_address(word) == 201 + 2 * (uint64_t)rank);
}

static void ask_nodes(const avrm_rankmap_t *map, int32_t rank) {
  avrm_hierarchy_t nodes;
  must(avrm_hierarchy_create(map, &nodes)); // map is bound
  int32_t node = avrm_hierarchy_node(&nodes, rank);
  int32_t leader = avrm_hierarchy_leader(&nodes, node);

  EXPECT(node == rank / 2 && leader == 2 * node);
  avrm_hierarchy_destroy(&nodes);
}

static void ask_group(const avrm_rankmap_t *map) {
  avrm_group_t *group, *few, *rest;
  const int32_t ranks[2] = {5, 0}, wanted[3] = {0, 1, 5};
  int32_t found[3];
  must(avrm_group_create(map, &group));
  must(avrm_group_incl(group, 2, ranks, &few));
  must(avrm_group_difference(group, few, &rest)); // 1, 2, 3, 4
  must(avrm_group_translate_ranks(group, 3, wanted, rest, found));

  EXPECT(found[0] == AVRM_UNDEFINED && found[1] == 0 && found[2] == AVRM_UNDEFINED);
  EXPECT(avrm_group_size(rest) == 4);
  avrm_group_destroy(group);
  avrm_group_destroy(few);
  avrm_group_destroy(rest);
}

static avrm_part_t ask_target(int32_t rank) {
  const avrm_part_t part = {.base = 0x1000 * (uint64_t)rank, .key = 7, .size = 64, .unit = 1};
  return part;
}

static void ask_part(avrm_instance_t *instance, int32_t rank) {
  uint64_t base = 0, key = 0;
  avrm_directory_t targets;
  must(avrm_directory_create(instance, size, &targets)); // nothing is known
  if (!avrm_directory_target(&targets, rank, &base, &key)) {
    const avrm_part_t part = ask_target(rank);
    must(avrm_directory_learn(&targets, rank, &part));
  }

  EXPECT(avrm_directory_target(&targets, rank, &base, &key) && base == 0x1000 * (uint64_t)rank && key == 7);
  avrm_directory_destroy(&targets);
}

int main(void) {
  avrm_instance_t *instance;
  avrm_av_t *world;
  avrm_rankmap_t odd;
  must(avrm_instance_create(NULL, &instance));
  must(avrm_av_create(instance, size, NULL, &world));
  fill(world);
  must(avrm_rankmap_create_stride(instance, world->pgid, size / 2, 1, 2, &odd));
  must(avrm_rankmap_bind(&odd));
  for (int32_t rank = 0; rank < size / 2; ++rank) {
    ask_address(world, &odd, rank);
    ask_nodes(&odd, rank);
    ask_part(instance, rank);
  }
  ask_group(&odd);
  avrm_rankmap_destroy(&odd);
  avrm_av_release(world);
  must(avrm_instance_destroy(instance));
  return 0;
}
