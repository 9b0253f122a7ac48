// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/mpid/ch4/src/ch4_proc.h and ch4i_comm.h: ranks, processes, tables, rank maps.
#ifndef AVRANKMAP_ADAPTER_MPICH4_PROC_H
#define AVRANKMAP_ADAPTER_MPICH4_PROC_H

#include "adapter/mpich4/av.h"

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

/// In place of MPIDI_POSIX_global.local_ranks[lpid], 4 bytes per process of the world: the local
/// rank of an entry for which MPIDIU_av_is_local holds.
static inline int MPIDIU_av_local_rank(MPIDI_av_entry_t *av) {
  return (int)avrm_word_local_rank(MPIDI_AV_CODEC, avrm_ave_word(av));
}

static inline int MPIDIU_rank_is_local(int rank, MPIR_Comm *comm) {
  return MPIDIU_av_is_local(MPIDIU_comm_rank_to_av(comm, rank));
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

static inline int MPIDIU_comm_rank_to_pid(MPIR_Comm *comm, int rank, int *idx, int *avtid) {
  const avrm_gpid_t process = avrm_rankmap_gpid(&MPIDI_COMM(comm, map), rank);
  *avtid = process.pgid;
  *idx = process.lpid;
  return *idx;
}

static inline int MPIDIU_comm_rank_to_pid_local(MPIR_Comm *comm, int rank, int *idx, int *avtid) {
  const avrm_gpid_t process = avrm_rankmap_gpid(&MPIDI_COMM(comm, local_map), rank);
  *avtid = process.pgid;
  *idx = process.lpid;
  return *idx;
}

static inline int MPIDIU_rank_to_lpid(int rank, MPIR_Comm *comm) {
  const avrm_gpid_t process = avrm_rankmap_gpid(&MPIDI_COMM(comm, map), rank);
  return process.pgid == 0 ? process.lpid : -1;
}

// --- cold: address tables (ch4_proc.c)

/// Creates the own world's table from MPIR_Process; the last one frees everything. The second
/// returns an error if a communicator was not freed.
int MPIDIU_avt_init(void);
int MPIDIU_avt_destroy(void);

/// A table that stays until the last communicator with one of its processes is freed. The number
/// never names another table.
int MPIDIU_new_avt(int size, int *avtid);
/// Ends a table as soon as nothing refers to it.
int MPIDIU_free_avt(int avtid);
/// Keep a table beyond its communicators. Communicators need no reference of this kind.
int MPIDIU_avt_add_ref(int avtid);
int MPIDIU_avt_release_ref(int avtid);
/// 0 if there is no such table.
int MPIDIU_get_avt_size(int avtid);
/// In place of the macros MPIDIU_get_av_table and MPIDIU_get_av; null if there is none.
avrm_av_t *MPIDIU_get_av_table(int avtid);
MPIDI_av_entry_t *MPIDIU_get_av(int avtid, int lpid);

/// -1 for processes of other worlds.
int MPIDIU_get_node_id(MPIR_Comm *comm, int rank, int *id_p);

/// Sets the root address of a process, an fi_addr_t or a ucp_ep_h as a number. Of a process that
/// shared memory reaches, the own one included, the entry stays as it is and the address stands
/// beside it. From any thread, in any order, while others translate.
int MPIDIU_av_set_address(int avtid, int lpid, uint64_t address);

// --- cold: rank maps of communicators (ch4_comm.c, ch4i_comm.c)

/// Called once per new communicator, by MPID_Comm_commit_pre_hook, whatever the object held before.
/// Also sets the maps of comm_world and comm_self.
int MPIDI_comm_create_rank_map(MPIR_Comm *comm);
/// For MPID_Comm_free_hook.
void MPIDI_comm_free_rank_map(MPIR_Comm *comm);

/// The remote group of a new intercommunicator, whose pieces then are of the local group only.
int MPID_Create_intercomm_from_lpids(MPIR_Comm *newcomm_ptr, int size, const uint64_t lpids[]);

/// In place of the macro MPID_INTERCOMM_NO_DYNPROC: true if all processes are of the own world.
bool MPIDIU_comm_is_of_own_world(MPIR_Comm *comm);

/// MPI_ERR_COMM if a process is in both arrays, or twice in one.
int MPIDI_check_disjoint_gpids(uint64_t gpids1[], int n1, uint64_t gpids2[], int n2);

#ifdef __cplusplus
}
#endif

#endif
