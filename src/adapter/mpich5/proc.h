// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/mpid/ch4/src/ch4_proc.h: from a rank to an address table entry, and the tables.
#ifndef AVRANKMAP_ADAPTER_MPICH5_PROC_H
#define AVRANKMAP_ADAPTER_MPICH5_PROC_H

#include "av.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- hot: called for every operation

static inline MPIDI_av_entry_t *MPIDIU_comm_rank_to_av(MPIR_Comm *comm, int rank) {
  return avrm_rankmap_ave(&MPIDI_COMM(comm, map), rank);
}

/// True if shared memory reaches the process. The network path takes one branch.
static inline int MPIDIU_av_is_local(MPIDI_av_entry_t *av) {
  const uint64_t word = avrm_ave_word(av);
  return !avrm_word_is_network(MPIDI_AV_CODEC, word) && avrm_word_is_local(MPIDI_AV_CODEC, word);
}

/// In place of MPIDI_SHM_global.local_ranks[MPIDIU_get_grank(rank, comm)], 4 bytes per process of
/// the world: the local rank of an entry for which MPIDIU_av_is_local holds.
static inline int MPIDIU_av_local_rank(MPIDI_av_entry_t *av) {
  return (int)avrm_word_local_rank(MPIDI_AV_CODEC, avrm_ave_word(av));
}

/// In place of av->node_id: -1 if it is not known.
static inline int MPIDIU_av_node_id(MPIDI_av_entry_t *av) { return (int)avrm_ave_node(av) - 1; }

static inline int MPIDIU_get_grank(int rank, MPIR_Comm *comm) {
  if (comm == NULL) {
    return rank;
  }
  const avrm_gpid_t process = avrm_rankmap_gpid(&MPIDI_COMM(comm, map), rank);
  return process.pgid == 0 ? process.lpid : -1;
}

MPIDI_av_entry_t *MPIDIU_lpid_to_av_slow(MPIR_Lpid lpid);

static inline MPIDI_av_entry_t *MPIDIU_lpid_to_av(MPIR_Lpid lpid) {
  if (MPIR_LPID_WORLD_INDEX(lpid) == 0) {
    return avrm_av_ave(MPIDI_global.avt_mgr.av_table0, MPIR_LPID_WORLD_RANK(lpid));
  }
  return MPIDIU_lpid_to_av_slow(lpid);
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
int MPIDIU_avt_finalize(void);
int MPIDIU_new_avt(int size, int *avtid);
/// Ends a table as soon as no group and no communicator refers to it.
int MPIDIU_free_avt(int avtid);
int MPIDIU_get_avt_size(int avtid);
/// Works before the communicator is committed, as check_hierarchy needs it.
int MPIDIU_get_node_id(MPIR_Comm *comm, int rank, int *id_p);

/// Sets the root address of a process, an fi_addr_t or a ucp_ep_h as a number, and keeps its node.
/// Of a process that shared memory reaches, the own one included, the entry stays as it is and the
/// address stands beside it. From any thread, in any order, while others translate.
int MPIDIU_av_set_address(MPIR_Lpid lpid, uint64_t address);
int MPIDIU_av_set_node_id(MPIR_Lpid lpid, int node_id);
/// The root address of a process, on whichever side of the transport test it is. Returns false if
/// none was set.
bool MPIDIU_av_address(MPIR_Lpid lpid, uint64_t *address);
/// The same of an entry.
bool MPIDIU_av_entry_address(MPIDI_av_entry_t *av, uint64_t *address);

/// The AV of an lpid, null if the lpid names no process.
avrm_av_t *MPIDIU_lpid_to_table(MPIR_Lpid lpid);

// Processes of which only an address is known, while worlds get connected. They are a process group
// of their own: their lpids are like any others, and a group may be made of them.
bool MPIDIU_lpid_is_dynamic(MPIR_Lpid lpid);
int MPIDIU_insert_dynamic_upid(MPIR_Lpid *lpid_out, const char *upid, int upid_len);
int MPIDIU_free_dynamic_lpid(MPIR_Lpid lpid);
MPIDI_av_entry_t *MPIDIU_find_dynamic_av(const char *upid, int upid_len);

// --- cold: communicators

/// First step of MPID_Comm_commit_pre_hook, whatever the communicator object held before.
int MPIDI_Comm_bind_map(MPIR_Comm *comm);
/// Last step of MPID_Comm_free_hook.
void MPIDI_Comm_unbind_map(MPIR_Comm *comm);

/// A group as bytes, to be sent to processes that number worlds otherwise: names of worlds, and
/// runs of ranks instead of 8 bytes per rank. The caller frees the data by MPL_free.
int MPIDIU_group_pack(MPIR_Group *group, int *size_p, void **data_p);
/// The same group here. Adds worlds that this process has not met.
int MPIDIU_group_unpack(int size, const void *data, MPIR_Session *session_ptr, MPIR_Group **new_group_ptr);

#ifdef __cplusplus
}
#endif

#endif
