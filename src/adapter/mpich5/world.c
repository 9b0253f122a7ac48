// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces the first part of src/mpi/group/grouputil.c.
#include <mpidimpl.h>

#include "endpoints.h"

#include <string.h>

// Attached to the world's AV, and freed with it.
struct world {
  char name[MPIR_NAMESPACE_MAX];
  int num_procs;
  int pgid;
};

// This process's world, which is added before its AV exists; num_procs is 0 until it is added.
static struct world own;

static void set_world(struct world *world, const char *name, int num_procs, int pgid) {
  MPL_strncpy(world->name, name, MPIR_NAMESPACE_MAX);
  world->num_procs = num_procs;
  world->pgid = pgid;
}

static void free_world(void *user) {
  struct world *const world = user;
  MPIDIU_endpoints_drop_world(world->pgid);
  MPL_free(world);
}

// Null if there is no such world, or if it has been freed.
static const struct world *world_of(int world_idx) {
  if (world_idx == 0) {
    return own.num_procs == 0 ? NULL : &own;
  }
  avrm_av_t *av = NULL;
  return avrm_av_find(MPIR_Avrm.instance, world_idx, &av) == AVRM_OK ? avrm_av_user(av) : NULL;
}

static bool is_called(const struct world *world, const char *name) {
  return world != NULL && strncmp(world->name, name, MPIR_NAMESPACE_MAX) == 0;
}

// Creates the AV of another world, with the world attached. Returns -1 on failure.
static int create_world(const char *name, int num_procs) {
  int pgid = -1;
  if (MPIDIU_new_avt(num_procs, &pgid) != MPI_SUCCESS) {
    return -1;
  }
  avrm_av_t *av = NULL;
  struct world *const world = MPL_malloc(sizeof *world, MPL_MEM_ADDRESS);
  if (world != NULL) {
    set_world(world, name, num_procs, pgid);
  }
  if (world == NULL || avrm_av_find(MPIR_Avrm.instance, pgid, &av) != AVRM_OK ||
      avrm_av_set_user(av, world, free_world) != AVRM_OK) {
    MPL_free(world);
    (void)MPIDIU_free_avt(pgid);
    return -1;
  }
  return pgid;
}

int MPIR_add_world(const char *name, int num_procs) {
  if (MPIR_Avrm_instance() == NULL) {
    return -1;
  }
  if (own.num_procs != 0) {
    return create_world(name, num_procs);
  }
  set_world(&own, name, num_procs, 0);
  return 0;
}

avrm_av_t *MPIR_Avrm_hold_world(const char *name) {
  int32_t pgid = -1;
  while (avrm_av_next(MPIR_Avrm.instance, pgid, &pgid) == AVRM_OK && pgid >= 0) {
    avrm_av_t *av = NULL;
    if (avrm_av_hold(MPIR_Avrm.instance, pgid, &av) == AVRM_OK) {
      if (is_called(pgid == 0 ? world_of(0) : avrm_av_user(av), name)) {
        return av;
      }
      avrm_av_drop(av);
    }
  }
  return NULL;
}

int MPIR_find_world(const char *name) {
  if (is_called(world_of(0), name)) {
    return 0;
  }
  avrm_av_t *const av = MPIR_Avrm_hold_world(name);
  const int pgid = av == NULL ? -1 : av->pgid;
  avrm_av_drop(av);
  return pgid;
}

const char *MPIR_world_namespace(int world_idx) {
  const struct world *const world = world_of(world_idx);
  return world == NULL ? NULL : world->name;
}

int MPIR_world_num_procs(int world_idx) {
  const struct world *const world = world_of(world_idx);
  return world == NULL ? 0 : world->num_procs;
}

void MPIR_worlds_finalize(void) {
  own.num_procs = 0;
  int32_t pgid = -1;
  while (avrm_av_next(MPIR_Avrm.instance, pgid, &pgid) == AVRM_OK && pgid >= 0) {
    avrm_av_t *av = NULL;
    if (avrm_av_find(MPIR_Avrm.instance, pgid, &av) == AVRM_OK) {
      // Groups that were not freed keep the AV, but not the world.
      void *const world = avrm_av_user(av);
      if (world != NULL) {
        (void)avrm_av_set_user(av, NULL, NULL);
        free_world(world);
      }
      avrm_av_release(av);
    }
  }
  MPIR_Avrm_end();
}
