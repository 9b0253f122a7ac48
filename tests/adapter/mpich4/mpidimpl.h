// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stand-in for MPICH 4.0.2's headers, as far as src/adapter/mpich4 needs them: names, parameters
// and members are those of MPICH, the rest is less. The adapter's headers are included where MPICH
// would include them in place of its own. standin.cc has the functions.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH4_MPIDIMPL_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH4_MPIDIMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "adapter/mpich4/av.h" // a part of mpidpre.h and of ch4_types.h

#ifdef __cplusplus
extern "C" {
#endif

// --- mpi.h
enum {
  MPI_SUCCESS = 0,
  MPI_ERR_COMM = 5,
  MPI_ERR_RANK = 6,
  MPI_ERR_ARG = 12,
  MPI_ERR_OTHER = 15,
  MPI_ERR_INTERN = 16,
  MPI_ERR_NO_MEM = 34
};

// --- mpl, mpir_err.h
typedef enum { MPL_MEM_ADDRESS, MPL_MEM_BUFFER, MPL_MEM_COMM } MPL_memory_class;
void *MPL_malloc(size_t size, MPL_memory_class memclass);
void *MPL_calloc(size_t nmemb, size_t size, MPL_memory_class memclass);
void MPL_free(void *ptr);
#define MPIR_ERR_RECOVERABLE 0
int MPIR_Err_create_code(int lastcode, int fatal, const char fcname[], int line, int error_class,
                         const char generic_msg[], const char specific_msg[], ...);

// --- mpir_comm.h
typedef struct MPIR_Comm MPIR_Comm;
typedef enum { MPIR_COMM_KIND__INTRACOMM, MPIR_COMM_KIND__INTERCOMM } MPIR_Comm_kind_t;
typedef enum { MPIR_COMM_MAP_TYPE__DUP, MPIR_COMM_MAP_TYPE__IRREGULAR } MPIR_Comm_map_type_t;
typedef enum {
  MPIR_COMM_MAP_DIR__L2L,
  MPIR_COMM_MAP_DIR__L2R,
  MPIR_COMM_MAP_DIR__R2L,
  MPIR_COMM_MAP_DIR__R2R
} MPIR_Comm_map_dir_t;
typedef struct MPIR_Comm_map {
  MPIR_Comm_map_type_t type;
  MPIR_Comm *src_comm;
  MPIR_Comm_map_dir_t dir;
  int src_mapping_size;
  int *src_mapping;
  int free_mapping;
  struct MPIR_Comm_map *next;
} MPIR_Comm_map_t;

typedef struct MPIDI_Devcomm_t {
  struct {
    MPIDI_COMM_MAP_DECL
  } ch4;
} MPIDI_Devcomm_t;
#define MPIDI_COMM(comm, field) ((comm)->dev.ch4).field

struct MPIR_Comm {
  MPIR_Comm_kind_t comm_kind;
  int rank;
  int local_size;
  int remote_size;
  MPIR_Comm *local_comm;
  MPIR_Comm_map_t *mapper_head;
  MPIDI_Devcomm_t dev;
};

// --- mpir_process.h
typedef struct MPIR_Process_t {
  int rank;
  int size;
  int local_rank;
  int local_size;
  int *node_map;       // rank to node id
  int *node_local_map; // local rank to rank
  MPIR_Comm *comm_world;
  MPIR_Comm *comm_self;
} MPIR_Process_t;
extern MPIR_Process_t MPIR_Process;

// --- ch4_types.h
#define MPIDI_BUILD_CH4_LOCALITY_INFO
typedef struct {
  MPIDIU_avt_manager avt_mgr;
} MPIDI_CH4_Global_t;
extern MPIDI_CH4_Global_t MPIDI_global;

#ifdef __cplusplus
}
#endif
#include "adapter/mpich4/proc.h" // ch4_proc.h, ch4i_comm.h

#endif
