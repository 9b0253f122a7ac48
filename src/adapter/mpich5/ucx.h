// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of MPIDI_UCX_addr_t (ucx_pre.h), 64 x 64 endpoints per peer, and of the macros on
// addresses in ucx_impl.h and ucx_init.c. An endpoint takes 8 bytes once it is there.
#ifndef AVRANKMAP_ADAPTER_MPICH5_UCX_H
#define AVRANKMAP_ADAPTER_MPICH5_UCX_H

#include "proc.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The endpoint behind an entry that is not on the network side of the transport test; null if it
/// has none.
ucp_ep_h MPIDI_UCX_far_to_ep(MPIDI_av_entry_t *av, size_t k);

/// The word of a pair of VCIs. Squares grow around (0, 0), so n VCIs use the first n * n words
/// whatever n becomes.
static inline size_t MPIDI_UCX_word_of(int vci_src, int vci_dst) {
  const size_t src = (size_t)vci_src;
  const size_t dst = (size_t)vci_dst;
  return src >= dst ? src * src + dst : dst * dst + dst + 1 + src;
}

static inline ucp_ep_h MPIDI_UCX_av_to_ep(MPIDI_av_entry_t *av, int vci_src, int vci_dst) {
  const uint64_t word = avrm_ave_word(av);
  const size_t k = MPIDI_UCX_word_of(vci_src, vci_dst);
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  if (AVRM_UNLIKELY(!avrm_ucx_is_network(word))) {
    return MPIDI_UCX_far_to_ep(av, k);
  }
  if (k == 0) {
    return (ucp_ep_h)avrm_ucx_endpoint(word);
  }
  // only processes of the own world have several endpoints
  return (ucp_ep_h)avrm_ucx_endpoint(avrm_addresses_word(table, (int32_t)(av - table->elements), word, k));
}

#define MPIDI_UCX_AV_TO_EP(av, vci_src, vci_dst) MPIDI_UCX_av_to_ep(av, vci_src, vci_dst)
#define MPIDI_UCX_COMM_TO_EP(comm, rank, vci_src, vci_dst)                                                             \
  MPIDI_UCX_av_to_ep(MPIDIU_comm_rank_to_av(comm, rank), vci_src, vci_dst)
#define MPIDI_UCX_WIN_TO_EP(win, rank, vci, vci_target) MPIDI_UCX_COMM_TO_EP((win)->comm_ptr, rank, vci, vci_target)
#define MPIDI_UCX_WIN_AV_TO_EP(av, vci, vci_target) MPIDI_UCX_av_to_ep(av, vci, vci_target)

/// In place of UCX_AV_INSERT: creates the root endpoint of a process unless there is one, and keeps
/// the upid.
int MPIDI_UCX_av_insert(MPIR_Lpid lpid, const char *name, int name_len);

/// In place of ucp_ep_create(..., &av->dest[vci_local][vci_remote]) in ucx_vci.c. Of processes of
/// the own world only, unless both VCIs are 0.
int MPIDI_UCX_av_set_ep(MPIR_Lpid lpid, int vci_src, int vci_dst, ucp_ep_h ep);

/// The endpoint or null, for disconnecting: with av->dest[vci_local][vci_remote] as a test.
ucp_ep_h MPIDI_UCX_lpid_to_ep(MPIR_Lpid lpid, int vci_src, int vci_dst);

int MPIDI_UCX_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids);
int MPIDI_UCX_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len);

/// In place of MPIDI_av_entry_t.hash and its three functions in ch4_proc.c: upids by lpid. The
/// first adds or replaces; the second returns null if there is none.
int MPIDIU_upid_set(MPIR_Lpid lpid, const void *upid, int upid_len);
const void *MPIDIU_upid_get(MPIR_Lpid lpid, int *upid_len);
void MPIDIU_upid_free_all(void);

#ifdef __cplusplus
}
#endif

#endif
