// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/include/mpir_group.h: MPIR_Group on an avrankmap group. struct MPIR_Pmap, 8 bytes
// per rank unless strided, is gone, and with it every loop over lpids.
//
// A group holds its worlds: a world lives as long as a group or a communicator refers to it.
#ifndef AVRANKMAP_ADAPTER_MPICH5_GROUP_H
#define AVRANKMAP_ADAPTER_MPICH5_GROUP_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MPIR_GROUP_WORLD ((MPI_Group)0x48000001)
#define MPIR_GROUP_SELF ((MPI_Group)0x48000002)
#define MPIR_GROUP_WORLD_PTR (MPIR_Group_builtin + 1)
#define MPIR_GROUP_SELF_PTR (MPIR_Group_builtin + 2)

struct MPIR_Group {
  MPIR_OBJECT_HEADER;
  int size;
  int rank; ///< of this process, or MPI_UNDEFINED
  avrm_group_t *processes;
  MPIR_Session *session_ptr;
};

extern MPIR_Object_alloc_t MPIR_Group_mem;
extern MPIR_Group MPIR_Group_builtin[MPIR_GROUP_N_BUILTIN];
extern MPIR_Group MPIR_Group_direct[];
extern MPIR_Group *const MPIR_Group_empty;

#define MPIR_Group_add_ref(group) MPIR_Object_add_ref(group)
#define MPIR_Group_release_ref(group, inuse) MPIR_Object_release_ref(group, inuse)

int MPIR_Group_init(void);
void MPIR_Group_finalize(void);

/// The group of `processes`, which it takes over, also on failure. Without processes it is
/// MPIR_Group_empty.
int MPIR_Group_create(avrm_group_t *processes, int rank, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr);
int MPIR_Group_release(MPIR_Group *group_ptr);
int MPIR_Group_dup(MPIR_Group *old_group, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr);

/// Takes over `map`, as MPICH does, also on failure.
int MPIR_Group_create_map(int size, int rank, MPIR_Session *session_ptr, MPIR_Lpid *map, MPIR_Group **new_group_ptr);
int MPIR_Group_create_stride(int size, int rank, MPIR_Session *session_ptr, MPIR_Lpid offset, MPIR_Lpid stride,
                             MPIR_Group **new_group_ptr);
/// All of group1, then all of group2, for MPIR_Intercomm_merge_impl.
int MPIR_Group_create_concat(MPIR_Group *group1, MPIR_Group *group2, int rank, MPIR_Session *session_ptr,
                             MPIR_Group **new_group_ptr);

int MPIR_Group_lpid_to_rank(MPIR_Group *group, MPIR_Lpid lpid);
int MPIR_Group_check_subset(MPIR_Group *group_ptr, MPIR_Comm *comm_ptr);
int MPIR_Group_check_disjoint(MPIR_Group *group1, MPIR_Group *group2, bool *disjoint);
void MPIR_Group_set_session_ptr(MPIR_Group *group_ptr, MPIR_Session *session_ptr);

/// A number that is equal for equal groups of one world in all processes, for
/// MPIR_Comm_create_from_group_impl. Reads runs, not ranks.
int MPIR_Group_hash(MPIR_Group *group, uint64_t *hash);

// src/mpi/group/group_impl.c. These check the ranks and ranges that they are given, so
// MPIR_Group_check_valid_ranks and MPIR_Group_check_valid_ranges are gone.
int MPIR_Group_compare_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, int *result);
int MPIR_Group_translate_ranks_impl(MPIR_Group *gp1, int n, const int ranks1[], MPIR_Group *gp2, int ranks2[]);
int MPIR_Group_excl_impl(MPIR_Group *group_ptr, int n, const int ranks[], MPIR_Group **new_group_ptr);
int MPIR_Group_incl_impl(MPIR_Group *group_ptr, int n, const int ranks[], MPIR_Group **new_group_ptr);
int MPIR_Group_range_excl_impl(MPIR_Group *group_ptr, int n, int ranges[][3], MPIR_Group **new_group_ptr);
int MPIR_Group_range_incl_impl(MPIR_Group *group_ptr, int n, int ranges[][3], MPIR_Group **new_group_ptr);
int MPIR_Group_difference_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr);
int MPIR_Group_intersection_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr);
int MPIR_Group_union_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr);

static inline MPIR_Lpid MPIR_Group_rank_to_lpid(MPIR_Group *group, int rank) {
  if (rank < 0 || rank >= group->size) {
    return MPI_UNDEFINED;
  }
  const avrm_gpid_t process = avrm_rankmap_gpid(avrm_group_map(group->processes), rank);
  return MPIR_LPID_FROM(process.pgid, process.lpid);
}

#ifdef __cplusplus
}
#endif

#endif
