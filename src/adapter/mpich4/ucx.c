// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For src/mpid/ch4/netmod/ucx/ucx_init.c.
#include <mpidimpl.h>
#include <ucx_impl.h>

#include "adapter/mpich4/error.h"

ucp_ep_h MPIDI_UCX_get_ep(int avtid, int lpid, int vni_src, int vni_dst) {
  const avrm_av_t *const table = MPIDIU_get_av_table(avtid);
  uint64_t address = 0;
  if (table != NULL) {
    (void)avrm_addresses_get(table, lpid, (int32_t)MPIDI_UCX_word_of(vni_src, vni_dst), &address);
  }
  return (ucp_ep_h)(uintptr_t)address;
}

int MPIDI_UCX_set_ep(int avtid, int lpid, int vni_src, int vni_dst, ucp_ep_h ep) {
  const uint64_t address = (uint64_t)(uintptr_t)ep;
  const int32_t k = (int32_t)MPIDI_UCX_word_of(vni_src, vni_dst);
  return k == 0 ? MPIDIU_av_set_address(avtid, lpid, address)
                : MPIDIU_AVRM_ERROR(avrm_addresses_set(MPIDIU_get_av_table(avtid), k, lpid, 1, &address));
}
