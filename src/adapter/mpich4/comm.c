// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/mpid/ch4/src/ch4i_comm.c, and of what ch4_comm.c says of rank maps.
#include <mpidimpl.h>

#include <string.h>

#include "adapter/mpich4/error.h"

#define INSTANCE MPIDI_global.avt_mgr.instance

// --- pieces, by which MPICH describes the groups of a new communicator

static bool is_of_remote_group(const MPIR_Comm_map_t *piece) {
  return piece->dir == MPIR_COMM_MAP_DIR__L2R || piece->dir == MPIR_COMM_MAP_DIR__R2R;
}

// The group that the piece's ranks belong to.
static const avrm_rankmap_t *source_of(const MPIR_Comm_map_t *piece) {
  MPIR_Comm *const source = piece->src_comm;
  const bool from_local = piece->dir == MPIR_COMM_MAP_DIR__L2L || piece->dir == MPIR_COMM_MAP_DIR__L2R;
  return from_local && source->comm_kind == MPIR_COMM_KIND__INTERCOMM ? &MPIDI_COMM(source, local_map)
                                                                      : &MPIDI_COMM(source, map);
}

static avrm_status_t create_piece(const MPIR_Comm_map_t *piece, avrm_rankmap_t *map_p) {
  return piece->type == MPIR_COMM_MAP_TYPE__DUP
             ? avrm_rankmap_dup(source_of(piece), map_p)
             : avrm_rankmap_create_child(source_of(piece), piece->src_mapping_size, piece->src_mapping,
                                         AVRM_RANKMAP_DEFAULT, map_p);
}

static int count_pieces(const MPIR_Comm *comm, bool remote) {
  int count = 0;
  for (const MPIR_Comm_map_t *piece = comm->mapper_head; piece != NULL; piece = piece->next) {
    count += is_of_remote_group(piece) == remote;
  }
  return count;
}

// Several pieces, one after the other.
static avrm_status_t concat_pieces(const MPIR_Comm *comm, bool remote, int count, avrm_rankmap_t *map_p) {
  avrm_rankmap_t *const maps = MPL_calloc((size_t)count, sizeof *maps, MPL_MEM_COMM);
  const avrm_rankmap_t **const parents = MPL_malloc((size_t)count * sizeof *parents, MPL_MEM_COMM);
  avrm_status_t status = maps == NULL || parents == NULL ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  int made = 0;
  for (const MPIR_Comm_map_t *piece = comm->mapper_head; status == AVRM_OK && piece != NULL; piece = piece->next) {
    if (is_of_remote_group(piece) == remote) {
      parents[made] = &maps[made];
      status = create_piece(piece, &maps[made]);
      ++made;
    }
  }
  if (status == AVRM_OK) {
    status = avrm_rankmap_create_concat(count, parents, AVRM_RANKMAP_DEFAULT, map_p);
  }
  for (int i = 0; i < made; ++i) {
    avrm_rankmap_destroy(&maps[i]);
  }
  MPL_free(maps);
  MPL_free((void *)parents);
  return status;
}

static avrm_status_t create_group_map(const MPIR_Comm *comm, bool remote, avrm_rankmap_t *map_p) {
  const int count = count_pieces(comm, remote);
  if (count != 1) {
    return count == 0 ? avrm_rankmap_create_direct(INSTANCE, 0, 0, map_p) : concat_pieces(comm, remote, count, map_p);
  }
  const MPIR_Comm_map_t *piece = comm->mapper_head;
  while (is_of_remote_group(piece) != remote) {
    piece = piece->next;
  }
  return create_piece(piece, map_p);
}

// --- communicators

// From now on a world ends with the last communicator that has one of its processes.
static avrm_status_t end_with_communicators(const avrm_rankmap_t *map) {
  enum { FEW = 16 };
  int32_t few[FEW];
  int32_t *pgids = few;
  int32_t count = 0;
  avrm_status_t status = avrm_rankmap_pgids(map, FEW, few, &count);
  if (status == AVRM_OK && count > FEW) {
    pgids = MPL_malloc((size_t)count * sizeof *pgids, MPL_MEM_COMM);
    status = pgids == NULL ? AVRM_ERR_NO_MEMORY : avrm_rankmap_pgids(map, count, pgids, &count);
  }
  for (int32_t i = 0; status == AVRM_OK && i < count; ++i) {
    avrm_av_release_when_unbound(MPIDIU_get_av_table(pgids[i]));
  }
  if (pgids != few) {
    MPL_free(pgids);
  }
  return status;
}

static avrm_status_t bind_map(avrm_rankmap_t *map) {
  const avrm_status_t status = avrm_rankmap_bind(map);
  return status == AVRM_OK ? end_with_communicators(map) : status;
}

static avrm_status_t create_maps(MPIR_Comm *comm) {
  avrm_rankmap_t *const map = &MPIDI_COMM(comm, map);
  if (comm == MPIR_Process.comm_world) {
    return avrm_rankmap_create_direct(INSTANCE, 0, MPIR_Process.size, map);
  }
  if (comm == MPIR_Process.comm_self) {
    return avrm_rankmap_create_offset(INSTANCE, 0, 1, MPIR_Process.rank, map);
  }
  if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM) {
    return create_group_map(comm, false, map);
  }
  avrm_status_t status = create_group_map(comm, false, &MPIDI_COMM(comm, local_map));
  if (status == AVRM_OK && count_pieces(comm, true) > 0) {
    status = create_group_map(comm, true, map);
  }
  return status;
}

int MPIDI_comm_create_rank_map(MPIR_Comm *comm) {
  // Objects are used again, so their bytes may be anything, but for a remote group that no piece
  // describes: MPID_Create_intercomm_from_lpids has set its map. Zero bytes can be freed.
  const bool has_remote =
      comm->comm_kind == MPIR_COMM_KIND__INTERCOMM && count_pieces(comm, true) == 0 && comm != MPIR_Process.comm_world;
  if (!has_remote) {
    memset(&MPIDI_COMM(comm, map), 0, sizeof(avrm_rankmap_t));
  }
  memset(&MPIDI_COMM(comm, local_map), 0, sizeof(avrm_rankmap_t));
  avrm_status_t status = create_maps(comm);
  if (status == AVRM_OK) {
    status = bind_map(&MPIDI_COMM(comm, map));
  }
  if (status == AVRM_OK && comm->comm_kind == MPIR_COMM_KIND__INTERCOMM) {
    status = bind_map(&MPIDI_COMM(comm, local_map));
  }
  if (status != AVRM_OK) {
    MPIDI_comm_free_rank_map(comm);
  }
  return MPIDIU_AVRM_ERROR(status);
}

void MPIDI_comm_free_rank_map(MPIR_Comm *comm) {
  avrm_rankmap_destroy(&MPIDI_COMM(comm, map));
  avrm_rankmap_destroy(&MPIDI_COMM(comm, local_map));
}

int MPID_Create_intercomm_from_lpids(MPIR_Comm *newcomm_ptr, int size, const uint64_t lpids[]) {
  avrm_rankmap_t *const map = &MPIDI_COMM(newcomm_ptr, map);
  memset(map, 0, sizeof *map);
  return MPIDIU_AVRM_ERROR(avrm_rankmap_create_numbers(INSTANCE, size, lpids, AVRM_RANKMAP_DEFAULT, map));
}

static bool is_of_own_world(const avrm_rankmap_t *map) {
  int32_t pgid = 0;
  int32_t count = 0;
  return avrm_rankmap_pgids(map, 1, &pgid, &count) == AVRM_OK && count <= 1 && pgid == 0;
}

bool MPIDIU_comm_is_of_own_world(MPIR_Comm *comm) {
  return is_of_own_world(&MPIDI_COMM(comm, map)) &&
         (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM || is_of_own_world(&MPIDI_COMM(comm, local_map)));
}

static avrm_status_t create_group(int size, const uint64_t gpids[], avrm_group_t **group_p) {
  avrm_rankmap_t map;
  avrm_status_t status = avrm_rankmap_create_numbers(INSTANCE, size, gpids, AVRM_RANKMAP_DEFAULT, &map);
  if (status == AVRM_OK) {
    status = avrm_group_create(&map, group_p);
    avrm_rankmap_destroy(&map);
  }
  return status;
}

int MPIDI_check_disjoint_gpids(uint64_t gpids1[], int n1, uint64_t gpids2[], int n2) {
  avrm_group_t *first = NULL;
  avrm_group_t *second = NULL;
  avrm_group_t *common = NULL;
  avrm_status_t status = create_group(n1, gpids1, &first);
  if (status == AVRM_OK) {
    status = create_group(n2, gpids2, &second);
  }
  if (status == AVRM_OK) {
    status = avrm_group_intersection(first, second, &common);
  }
  if (avrm_group_size(common) > 0) {
    status = AVRM_ERR_DUPLICATE;
  }
  avrm_group_destroy(first);
  avrm_group_destroy(second);
  avrm_group_destroy(common);
  return MPIDIU_AVRM_ERROR(status);
}
