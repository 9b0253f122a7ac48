// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A worked example: the address-vector and rankmap functions that MPICH's ch4 device calls,
// implemented by avrankmap. To try it in MPICH, include mpidimpl.h instead of the stand-in, and
// replace the functions of the same names in ch4_proc.h, ch4r_proc.c and ch4i_comm.c.
// include/README.md walks through it.
//
//   MPICH 4                          here
//   av_tables[avtid]->table          an AV; avtid is its pgid
//   MPIDI_rank_map_t, 12 modes       avrm_rankmap_t, bound
//   MPIDI_av_entry_t, 72 bytes       avrm_ave_t, 12 bytes
//   av->is_local                     node ids compared
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH_ADAPTER_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH_ADAPTER_H

#include "mpich_standin.h"

#ifdef __cplusplus
extern "C" {
#endif

// State of ch4, as in MPIDI_global.avt_mgr.
typedef struct {
  avrm_instance_t *instance;
  avrm_av_t *world; // avtid 0
  int world_rank;
  uint32_t node; // of this process
} MPIDIU_avt_manager_t;

extern MPIDIU_avt_manager_t MPIDI_avt_mgr;

// --- hot: called for every operation
// ---------------------------------------------------------------------------------

/// The word that the netmod tests and decodes: 6 to 12 instructions.
static inline uint64_t MPIDIU_comm_rank_to_word(const MPIR_Comm *comm, int rank) {
  return avrm_rankmap_word(&MPIDI_COMM(comm, map), rank);
}

static inline const MPIDI_av_entry_t *MPIDIU_comm_rank_to_av(const MPIR_Comm *comm, int rank) {
  return avrm_rankmap_ave(&MPIDI_COMM(comm, map), rank);
}

static inline int MPIDIU_av_is_local(const MPIDI_av_entry_t *av) { return avrm_ave_node(av) == MPIDI_avt_mgr.node; }

static inline int MPIDI_rank_is_local(int rank, const MPIR_Comm *comm) {
  return avrm_rankmap_node(&MPIDI_COMM(comm, map), rank) == MPIDI_avt_mgr.node;
}

static inline int MPIDIU_comm_rank_to_pid(const MPIR_Comm *comm, int rank, int *idx, int *avtid) {
  const avrm_gpid_t process = avrm_rankmap_gpid(&MPIDI_COMM(comm, map), rank);
  *avtid = process.pgid;
  *idx = process.lpid;
  return *idx;
}

static inline int MPIDIU_comm_rank_to_pid_local(const MPIR_Comm *comm, int rank, int *idx, int *avtid) {
  const bool inter = comm->comm_kind == MPIR_COMM_KIND__INTERCOMM;
  const avrm_gpid_t process = avrm_rankmap_gpid(inter ? &MPIDI_COMM(comm, local_map) : &MPIDI_COMM(comm, map), rank);
  *avtid = process.pgid;
  *idx = process.lpid;
  return *idx;
}

static inline int MPIDIU_rank_to_lpid(int rank, const MPIR_Comm *comm) {
  const avrm_gpid_t process = avrm_rankmap_gpid(&MPIDI_COMM(comm, map), rank);
  return process.pgid == 0 ? process.lpid : -1;
}

/// MPICH 5's spelling of the same.
static inline MPIR_Lpid MPIR_comm_rank_to_lpid(const MPIR_Comm *comm, int rank) {
  const avrm_gpid_t process = avrm_rankmap_gpid(&MPIDI_COMM(comm, map), rank);
  return (MPIR_Lpid)process.pgid << 32 | process.lpid;
}

/// First step of MPIDI_OFI_send and its like. Processes of this node, the process itself, and
/// peers that are not connected are on the far side of the test; then *network_p is false, and
/// *far_p tells which.
static inline uint64_t MPIDI_OFI_comm_to_phys(const MPIR_Comm *comm, int rank, int *network_p, avrm_far_t *far_p) {
  const uint64_t word = MPIDIU_comm_rank_to_word(comm, rank);
  *network_p = avrm_ofi_is_network(word);
  if (*network_p) {
    return avrm_ofi_address(word);
  }
  (void)avrm_ofi_unpack_far(word, far_p);
  return 0;
}

// --- cold: AV tables
// -------------------------------------------------------------------------------------------------

/// Start: the own world is avtid 0. nodes[lpid] is the node of each process, from PMI.
int MPIDIU_avt_init(int size, int rank, const uint32_t *nodes);
/// End: all communicators but world and self must be gone.
int MPIDIU_avt_destroy(void);

/// A world that was connected or spawned. *avtid may be that of a released world.
int MPIDIU_new_avt(int size, int *avtid);
/// The last communicator that uses the table frees it, and its avtid.
int MPIDIU_free_avt(int avtid);
int MPIDIU_get_avt_size(int avtid);
int MPIDIU_get_node_id(const MPIR_Comm *comm, int rank, int *id_p);

/// Sets the address of one process, after fi_av_insert. From any thread, in any order, while
/// others translate.
int MPIDI_OFI_av_set(int avtid, int lpid, uint64_t address, uint32_t node);

// --- cold: communicators
// ---------------------------------------------------------------------------------------------

/// Called once per new communicator, when comm->mapper_head is complete.
int MPIDI_Comm_create_rank_map(MPIR_Comm *comm);
void MPIDI_Comm_free_rank_map(MPIR_Comm *comm);

/// The remote group of a new intercommunicator between worlds, as the leaders exchanged it: (avtid
/// << 32 | lpid) by rank, in the avtids of this process. Called before MPIDI_Comm_create_rank_map,
/// whose pieces then describe the local group only.
int MPIDIU_Comm_set_remote_gpids(MPIR_Comm *comm, int n, const uint64_t *gpids);

/// MPI_Group_translate_ranks between the groups of two communicators, without building a group.
int MPIDI_Comm_translate_ranks(const MPIR_Comm *from, int n, const int *ranks, const MPIR_Comm *to, int *to_ranks);

#ifdef __cplusplus
}
#endif

#endif
