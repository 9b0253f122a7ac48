// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For src/mpid/ch4/src/ch4_comm.c: maps of communicators, and groups that travel.
#include <mpidimpl.h>

#include <string.h>

int MPIDI_Comm_bind_map(MPIR_Comm *comm) {
  avrm_rankmap_t *const map = &MPIDI_COMM(comm, map);
  const MPIR_Group *const group = comm->comm_kind == MPIR_COMM_KIND__INTRACOMM ? comm->local_group : comm->remote_group;
  // Objects are used again, so the bytes may be anything. Zero bytes can be freed.
  memset(map, 0, sizeof *map);
  avrm_status_t status = avrm_rankmap_dup(avrm_group_map(group->processes), map);
  if (status == AVRM_OK) {
    status = avrm_rankmap_bind(map);
  }
  if (status != AVRM_OK) {
    avrm_rankmap_destroy(map);
  }
  return MPIR_AVRM_ERROR(status);
}

void MPIDI_Comm_unbind_map(MPIR_Comm *comm) { avrm_rankmap_destroy(&MPIDI_COMM(comm, map)); }

// --- groups that travel

// Worlds are numbered by their place in the list. Runs contain these numbers in place of pgids.
//
//   num_worlds  num_runs  world[num_worlds]  run[num_runs]
struct travelling_world {
  char name[MPIR_NAMESPACE_MAX];
  int32_t num_procs;
};

struct travel {
  int32_t num_worlds;
  int32_t num_runs;
  struct travelling_world *worlds;
  int32_t *pgids;
  avrm_run_t *runs;
};

static void free_travel(struct travel *travel) {
  MPL_free(travel->worlds);
  MPL_free(travel->pgids);
  MPL_free(travel->runs);
}

static avrm_status_t allocate_travel(struct travel *travel) {
  const size_t worlds = (size_t)travel->num_worlds + 1;
  travel->worlds = MPL_calloc(worlds, sizeof *travel->worlds, MPL_MEM_ADDRESS);
  travel->pgids = MPL_malloc(worlds * sizeof *travel->pgids, MPL_MEM_ADDRESS);
  travel->runs = MPL_malloc(((size_t)travel->num_runs + 1) * sizeof *travel->runs, MPL_MEM_ADDRESS);
  return travel->worlds == NULL || travel->pgids == NULL || travel->runs == NULL ? AVRM_ERR_NO_MEMORY : AVRM_OK;
}

static int32_t place_of(int32_t pgid, const int32_t *pgids) {
  int32_t place = 0;
  while (pgids[place] != pgid) {
    ++place;
  }
  return place;
}

static avrm_status_t describe_group(const avrm_rankmap_t *map, struct travel *travel) {
  size_t num_runs = 0;
  avrm_status_t status = avrm_rankmap_pgids(map, 0, NULL, &travel->num_worlds);
  if (status == AVRM_OK) {
    status = avrm_rankmap_runs(map, 0, NULL, &num_runs);
    travel->num_runs = (int32_t)num_runs;
  }
  if (status == AVRM_OK) {
    status = allocate_travel(travel);
  }
  if (status == AVRM_OK) {
    status = avrm_rankmap_pgids(map, travel->num_worlds, travel->pgids, &travel->num_worlds);
  }
  if (status == AVRM_OK) {
    status = avrm_rankmap_runs(map, num_runs, travel->runs, &num_runs);
  }
  for (int32_t i = 0; status == AVRM_OK && i < travel->num_worlds; ++i) {
    const char *const name = MPIR_world_namespace(travel->pgids[i]);
    if (name == NULL) {
      return AVRM_ERR_PGID_RELEASED;
    }
    MPL_strncpy(travel->worlds[i].name, name, MPIR_NAMESPACE_MAX);
    travel->worlds[i].num_procs = MPIR_world_num_procs(travel->pgids[i]);
  }
  for (int32_t i = 0; status == AVRM_OK && i < travel->num_runs; ++i) {
    travel->runs[i].pgid = place_of(travel->runs[i].pgid, travel->pgids);
  }
  return status;
}

int MPIDIU_group_pack(MPIR_Group *group, int *size_p, void **data_p) {
  struct travel travel = {0, 0, NULL, NULL, NULL};
  avrm_status_t status = describe_group(avrm_group_map(group->processes), &travel);
  const size_t worlds_bytes = (size_t)travel.num_worlds * sizeof *travel.worlds;
  const size_t runs_bytes = (size_t)travel.num_runs * sizeof *travel.runs;
  const int32_t counts[] = {travel.num_worlds, travel.num_runs};
  const size_t size = sizeof counts + worlds_bytes + runs_bytes;
  char *const data = status == AVRM_OK && size <= INT32_MAX ? MPL_malloc(size, MPL_MEM_OTHER) : NULL;
  if (data != NULL) {
    memcpy(data, counts, sizeof counts);
    memcpy(data + sizeof counts, travel.worlds, worlds_bytes);
    memcpy(data + sizeof counts + worlds_bytes, travel.runs, runs_bytes);
    *data_p = data;
    *size_p = (int)size;
  } else if (status == AVRM_OK) {
    status = AVRM_ERR_NO_MEMORY;
  }
  free_travel(&travel);
  return MPIR_AVRM_ERROR(status);
}

// Copies out of the data, which need not be aligned.
static avrm_status_t read_travel(size_t size, const char *data, struct travel *travel) {
  int32_t counts[2];
  if (size < sizeof counts) {
    return AVRM_ERR_SIZE;
  }
  memcpy(counts, data, sizeof counts);
  travel->num_worlds = counts[0];
  travel->num_runs = counts[1];
  const size_t worlds_bytes = (size_t)counts[0] * sizeof *travel->worlds;
  const size_t runs_bytes = (size_t)counts[1] * sizeof *travel->runs;
  if (counts[0] < 0 || counts[1] < 0 || size != sizeof counts + worlds_bytes + runs_bytes) {
    return AVRM_ERR_SIZE;
  }
  const avrm_status_t status = allocate_travel(travel);
  if (status == AVRM_OK) {
    memcpy(travel->worlds, data + sizeof counts, worlds_bytes);
    memcpy(travel->runs, data + sizeof counts + worlds_bytes, runs_bytes);
  }
  return status;
}

static avrm_status_t meet_worlds(struct travel *travel) {
  for (int32_t i = 0; i < travel->num_worlds; ++i) {
    const struct travelling_world *const world = &travel->worlds[i];
    travel->pgids[i] = MPIR_find_world(world->name);
    if (travel->pgids[i] < 0) {
      travel->pgids[i] = MPIR_add_world(world->name, world->num_procs);
    }
    if (travel->pgids[i] < 0) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  for (int32_t i = 0; i < travel->num_runs; ++i) {
    avrm_run_t *const run = &travel->runs[i];
    if (run->pgid < 0 || run->pgid >= travel->num_worlds) {
      return AVRM_ERR_PGID_UNKNOWN;
    }
    run->pgid = travel->pgids[run->pgid];
  }
  return AVRM_OK;
}

int MPIDIU_group_unpack(int size, const void *data, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr) {
  struct travel travel = {0, 0, NULL, NULL, NULL};
  avrm_rankmap_t map;
  memset(&map, 0, sizeof map);
  avrm_group_t *processes = NULL;
  avrm_status_t status = read_travel((size_t)size, data, &travel);
  if (status == AVRM_OK) {
    status = meet_worlds(&travel);
  }
  if (status == AVRM_OK) {
    status = avrm_rankmap_create_runs(MPIR_Avrm.instance, travel.num_runs, travel.runs, AVRM_RANKMAP_DEFAULT, &map);
  }
  if (status == AVRM_OK) {
    status = avrm_group_create(&map, &processes);
  }
  avrm_rankmap_destroy(&map);
  free_travel(&travel);
  return status == AVRM_OK ? MPIR_Group_create(processes, MPI_UNDEFINED, session_ptr, new_group_ptr)
                           : MPIR_AVRM_ERROR(status);
}
