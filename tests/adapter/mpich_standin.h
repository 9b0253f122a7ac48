// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stand-in for MPICH's headers, as far as the adapter needs them: the interface between MPICH 4's
// communicator code (mpir_comm.h, mpir_group.h) and its ch4 device, and the lpids of MPICH 5. In
// MPICH the adapter includes mpidimpl.h instead.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH_STANDIN_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH_STANDIN_H

#include <stdint.h>

#include "avrankmap/avrankmap.h"

#ifdef __cplusplus
extern "C" {
#endif

// mpi.h
enum { MPI_SUCCESS = 0, MPI_ERR_ARG = 12, MPI_ERR_INTERN = 17, MPI_ERR_NO_MEM = 34 };
enum { MPI_UNDEFINED = -32766, MPI_PROC_NULL = -1 };

typedef struct MPIR_Comm MPIR_Comm;

typedef enum { MPIR_COMM_KIND__INTRACOMM, MPIR_COMM_KIND__INTERCOMM } MPIR_Comm_kind_t;

// Pieces, in order, by which the communicator code describes a new communicator to the device. The
// direction names the group of src_comm that the ranks of a piece belong to, and the group of the
// new communicator that they go to.
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
  int *src_mapping; // IRREGULAR: ranks in src_comm's group
  struct MPIR_Comm_map *next;
} MPIR_Comm_map_t;

// ch4's part of each communicator (MPIDI_Devcomm_t): here the two rankmaps.
typedef struct {
  // Of the group that ranks of operations refer to: the remote one of an intercommunicator.
  avrm_rankmap_t map;
  avrm_rankmap_t local_map; // intercommunicators: of the local group; else zero bytes
} MPIDI_Devcomm_t;

struct MPIR_Comm {
  MPIR_Comm_kind_t comm_kind;
  int rank;
  int local_size;
  int remote_size;
  MPIR_Comm_map_t *mapper_head;
  MPIDI_Devcomm_t dev;
};

#define MPIDI_COMM(comm, field) ((comm)->dev.field)

// A process of MPICH 5: (index of its world) << 32 | rank in that world.
typedef int64_t MPIR_Lpid;

// ch4's entry per process of an AV table is our AVE.
typedef avrm_ave_t MPIDI_av_entry_t;

extern struct MPIR_Process_s {
  MPIR_Comm *comm_world;
  MPIR_Comm *comm_self;
} MPIR_Process;

#ifdef __cplusplus
}
#endif

#endif
