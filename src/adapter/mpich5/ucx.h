// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces MPIDI_UCX_addr_t (ucx_pre.h), 64 x 64 endpoints per peer, and the macros for addresses
// in ucx_impl.h and ucx_init.c. An endpoint takes 8 bytes once it exists.
#ifndef AVRANKMAP_ADAPTER_MPICH5_UCX_H
#define AVRANKMAP_ADAPTER_MPICH5_UCX_H

#include "endpoints.h"
#include "proc.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the endpoint for any entry and any pair of VCIs, or null if there is none.
ucp_ep_h MPIDI_UCX_other_to_ep(MPIDI_av_entry_t *av, int vci_src, int vci_dst);

/// Returns the number of the word for a pair of VCIs. Words are numbered in growing squares from
/// (0, 0), so n VCIs always use the first n * n words.
static inline size_t MPIDI_UCX_word_of(int vci_src, int vci_dst) {
  const size_t src = (size_t)vci_src;
  const size_t dst = (size_t)vci_dst;
  return src >= dst ? src * src + dst : dst * dst + dst + 1 + src;
}

static inline ucp_ep_h MPIDI_UCX_av_to_ep(MPIDI_av_entry_t *av, int vci_src, int vci_dst) {
  const uint64_t word = avrm_ave_word(av);
  if (AVRM_LIKELY((vci_src | vci_dst) == 0 && avrm_ucx_is_network(word))) {
    return (ucp_ep_h)avrm_ucx_endpoint(word);
  }
  return MPIDI_UCX_other_to_ep(av, vci_src, vci_dst);
}

#define MPIDI_UCX_AV_TO_EP(av, vci_src, vci_dst) MPIDI_UCX_av_to_ep(av, vci_src, vci_dst)
#define MPIDI_UCX_COMM_TO_EP(comm, rank, vci_src, vci_dst)                                                             \
  MPIDI_UCX_av_to_ep(MPIDIU_comm_rank_to_av(comm, rank), vci_src, vci_dst)
#define MPIDI_UCX_WIN_TO_EP(win, rank, vci, vci_target) MPIDI_UCX_COMM_TO_EP((win)->comm_ptr, rank, vci, vci_target)
#define MPIDI_UCX_WIN_AV_TO_EP(av, vci, vci_target) MPIDI_UCX_av_to_ep(av, vci, vci_target)

/// Replaces ucp_ep_create(..., &av->dest[vci_local][vci_remote]) in ucx_vci.c. Only for processes
/// of this process's world, unless both VCIs are 0.
int MPIDI_UCX_av_set_ep(MPIR_Lpid lpid, int vci_src, int vci_dst, ucp_ep_h ep);

/// Returns the endpoint, or null if there is none; replaces av->dest[vci_local][vci_remote].
ucp_ep_h MPIDI_UCX_lpid_to_ep(MPIR_Lpid lpid, int vci_src, int vci_dst);

/// Replaces the loops in MPIDI_UCX_mpi_finalize_hook from the first ucp_disconnect_nb to the last
/// ucp_request_release, and MPIDIU_upidhash_free: closes all endpoints and waits until they are
/// closed.
void MPIDI_UCX_disconnect_all(void);

/// Gives an lpid the root endpoint of a process unless it has one, and keeps the upid. Also
/// replaces UCX_AV_INSERT.
int MPIDI_UCX_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len);
int MPIDI_UCX_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids);

#ifdef __cplusplus
}
#endif

#endif
