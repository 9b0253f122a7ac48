// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Inline bodies of fastpath.h.
//
// `options` and the binding, which describes the transport (binding.h), are constants in all uses
// of these bodies, so the compiler resolves every condition on them. Keep a constant count visible
// to the compiler: if its size is not constant, a copy that the network then reads as one word
// makes a put take three times as long.
#ifndef AVRANKMAP_DEVICE_FASTPATH_INL_H
#define AVRANKMAP_DEVICE_FASTPATH_INL_H

#include "avrankmap/device/fastpath.h"

AVRM_BEGIN_DECLS

// Binding of the inline builds (binding.h).
#ifndef AVRM_FP_BINDING
#define AVRM_FP_BINDING AVRM_I_FP_TABLE
#endif

AVRM_INLINE avrm_status_t avrm_fp_open(avrm_device_t *device, int32_t queues, avrm_fp_t **fp_p) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_open(device, queues, bind.netmod, fp_p);
}

/// Returns the address word of a process of this process's world, from the table of AVEs or from
/// the line (line.h) of an implicit AV; 0, "not connected", for an lpid that is not on the line.
AVRM_INLINE uint64_t avrm_i_fp_world_word(uintptr_t world, int64_t lpid) AVRM_NOEXCEPT {
  if (AVRM_LIKELY(!avrm_i_is_line(world))) {
    const uintptr_t ave = world + (uintptr_t)(AVRM_I_AVE_BYTES * lpid);
    return avrm_ave_word((const avrm_ave_t *)ave);
  }
  uint64_t word;
  return avrm_i_word_on(avrm_i_line_at(world), lpid, &word) ? word : 0;
}

/// Decodes an address word. Returns false if it contains no network handle.
AVRM_INLINE bool avrm_i_fp_decode(uint64_t word, int codec, uint64_t *handle_p) AVRM_NOEXCEPT {
  if (codec == AVRM_CODEC_UCX) {
    *handle_p = avrm_word_address(AVRM_CODEC_UCX, word);
    return avrm_word_is_network(AVRM_CODEC_UCX, word);
  }
  *handle_p = avrm_word_address(AVRM_CODEC_OFI, word);
  return avrm_word_is_network(AVRM_CODEC_OFI, word);
}

/// Returns true if the transport injects that many bytes. Every transport injects up to
/// AVRM_NETMOD_INJECT_MIN bytes, so a constant size needs no test.
AVRM_INLINE bool avrm_i_fp_injects(const avrm_netmod_t *net, size_t bytes) AVRM_NOEXCEPT {
#if defined(__GNUC__)
  if (__builtin_constant_p(bytes) && bytes <= AVRM_NETMOD_INJECT_MIN) {
    return true;
  }
#endif
  return bytes <= net->inject_max;
}

/// Returns true if `count` elements can be injected to the peer of an address word: the word
/// contains a network handle, the datatype is predefined, and the transport injects that many
/// bytes. A negative count converts to more bytes than any transport injects.
AVRM_INLINE bool avrm_i_fp_injects_to(uint64_t word, int codec, const avrm_netmod_t *net, int32_t count,
                                      avrm_datatype_t type, uint64_t *handle_p, size_t *bytes_p) AVRM_NOEXCEPT {
  *bytes_p = avrm_type_predefined_size(type) * (size_t)count;
  return avrm_i_fp_decode(word, codec, handle_p) && avrm_type_is_predefined(type) && avrm_i_fp_injects(net, *bytes_p);
}

AVRM_INLINE avrm_status_t avrm_i_fp_check_data(const void *buffer, int32_t count, avrm_datatype_t type) AVRM_NOEXCEPT {
  if (AVRM_UNLIKELY(count < 0)) {
    return AVRM_ERR_COUNT;
  }
  if (AVRM_UNLIKELY(type == AVRM_DATATYPE_NULL)) {
    return AVRM_ERR_DATATYPE;
  }
  // The general path, which handles all derived datatypes, checks that they are committed.
  return AVRM_UNLIKELY(buffer == NULL && count != 0) ? AVRM_ERR_BUFFER : AVRM_OK;
}

/// Returns true if `bytes` bytes at a displacement lie within a part of `size` bytes. Valid for
/// uniform windows only.
AVRM_INLINE bool avrm_i_fp_is_inside(int64_t displacement, uint64_t unit, size_t bytes, uint64_t size) AVRM_NOEXCEPT {
  // size * unit is below 2^63 (src/device/fastpath/window.cpp), so the difference does not overflow
  // if the first comparison is true.
  return (uint64_t)displacement <= size && (int64_t)bytes <= (int64_t)(size - (uint64_t)displacement * unit);
}

/// Returns the map of a communicator that another thread may revoke meanwhile.
AVRM_INLINE const avrm_rankmap_t *avrm_i_fp_map(const avrm_fp_comm_t *comm) AVRM_NOEXCEPT {
  return __atomic_load_n(&comm->map, __ATOMIC_ACQUIRE);
}

/// Handles a send to AVRM_PROC_NULL or to an invalid rank.
AVRM_INLINE avrm_status_t avrm_i_fp_isend_nowhere(int64_t dest, avrm_request_t **request_p,
                                                  unsigned options) AVRM_NOEXCEPT {
  if (dest != AVRM_PROC_NULL) {
    return AVRM_ERR_RANK;
  }
  if ((options & AVRM_FP_NO_REQUEST) == 0) {
    *request_p = &avrm_i_fp_done;
  }
  return AVRM_OK;
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_i_fp_isend(const void *buffer, int32_t count, avrm_datatype_t type, int64_t dest,
                                                 int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p,
                                                 unsigned options) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  const avrm_rankmap_t *map = NULL;
  if ((options & AVRM_FP_CHECKS) != 0) {
    if (AVRM_UNLIKELY(comm == NULL || !avrm_i_fp_is_live(comm->live))) {
      return AVRM_ERR_COMM;
    }
    const avrm_status_t status = avrm_i_fp_check_data(buffer, count, type);
    if (AVRM_UNLIKELY(status != AVRM_OK)) {
      return status;
    }
    if (AVRM_UNLIKELY((uint32_t)tag > (uint32_t)AVRM_MATCH_MAX_TAG)) {
      return AVRM_ERR_TAG;
    }
    if (AVRM_UNLIKELY(request_p == NULL)) {
      return AVRM_ERR_REQUEST;
    }
    map = avrm_i_fp_map(comm);
    if (AVRM_UNLIKELY((uint64_t)dest >= (uint64_t)(int64_t)map->size)) {
      return avrm_i_fp_isend_nowhere(dest, request_p, options);
    }
  }
  if ((options & AVRM_FP_THREADS) != 0 && AVRM_UNLIKELY(comm->threads != 0)) {
    return avrm_i_fp_isend_locked(buffer, count, type, (int32_t)dest, tag, comm, request_p, options);
  }
  if ((options & (AVRM_FP_CHECKS | AVRM_FP_NO_PROC_NULL)) == 0 && AVRM_UNLIKELY(dest == AVRM_PROC_NULL)) {
    return avrm_i_fp_isend_nowhere(dest, request_p, options);
  }
  const uint64_t word = (options & AVRM_FP_GLOBAL) != 0
                            ? avrm_i_fp_world_word(comm->world, dest)
                            : avrm_rankmap_word((options & AVRM_FP_CHECKS) != 0 ? map : comm->map, (int32_t)dest);
  const int codec = bind.codec >= 0 ? bind.codec : comm->codec;
  uint64_t handle;
  size_t bytes;
  if (AVRM_UNLIKELY(!avrm_i_fp_injects_to(word, codec, comm->net, count, type, &handle, &bytes))) {
    return avrm_i_fp_isend_general(buffer, count, type, (int32_t)dest, tag, comm, request_p, options, word);
  }
  const uint64_t match =
      (options & AVRM_FP_NO_MATCH) != 0 ? comm->context_match : comm->send_match | (uint64_t)(uint32_t)tag;
  if ((options & AVRM_FP_NO_REQUEST) == 0) {
    *request_p = &avrm_i_fp_done;
  }
  return bind.tinject(buffer, bytes, handle, match, comm->net);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_i_fp_put(const void *buffer, int32_t count, avrm_datatype_t type, int64_t target,
                                               int64_t displacement, avrm_fp_window_t *window,
                                               unsigned options) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  if ((options & AVRM_FP_CHECKS) != 0) {
    if (AVRM_UNLIKELY(window == NULL || !avrm_i_fp_is_live(window->live))) {
      return AVRM_ERR_WINDOW;
    }
    const avrm_status_t status = avrm_i_fp_check_data(buffer, count, type);
    if (AVRM_UNLIKELY(status != AVRM_OK)) {
      return status;
    }
    if (AVRM_UNLIKELY((uint64_t)target >= (uint64_t)(int64_t)window->map->size)) {
      return target == AVRM_PROC_NULL ? AVRM_OK : AVRM_ERR_RANK;
    }
  }
  if ((options & AVRM_FP_THREADS) != 0 && AVRM_UNLIKELY(window->threads != 0)) {
    return avrm_i_fp_put_locked(buffer, count, type, (int32_t)target, displacement, window, options);
  }
  if ((options & (AVRM_FP_CHECKS | AVRM_FP_NO_PROC_NULL)) == 0 && AVRM_UNLIKELY(target == AVRM_PROC_NULL)) {
    return AVRM_OK;
  }
  const uint64_t word = (options & AVRM_FP_GLOBAL) != 0 ? avrm_i_fp_world_word(window->world, target)
                                                        : avrm_rankmap_word(window->map, (int32_t)target);
  const int codec = bind.codec >= 0 ? bind.codec : window->codec;
  uint64_t handle;
  size_t bytes;
  if (AVRM_UNLIKELY(!avrm_i_fp_injects_to(word, codec, window->net, count, type, &handle, &bytes))) {
    return avrm_i_fp_put_general(buffer, count, type, (int32_t)target, displacement, window, options, word);
  }
  uint64_t base;
  uint64_t key;
  if (AVRM_UNLIKELY(window->uniform == 0)) {
    // The target's part may have a record.
    const avrm_directory_record_t *const record = (options & (AVRM_FP_CHECKS | AVRM_FP_GLOBAL)) != 0
                                                      ? NULL
                                                      : avrm_i_directory_first(window->parts, (int32_t)target);
    if (record == NULL || AVRM_UNLIKELY(record->rank != (uint32_t)target)) {
      return avrm_i_fp_put_general(buffer, count, type, (int32_t)target, displacement, window, options, word);
    }
    base = record->base;
    key = record->key;
  } else {
    if ((options & AVRM_FP_CHECKS) != 0 &&
        AVRM_UNLIKELY(!avrm_i_fp_is_inside(displacement, window->unit, bytes, window->parts->size))) {
      return AVRM_ERR_OUTSIDE;
    }
    base = window->base;
    key = window->key;
  }
  const uint64_t remote =
      (options & AVRM_FP_VIRTUAL_ADDR) != 0 ? (uint64_t)displacement : base + (uint64_t)displacement * window->unit;
  return bind.put_inject(buffer, bytes, key, remote, handle, window->net);
}

// Builds and proposals.

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                      avrm_request_t **request_p) AVRM_NOEXCEPT {
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, 0);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int32_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT {
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, 0);
}

#if defined(AVRM_FASTPATH_NO_ERR_SINGLE_IPO)
#define AVRM_I_FP_BUILD(name) name##_inline
#elif defined(AVRM_FASTPATH_NO_ERR_SINGLE)
#define AVRM_I_FP_BUILD(name) name##_no_err_single
#elif defined(AVRM_FASTPATH_NO_ERR)
#define AVRM_I_FP_BUILD(name) name##_no_err
#else
#define AVRM_I_FP_BUILD(name) name##_default
#endif

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                               int32_t tag, avrm_fp_comm_t *comm,
                                               avrm_request_t **request_p) AVRM_NOEXCEPT {
  return AVRM_I_FP_BUILD(avrm_fp_isend)(buffer, count, type, dest, tag, comm, request_p);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                             int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT {
  return AVRM_I_FP_BUILD(avrm_fp_put)(buffer, count, type, target, displacement, window);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_global(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int64_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                      avrm_request_t **request_p) AVRM_NOEXCEPT {
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, AVRM_FP_GLOBAL);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                   int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                   avrm_request_t **request_p) AVRM_NOEXCEPT {
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, AVRM_FP_NO_PROC_NULL);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_noreq(const void *buffer, int32_t count, avrm_datatype_t type,
                                                     int32_t dest, int32_t tag, avrm_fp_comm_t *comm) AVRM_NOEXCEPT {
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, NULL, AVRM_FP_NO_REQUEST);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_nomatch(const void *buffer, int32_t count, avrm_datatype_t type,
                                                       int32_t dest, avrm_fp_comm_t *comm,
                                                       avrm_request_t **request_p) AVRM_NOEXCEPT {
  return avrm_i_fp_isend(buffer, count, type, dest, 0, comm, request_p, AVRM_FP_NO_MATCH);
}

#define AVRM_I_FP_ISEND_ALL_OPTS (AVRM_FP_GLOBAL | AVRM_FP_NO_PROC_NULL | AVRM_FP_NO_REQUEST | AVRM_FP_NO_MATCH)
#define AVRM_I_FP_PUT_ALL_OPTS (AVRM_FP_GLOBAL | AVRM_FP_VIRTUAL_ADDR | AVRM_FP_NO_PROC_NULL)

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                        int64_t dest, avrm_fp_comm_t *comm) AVRM_NOEXCEPT {
  return avrm_i_fp_isend(buffer, count, type, dest, 0, comm, NULL, AVRM_I_FP_ISEND_ALL_OPTS);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_global(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int64_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT {
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, AVRM_FP_GLOBAL);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_virtual_addr(const void *buffer, int32_t count, avrm_datatype_t type,
                                                          int32_t target, uint64_t address,
                                                          avrm_fp_window_t *window) AVRM_NOEXCEPT {
  return avrm_i_fp_put(buffer, count, type, target, (int64_t)address, window, AVRM_FP_VIRTUAL_ADDR);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                 int32_t target, int64_t displacement,
                                                 avrm_fp_window_t *window) AVRM_NOEXCEPT {
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, AVRM_FP_NO_PROC_NULL);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int64_t target, uint64_t address,
                                                      avrm_fp_window_t *window) AVRM_NOEXCEPT {
  return avrm_i_fp_put(buffer, count, type, target, (int64_t)address, window, AVRM_I_FP_PUT_ALL_OPTS);
}

AVRM_END_DECLS

#endif
