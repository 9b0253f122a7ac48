// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of MPIDI_OFI_addr_t (ofi_pre.h), dest[nic][vni], and of the functions on addresses in
// ofi_impl.h. An endpoint of a peer is word vni * num_nics + nic of its AVE.
#ifndef AVRANKMAP_ADAPTER_MPICH4_OFI_H
#define AVRANKMAP_ADAPTER_MPICH4_OFI_H

#include "adapter/mpich4/proc.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The address behind an entry that is not on the network side of the transport test:
/// FI_ADDR_NOTAVAIL if it has none.
fi_addr_t MPIDI_OFI_far_to_phys(MPIDI_av_entry_t *av, size_t k);

static inline size_t MPIDI_OFI_word_of(int nic, int vni) {
#ifdef MPIDI_OFI_VNI_USE_DOMAIN
  return (size_t)(vni * MPIDI_OFI_global.num_nics + nic);
#else // scalable endpoints: all VNIs share the address
  (void)vni;
  return (size_t)nic;
#endif
}

static inline fi_addr_t MPIDI_OFI_av_to_phys(MPIDI_av_entry_t *av, int nic, int vni_local, int vni_remote) {
  const uint64_t word = avrm_ave_word(av);
  const size_t k = MPIDI_OFI_word_of(nic, vni_remote);
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  fi_addr_t dest;
  (void)vni_local;
  if (AVRM_UNLIKELY(!avrm_ofi_is_network(word))) {
    dest = MPIDI_OFI_far_to_phys(av, k);
  } else if (k == 0) {
    dest = avrm_ofi_address(word);
  } else { // only processes of the own world have several addresses
    dest = avrm_ofi_address(avrm_addresses_word(table, (int32_t)(av - table->elements), word, k));
  }
#ifdef MPIDI_OFI_VNI_USE_DOMAIN
  return MPIDI_OFI_ENABLE_SCALABLE_ENDPOINTS ? fi_rx_addr(dest, 0, MPIDI_OFI_MAX_ENDPOINTS_BITS) : dest;
#else
  return MPIDI_OFI_ENABLE_SCALABLE_ENDPOINTS ? fi_rx_addr(dest, vni_remote, MPIDI_OFI_MAX_ENDPOINTS_BITS) : dest;
#endif
}

static inline fi_addr_t MPIDI_OFI_comm_to_phys(MPIR_Comm *comm, int rank, int nic, int vni_local, int vni_remote) {
  return MPIDI_OFI_av_to_phys(MPIDIU_comm_rank_to_av(comm, rank), nic, vni_local, vni_remote);
}

/// For MPIDI_OFI_addr_exchange_root_ctx and the like, in place of
/// MPIDI_OFI_AV(&MPIDIU_get_av(0, lpid)).dest[0][0] = addr.
static inline int MPIDI_OFI_av_set(int avtid, int lpid, fi_addr_t addr) {
  return MPIDIU_av_set_address(avtid, lpid, addr);
}

/// Steps 2 and 3 of MPIDI_OFI_addr_exchange_all_ctx, in place of its loops: inserts all endpoints
/// of the world into all contexts. Root addresses may have been inserted in any order.
/// @param num_vnis   1 with scalable endpoints
/// @param all_names  num_vnis * num_nics names of each process, by vni, then by nic
int MPIDI_OFI_insert_all_ctx(int size, int num_vnis, const char *all_names, int name_len);

/// A upid is an endpoint's name. The caller frees both arrays by MPL_free.
int MPIDI_OFI_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids);
/// Finds each process among all that this one knows, in one pass over them, and makes a table of
/// those that it does not know.
int MPIDI_OFI_upids_to_gpids(int size, int *remote_upid_size, char *remote_upids, uint64_t *remote_gpids);

#ifdef __cplusplus
}
#endif

#endif
