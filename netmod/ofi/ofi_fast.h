// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hot functions of the libfabric netmod, for programs that are bound to it
// (avrankmap/device/binding.h): the fast path then calls the provider's operation directly.
// Providers that need more than that, and all operations once a peer has died, use the netmod's
// table. The fields below select the table, with tests that a message and a put need in any case.
#ifndef AVRANKMAP_NETMOD_OFI_OFI_FAST_H
#define AVRANKMAP_NETMOD_OFI_OFI_FAST_H

#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "avrankmap/device/binding.h"

AVRM_BEGIN_DECLS

/// Number of marks; a power of two.
#define AVRM_OFI_MARKS 256u
/// No mark. No peer has this handle.
#define AVRM_OFI_NO_MARK UINT64_MAX

/// An open libfabric netmod.
typedef struct avrm_ofi_netmod {
  avrm_netmod_t common;
  struct fid_ep *ep;
  /// Messages with match bits below this are injected directly; all others use the netmod's table.
  /// 0: all messages use the table, because a peer has died.
  uint64_t match_limit;
  /// Number of messages, and of puts, until one uses the table, which may return AVRM_ERR_AGAIN if
  /// there was no progress (netmod/ofi/flow.h).
  uint32_t sends_left;
  uint32_t puts_left;
  /// Handles of living peers for which the next flush has work to do in any case, so that another
  /// put to them needs no record. A handle is stored at its remainder modulo AVRM_OFI_MARKS.
  uint64_t marks[AVRM_OFI_MARKS];
} avrm_ofi_netmod_t;

/// Returns true if the next flush has work to do for this peer in any case.
AVRM_INLINE bool avrm_ofi_is_marked(const avrm_ofi_netmod_t *ofi, uint64_t handle) AVRM_NOEXCEPT {
  return ofi->marks[handle & (AVRM_OFI_MARKS - 1)] == handle;
}

/// The operation fp_tinject of netmod.h.
AVRM_INLINE avrm_status_t avrm_ofi_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                           avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  avrm_ofi_netmod_t *const ofi = (avrm_ofi_netmod_t *)(void *)netmod;
  if (AVRM_LIKELY(match < ofi->match_limit)) {
    if (AVRM_UNLIKELY(--ofi->sends_left == 0)) {
      ofi->sends_left = 1;
    } else if (AVRM_LIKELY(fi_tinject(ofi->ep, buffer, bytes, handle, match) == 0)) {
      return AVRM_OK;
    }
  }
  return avrm_i_fp_tinject(buffer, bytes, handle, match, netmod);
}

/// The operation fp_put_inject of netmod.h.
AVRM_INLINE avrm_status_t avrm_ofi_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote,
                                              uint64_t handle, avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  avrm_ofi_netmod_t *const ofi = (avrm_ofi_netmod_t *)(void *)netmod;
  // Not every provider accepts a put of 0 bytes.
  if (AVRM_LIKELY(avrm_ofi_is_marked(ofi, handle)) && AVRM_LIKELY(bytes != 0)) {
    if (AVRM_UNLIKELY(--ofi->puts_left == 0)) {
      ofi->puts_left = 1;
    } else if (AVRM_LIKELY(fi_inject_write(ofi->ep, buffer, bytes, handle, remote, key) == 0)) {
      return AVRM_OK;
    }
  }
  return avrm_i_fp_put_inject(buffer, bytes, key, remote, handle, netmod);
}

/// Binds the fast path (avrm_fp_binding_t) to the libfabric netmod.
#define AVRM_I_FP_OFI                                                                                                  \
  { "ofi", AVRM_CODEC_OFI, avrm_ofi_tinject, avrm_ofi_put_inject }

AVRM_END_DECLS

#endif
