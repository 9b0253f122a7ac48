// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The teams of a PGAS runtime of 100,000 processes on nodes of 96, as process 5,000 creates them:
// strided, 2-D, from a list of PEs, the team of a node, and the team of the leaders of all nodes. A
// PE of OpenSHMEM is a rank in avrankmap; translate() does what shmem_team_translate_pe does.
#include <avrankmap/group.h>
#include <avrankmap/hierarchy.h>
#include <avrankmap/inverse.h>

#include "../tour.h"

enum { PES = 100000, PER_NODE = 96, ME = 5000, ROW = 320 };

typedef struct team {
  const char *name;
  avrm_rankmap_t map; // 56 bytes; no team below refers to its parent
} team_t;

// The world: the launcher tells where processes are, and PEs are connected when they are used.
static avrm_av_t *open_world(avrm_instance_t *instance, team_t *world) {
  avrm_av_t *av;
  const avrm_node_run_t blocks = {0, 0, PER_NODE, INT32_MAX};
  must(avrm_av_create(instance, PES, NULL, &av)); // pages that are not used take no memory
  must(avrm_av_declare_nodes(av, 1, &blocks));
  world->name = "world";
  must(avrm_rankmap_create_direct(instance, av->pgid, PES, &world->map));
  must(avrm_rankmap_bind(&world->map));
  return av;
}

// shmem_team_split_strided
static void split_strided(team_t *parent, int32_t start, int32_t stride, int32_t size, team_t *team) {
  team->name = "strided";
  must(avrm_rankmap_create_child_regular(&parent->map, size, start, stride, 1, 0, &team->map));
  must(avrm_rankmap_bind(&team->map));
}

// shmem_team_split_2d: the row and the column of this PE. The last row may be shorter.
static void split_2d(team_t *parent, int32_t me, int32_t width, team_t *row, team_t *column) {
  const int32_t size = avrm_rankmap_size(&parent->map), y = me / width, x = me % width;
  const int32_t rest = size - y * width;
  row->name = "row";
  column->name = "column";
  must(avrm_rankmap_create_child_regular(&parent->map, rest < width ? rest : width, y * width, 1, 1, 0, &row->map));
  must(avrm_rankmap_create_child_regular(&parent->map, (size - x + width - 1) / width, x, width, 1, 0, &column->map));
  must(avrm_rankmap_bind(&row->map));
  must(avrm_rankmap_bind(&column->map));
}

// A list that the user passes: it is only read, and no PE may occur twice.
static void from_list(team_t *parent, int32_t size, const int32_t *pes, team_t *team) {
  team->name = "list";
  must(avrm_rankmap_create_child(&parent->map, size, pes, AVRM_RANKMAP_UNIQUE, &team->map));
  must(avrm_rankmap_bind(&team->map));
}

// SHMEM_TEAM_SHARED, and one PE of each node. No PE need be connected for this.
static void split_nodes(team_t *parent, int32_t me, avrm_hierarchy_t *nodes, team_t *node, team_t *leaders) {
  must(avrm_hierarchy_create(&parent->map, nodes));
  node->name = "node";
  leaders->name = "leaders";
  must(avrm_hierarchy_node_map(nodes, avrm_hierarchy_node(nodes, me), &parent->map, &node->map));
  must(avrm_hierarchy_leaders_map(nodes, &parent->map, &leaders->map));
  must(avrm_rankmap_bind(&node->map));
  must(avrm_rankmap_bind(&leaders->map));
}

// Returns which PE of another team PE `pe` of this one is, or AVRM_UNDEFINED.
static int32_t translate(const team_t *from, int32_t pe, const team_t *to) {
  int32_t found;
  must(avrm_rankmap_translate_ranks(&from->map, 1, &pe, &to->map, &found));
  return found;
}

// Prints form, size and bytes, and the PE of this process in the team.
static uint64_t show(const team_t *team, const team_t *world) {
  avrm_rankmap_info_t info;
  must(avrm_rankmap_describe(&team->map, &info));
  const uint64_t bytes = info.own_bytes + info.table_bytes;
  const int32_t me = translate(world, ME, team);
  printf("%-8s %6d PEs  %-8s %5llu bytes  ", team->name, (int)info.size, avrm_mode_label(info.mode),
         (unsigned long long)bytes);
  if (me == AVRM_UNDEFINED)
    printf("not in it\n");
  else
    printf("PE %d\n", (int)me);
  return bytes;
}

int main(void) {
  avrm_instance_t *instance;
  team_t world, strided, row, column, list, node, leaders;
  avrm_hierarchy_t nodes;
  int32_t primes[8] = {2, 3, 5, 7, 11, 13, 17, 5003};
  must(avrm_instance_create(NULL, &instance));
  avrm_av_t *const av = open_world(instance, &world);
  split_strided(&world, 8, 16, 6000, &strided);
  split_2d(&world, ME, ROW, &row, &column);
  from_list(&world, 8, primes, &list);
  split_nodes(&world, ME, &nodes, &node, &leaders);

  team_t *const teams[] = {&world, &strided, &row, &column, &list, &node, &leaders};
  uint64_t bytes = 0;
  for (size_t i = 0; i < sizeof teams / sizeof teams[0]; ++i)
    bytes += show(teams[i], &world);
  printf("%llu bytes in all; tables of the PEs would take %d\n", (unsigned long long)bytes,
         4 * (PES + 6000 + ROW + 312 + 8 + PER_NODE + 1042));

  EXPECT(translate(&strided, 312, &world) == ME); // 8 + 16 * 312
  EXPECT(translate(&world, 12, &strided) == AVRM_UNDEFINED);
  EXPECT(translate(&strided, 312, &node) == ME % PER_NODE);
  EXPECT(translate(&leaders, 52, &world) == 52 * PER_NODE);
  EXPECT(translate(&row, 0, &column) == AVRM_UNDEFINED && translate(&row, ME % ROW, &column) == ME / ROW);
  EXPECT(translate(&list, 7, &row) == 5003 % ROW);

  // Which PEs can be reached through shared memory: those on the same node.
  EXPECT(avrm_hierarchy_nodes(&nodes) == 1042 && avrm_hierarchy_node_size(&nodes, 1041) == 64);
  EXPECT(avrm_hierarchy_node(&nodes, 5003) == avrm_hierarchy_node(&nodes, ME));
  EXPECT(avrm_hierarchy_node(&nodes, 4991) != avrm_hierarchy_node(&nodes, ME));
  EXPECT(avrm_hierarchy_bytes(&nodes) == 0); // 56 bytes in the caller's structure
  EXPECT(bytes < 1024);

  for (size_t i = 0; i < sizeof teams / sizeof teams[0]; ++i)
    avrm_rankmap_destroy(&teams[i]->map);
  avrm_hierarchy_destroy(&nodes);
  avrm_av_release(av);
  must(avrm_instance_destroy(instance));
  return 0;
}
