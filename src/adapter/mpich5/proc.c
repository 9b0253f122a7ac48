// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/mpid/ch4/src/ch4_proc.c: address tables.
#include <mpidimpl.h>

#include "endpoints.h"

#include <string.h>

#define AVT MPIDI_global.avt_mgr

// --- tables

static avrm_status_t create_table(int size, avrm_av_t **av_p) {
  avrm_av_options_t options;
  memset(&options, 0, sizeof options);
  options.codec = MPIDI_AV_CODEC;
  avrm_instance_t *const instance = MPIR_Avrm_instance();
  return instance == NULL ? AVRM_ERR_NO_MEMORY : avrm_av_create(instance, size, &options, av_p);
}

static uint32_t node_of(int node_id) { return (uint32_t)(node_id + 1); }

// Sets the nodes of all processes, which are not connected yet.
static avrm_status_t set_nodes(avrm_av_t *av) {
  enum { AT_ONCE = 256 };
  const avrm_far_t unconnected = {AVRM_FAR_UNCONNECTED, 0};
  avrm_ave_t elements[AT_ONCE];
  avrm_status_t status = AVRM_OK;
  for (int first = 0; status == AVRM_OK && first < av->size; first += AT_ONCE) {
    const int count = av->size - first < AT_ONCE ? av->size - first : AT_ONCE;
    for (int i = 0; i < count; ++i) {
      (void)avrm_ave_pack_far(MPIDI_AV_CODEC, unconnected, node_of(MPIR_Process.node_map[first + i]), &elements[i]);
    }
    status = avrm_av_set_range(av, first, count, elements);
  }
  return status;
}

// Sets the processes that shared memory reaches. Their entries never change afterwards.
static avrm_status_t set_local(avrm_av_t *av) {
  avrm_status_t status = AVRM_OK;
#ifndef MPIDI_CH4_DIRECT_NETMOD
  for (int i = 0; status == AVRM_OK && i < MPIR_Process.local_size; ++i) {
    const int lpid = MPIR_Process.node_local_map[i];
    const avrm_far_t local = {lpid == MPIR_Process.rank ? AVRM_FAR_SELF : AVRM_FAR_LOCAL, (uint32_t)i};
    avrm_ave_t element;
    status = avrm_ave_pack_far(MPIDI_AV_CODEC, local, node_of(MPIR_Process.node_map[lpid]), &element);
    if (status == AVRM_OK) {
      status = avrm_av_set(av, lpid, &element);
    }
  }
#else
  (void)av;
#endif
  return status;
}

// As in MPICH: binds the table to DDR memory if there are several kinds of memory.
static void bind_memory(const avrm_av_t *av) {
  const MPIR_hwtopo_gid_t ddr = MPIR_hwtopo_get_obj_by_type(MPIR_HWTOPO_TYPE__DDR);
  if (ddr != MPIR_HWTOPO_GID_ROOT) {
    MPIR_hwtopo_mem_bind(av->elements, (size_t)av->size * sizeof *av->elements, ddr);
  }
}

// Creates the table of processes of which only the address is known. A hold keeps it when groups
// are freed.
static avrm_status_t create_dynamic_table(void) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = create_table(MPIDIU_DYNAMIC_AV_MAX, &av);
  return status == AVRM_OK ? avrm_av_hold(MPIR_Avrm.instance, av->pgid, &AVT.dynamic_av_table) : status;
}

int MPIDIU_avt_init(void) {
  avrm_status_t status = create_table(MPIR_Process.size, &AVT.av_table0);
  if (status == AVRM_OK) {
    MPIR_Assert(AVT.av_table0->pgid == 0);
    AVT.own_entry = AVT.av_table0->elements;
    bind_memory(AVT.av_table0);
    status = create_dynamic_table();
  }
  if (status == AVRM_OK) {
    status = set_nodes(AVT.av_table0);
  }
  if (status == AVRM_OK) {
    status = set_local(AVT.av_table0);
  }
  if (status != AVRM_OK) {
    MPIDIU_avt_finalize();
    return MPIR_AVRM_ERROR(status);
  }
  return MPI_SUCCESS;
}

int MPIDIU_avt_finalize(void) {
  avrm_av_drop(AVT.dynamic_av_table);
  for (int i = 0; i < AVT.num_dynamic_upids; ++i) {
    MPL_free(AVT.dynamic_upids[i].upid);
  }
  MPL_free(AVT.dynamic_upids);
  memset(&AVT, 0, sizeof AVT);
  return MPI_SUCCESS;
}

int MPIDIU_new_avt(int size, int *avtid) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = create_table(size, &av);
  if (status == AVRM_OK) {
    *avtid = av->pgid;
  }
  return MPIR_AVRM_ERROR(status);
}

int MPIDIU_free_avt(int avtid) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = avrm_av_find(MPIR_Avrm.instance, avtid, &av);
  avrm_av_release_when_unbound(av);
  return MPIR_AVRM_ERROR(status);
}

int MPIDIU_get_avt_size(int avtid) {
  avrm_av_t *av = NULL;
  return avrm_av_find(MPIR_Avrm.instance, avtid, &av) == AVRM_OK ? av->size : 0;
}

int MPIDIU_get_node_id(MPIR_Comm *comm, int rank, int *id_p) {
  MPIDI_av_entry_t *const av = MPIDIU_lpid_to_av_slow(MPIR_comm_rank_to_lpid(comm, rank));
  if (av == NULL) {
    return MPIR_AVRM_ERROR(AVRM_ERR_LPID);
  }
  *id_p = MPIDIU_av_node_id(av);
  return MPI_SUCCESS;
}

// --- entries

MPIDI_av_entry_t *MPIDIU_map_rank_to_av(const avrm_rankmap_t *map, int rank) { return avrm_rankmap_ave(map, rank); }

int MPIDIU_map_rank_to_grank(const avrm_rankmap_t *map, int rank) {
  const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
  return process.pgid == 0 ? process.lpid : -1;
}

avrm_av_t *MPIDIU_lpid_to_table(MPIR_Lpid lpid) {
  avrm_av_t *av = NULL;
  const bool found = avrm_av_find(MPIR_Avrm.instance, MPIR_LPID_WORLD_INDEX(lpid), &av) == AVRM_OK;
  return found && MPIR_LPID_WORLD_RANK(lpid) >= 0 && MPIR_LPID_WORLD_RANK(lpid) < av->size ? av : NULL;
}

MPIDI_av_entry_t *MPIDIU_lpid_to_av_slow(MPIR_Lpid lpid) {
  const avrm_av_t *const av = MPIDIU_lpid_to_table(lpid);
  return av == NULL ? NULL : avrm_av_ave(av, MPIR_LPID_WORLD_RANK(lpid));
}

// Held while an element is read and set, so that its address and its node can be set concurrently.
static MPL_initlock_t element_lock = MPL_INITLOCK_INITIALIZER;

int MPIDIU_av_set_address(MPIR_Lpid lpid, uint64_t address) {
  avrm_av_t *const av = MPIDIU_lpid_to_table(lpid);
  if (av == NULL) {
    return MPIR_AVRM_ERROR(AVRM_ERR_LPID);
  }
  MPIDI_av_entry_t *const entry = avrm_av_ave(av, MPIR_LPID_WORLD_RANK(lpid));
  if (MPIDIU_av_is_local(entry)) {
    return MPIR_AVRM_ERROR(avrm_av_set_far_address(av, (uint32_t)MPIDIU_av_local_rank(entry), address));
  }
  avrm_ave_t element;
  MPL_initlock_lock(&element_lock);
  avrm_status_t status = address == INT64_MAX ? AVRM_ERR_ADDRESS_BIT
                                              : avrm_ave_pack(MPIDI_AV_CODEC, address, avrm_ave_node(entry), &element);
  if (status == AVRM_OK) {
    status = avrm_av_set(av, MPIR_LPID_WORLD_RANK(lpid), &element);
  }
  MPL_initlock_unlock(&element_lock);
  return MPIR_AVRM_ERROR(status);
}

int MPIDIU_av_set_node_id(MPIR_Lpid lpid, int node_id) {
  avrm_av_t *const av = MPIDIU_lpid_to_table(lpid);
  avrm_ave_t element;
  MPL_initlock_lock(&element_lock);
  avrm_status_t status = av == NULL ? AVRM_ERR_LPID : avrm_av_get(av, MPIR_LPID_WORLD_RANK(lpid), &element);
  if (status == AVRM_OK) {
    element.w[2] = node_of(node_id);
    status = avrm_av_set(av, MPIR_LPID_WORLD_RANK(lpid), &element);
  }
  MPL_initlock_unlock(&element_lock);
  return MPIR_AVRM_ERROR(status);
}

bool MPIDIU_av_address(MPIR_Lpid lpid, uint64_t *address) {
  const avrm_av_t *const av = MPIDIU_lpid_to_table(lpid);
  return av != NULL && avrm_addresses_get(av, MPIR_LPID_WORLD_RANK(lpid), 0, address) == AVRM_OK;
}

bool MPIDIU_av_entry_address(MPIDI_av_entry_t *av, uint64_t *address) {
  // Shared memory reaches only processes of this world.
  return avrm_av_network_address(AVT.av_table0, avrm_ave_word(av), address) == AVRM_OK;
}

// --- processes of which only the address is known

bool MPIDIU_lpid_is_dynamic(MPIR_Lpid lpid) {
  return AVT.dynamic_av_table != NULL && MPIR_LPID_WORLD_INDEX(lpid) == AVT.dynamic_av_table->pgid;
}

static avrm_status_t find_dynamic_place(int *index_p) {
  for (int i = 0; i < AVT.num_dynamic_upids; ++i) {
    if (AVT.dynamic_upids[i].upid == NULL) {
      *index_p = i;
      return AVRM_OK;
    }
  }
  const int room = AVT.num_dynamic_upids == 0 ? 4 : 2 * AVT.num_dynamic_upids;
  if (room > MPIDIU_DYNAMIC_AV_MAX) {
    return AVRM_ERR_LIMIT;
  }
  MPIDI_dyn_upid_t *const longer = MPL_realloc(AVT.dynamic_upids, (size_t)room * sizeof *longer, MPL_MEM_ADDRESS);
  if (longer == NULL) {
    return AVRM_ERR_NO_MEMORY;
  }
  *index_p = AVT.num_dynamic_upids;
  memset(longer + AVT.num_dynamic_upids, 0, (size_t)(room - AVT.num_dynamic_upids) * sizeof *longer);
  AVT.dynamic_upids = longer;
  AVT.num_dynamic_upids = room;
  return AVRM_OK;
}

int MPIDIU_insert_dynamic_upid(MPIR_Lpid *lpid_out, const char *upid, int upid_len) {
  int index = 0;
  const avrm_status_t status = find_dynamic_place(&index);
  char *const copy = status == AVRM_OK ? MPL_malloc((size_t)upid_len, MPL_MEM_OTHER) : NULL;
  if (copy == NULL) {
    return MPIR_AVRM_ERROR(status == AVRM_OK ? AVRM_ERR_NO_MEMORY : status);
  }
  memcpy(copy, upid, (size_t)upid_len);
  AVT.dynamic_upids[index].upid = copy;
  AVT.dynamic_upids[index].len = upid_len;
  const MPIR_Lpid lpid = MPIR_LPID_FROM(AVT.dynamic_av_table->pgid, index);
  const int mpi_errno = MPIDI_NM_insert_upid(lpid, upid, upid_len);
  if (mpi_errno != MPI_SUCCESS) {
    (void)MPIDIU_free_dynamic_lpid(lpid);
    return mpi_errno;
  }
  *lpid_out = lpid;
  return MPI_SUCCESS;
}

int MPIDIU_free_dynamic_lpid(MPIR_Lpid lpid) {
  MPIR_Assert(MPIDIU_lpid_is_dynamic(lpid) && MPIR_LPID_WORLD_RANK(lpid) < AVT.num_dynamic_upids);
  MPIDI_dyn_upid_t *const place = &AVT.dynamic_upids[MPIR_LPID_WORLD_RANK(lpid)];
  MPL_free(place->upid);
  place->upid = NULL;
  place->len = 0;
  MPIDIU_endpoint_drop(lpid);
  const avrm_ave_t unconnected = {{0, 0, 0}};
  return MPIR_AVRM_ERROR(avrm_av_set(AVT.dynamic_av_table, MPIR_LPID_WORLD_RANK(lpid), &unconnected));
}

MPIDI_av_entry_t *MPIDIU_find_dynamic_av(const char *upid, int upid_len) {
  for (int i = 0; i < AVT.num_dynamic_upids; ++i) {
    const MPIDI_dyn_upid_t *const place = &AVT.dynamic_upids[i];
    if (place->upid != NULL && place->len == upid_len && memcmp(place->upid, upid, (size_t)upid_len) == 0) {
      return avrm_av_ave(AVT.dynamic_av_table, i);
    }
  }
  return NULL;
}
