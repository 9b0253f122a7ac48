// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/include/mpir_group.h: MPIR_Group with a rankmap, without struct MPIR_Pmap (8 bytes
// per rank unless strided) and without loops over lpids.
//
// A strided part of this process's world is stored as two numbers; any other group has a map, which
// is bound as long as the group exists, so a group keeps its worlds alive. Operations translate
// ranks through the groups of a communicator, which its duplicates share; a communicator has no
// map.
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
  int rank; ///< rank of this process, or MPI_UNDEFINED
  MPIR_Session *session_ptr;
  /// Null: rank r is process offset + r * stride of this process's world. No process is in a group
  /// twice.
  avrm_rankmap_t *map;
  union {
    struct {
      int offset;
      int stride;
    } own;                     ///< without a map
    avrm_instance_t *instance; ///< with a map: the map's instance, which may have been destroyed
  } as;
};

extern MPIR_Object_alloc_t MPIR_Group_mem;
extern MPIR_Group MPIR_Group_builtin[MPIR_GROUP_N_BUILTIN];
extern MPIR_Group MPIR_Group_direct[];
extern MPIR_Group *const MPIR_Group_empty;

#define MPIR_Group_add_ref(group) MPIR_Object_add_ref(group)
#define MPIR_Group_release_ref(group, inuse) MPIR_Object_release_ref(group, inuse)

/// Creates the predefined groups.
int MPIR_Group_init(void);
/// Also releases all address tables. Called before MPII_finalize_memory_tracing, which reports the
/// memory that MPL still holds.
void MPIR_Group_finalize(void);

/// Returns the map of a group, or creates one in *place, which is not bound and need not be
/// destroyed.
const avrm_rankmap_t *MPIR_Group_map(const MPIR_Group *group, avrm_rankmap_t *place);

/// Creates the group of `processes` and takes ownership of them, even on failure. Without
/// processes, the result is MPIR_Group_empty.
int MPIR_Group_create(avrm_group_t *processes, int rank, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr);
/// Also accepts a group that has outlived MPI_Finalize or the last session.
int MPIR_Group_release(MPIR_Group *group_ptr);
int MPIR_Group_dup(MPIR_Group *old_group, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr);

/// Takes ownership of `map`, as MPICH does, even on failure.
int MPIR_Group_create_map(int size, int rank, MPIR_Session *session_ptr, MPIR_Lpid *map, MPIR_Group **new_group_ptr);
int MPIR_Group_create_stride(int size, int rank, MPIR_Session *session_ptr, MPIR_Lpid offset, MPIR_Lpid stride,
                             MPIR_Group **new_group_ptr);

MPIR_Lpid MPIR_Group_rank_to_lpid(MPIR_Group *group, int rank);
/// Searches all ranks if there is no memory for the inverse of the group's table.
int MPIR_Group_lpid_to_rank(MPIR_Group *group, MPIR_Lpid lpid);
int MPIR_Group_check_subset(MPIR_Group *group_ptr, MPIR_Comm *comm_ptr);
void MPIR_Group_set_session_ptr(MPIR_Group *group_ptr, MPIR_Session *session_ptr);

/// Unchanged in grouputil.c: these functions read only the size of the group.
int MPIR_Group_check_valid_ranks(MPIR_Group *group_ptr, const int ranks[], int n);
int MPIR_Group_check_valid_ranges(MPIR_Group *group_ptr, int ranges[][3], int n);

/// Returns a hash for calc_context_id, which is equal in all processes of a world for equal groups
/// of that world. Takes no memory, so that no process gets another hash for lack of it. Reads runs
/// if there are up to 32, otherwise ranks.
unsigned MPIR_Group_hash(MPIR_Group *group);

// src/mpi/group/group_impl.c. For invalid ranks or ranges these return an error that does not
// identify the element; if MPICH is built with error checks, it checks the arguments before.
int MPIR_Group_compare_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, int *result);
int MPIR_Group_translate_ranks_impl(MPIR_Group *gp1, int n, const int ranks1[], MPIR_Group *gp2, int ranks2[]);
int MPIR_Group_excl_impl(MPIR_Group *group_ptr, int n, const int ranks[], MPIR_Group **new_group_ptr);
/// If `ranks` lists all ranks in order, the result is the group itself, with another reference. The
/// communicator of a node thus shares its group with a parent whose processes are all on that node.
int MPIR_Group_incl_impl(MPIR_Group *group_ptr, int n, const int ranks[], MPIR_Group **new_group_ptr);
int MPIR_Group_range_excl_impl(MPIR_Group *group_ptr, int n, int ranges[][3], MPIR_Group **new_group_ptr);
int MPIR_Group_range_incl_impl(MPIR_Group *group_ptr, int n, int ranges[][3], MPIR_Group **new_group_ptr);
int MPIR_Group_difference_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr);
int MPIR_Group_intersection_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr);
int MPIR_Group_union_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr);

#ifdef __cplusplus
}
#endif

#endif
