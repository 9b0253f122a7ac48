// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hot functions of the UCX netmod, for programs that are bound to it (avrankmap/device/binding.h):
// the fast path then calls ucp_tag_send_nbx and ucp_put_nbx directly. Messages that UCX does not
// take immediately, puts of more than a few bytes, and all operations once a peer has died use the
// netmod's table.
//
// Puts are sent from copies, because the caller's buffer must be free on return. Asking UCX to take
// the bytes immediately or not at all costs more than the copy: if it emulates puts, it never takes
// them immediately. Nearly always, a put has completed when UCX returns, and the next put uses the
// same copy.
#ifndef AVRANKMAP_NETMOD_UCX_UCX_FAST_H
#define AVRANKMAP_NETMOD_UCX_UCX_FAST_H

#include <string.h>
#include <ucp/api/ucp.h>

#include "avrankmap/device/binding.h"

AVRM_BEGIN_DECLS

/// Maximum number of bytes that avrm_ucx_copy copies.
#define AVRM_UCX_COPY_MAX 16u

/// An open UCX netmod.
typedef struct avrm_ucx_netmod {
  avrm_netmod_t common;
  /// Parameters of messages: UCX takes the bytes immediately, or does not access the buffer. Null:
  /// messages use the netmod's table, because a peer has died.
  const ucp_request_param_t *send;
  /// Puts of more bytes use the netmod's table. AVRM_UCX_COPY_MAX, or 0 if there is no copy or a
  /// peer has died.
  size_t copy_max;
  unsigned char *copy;     ///< for the bytes of the next put
  ucp_request_param_t put; ///< parameters of a put from `copy`
} avrm_ucx_netmod_t;

/// Returns the UCX endpoint that a handle denotes.
AVRM_INLINE ucp_ep_h avrm_ucx_ep(uint64_t handle) AVRM_NOEXCEPT {
  const uintptr_t address = handle;
  return (ucp_ep_h)address;
}
/// Returns the UCX key that a number denotes.
AVRM_INLINE ucp_rkey_h avrm_ucx_rkey(uint64_t key) AVRM_NOEXCEPT {
  const uintptr_t address = key;
  return (ucp_rkey_h)address;
}

/// Handles a put that had not completed when UCX returned `result`, which is not null.
/// @return AVRM_OK (UCX has taken the copy), or the status of a call that failed
avrm_status_t avrm_ucx_put_goes_on(avrm_netmod_t *netmod, ucs_status_ptr_t result) AVRM_NOEXCEPT;

/// Copies up to AVRM_UCX_COPY_MAX bytes in less time than a call of memcpy takes. Returns false for
/// 0 bytes.
AVRM_INLINE bool avrm_ucx_copy(unsigned char *to, const void *from, size_t bytes) AVRM_NOEXCEPT {
  const unsigned char *const first = (const unsigned char *)from;
  uint64_t words[2];
  uint32_t halves[2];
  if (bytes >= sizeof *words) { // both ends, which may overlap
    memcpy(&words[0], first, sizeof *words);
    memcpy(&words[1], first + bytes - sizeof *words, sizeof *words);
    memcpy(to, &words[0], sizeof *words);
    memcpy(to + bytes - sizeof *words, &words[1], sizeof *words);
  } else if (bytes >= sizeof *halves) {
    memcpy(&halves[0], first, sizeof *halves);
    memcpy(&halves[1], first + bytes - sizeof *halves, sizeof *halves);
    memcpy(to, &halves[0], sizeof *halves);
    memcpy(to + bytes - sizeof *halves, &halves[1], sizeof *halves);
  } else if (AVRM_LIKELY(bytes == 1)) {
    to[0] = first[0];
  } else if (bytes != 0) {
    to[0] = first[0];
    to[1] = first[1];
    to[bytes - 1] = first[bytes - 1];
  } else {
    return false;
  }
  return true;
}

/// Returns a copy of a put's bytes, or null if the put must use the netmod's table. UCX rejects 0
/// bytes.
AVRM_INLINE const unsigned char *avrm_ucx_copy_of(const avrm_ucx_netmod_t *ucx, const void *buffer,
                                                  size_t bytes) AVRM_NOEXCEPT {
  unsigned char *const copy = ucx->copy;
  return AVRM_LIKELY(bytes <= ucx->copy_max) && AVRM_LIKELY(avrm_ucx_copy(copy, buffer, bytes)) ? copy : NULL;
}

/// Starts a put from the copy.
AVRM_INLINE ucs_status_ptr_t avrm_ucx_put(const avrm_ucx_netmod_t *ucx, const unsigned char *copy, size_t bytes,
                                          uint64_t key, uint64_t remote, uint64_t handle) AVRM_NOEXCEPT {
  return ucp_put_nbx(avrm_ucx_ep(handle), copy, bytes, remote, avrm_ucx_rkey(key), &ucx->put);
}

/// The operation fp_tinject of netmod.h.
AVRM_INLINE avrm_status_t avrm_ucx_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                           avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  const ucp_request_param_t *const param = ((const avrm_ucx_netmod_t *)(const void *)netmod)->send;
  if (AVRM_LIKELY(param != NULL) &&
      AVRM_LIKELY(ucp_tag_send_nbx(avrm_ucx_ep(handle), buffer, bytes, match, param) == NULL)) {
    return AVRM_OK;
  }
  return avrm_i_fp_tinject(buffer, bytes, handle, match, netmod);
}

/// The operation fp_put_inject of netmod.h.
AVRM_INLINE avrm_status_t avrm_ucx_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote,
                                              uint64_t handle, avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  const avrm_ucx_netmod_t *const ucx = (const avrm_ucx_netmod_t *)(const void *)netmod;
  const unsigned char *const copy = avrm_ucx_copy_of(ucx, buffer, bytes);
  if (AVRM_UNLIKELY(copy == NULL)) {
    return avrm_i_fp_put_inject(buffer, bytes, key, remote, handle, netmod);
  }
  ucs_status_ptr_t const result = avrm_ucx_put(ucx, copy, bytes, key, remote, handle);
  return AVRM_LIKELY(result == NULL) ? AVRM_OK : avrm_ucx_put_goes_on(netmod, result);
}

/// Binds the fast path (avrm_fp_binding_t) to the UCX netmod.
#define AVRM_I_FP_UCX                                                                                                  \
  { "ucx", AVRM_CODEC_UCX, avrm_ucx_tinject, avrm_ucx_put_inject }

AVRM_END_DECLS

#endif
