// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of the first part of src/mpi/group/grouputil.c.
#include <mpidimpl.h>

#include <string.h>

struct MPIR_Avrm MPIR_Avrm;

// Attached to the world's AV, with which it goes.
struct world {
  char name[MPIR_NAMESPACE_MAX];
  int num_procs;
};

// The own world comes before its AV. num_procs is 0 until it does.
static struct world own;

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

static void set_world(struct world *world, const char *name, int num_procs) {
  MPL_strncpy(world->name, name, MPIR_NAMESPACE_MAX);
  world->num_procs = num_procs;
}

static void free_world(void *world) { MPL_free(world); }

// Null if there is no such world, or it is gone.
static const struct world *world_of(int world_idx) {
  if (world_idx == 0) {
    return own.num_procs == 0 ? NULL : &own;
  }
  avrm_av_t *av = NULL;
  return avrm_av_find(MPIR_Avrm.instance, world_idx, &av) == AVRM_OK ? avrm_av_user(av) : NULL;
}

static bool is_called(int world_idx, const char *name) {
  const struct world *const world = world_of(world_idx);
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
  if (world == NULL || avrm_av_find(MPIR_Avrm.instance, pgid, &av) != AVRM_OK ||
      avrm_av_set_user(av, world, free_world) != AVRM_OK) {
    MPL_free(world);
    (void)MPIDIU_free_avt(pgid);
    return -1;
  }
  set_world(world, name, num_procs);
  return pgid;
}

int MPIR_add_world(const char *name, int num_procs) {
  if (MPIR_Avrm_instance() == NULL) {
    return -1;
  }
  if (own.num_procs != 0) {
    return create_world(name, num_procs);
  }
  set_world(&own, name, num_procs);
  return 0;
}

int MPIR_find_world(const char *name) {
  if (is_called(0, name)) {
    return 0;
  }
  int32_t pgid = -1;
  while (avrm_av_next(MPIR_Avrm.instance, pgid, &pgid) == AVRM_OK && pgid >= 0) {
    if (is_called(pgid, name)) {
      return pgid;
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
  own.num_procs = 0;
  const avrm_status_t status = avrm_instance_destroy(MPIR_Avrm.instance);
  if (status == AVRM_OK) {
    MPIR_Avrm.instance = NULL;
  }
  return MPIR_AVRM_ERROR(status);
}
