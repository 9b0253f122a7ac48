// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The builds of the fast path that are functions: one body, three sets of options ("Why Is MPI So
// Slow?", section 2.1).
//
// Each build is two functions. The first handles the usual case, and leaves everything else to the
// second: errors, several threads, null buffers (valid without elements), and what is not
// translated inline or not injected. So the first calls only the network's function, as its last
// step, and saves hardly any registers.
#include "avrankmap/device/fastpath.h"

typedef avrm_status_t isend_fn(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                               avrm_fp_comm_t *comm, avrm_request_t **request_p);
typedef avrm_status_t put_fn(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                             int64_t displacement, avrm_fp_window_t *window);

// Returns the address word of a rank if inline code translates it; otherwise the word of a process
// that is not connected.
static inline uint64_t quick_word(const avrm_rankmap_t *map, int32_t rank) {
  if (AVRM_LIKELY(map->klass == AVRM_CLASS_AFFINE)) {
    return avrm_ave_word(avrm_i_affine_ave(map, rank));
  }
  if (map->klass == AVRM_CLASS_LUT) {
    return avrm_ave_word(avrm_i_lut_ave(map, rank));
  }
  return map->klass == AVRM_CLASS_MLUT ? avrm_ave_word(avrm_i_mlut_ave(map, rank)) : 0;
}

// Without a datatype, or with a negative count, nothing can be injected: these errors need no check
// here. A request is checked last, since it does not arrive in a register.
AVRM_INLINE_ALWAYS avrm_status_t isend(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                       int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p, unsigned options,
                                       isend_fn *unusual) {
  const bool checks = (options & AVRM_FP_CHECKS) != 0;
  if (AVRM_UNLIKELY(checks &&
                    (comm == NULL || comm->live != AVRM_FP_LIVE || buffer == NULL ||
                     (uint32_t)tag > (uint32_t)AVRM_MATCH_MAX_TAG || (uint32_t)dest >= (uint32_t)comm->map->size))) {
    return unusual(buffer, count, type, dest, tag, comm, request_p);
  }
  if (AVRM_UNLIKELY(!checks && (dest == AVRM_PROC_NULL || ((options & AVRM_FP_THREADS) != 0 && comm->threads != 0)))) {
    return unusual(buffer, count, type, dest, tag, comm, request_p);
  }
  const uint64_t word = quick_word(comm->map, dest);
  uint64_t handle;
  size_t bytes;
  if (AVRM_UNLIKELY(!avrm_i_fp_injects_to(word, comm->codec, comm->net, count, type, &handle, &bytes) ||
                    (checks && request_p == NULL))) {
    return unusual(buffer, count, type, dest, tag, comm, request_p);
  }
  *request_p = &avrm_i_fp_done;
  return avrm_i_fp_table_tinject(buffer, bytes, handle, comm->send_match | (uint32_t)tag, comm->net);
}

AVRM_INLINE_ALWAYS avrm_status_t put(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                     int64_t displacement, avrm_fp_window_t *window, unsigned options,
                                     put_fn *unusual) {
  const bool checks = (options & AVRM_FP_CHECKS) != 0;
  if (AVRM_UNLIKELY(checks && (window == NULL || window->live != AVRM_FP_LIVE || buffer == NULL ||
                               (uint32_t)target >= (uint32_t)window->map->size))) {
    return unusual(buffer, count, type, target, displacement, window);
  }
  if (AVRM_UNLIKELY(!checks &&
                    (target == AVRM_PROC_NULL || ((options & AVRM_FP_THREADS) != 0 && window->threads != 0)))) {
    return unusual(buffer, count, type, target, displacement, window);
  }
  if (AVRM_UNLIKELY(window->uniform == 0)) {
    return unusual(buffer, count, type, target, displacement, window);
  }
  const uint64_t word = quick_word(window->map, target);
  uint64_t handle;
  size_t bytes;
  if (AVRM_UNLIKELY(!avrm_i_fp_injects_to(word, window->codec, window->net, count, type, &handle, &bytes) ||
                    (checks && !avrm_i_fp_is_inside(displacement, window->unit, bytes, window->parts->size)))) {
    return unusual(buffer, count, type, target, displacement, window);
  }
  const uint64_t remote = window->base + (uint64_t)displacement * window->unit;
  return avrm_i_fp_table_put_inject(buffer, bytes, window->key, remote, handle, window->net);
}

#define BUILD(name, options)                                                                                           \
  __attribute__((noinline)) static avrm_status_t isend_unusual_##name(                                                 \
      const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag, avrm_fp_comm_t *comm,        \
      avrm_request_t **request_p) {                                                                                    \
    return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, options);                                  \
  }                                                                                                                    \
  avrm_status_t avrm_fp_isend_##name(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,            \
                                     int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p) {                  \
    return isend(buffer, count, type, dest, tag, comm, request_p, options, isend_unusual_##name);                      \
  }                                                                                                                    \
  __attribute__((noinline)) static avrm_status_t put_unusual_##name(const void *buffer, int32_t count,                 \
                                                                    avrm_datatype_t type, int32_t target,              \
                                                                    int64_t displacement, avrm_fp_window_t *window) {  \
    return avrm_i_fp_put(buffer, count, type, target, displacement, window, options);                                  \
  }                                                                                                                    \
  avrm_status_t avrm_fp_put_##name(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,            \
                                   int64_t displacement, avrm_fp_window_t *window) {                                   \
    return put(buffer, count, type, target, displacement, window, options, put_unusual_##name);                        \
  }

BUILD(default, AVRM_FP_CHECKS | AVRM_FP_THREADS)
BUILD(no_err, AVRM_FP_THREADS)
BUILD(no_err_single, 0)
