// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stand-in for MPICH 5's headers, as far as src/adapter/mpich5 needs them: names, parameters and
// members are those of MPICH, the rest is less. The adapter's headers are included where MPICH
// would include them in place of its own. standin.cc has the functions.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH5_MPIDIMPL_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH5_MPIDIMPL_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "avrankmap/avrankmap.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- mpi.h. An embedder configures avrankmap with the values of its MPI; here it is the other way
// round.
typedef int MPI_Group;
#define MPI_GROUP_EMPTY ((MPI_Group)0x48000000)
#define MPI_PROC_NULL AVRM_PROC_NULL
#define MPI_UNDEFINED AVRM_UNDEFINED
enum { MPI_IDENT = 0, MPI_CONGRUENT = 1, MPI_SIMILAR = 2, MPI_UNEQUAL = 3 };
enum {
  MPI_SUCCESS = 0,
  MPI_ERR_COMM = 5,
  MPI_ERR_RANK = 6,
  MPI_ERR_GROUP = 8,
  MPI_ERR_ARG = 12,
  MPI_ERR_OTHER = 15,
  MPI_ERR_INTERN = 16
};

// --- mpl, mpir_mem.h, mpir_err.h
typedef enum { MPL_MEM_ADDRESS, MPL_MEM_BUFFER, MPL_MEM_GROUP, MPL_MEM_OTHER } MPL_memory_class;
void *MPL_malloc(size_t size, MPL_memory_class memclass);
void *MPL_calloc(size_t nmemb, size_t size, MPL_memory_class memclass);
void *MPL_realloc(void *ptr, size_t size, MPL_memory_class memclass);
void MPL_free(void *ptr);
int MPL_strncpy(char *dest, const char *src, size_t n);
#define MPIR_Assert(condition) ((condition) ? (void)0 : abort())
typedef pthread_mutex_t MPL_initlock_t;
#define MPL_INITLOCK_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#define MPL_initlock_lock(lock) pthread_mutex_lock(lock)
#define MPL_initlock_unlock(lock) pthread_mutex_unlock(lock)
#define MPIR_ERR_RECOVERABLE 0
/// Returns the class; standin.h has the text. Takes %d and %s.
int MPIR_Err_create_code(int lastcode, int fatal, const char fcname[], int line, int error_class,
                         const char generic_msg[], const char specific_msg[], ...);
#define MPIR_ERR_SET(err, klass, generic)                                                                              \
  ((err) = MPIR_Err_create_code(err, MPIR_ERR_RECOVERABLE, __func__, __LINE__, klass, generic, 0))
#define MPIR_ERR_SET1(err, klass, generic, specific, arg)                                                              \
  ((err) = MPIR_Err_create_code(err, MPIR_ERR_RECOVERABLE, __func__, __LINE__, klass, generic, specific, arg))

// --- mpid_thread.h: the critical section of VCI 0, which must not be entered twice
#define MPIDI_VCI_LOCK(vci) (vci)
#define MPID_THREAD_CS_ENTER(name, lock) MPIDI_standin_enter(lock)
#define MPID_THREAD_CS_EXIT(name, lock) MPIDI_standin_exit(lock)
void MPIDI_standin_enter(int vci);
void MPIDI_standin_exit(int vci);

// --- mpir_hwtopo.h
typedef uint64_t MPIR_hwtopo_gid_t;
enum { MPIR_HWTOPO_TYPE__DDR = 1 };
#define MPIR_HWTOPO_GID_ROOT ((MPIR_hwtopo_gid_t)0)
MPIR_hwtopo_gid_t MPIR_hwtopo_get_obj_by_type(int type);
int MPIR_hwtopo_mem_bind(void *base, size_t bytes, MPIR_hwtopo_gid_t gid);

// --- mpir_objects.h, mpir_session.h, mpir_type_defs.h
#define MPIR_OBJECT_HEADER                                                                                             \
  int handle;                                                                                                          \
  int ref_count
#define MPIR_Object_set_ref(object, value) ((object)->ref_count = (value))
#define MPIR_Object_add_ref(object) ((void)++(object)->ref_count)
#define MPIR_Object_release_ref(object, inuse) (*(inuse) = --(object)->ref_count)
#define HANDLE_IS_BUILTIN(handle) (((handle) >> 4) == 0x4800000)
typedef struct {
  size_t size;
  int live; // objects
} MPIR_Object_alloc_t;
/// Objects are used again, so their bytes are anything.
void *MPIR_Handle_obj_alloc(MPIR_Object_alloc_t *mem);
void MPIR_Handle_obj_free(MPIR_Object_alloc_t *mem, void *object);

typedef struct MPIR_Session {
  MPIR_OBJECT_HEADER;
} MPIR_Session;
#define MPIR_Session_add_ref(session) MPIR_Object_add_ref(session)
int MPIR_Session_release(MPIR_Session *session);

typedef struct MPIR_Comm MPIR_Comm;
typedef struct MPIR_Group MPIR_Group;

#define MPIR_GROUP_N_BUILTIN 3

#ifdef __cplusplus
}
#endif
#include "src/adapter/mpich5/av.h"    // a part of mpidpre.h and of ch4_types.h
#include "src/adapter/mpich5/group.h" // mpir_lpid.h, mpir_group.h
#ifdef __cplusplus
extern "C" {
#endif

// --- mpidpre.h, mpir_comm.h
typedef struct MPIDI_num_vci {
  int n_vcis;
  int n_total_vcis;
} MPIDI_num_vci_t;

typedef enum { MPIR_COMM_KIND__INTRACOMM, MPIR_COMM_KIND__INTERCOMM } MPIR_Comm_kind_t;
struct MPIR_Comm {
  MPIR_OBJECT_HEADER;
  int rank;
  MPIR_Comm_kind_t comm_kind;
  MPIR_Session *session_ptr;
  int local_size;
  MPIR_Group *local_group;
  int remote_size;
  MPIR_Group *remote_group;
};

static inline MPIR_Lpid MPIR_comm_rank_to_lpid(MPIR_Comm *comm_ptr, int rank) {
  return MPIR_Group_rank_to_lpid(
      comm_ptr->comm_kind == MPIR_COMM_KIND__INTRACOMM ? comm_ptr->local_group : comm_ptr->remote_group, rank);
}

// --- mpir_process.h, utarray.h
typedef struct {
  char **elements;
  int count;
} UT_array;
#define utarray_eltptr(array, index) ((index) < (array)->count ? (array)->elements[index] : (char *)0)

typedef struct MPIR_Process_t {
  int rank;
  int size;
  int local_rank;
  int local_size;
  int *node_map;            // rank to node id
  int *node_local_map;      // local rank to rank
  UT_array *node_hostnames; // null: not known
} MPIR_Process_t;
extern MPIR_Process_t MPIR_Process;
int MPIR_nodeid_lookup(const char *hostname, int *node_id);

// --- ch4_types.h, netmod.h
typedef struct {
  MPIDIU_avt_manager avt_mgr;
} MPIDI_CH4_Global_t;
extern MPIDI_CH4_Global_t MPIDI_global;
int MPIDI_NM_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids);
int MPIDI_NM_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len);
#define MPID_MAX_BC_SIZE 4096

#ifdef __cplusplus
}
#endif
#include "src/adapter/mpich5/proc.h" // ch4_proc.h

#endif
