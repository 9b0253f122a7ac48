// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces MPIDI_OFI_addr_t (ofi_pre.h) and the functions for addresses in ofi_impl.h.
//
// An endpoint of a peer is word vci * num_nics + nic of its AVE. All local endpoints use the same
// addresses if they insert peers in the same order, as MPIDI_OFI_insert_all_ctx does; further
// addresses then take no memory. If a provider gives each local endpoint different numbers, the
// numbers of the root endpoint (root_offset in MPICH) come first, followed by the numbers of all
// others.
#ifndef AVRANKMAP_ADAPTER_MPICH5_OFI_H
#define AVRANKMAP_ADAPTER_MPICH5_OFI_H

#include "proc.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Number of the first word for local endpoints other than the root; 0 if they use the same
/// addresses.
extern int MPIDI_OFI_words_of_others;

/// Returns the address for any entry and any pair of endpoints, or FI_ADDR_NOTAVAIL if there is
/// none. Cold, so compilers save no registers for this call where others are more frequent.
__attribute__((cold, pure)) fi_addr_t MPIDI_OFI_other_to_phys(MPIDI_av_entry_t *av, int local_vci, int local_nic,
                                                              int vci, int nic);

/// Inline for the root endpoints of processes that are reached over the network.
static inline fi_addr_t MPIDI_OFI_av_to_phys(MPIDI_av_entry_t *av, int local_vci, int local_nic, int vci, int nic) {
  const uint64_t word = avrm_ave_word(av);
  if (AVRM_LIKELY((local_vci | local_nic | vci | nic) == 0 && avrm_ofi_is_network(word))) {
    const fi_addr_t dest = avrm_ofi_address(word);
    return MPIDI_OFI_ENABLE_SCALABLE_ENDPOINTS ? fi_rx_addr(dest, 0, MPIDI_OFI_MAX_ENDPOINTS_BITS) : dest;
  }
  return MPIDI_OFI_other_to_phys(av, local_vci, local_nic, vci, nic);
}

static inline fi_addr_t MPIDI_OFI_av_to_phys_root(MPIDI_av_entry_t *av) { return MPIDI_OFI_av_to_phys(av, 0, 0, 0, 0); }

/// Read-only.
#define MPIDI_OFI_AV_ADDR_ROOT(av) MPIDI_OFI_av_to_phys_root(av)

/// Replaces MPIDI_OFI_AV_IS_UNSET, without its exception for address 0.
bool MPIDI_OFI_av_is_unset(MPIDI_av_entry_t *av);

/// Inserts the name of a process into the root context unless it has been inserted. In MPICH,
/// MPIDI_OFI_comm_addr_exchange and init_addrxchg.c do this per process, and assign the address to
/// MPIDI_OFI_AV_ADDR_ROOT.
int MPIDI_OFI_av_insert(MPIR_Lpid lpid, const char *name);

/// Performs the insertions of addr_exchange_all_ctx; replaces its loops, all_dest and root_offset.
/// @param all_names  max_vcis * num_nics names of each process of the world, by vci, then by nic
int MPIDI_OFI_insert_all_ctx(int size, int max_vcis, const MPIDI_num_vci_t *all_num_vcis, const char *all_names,
                             int name_len);

/// upid: host name, zero, endpoint name. The caller frees both arrays with MPL_free.
int MPIDI_OFI_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids);
int MPIDI_OFI_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len);

#ifdef __cplusplus
}
#endif

#endif
