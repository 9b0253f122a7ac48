// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hot functions of the null netmod, for programs that are bound to it. The fast path
// (avrankmap/device/fastpath_inl.h) then inlines everything from the call to the descriptor.
#ifndef AVRANKMAP_NETMOD_NULL_NULL_FAST_H
#define AVRANKMAP_NETMOD_NULL_NULL_FAST_H

#include <string.h>

#include "avrankmap/device/binding.h"
#include "null_net.h"

AVRM_BEGIN_DECLS

/// An open null netmod.
typedef struct avrm_null_netmod {
  avrm_netmod_t common;
  uint64_t inserted; ///< number of peers
  avrm_null_net_t net;
  avrm_request_t *receives; ///< pending receives, completed only by `cancel` and `close`
} avrm_null_netmod_t;

/// Returns the work queue of a null netmod.
AVRM_INLINE avrm_null_net_t *avrm_null_of(avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  return &((avrm_null_netmod_t *)(void *)netmod)->net;
}

/// The operation fp_tinject of netmod.h.
AVRM_INLINE avrm_status_t avrm_null_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                            avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  avrm_null_isend(avrm_null_of(netmod), handle, match, 0, buffer, 0, bytes, NULL);
  return AVRM_OK;
}

/// Returns the bytes of a put as a number. The usual lengths take one load each: if a copy of
/// variable length were read back as 8 bytes, the load would wait until the stores have reached the
/// cache. Measurements put one byte, which comes first.
AVRM_INLINE uint64_t avrm_null_payload(const void *buffer, size_t bytes) AVRM_NOEXCEPT {
  const unsigned char *const first = (const unsigned char *)buffer;
  uint64_t eight = 0;
  uint32_t four;
  uint16_t two;
  if (AVRM_LIKELY(bytes == 1)) {
    return *first;
  }
  switch (bytes) {
  case 8: memcpy(&eight, first, sizeof eight); return eight;
  case 4: memcpy(&four, first, sizeof four); return four;
  case 2: memcpy(&two, first, sizeof two); return two;
  }
  for (size_t i = bytes; i != 0; --i) {
    eight = eight << 8 | first[i - 1];
  }
  return eight;
}

/// The operation fp_put_inject of netmod.h.
AVRM_INLINE avrm_status_t avrm_null_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote,
                                               uint64_t handle, avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  avrm_null_put(avrm_null_of(netmod), handle, remote, key, bytes, avrm_null_payload(buffer, bytes), buffer, NULL);
  return AVRM_OK;
}

/// Binds the fast path (avrm_fp_binding_t) to the null netmod.
#define AVRM_I_FP_NULL                                                                                                 \
  { "null", AVRM_CODEC_OFI, avrm_null_tinject, avrm_null_put_inject }

AVRM_END_DECLS

#endif
