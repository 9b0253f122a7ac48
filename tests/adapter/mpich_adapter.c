// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cold half of the example.
#include "mpich_adapter.h"

#include <stdbool.h>
#include <stdlib.h>

MPIDIU_avt_manager_t MPIDI_avt_mgr;

static int mpi_errno_of(avrm_status_t status) {
  switch (status) {
  case AVRM_OK: return MPI_SUCCESS;
  case AVRM_ERR_NO_MEMORY: return MPI_ERR_NO_MEM;
  case AVRM_ERR_NULL:
  case AVRM_ERR_SIZE:
  case AVRM_ERR_RANK:
  case AVRM_ERR_LPID:
  case AVRM_ERR_PGID_UNKNOWN:
  case AVRM_ERR_PGID_RELEASED: return MPI_ERR_ARG;
  default: return MPI_ERR_INTERN; // with avrm_status_text() in the error stack
  }
}

// --- AV tables
// -------------------------------------------------------------------------------------------------

static avrm_status_t set_node(avrm_av_t *av, int32_t lpid, uint32_t node, bool self) {
  // Not connected, but the node is known: locality can be asked before the first message.
  // Elements of shared memory and self are complete now, since the transport test tells these
  // processes from others.
  avrm_far_t far_side = {AVRM_FAR_UNCONNECTED, 0};
  if (self) {
    far_side.kind = AVRM_FAR_SELF;
  }
  avrm_ave_t element;
  const avrm_status_t status = avrm_ofi_pack_far(far_side, node, &element);
  return status != AVRM_OK ? status : avrm_av_set(av, lpid, &element);
}

int MPIDIU_avt_init(int size, int rank, const uint32_t *nodes) {
  MPIDIU_avt_manager_t manager = {NULL, NULL, rank, 0};
  avrm_status_t status = rank >= 0 && rank < size ? AVRM_OK : AVRM_ERR_RANK;
  if (status == AVRM_OK) {
    manager.node = nodes[rank];
    status = avrm_instance_create(NULL, &manager.instance);
  }
  if (status == AVRM_OK) {
    status = avrm_av_create(manager.instance, size, NULL, &manager.world);
  }
  for (int lpid = 0; status == AVRM_OK && lpid < size; ++lpid) {
    status = set_node(manager.world, lpid, nodes[lpid], lpid == rank);
  }
  if (status != AVRM_OK) {
    avrm_av_release(manager.world);
    if (manager.instance != NULL) {
      (void)avrm_instance_destroy(manager.instance);
    }
    return mpi_errno_of(status);
  }
  MPIDI_avt_mgr = manager;
  return MPI_SUCCESS;
}

int MPIDIU_avt_destroy(void) {
  avrm_av_release(MPIDI_avt_mgr.world);
  MPIDI_avt_mgr.world = NULL;
  const avrm_status_t status = avrm_instance_destroy(MPIDI_avt_mgr.instance);
  if (status == AVRM_OK) {
    MPIDI_avt_mgr.instance = NULL;
  }
  return mpi_errno_of(status);
}

int MPIDIU_new_avt(int size, int *avtid) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = avrm_av_create(MPIDI_avt_mgr.instance, size, NULL, &av);
  if (status == AVRM_OK) {
    *avtid = av->pgid;
  }
  return mpi_errno_of(status);
}

int MPIDIU_free_avt(int avtid) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = avrm_av_find(MPIDI_avt_mgr.instance, avtid, &av);
  if (status == AVRM_OK) {
    avrm_av_release(av);
  }
  return mpi_errno_of(status);
}

int MPIDIU_get_avt_size(int avtid) {
  avrm_av_t *av = NULL;
  return avrm_av_find(MPIDI_avt_mgr.instance, avtid, &av) == AVRM_OK ? av->size : 0;
}

int MPIDIU_get_node_id(const MPIR_Comm *comm, int rank, int *id_p) {
  if (rank < 0 || rank >= avrm_rankmap_size(&MPIDI_COMM(comm, map))) {
    return MPI_ERR_ARG;
  }
  *id_p = (int)avrm_rankmap_node(&MPIDI_COMM(comm, map), rank);
  return MPI_SUCCESS;
}

int MPIDI_OFI_av_set(int avtid, int lpid, uint64_t address, uint32_t node) {
  avrm_av_t *av = NULL;
  avrm_ave_t element;
  avrm_status_t status = avrm_av_find(MPIDI_avt_mgr.instance, avtid, &av);
  if (status == AVRM_OK) {
    status = avrm_ofi_pack(address, node, &element);
  }
  if (status == AVRM_OK) {
    status = avrm_av_set(av, lpid, &element);
  }
  return mpi_errno_of(status);
}

// --- communicators
// -------------------------------------------------------------------------------------------------

static const avrm_rankmap_t *group_that_ranks_come_from(const MPIR_Comm_map_t *piece) {
  const bool from_remote = piece->dir == MPIR_COMM_MAP_DIR__R2L || piece->dir == MPIR_COMM_MAP_DIR__R2R;
  const MPIR_Comm *const source = piece->src_comm;
  const bool inter = source->comm_kind == MPIR_COMM_KIND__INTERCOMM;
  return inter && !from_remote ? &MPIDI_COMM(source, local_map) : &MPIDI_COMM(source, map);
}

static bool goes_to_remote(const MPIR_Comm_map_t *piece) {
  return piece->dir == MPIR_COMM_MAP_DIR__L2R || piece->dir == MPIR_COMM_MAP_DIR__R2R;
}

// One piece: a duplicate shares everything; of ranks the library detects the pattern and composes
// it with the parent's.
static avrm_status_t create_piece(const MPIR_Comm_map_t *piece, avrm_rankmap_t *map_p) {
  const avrm_rankmap_t *const source = group_that_ranks_come_from(piece);
  if (piece->type == MPIR_COMM_MAP_TYPE__DUP) {
    return avrm_rankmap_dup(source, map_p);
  }
  return avrm_rankmap_create_child(source, piece->src_mapping_size, piece->src_mapping, AVRM_RANKMAP_DEFAULT, map_p);
}

// All pieces of one group of the new communicator, in order; without ranks if there are none.
static avrm_status_t create_group_map(const MPIR_Comm *comm, bool remote, avrm_rankmap_t *map_p) {
  avrm_rankmap_t whole;
  avrm_status_t status = avrm_rankmap_create_direct(MPIDI_avt_mgr.instance, 0, 0, &whole);
  for (const MPIR_Comm_map_t *piece = comm->mapper_head; status == AVRM_OK && piece != NULL; piece = piece->next) {
    if (goes_to_remote(piece) != remote) {
      continue;
    }
    avrm_rankmap_t next = {0};
    avrm_rankmap_t longer = {0};
    status = create_piece(piece, &next);
    if (status == AVRM_OK) {
      const avrm_rankmap_t *const both[] = {&whole, &next};
      status = avrm_rankmap_create_concat(2, both, AVRM_RANKMAP_DEFAULT, &longer);
    }
    avrm_rankmap_destroy(&next);
    avrm_rankmap_destroy(&whole);
    whole = longer;
  }
  if (status == AVRM_OK) {
    *map_p = whole;
  }
  return status;
}

// Moves a map to its place in the communicator, and binds it there.
static avrm_status_t place_map(avrm_rankmap_t *place, const avrm_rankmap_t *map) {
  *place = *map;
  const avrm_status_t status = avrm_rankmap_bind(place);
  if (status != AVRM_OK) {
    avrm_rankmap_destroy(place);
  }
  return status;
}

int MPIDIU_Comm_set_remote_gpids(MPIR_Comm *comm, int n, const uint64_t *gpids) {
  // The array is temporary; the pattern that is detected in it stays.
  avrm_gpid_t *const processes = n > 0 ? malloc((size_t)n * sizeof *processes) : NULL;
  if (processes == NULL) {
    return n > 0 ? MPI_ERR_NO_MEM : MPI_ERR_ARG;
  }
  for (int i = 0; i < n; ++i) {
    processes[i].pgid = (int32_t)(gpids[i] >> 32);
    processes[i].lpid = (int32_t)(uint32_t)gpids[i];
  }
  avrm_rankmap_t map;
  avrm_status_t status = avrm_rankmap_create_gpids(MPIDI_avt_mgr.instance, n, processes, AVRM_RANKMAP_UNIQUE, &map);
  free(processes);
  if (status == AVRM_OK) {
    status = place_map(&MPIDI_COMM(comm, map), &map);
  }
  return status == AVRM_OK ? MPI_SUCCESS : mpi_errno_of(status);
}

static avrm_status_t create_predefined_map(const MPIR_Comm *comm, avrm_rankmap_t *map_p) {
  const bool self = comm == MPIR_Process.comm_self;
  return avrm_rankmap_create_offset(MPIDI_avt_mgr.instance, MPIDI_avt_mgr.world->pgid,
                                    self ? 1 : MPIDI_avt_mgr.world->size, self ? MPIDI_avt_mgr.world_rank : 0, map_p);
}

int MPIDI_Comm_create_rank_map(MPIR_Comm *comm) {
  avrm_rankmap_t map;
  avrm_status_t status;
  const bool predefined = comm == MPIR_Process.comm_world || comm == MPIR_Process.comm_self;
  const bool inter = !predefined && comm->comm_kind != MPIR_COMM_KIND__INTRACOMM;
  if (inter) {
    status = create_group_map(comm, false, &map);
    if (status == AVRM_OK) {
      status = place_map(&MPIDI_COMM(comm, local_map), &map);
    }
    if (status == AVRM_OK && avrm_rankmap_size(&MPIDI_COMM(comm, map)) > 0) {
      return MPI_SUCCESS; // the remote group came as gpids
    }
  } else {
    status = AVRM_OK;
  }
  if (status == AVRM_OK) {
    status = predefined ? create_predefined_map(comm, &map) : create_group_map(comm, inter, &map);
  }
  if (status == AVRM_OK) {
    status = place_map(&MPIDI_COMM(comm, map), &map);
  }
  if (status != AVRM_OK) {
    MPIDI_Comm_free_rank_map(comm);
    return mpi_errno_of(status);
  }
  return MPI_SUCCESS;
}

void MPIDI_Comm_free_rank_map(MPIR_Comm *comm) {
  avrm_rankmap_destroy(&MPIDI_COMM(comm, map));
  avrm_rankmap_destroy(&MPIDI_COMM(comm, local_map));
}

int MPIDI_Comm_translate_ranks(const MPIR_Comm *from, int n, const int *ranks, const MPIR_Comm *to, int *to_ranks) {
  for (int i = 0; i < n; ++i) {
    if (ranks[i] == MPI_PROC_NULL) {
      to_ranks[i] = MPI_PROC_NULL;
      continue;
    }
    avrm_gpid_t process;
    avrm_status_t status = avrm_rankmap_gpid_checked(&MPIDI_COMM(from, map), ranks[i], &process);
    int32_t rank = AVRM_UNDEFINED;
    if (status == AVRM_OK) {
      status = avrm_rankmap_rank(&MPIDI_COMM(to, map), process, &rank);
    }
    if (status != AVRM_OK) {
      return mpi_errno_of(status);
    }
    to_ranks[i] = rank == AVRM_UNDEFINED ? MPI_UNDEFINED : rank;
  }
  return MPI_SUCCESS;
}
