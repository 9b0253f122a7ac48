// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/mpi/group/grouputil.c, except MPIR_Group_mem, MPIR_Group_direct and the checks of
// arguments: creation and release of groups.
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

// Binds a map. The worlds of its processes, except our own, are freed with the last group that
// refers to them.
static avrm_status_t bind_map(avrm_rankmap_t *map) {
  avrm_status_t status = avrm_rankmap_bind(map);
  if (status == AVRM_ERR_PGID_UNKNOWN && MPIDI_global.avt_mgr.av_table0 == NULL) {
    return AVRM_OK; // a process set created before the address tables; a session duplicates it
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

static void init_builtin(int index, MPI_Group handle, int size, int rank, int offset) {
  MPIR_Group *const group = &MPIR_Group_builtin[index];
  memset(group, 0, sizeof *group);
  group->handle = handle;
  MPIR_Object_set_ref(group, 1);
  group->size = size;
  group->rank = rank;
  group->as.own.offset = offset;
  group->as.own.stride = 1;
}

int MPIR_Group_init(void) {
  init_builtin(0, MPI_GROUP_EMPTY, 0, MPI_UNDEFINED, 0);
  init_builtin(1, MPIR_GROUP_WORLD, MPIR_Process.size, MPIR_Process.rank, 0);
  init_builtin(2, MPIR_GROUP_SELF, 1, 0, MPIR_Process.rank);
  return MPI_SUCCESS;
}

void MPIR_Group_finalize(void) { MPIR_worlds_finalize(); }

const avrm_rankmap_t *MPIR_Group_map(const MPIR_Group *group, avrm_rankmap_t *place) {
  if (group->map != NULL) {
    return group->map;
  }
  const avrm_status_t status =
      avrm_rankmap_create_stride(MPIR_Avrm.instance, 0, group->size, group->as.own.offset, group->as.own.stride, place);
  MPIR_Assert(status == AVRM_OK);
  return place;
}

// Moves the processes, at least one, into a group object. Takes ownership of them.
static avrm_status_t keep_processes(MPIR_Group *group, avrm_group_t *processes) {
  const avrm_rankmap_t *const map = avrm_group_map(processes);
  group->size = avrm_rankmap_size(map);
  group->map = NULL;
  if (map->klass == AVRM_CLASS_AFFINE && map->pgid == 0) {
    const int last = avrm_rankmap_lpid(map, group->size - 1);
    group->as.own.offset = avrm_rankmap_lpid(map, 0);
    group->as.own.stride = group->size == 1 ? 1 : (last - group->as.own.offset) / (group->size - 1);
    avrm_group_destroy(processes);
    return group->as.own.offset < MPIR_Process.size && last < MPIR_Process.size ? AVRM_OK : AVRM_ERR_LPID;
  }
  group->as.instance = MPIR_Avrm.instance;
  group->map = MPIR_Avrm_allocate_map();
  if (group->map == NULL) {
    avrm_group_destroy(processes);
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_group_unwrap(processes, group->map);
  return bind_map(group->map);
}

static void free_map(const MPIR_Group *group) {
  // A map of an earlier instance was freed with that instance.
  if (group->map != NULL && group->as.instance == MPIR_Avrm.instance) {
    avrm_rankmap_destroy(group->map);
    MPIR_Avrm_release_map(group->map);
  }
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
  group->rank = rank;
  group->session_ptr = NULL;
  const avrm_status_t status = keep_processes(group, processes);
  if (status != AVRM_OK) {
    free_map(group);
    MPIR_Handle_obj_free(&MPIR_Group_mem, group);
    return MPIR_AVRM_ERROR(status);
  }
  MPIR_Group_set_session_ptr(group, session_ptr);
  *new_group_ptr = group;
  return MPI_SUCCESS;
}

int MPIR_Group_release(MPIR_Group *group_ptr) {
  if (group_ptr == MPIR_Group_empty) {
    return MPI_SUCCESS; // references to this group are not counted
  }
  int inuse;
  MPIR_Group_release_ref(group_ptr, &inuse);
  if (!inuse) {
    MPIR_Assert(!HANDLE_IS_BUILTIN(group_ptr->handle));
    free_map(group_ptr);
    if (group_ptr->session_ptr != NULL) {
      MPIR_Session_release(group_ptr->session_ptr);
    }
    MPIR_Handle_obj_free(&MPIR_Group_mem, group_ptr);
  }
  return MPI_SUCCESS;
}

int MPIR_Group_dup(MPIR_Group *old_group, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr) {
  avrm_group_t *processes = NULL;
  avrm_rankmap_t place;
  const avrm_status_t status = avrm_group_dup(avrm_group_view(MPIR_Group_map(old_group, &place)), &processes);
  if (status != AVRM_OK) {
    return MPIR_AVRM_ERROR(status);
  }
  return MPIR_Group_create(processes, old_group->rank, session_ptr, new_group_ptr);
}

// Creates a group from a map and destroys the map. `status` is the result of the map's creation.
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
  if (group->map == NULL) {
    return group->as.own.offset + rank * group->as.own.stride;
  }
  const avrm_gpid_t process = avrm_rankmap_gpid(group->map, rank);
  return MPIR_LPID_FROM(process.pgid, process.lpid);
}
