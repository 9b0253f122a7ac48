// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of the first part of src/mpi/group/grouputil.c.
#include <mpidimpl.h>

#include <string.h>

struct MPIR_Avrm MPIR_Avrm;

struct world {
  char name[MPIR_NAMESPACE_MAX];
  int num_procs;
  int32_t pgid; // -1: the place is free
};

static struct world *worlds;
static int num_worlds;

avrm_instance_t *MPIR_Avrm_instance(void) {
  if (MPIR_Avrm.instance == NULL) {
    (void)avrm_instance_create(MPIR_Avrm.options, &MPIR_Avrm.instance);
  }
  return MPIR_Avrm.instance;
}

int MPIR_Avrm_error(avrm_status_t status, const char *function, int line) {
  int class_of_error = MPI_ERR_INTERN;
  switch (status) {
  case AVRM_OK: return MPI_SUCCESS;
  case AVRM_ERR_NO_MEMORY: class_of_error = MPI_ERR_NO_MEM; break;
  case AVRM_ERR_RANK:
  case AVRM_ERR_DUPLICATE: class_of_error = MPI_ERR_RANK; break;
  case AVRM_ERR_SIZE:
  case AVRM_ERR_STRIDE:
  case AVRM_ERR_RANGE:
  case AVRM_ERR_OVERFLOW: class_of_error = MPI_ERR_ARG; break;
  case AVRM_ERR_LPID:
  case AVRM_ERR_PGID_UNKNOWN:
  case AVRM_ERR_PGID_RELEASED: class_of_error = MPI_ERR_GROUP; break;
  default: break;
  }
  return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, function, line, class_of_error, "**avrankmap",
                              "**avrankmap %s", avrm_status_text(status));
}

// True if a place holds a world that can still be found. The own world comes before its AV.
static bool is_alive(const struct world *world) {
  avrm_av_t *av = NULL;
  return world->pgid == 0 || (world->pgid > 0 && avrm_av_find(MPIR_Avrm.instance, world->pgid, &av) == AVRM_OK);
}

static struct world *find_place(void) {
  for (int i = 0; i < num_worlds; ++i) {
    if (!is_alive(&worlds[i])) {
      return &worlds[i];
    }
  }
  const int room = num_worlds == 0 ? 4 : 2 * num_worlds;
  struct world *const longer = MPL_realloc(worlds, (size_t)room * sizeof *worlds, MPL_MEM_ADDRESS);
  if (longer == NULL) {
    return NULL;
  }
  worlds = longer;
  for (int i = num_worlds; i < room; ++i) {
    worlds[i].pgid = -1;
  }
  struct world *const place = &worlds[num_worlds];
  num_worlds = room;
  return place;
}

int MPIR_add_world(const char *name, int num_procs) {
  const bool is_first = num_worlds == 0;
  struct world *const place = MPIR_Avrm_instance() == NULL ? NULL : find_place();
  if (place == NULL) {
    return -1;
  }
  int pgid = 0;
  if (!is_first && MPIDIU_new_avt(num_procs, &pgid) != MPI_SUCCESS) {
    return -1;
  }
  MPL_strncpy(place->name, name, MPIR_NAMESPACE_MAX);
  place->num_procs = num_procs;
  place->pgid = pgid;
  return pgid;
}

static const struct world *world_of(int world_idx) {
  for (int i = 0; i < num_worlds; ++i) {
    if (worlds[i].pgid == world_idx && is_alive(&worlds[i])) {
      return &worlds[i];
    }
  }
  return NULL;
}

int MPIR_find_world(const char *name) {
  for (int i = 0; i < num_worlds; ++i) {
    if (is_alive(&worlds[i]) && strncmp(worlds[i].name, name, MPIR_NAMESPACE_MAX) == 0) {
      return worlds[i].pgid;
    }
  }
  return -1;
}

const char *MPIR_world_namespace(int world_idx) {
  const struct world *const world = world_of(world_idx);
  return world == NULL ? NULL : world->name;
}

int MPIR_world_num_procs(int world_idx) {
  const struct world *const world = world_of(world_idx);
  return world == NULL ? 0 : world->num_procs;
}

int MPIR_worlds_finalize(void) {
  MPL_free(worlds);
  worlds = NULL;
  num_worlds = 0;
  const avrm_status_t status = avrm_instance_destroy(MPIR_Avrm.instance);
  if (status == AVRM_OK) {
    MPIR_Avrm.instance = NULL;
  }
  return MPIR_AVRM_ERROR(status);
}
