// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/mpid/ch4/src/ch4_proc.h: translation from ranks to address table entries, and the
// tables.
#ifndef AVRANKMAP_ADAPTER_MPICH5_PROC_H
#define AVRANKMAP_ADAPTER_MPICH5_PROC_H

#include "av.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- hot: called for every operation

/// Returns the group through which operations translate ranks: the remote group of an
/// intercommunicator.
static inline const MPIR_Group *MPIDIU_comm_group(const MPIR_Comm *comm) {
  return AVRM_LIKELY(comm->comm_kind == MPIR_COMM_KIND__INTRACOMM) ? comm->local_group : comm->remote_group;
}

/// Returns the entry of a rank of this process's world. For windows of the world and its duplicates
/// (MPIDIU_win_rank_to_av).
static inline MPIDI_av_entry_t *MPIDIU_own_rank_to_av(int rank) { return MPIDI_global.avt_mgr.own_entry + rank; }

MPIDI_av_entry_t *MPIDIU_map_rank_to_av(const avrm_rankmap_t *map, int rank);

/// Without a call for strided parts of this process's world and for tables (luts) of any world.
static inline MPIDI_av_entry_t *MPIDIU_comm_rank_to_av(MPIR_Comm *comm, int rank) {
  const MPIR_Group *const group = MPIDIU_comm_group(comm);
  const avrm_rankmap_t *const map = group->map;
  if (map == NULL) {
    return MPIDIU_own_rank_to_av(group->as.own.offset + rank * group->as.own.stride);
  }
  return AVRM_LIKELY(map->klass == AVRM_CLASS_LUT) ? avrm_rankmap_ave(map, rank) : MPIDIU_map_rank_to_av(map, rank);
}

/// Returns true if shared memory reaches the process. Takes one comparison, without a jump for
/// other processes: MPIDIU_av_set_address refuses the only network address that compares as local.
static inline int MPIDIU_av_is_local(MPIDI_av_entry_t *av) {
  return AVRM_UNLIKELY(avrm_word_is_local(MPIDI_AV_CODEC, avrm_ave_word(av)));
}

/// Returns the local rank of an entry for which MPIDIU_av_is_local is true. Replaces
/// MPIDI_SHM_global.local_ranks[MPIDIU_get_grank(rank, comm)], 4 bytes per process of the world.
static inline int MPIDIU_av_local_rank(MPIDI_av_entry_t *av) {
  return (int)avrm_word_local_rank(MPIDI_AV_CODEC, avrm_ave_word(av));
}

/// Replaces av->node_id; -1 if it is not known.
static inline int MPIDIU_av_node_id(MPIDI_av_entry_t *av) { return (int)avrm_ave_node(av) - 1; }

int MPIDIU_map_rank_to_grank(const avrm_rankmap_t *map, int rank);

/// Returns the rank in this process's world, or -1 for a process of another world.
static inline int MPIDIU_get_grank(int rank, MPIR_Comm *comm) {
  const MPIR_Group *const group = MPIDIU_comm_group(comm);
  const avrm_rankmap_t *const map = group->map;
  if (map == NULL) {
    return group->as.own.offset + rank * group->as.own.stride;
  }
  return AVRM_LIKELY(map->klass == AVRM_CLASS_LUT && map->pgid == 0) ? avrm_rankmap_lpid(map, rank)
                                                                     : MPIDIU_map_rank_to_grank(map, rank);
}

MPIDI_av_entry_t *MPIDIU_lpid_to_av_slow(MPIR_Lpid lpid);

static inline MPIDI_av_entry_t *MPIDIU_lpid_to_av(MPIR_Lpid lpid) {
  return MPIR_LPID_WORLD_INDEX(lpid) == 0 ? MPIDIU_own_rank_to_av(MPIR_LPID_WORLD_RANK(lpid))
                                          : MPIDIU_lpid_to_av_slow(lpid);
}

static inline int MPIDI_av_is_local(MPIDI_av_entry_t *av) {
#ifdef MPIDI_CH4_DIRECT_NETMOD
  (void)av;
  return 0;
#else
  return MPIDIU_av_is_local(av);
#endif
}

static inline int MPIDI_rank_is_local(int rank, MPIR_Comm *comm) {
  return MPIDI_av_is_local(MPIDIU_comm_rank_to_av(comm, rank));
}

// --- cold: address tables

int MPIDIU_avt_init(void);
/// Leaves the tables to MPIR_Group_finalize, because groups are released until then.
int MPIDIU_avt_finalize(void);
int MPIDIU_new_avt(int size, int *avtid);
/// Frees a table once no group refers to it.
int MPIDIU_free_avt(int avtid);
int MPIDIU_get_avt_size(int avtid);
/// Works even before the communicator is committed, as check_hierarchy requires.
int MPIDIU_get_node_id(MPIR_Comm *comm, int rank, int *id_p);

/// Sets the root address of a process, an fi_addr_t or a ucp_ep_h as a number, and keeps its node.
/// For a process that shared memory reaches, including this one, the entry is unchanged and the
/// address is stored separately. Can be called from any thread, in any order, while others
/// translate. Address 2^63 - 1 is an error.
int MPIDIU_av_set_address(MPIR_Lpid lpid, uint64_t address);
int MPIDIU_av_set_node_id(MPIR_Lpid lpid, int node_id);
/// Stores the root address of a process, whether or not shared memory reaches it. Returns false if
/// none was set.
bool MPIDIU_av_address(MPIR_Lpid lpid, uint64_t *address);
/// As above, for an entry.
bool MPIDIU_av_entry_address(MPIDI_av_entry_t *av, uint64_t *address);

/// Returns the AV of an lpid, or null if the lpid denotes no process.
avrm_av_t *MPIDIU_lpid_to_table(MPIR_Lpid lpid);

// Processes of which only the address is known, while worlds are being connected. They form a
// separate process group: their lpids are like any others, and groups can be created from them.
bool MPIDIU_lpid_is_dynamic(MPIR_Lpid lpid);
int MPIDIU_insert_dynamic_upid(MPIR_Lpid *lpid_out, const char *upid, int upid_len);
int MPIDIU_free_dynamic_lpid(MPIR_Lpid lpid);
MPIDI_av_entry_t *MPIDIU_find_dynamic_av(const char *upid, int upid_len);

// --- cold: intercommunicators

/// Creates the message of leader_exchange in ch4_comm.c: the local group, in runs of ranks instead
/// of 8 bytes per rank, and its upids. Replaces prepare_local_lpids, convert_local_lpids and
/// prepare_local_data. The caller is in VCI 0's critical section and frees the data with MPL_free.
int MPIDIU_intercomm_pack(MPIR_Comm *local_comm, int context_id, int *data_size_out, void **data_out);

/// Replaces extract_remote_data in MPID_Intercomm_exchange, the check that the groups are disjoint,
/// the insertion of upids and the creation of the remote group. Adds worlds that this process does
/// not know yet. The result is the group, not its lpids: the message's worlds are held until the
/// group keeps them, so another thread that frees the last other group of a world does not free the
/// world. The caller releases the group, and is not in VCI 0's critical section.
int MPIDIU_intercomm_unpack(MPIR_Comm *local_comm, const void *data, int data_size, int *remote_context_id_out,
                            MPIR_Group **remote_group_out);

#ifdef __cplusplus
}
#endif

#endif
