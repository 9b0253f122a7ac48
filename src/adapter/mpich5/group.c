// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/mpi/group/grouputil.c, but for MPIR_Group_mem and MPIR_Group_direct: the life of
// groups.
#include <mpidimpl.h>

MPIR_Group MPIR_Group_builtin[MPIR_GROUP_N_BUILTIN];
MPIR_Group *const MPIR_Group_empty = &MPIR_Group_builtin[0];

// --- worlds of a group

enum { FEW_WORLDS = 16 };

// Lists the worlds of a map; in `few` if they fit. The caller frees any other list.
static avrm_status_t list_worlds(const avrm_rankmap_t *map, int32_t few[FEW_WORLDS], int32_t **pgids_p,
                                 int32_t *count_p) {
  avrm_status_t status = avrm_rankmap_pgids(map, FEW_WORLDS, few, count_p);
  *pgids_p = few;
  if (status == AVRM_OK && *count_p > FEW_WORLDS) {
    *pgids_p = MPL_malloc((size_t)*count_p * sizeof **pgids_p, MPL_MEM_GROUP);
    status = *pgids_p == NULL ? AVRM_ERR_NO_MEMORY : avrm_rankmap_pgids(map, *count_p, *pgids_p, count_p);
  }
  return status;
}

static void drop_worlds(const int32_t *pgids, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    avrm_av_t *av = NULL;
    if (avrm_av_find(MPIR_Avrm.instance, pgids[i], &av) == AVRM_OK) {
      avrm_av_drop(av);
    }
  }
}

// From the first group on, a world ends with the last group or communicator that refers to it.
static avrm_status_t hold_worlds(const avrm_group_t *processes) {
  int32_t few[FEW_WORLDS];
  int32_t *pgids = few;
  int32_t count = 0;
  avrm_status_t status = list_worlds(avrm_group_map(processes), few, &pgids, &count);
  for (int32_t i = 0; status == AVRM_OK && i < count; ++i) {
    avrm_av_t *av = NULL;
    status = avrm_av_hold(MPIR_Avrm.instance, pgids[i], &av);
    if (status == AVRM_OK) {
      avrm_av_release_when_unbound(av);
    } else {
      drop_worlds(pgids, i);
    }
  }
  if (pgids != few) {
    MPL_free(pgids);
  }
  return status;
}

static void drop_worlds_of(const avrm_group_t *processes) {
  int32_t few[FEW_WORLDS];
  int32_t *pgids = few;
  int32_t count = 0;
  const avrm_status_t status = list_worlds(avrm_group_map(processes), few, &pgids, &count);
  (void)status;
  MPIR_Assert(status == AVRM_OK); // else the worlds would stay until MPI_Finalize
  drop_worlds(pgids, count);
  if (pgids != few) {
    MPL_free(pgids);
  }
}

// --- creation and release

static avrm_status_t init_builtin(int index, MPI_Group handle, int rank, int32_t offset, int32_t size) {
  MPIR_Group *const group = &MPIR_Group_builtin[index];
  avrm_rankmap_t map;
  avrm_status_t status = avrm_rankmap_create_offset(MPIR_Avrm_instance(), 0, size, offset, &map);
  if (status == AVRM_OK) {
    status = avrm_group_create(&map, &group->processes);
    avrm_rankmap_destroy(&map);
  }
  group->handle = handle;
  MPIR_Object_set_ref(group, 1);
  group->size = size;
  group->rank = rank;
  group->session_ptr = NULL;
  return status;
}

int MPIR_Group_init(void) {
  avrm_status_t status = init_builtin(0, MPI_GROUP_EMPTY, MPI_UNDEFINED, 0, 0);
  if (status == AVRM_OK) {
    status = init_builtin(1, MPIR_GROUP_WORLD, MPIR_Process.rank, 0, MPIR_Process.size);
  }
  if (status == AVRM_OK) {
    status = init_builtin(2, MPIR_GROUP_SELF, 0, MPIR_Process.rank, 1);
  }
  return MPIR_AVRM_ERROR(status);
}

void MPIR_Group_finalize(void) {
  for (int i = 0; i < MPIR_GROUP_N_BUILTIN; ++i) {
    avrm_group_destroy(MPIR_Group_builtin[i].processes);
    MPIR_Group_builtin[i].processes = NULL;
  }
  const int mpi_errno = MPIR_worlds_finalize();
  (void)mpi_errno;
  MPIR_Assert(mpi_errno == MPI_SUCCESS); // a group or a communicator was not freed
}

int MPIR_Group_create(avrm_group_t *processes, int rank, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr) {
  if (avrm_group_size(processes) == 0) {
    avrm_group_destroy(processes);
    *new_group_ptr = MPIR_Group_empty;
    MPIR_Group_add_ref(*new_group_ptr);
    return MPI_SUCCESS;
  }
  MPIR_Group *const group = MPIR_Handle_obj_alloc(&MPIR_Group_mem);
  const avrm_status_t status = group == NULL ? AVRM_ERR_NO_MEMORY : hold_worlds(processes);
  if (status != AVRM_OK) {
    if (group != NULL) {
      MPIR_Handle_obj_free(&MPIR_Group_mem, group);
    }
    avrm_group_destroy(processes);
    return MPIR_AVRM_ERROR(status);
  }
  MPIR_Object_set_ref(group, 1);
  group->size = avrm_group_size(processes);
  group->rank = rank;
  group->processes = processes;
  group->session_ptr = NULL;
  MPIR_Group_set_session_ptr(group, session_ptr);
  *new_group_ptr = group;
  return MPI_SUCCESS;
}

int MPIR_Group_release(MPIR_Group *group_ptr) {
  if (group_ptr == MPIR_Group_empty) {
    return MPI_SUCCESS; // its references are not counted
  }
  int inuse;
  MPIR_Group_release_ref(group_ptr, &inuse);
  if (!inuse) {
    MPIR_Assert(!HANDLE_IS_BUILTIN(group_ptr->handle));
    drop_worlds_of(group_ptr->processes);
    avrm_group_destroy(group_ptr->processes);
    if (group_ptr->session_ptr != NULL) {
      MPIR_Session_release(group_ptr->session_ptr);
    }
    MPIR_Handle_obj_free(&MPIR_Group_mem, group_ptr);
  }
  return MPI_SUCCESS;
}

int MPIR_Group_dup(MPIR_Group *old_group, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr) {
  avrm_group_t *processes = NULL;
  const avrm_status_t status = avrm_group_dup(old_group->processes, &processes);
  if (status != AVRM_OK) {
    return MPIR_AVRM_ERROR(status);
  }
  return MPIR_Group_create(processes, old_group->rank, session_ptr, new_group_ptr);
}

// A group of a map that is destroyed; `status` is that of the map's creation.
static int create_of_map(avrm_status_t status, avrm_rankmap_t *map, int rank, MPIR_Session *session_ptr,
                         MPIR_Group **new_group_ptr) {
  avrm_group_t *processes = NULL;
  if (status == AVRM_OK) {
    status = avrm_group_create(map, &processes);
    avrm_rankmap_destroy(map);
  }
  return status == AVRM_OK ? MPIR_Group_create(processes, rank, session_ptr, new_group_ptr) : MPIR_AVRM_ERROR(status);
}

int MPIR_Group_create_map(int size, int rank, MPIR_Session *session_ptr, MPIR_Lpid *map, MPIR_Group **new_group_ptr) {
  avrm_rankmap_t processes;
  const avrm_status_t status =
      avrm_rankmap_create_numbers(MPIR_Avrm.instance, size, (const uint64_t *)map, AVRM_RANKMAP_DEFAULT, &processes);
  MPL_free(map);
  return create_of_map(status, &processes, rank, session_ptr, new_group_ptr);
}

int MPIR_Group_create_stride(int size, int rank, MPIR_Session *session_ptr, MPIR_Lpid offset, MPIR_Lpid stride,
                             MPIR_Group **new_group_ptr) {
  avrm_rankmap_t processes;
  const avrm_status_t status = avrm_rankmap_create_stride(MPIR_Avrm.instance, MPIR_LPID_WORLD_INDEX(offset), size,
                                                          MPIR_LPID_WORLD_RANK(offset), (int32_t)stride, &processes);
  return create_of_map(status, &processes, rank, session_ptr, new_group_ptr);
}

int MPIR_Group_create_concat(MPIR_Group *group1, MPIR_Group *group2, int rank, MPIR_Session *session_ptr,
                             MPIR_Group **new_group_ptr) {
  const avrm_rankmap_t *const both[] = {avrm_group_map(group1->processes), avrm_group_map(group2->processes)};
  avrm_rankmap_t processes;
  const avrm_status_t status = avrm_rankmap_create_concat(2, both, AVRM_RANKMAP_DEFAULT, &processes);
  return create_of_map(status, &processes, rank, session_ptr, new_group_ptr);
}

void MPIR_Group_set_session_ptr(MPIR_Group *group_ptr, MPIR_Session *session_ptr) {
  if (session_ptr != NULL) {
    group_ptr->session_ptr = session_ptr;
    MPIR_Session_add_ref(session_ptr);
  }
}
