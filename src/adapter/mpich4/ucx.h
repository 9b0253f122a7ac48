// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of MPIDI_UCX_addr_t (ucx_pre.h), dest[vni_src][vni_dst], and of the macros on addresses
// in ucx_impl.h. An endpoint takes 8 bytes once it is there.
#ifndef AVRANKMAP_ADAPTER_MPICH4_UCX_H
#define AVRANKMAP_ADAPTER_MPICH4_UCX_H

#include "adapter/mpich4/proc.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Any endpoint of a process of the own world, or the root one of any process; null if it was not
/// set. For disconnecting, and for what is not on the network side of the transport test.
ucp_ep_h MPIDI_UCX_get_ep(int avtid, int lpid, int vni_src, int vni_dst);

/// In place of ucp_ep_create(..., &av->dest[vni_src][vni_dst]).
int MPIDI_UCX_set_ep(int avtid, int lpid, int vni_src, int vni_dst, ucp_ep_h ep);

/// The word of a pair of VNIs. Squares grow around (0, 0), so n VNIs use the first n * n words.
static inline size_t MPIDI_UCX_word_of(int vni_src, int vni_dst) {
  const size_t src = (size_t)vni_src;
  const size_t dst = (size_t)vni_dst;
  return src >= dst ? src * src + dst : dst * dst + dst + 1 + src;
}

static inline ucp_ep_h MPIDI_UCX_av_to_ep(MPIDI_av_entry_t *av, int vni_src, int vni_dst) {
  const uint64_t word = avrm_ave_word(av);
  const size_t k = MPIDI_UCX_word_of(vni_src, vni_dst);
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  // Shared memory reaches processes of the own world only, and only they have several endpoints.
  if (AVRM_UNLIKELY(!avrm_ucx_is_network(word))) {
    return MPIDIU_av_is_local(av) ? MPIDI_UCX_get_ep(0, (int)(av - table->elements), vni_src, vni_dst) : NULL;
  }
  if (k == 0) {
    return (ucp_ep_h)avrm_ucx_endpoint(word);
  }
  return (ucp_ep_h)avrm_ucx_endpoint(avrm_addresses_word(table, (int32_t)(av - table->elements), word, k));
}

#define MPIDI_UCX_AV_TO_EP(av, vni_src, vni_dst) MPIDI_UCX_av_to_ep(av, vni_src, vni_dst)
#define MPIDI_UCX_COMM_TO_EP(comm, rank, vni_src, vni_dst)                                                             \
  MPIDI_UCX_av_to_ep(MPIDIU_comm_rank_to_av(comm, rank), vni_src, vni_dst)
#define MPIDI_UCX_WIN_TO_EP(win, rank, vni) MPIDI_UCX_COMM_TO_EP((win)->comm_ptr, rank, vni, vni)
#define MPIDI_UCX_WIN_AV_TO_EP(av, vni) MPIDI_UCX_av_to_ep(av, vni, vni)

#ifdef __cplusplus
}
#endif

#endif
