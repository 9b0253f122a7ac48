// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/mpi/group/grouputil.c, but for MPIR_Group_mem, MPIR_Group_direct and the checks
// of arguments: the life of groups.
#include <mpidimpl.h>

#include <string.h>

MPIR_Group MPIR_Group_builtin[MPIR_GROUP_N_BUILTIN];
MPIR_Group *const MPIR_Group_empty = &MPIR_Group_builtin[0];

// --- worlds of a group

static void end_with_groups(const int32_t *pgids, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    avrm_av_t *av = NULL;
    if (pgids[i] != 0 && avrm_av_find(MPIR_Avrm.instance, pgids[i], &av) == AVRM_OK) {
      avrm_av_release_when_unbound(av);
    }
  }
}

// Binds a map. From the first group on, another world ends with the last group that refers to it.
static avrm_status_t bind_map(avrm_rankmap_t *map) {
  avrm_status_t status = avrm_rankmap_bind(map);
  if (status == AVRM_ERR_PGID_UNKNOWN && MPIDI_global.avt_mgr.av_table0 == NULL) {
    return AVRM_OK; // a process set that came before the address tables; a session duplicates it
  }
  if (status != AVRM_OK || map->pgid == 0) {
    return status;
  }
  enum { FEW_WORLDS = 16 };
  int32_t few[FEW_WORLDS];
  int32_t *pgids = few;
  int32_t count = 0;
  status = avrm_rankmap_pgids(map, FEW_WORLDS, few, &count);
  if (status == AVRM_OK && count > FEW_WORLDS) {
    pgids = MPL_malloc((size_t)count * sizeof *pgids, MPL_MEM_GROUP);
    status = pgids == NULL ? AVRM_ERR_NO_MEMORY : avrm_rankmap_pgids(map, count, pgids, &count);
  }
  if (status == AVRM_OK) {
    end_with_groups(pgids, count);
  } else {
    (void)avrm_rankmap_unbind(map);
  }
  if (pgids != few) {
    MPL_free(pgids);
  }
  return status;
}

// --- creation and release

static avrm_status_t init_builtin(int index, MPI_Group handle, int rank, int32_t offset, int32_t size) {
  MPIR_Group *const group = &MPIR_Group_builtin[index];
  memset(group, 0, sizeof *group);
  group->handle = handle;
  MPIR_Object_set_ref(group, 1);
  group->size = size;
  group->rank = rank;
  return avrm_rankmap_create_offset(MPIR_Avrm_instance(), 0, size, offset, &group->map);
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

int MPIR_Group_bind_builtin(void) {
  avrm_status_t status = AVRM_OK;
  for (int i = 0; status == AVRM_OK && i < MPIR_GROUP_N_BUILTIN; ++i) {
    status = avrm_rankmap_bind(&MPIR_Group_builtin[i].map);
  }
  return MPIR_AVRM_ERROR(status);
}

void MPIR_Group_finalize(void) {
  for (int i = 0; i < MPIR_GROUP_N_BUILTIN; ++i) {
    avrm_rankmap_destroy(&MPIR_Group_builtin[i].map);
  }
  MPIR_worlds_finalize();
}

int MPIR_Group_create(avrm_group_t *processes, int rank, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr) {
  if (avrm_group_size(processes) == 0) {
    avrm_group_destroy(processes);
    *new_group_ptr = MPIR_Group_empty;
    MPIR_Group_add_ref(*new_group_ptr);
    return MPI_SUCCESS;
  }
  MPIR_Group *const group = MPIR_Handle_obj_alloc(&MPIR_Group_mem);
  if (group == NULL) {
    avrm_group_destroy(processes);
    return MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY);
  }
  MPIR_Object_set_ref(group, 1);
  group->size = avrm_group_size(processes);
  group->rank = rank;
  group->session_ptr = NULL;
  avrm_group_unwrap(processes, &group->map);
  const avrm_status_t status = bind_map(&group->map);
  if (status != AVRM_OK) {
    avrm_rankmap_destroy(&group->map);
    MPIR_Handle_obj_free(&MPIR_Group_mem, group);
    return MPIR_AVRM_ERROR(status);
  }
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
    if (group_ptr->map.instance == MPIR_Avrm.instance) { // else the map went with its instance
      avrm_rankmap_destroy(&group_ptr->map);
    }
    if (group_ptr->session_ptr != NULL) {
      MPIR_Session_release(group_ptr->session_ptr);
    }
    MPIR_Handle_obj_free(&MPIR_Group_mem, group_ptr);
  }
  return MPI_SUCCESS;
}

int MPIR_Group_dup(MPIR_Group *old_group, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr) {
  avrm_group_t *processes = NULL;
  const avrm_status_t status = avrm_group_dup(avrm_group_view(&old_group->map), &processes);
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

void MPIR_Group_set_session_ptr(MPIR_Group *group_ptr, MPIR_Session *session_ptr) {
  if (session_ptr != NULL) {
    group_ptr->session_ptr = session_ptr;
    MPIR_Session_add_ref(session_ptr);
  }
}

MPIR_Lpid MPIR_Group_rank_to_lpid(MPIR_Group *group, int rank) {
  if (rank < 0 || rank >= group->size) {
    return MPI_UNDEFINED;
  }
  const avrm_gpid_t process = avrm_rankmap_gpid(&group->map, rank);
  return MPIR_LPID_FROM(process.pgid, process.lpid);
}
