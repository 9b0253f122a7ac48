// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Inline bodies of fastpath.h. After each change look at the disassembly. Tests pin the instruction
// counts (tests/bench/device/fastpath_count_test.cc).
//
// `options` and `bind` are compile-time constants in all uses of these bodies, so the compiler
// resolves every condition on them. `bind` holds what is known of the transport (binding.h).
#ifndef AVRANKMAP_DEVICE_FASTPATH_INL_H
#define AVRANKMAP_DEVICE_FASTPATH_INL_H

#include "avrankmap/device/fastpath.h"
#include "avrankmap/device/fastpath_word_inl.h"

AVRM_BEGIN_DECLS

// Binding of the inline builds (binding.h).
#ifndef AVRM_FP_BINDING
#define AVRM_FP_BINDING AVRM_I_FP_TABLE
#endif

// A function of the translation unit, since the next one may have another binding.
#if defined(__GNUC__)
#define AVRM_I_FP_FUNCTION static __attribute__((noinline, unused))
#else
#define AVRM_I_FP_FUNCTION AVRM_INLINE
#endif

AVRM_INLINE avrm_status_t avrm_fp_open(avrm_device_t *device, int32_t queues, avrm_fp_t **fp_p) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_open(device, queues, bind.netmod, fp_p);
}

/// Decodes an address word. Returns false if it holds no network handle.
AVRM_INLINE bool avrm_i_fp_decode(uint64_t word, int codec, uint64_t *handle_p) AVRM_NOEXCEPT {
  *handle_p = avrm_word_address((avrm_codec_t)codec, word);
  return avrm_word_is_network((avrm_codec_t)codec, word);
}

/// Returns true if the transport injects that many bytes. Up to AVRM_NETMOD_INJECT_MIN every
/// transport does, so a constant size needs no test.
AVRM_INLINE bool avrm_i_fp_injects(const avrm_netmod_t *net, size_t bytes) AVRM_NOEXCEPT {
#if defined(__GNUC__)
  if (__builtin_constant_p(bytes) && bytes <= AVRM_NETMOD_INJECT_MIN) {
    return true;
  }
#endif
  return bytes <= net->inject_max;
}

AVRM_INLINE avrm_status_t avrm_i_fp_check_data(const void *buffer, int32_t count, avrm_datatype_t type) AVRM_NOEXCEPT {
  if (AVRM_UNLIKELY(count < 0)) {
    return AVRM_ERR_COUNT;
  }
  if (AVRM_UNLIKELY(type == AVRM_DATATYPE_NULL)) {
    return AVRM_ERR_DATATYPE;
  }
  // The general path, which all derived datatypes take, checks that they are committed.
  return AVRM_UNLIKELY(buffer == NULL && count != 0) ? AVRM_ERR_BUFFER : AVRM_OK;
}

/// Returns true if `bytes` bytes at a displacement lie within a part of `size` bytes.
AVRM_INLINE bool avrm_i_fp_is_inside(int64_t displacement, uint64_t unit, size_t bytes, uint64_t size) AVRM_NOEXCEPT {
  // Sizes are below 2^47 and units below 2^31, hence the product fits when the first comparison
  // holds.
  return (uint64_t)displacement <= size && (uint64_t)displacement * unit <= size &&
         bytes <= size - (uint64_t)displacement * unit;
}

/// The rest of an isend, from the address word on.
AVRM_INLINE_ALWAYS avrm_status_t avrm_i_fp_isend_to(uint64_t word, const void *buffer, int32_t count,
                                                    avrm_datatype_t type, int64_t dest, int32_t tag,
                                                    avrm_fp_comm_t *comm, avrm_request_t **request_p, unsigned options,
                                                    avrm_fp_binding_t bind) AVRM_NOEXCEPT {
  uint64_t handle;
  const bool network = avrm_i_fp_decode(word, bind.codec >= 0 ? bind.codec : comm->codec, &handle);
  const size_t bytes = avrm_type_predefined_size(type) * (size_t)(uint32_t)count;
  if (AVRM_UNLIKELY(!network || !avrm_type_is_predefined(type) || !avrm_i_fp_injects(comm->net, bytes))) {
    return avrm_i_fp_isend_general(buffer, count, dest, tag, comm, request_p, type, options);
  }
  const uint64_t match =
      (options & AVRM_FP_NO_MATCH) != 0 ? comm->context_match : comm->send_match | (uint64_t)(uint32_t)tag;
  if ((options & AVRM_FP_NO_REQUEST) == 0) {
    *request_p = &avrm_i_fp_done;
  }
  return bind.tinject(buffer, bytes, handle, match, comm->net);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_i_fp_isend(const void *buffer, int32_t count, avrm_datatype_t type, int64_t dest,
                                                 int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p,
                                                 unsigned options, avrm_fp_binding_t bind) AVRM_NOEXCEPT {
  if ((options & AVRM_FP_CHECKS) != 0) {
    if (AVRM_UNLIKELY(comm == NULL || comm->live != AVRM_FP_LIVE)) {
      return AVRM_ERR_COMM;
    }
    const avrm_status_t status = avrm_i_fp_check_data(buffer, count, type);
    if (AVRM_UNLIKELY(status != AVRM_OK)) {
      return status;
    }
    if (AVRM_UNLIKELY((uint64_t)dest >= (uint64_t)(int64_t)comm->map->size && dest != AVRM_PROC_NULL)) {
      return AVRM_ERR_RANK;
    }
    if (AVRM_UNLIKELY((uint32_t)tag > (uint32_t)AVRM_MATCH_MAX_TAG)) {
      return AVRM_ERR_TAG;
    }
    if (AVRM_UNLIKELY(request_p == NULL)) {
      return AVRM_ERR_REQUEST;
    }
  }
  if ((options & AVRM_FP_THREADS) != 0 && AVRM_UNLIKELY(comm->threads != 0)) {
    return avrm_i_fp_isend_locked(buffer, count, dest, tag, comm, request_p, type, options);
  }
  if ((options & AVRM_FP_NO_PROC_NULL) == 0 && AVRM_UNLIKELY(dest == AVRM_PROC_NULL)) {
    if ((options & AVRM_FP_NO_REQUEST) == 0) {
      *request_p = &avrm_i_fp_done;
    }
    return AVRM_OK;
  }
  if ((options & AVRM_FP_GLOBAL) == 0) {
    const uint64_t word = avrm_rankmap_word(comm->map, (int32_t)dest);
    return avrm_i_fp_isend_to(word, buffer, count, type, dest, tag, comm, request_p, options, bind);
  }
  const uint64_t word = AVRM_LIKELY(!avrm_i_is_line(comm->world)) ? avrm_i_fp_world_word(comm->world, dest)
                                                                  : avrm_i_fp_world_line(comm->world, dest);
  return avrm_i_fp_isend_to(word, buffer, count, type, dest, tag, comm, request_p, options, bind);
}

/// A put of one thread, without checks, where parts differ and the rank is not AVRM_PROC_NULL. The
/// target's part has a record, else the general path puts.
/// @param type  predefined
AVRM_INLINE_ALWAYS avrm_status_t avrm_i_fp_put_of_record(const void *buffer, size_t bytes, int64_t target,
                                                         int64_t displacement, avrm_fp_window_t *window,
                                                         unsigned options, avrm_fp_binding_t bind) AVRM_NOEXCEPT {
  uint64_t handle;
  const uint64_t word = avrm_rankmap_word(window->map, (int32_t)target);
  const bool network = avrm_i_fp_decode(word, bind.codec >= 0 ? bind.codec : window->codec, &handle);
  if (AVRM_LIKELY(network && avrm_i_fp_injects(window->net, bytes))) {
    const avrm_directory_record_t *const record = avrm_i_directory_first(window->parts, (int32_t)target);
    if (AVRM_LIKELY(record->rank == (uint32_t)target)) {
      uint64_t remote = (uint64_t)displacement;
      if ((options & AVRM_FP_VIRTUAL_ADDR) == 0) {
        remote = record->base + remote * window->unit;
      }
      return bind.put_inject(buffer, bytes, record->key, remote, handle, window->net);
    }
  }
  return avrm_i_fp_put_bytes(buffer, bytes, target, displacement, window, options);
}

// As functions, with registers of their own: inlined, they would cost all other puts some.
AVRM_I_FP_FUNCTION avrm_status_t avrm_i_fp_put_by_record(const void *buffer, size_t bytes, int32_t target,
                                                         int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_put_of_record(buffer, bytes, target, displacement, window, 0, bind);
}
AVRM_I_FP_FUNCTION avrm_status_t avrm_i_fp_put_by_key(const void *buffer, size_t bytes, int32_t target,
                                                      int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_put_of_record(buffer, bytes, target, displacement, window, AVRM_FP_VIRTUAL_ADDR, bind);
}

/// The rest of a put, from the address word on.
AVRM_INLINE_ALWAYS avrm_status_t avrm_i_fp_put_to(uint64_t word, const void *buffer, int32_t count,
                                                  avrm_datatype_t type, int64_t target, int64_t displacement,
                                                  avrm_fp_window_t *window, unsigned options,
                                                  avrm_fp_binding_t bind) AVRM_NOEXCEPT {
  const bool virtual_address = (options & AVRM_FP_VIRTUAL_ADDR) != 0;
  uint64_t handle;
  const bool network = avrm_i_fp_decode(word, bind.codec >= 0 ? bind.codec : window->codec, &handle);
  const size_t bytes = avrm_type_predefined_size(type) * (size_t)(uint32_t)count;
  if (AVRM_UNLIKELY(!network || !avrm_type_is_predefined(type) || !avrm_i_fp_injects(window->net, bytes))) {
    return avrm_i_fp_put_general(buffer, count, target, displacement, window, type, options);
  }
  if ((options & AVRM_FP_CHECKS) != 0 &&
      AVRM_UNLIKELY(!avrm_i_fp_is_inside(displacement, window->unit, bytes, window->parts->size))) {
    return AVRM_ERR_OUTSIDE;
  }
  const uint64_t remote =
      virtual_address ? (uint64_t)displacement : window->base + (uint64_t)displacement * window->unit;
  return bind.put_inject(buffer, bytes, window->key, remote, handle, window->net);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_i_fp_put(const void *buffer, int32_t count, avrm_datatype_t type, int64_t target,
                                               int64_t displacement, avrm_fp_window_t *window, unsigned options,
                                               avrm_fp_binding_t bind) AVRM_NOEXCEPT {
  if ((options & AVRM_FP_CHECKS) != 0) {
    if (AVRM_UNLIKELY(window == NULL || window->live != AVRM_FP_LIVE)) {
      return AVRM_ERR_WINDOW;
    }
    const avrm_status_t status = avrm_i_fp_check_data(buffer, count, type);
    if (AVRM_UNLIKELY(status != AVRM_OK)) {
      return status;
    }
    if (AVRM_UNLIKELY((uint64_t)target >= (uint64_t)(int64_t)window->map->size && target != AVRM_PROC_NULL)) {
      return AVRM_ERR_RANK;
    }
  }
  if ((options & AVRM_FP_THREADS) != 0 && AVRM_UNLIKELY(window->threads != 0)) {
    return avrm_i_fp_put_locked(buffer, count, target, displacement, window, type, options);
  }
  if ((options & AVRM_FP_NO_PROC_NULL) == 0 && AVRM_UNLIKELY(target == AVRM_PROC_NULL)) {
    return AVRM_OK;
  }
  if ((options & AVRM_FP_GLOBAL) == 0) {
    if (AVRM_UNLIKELY(window->uniform == 0)) {
      if ((options & AVRM_FP_CHECKS) == 0 && avrm_type_is_predefined(type)) {
        const size_t bytes = avrm_type_predefined_size(type) * (size_t)(uint32_t)count;
        return (options & AVRM_FP_VIRTUAL_ADDR) != 0
                   ? avrm_i_fp_put_by_key(buffer, bytes, (int32_t)target, displacement, window)
                   : avrm_i_fp_put_by_record(buffer, bytes, (int32_t)target, displacement, window);
      }
      return avrm_i_fp_put_general(buffer, count, target, displacement, window, type, options);
    }
    const uint64_t word = avrm_rankmap_word(window->map, (int32_t)target);
    return avrm_i_fp_put_to(word, buffer, count, type, target, displacement, window, options, bind);
  }
  // One test for parts and kind of AV.
  uint64_t word = 0;
  if (AVRM_LIKELY(window->uniform == AVRM_I_FP_UNIFORM_AND_TABLE)) {
    word = avrm_i_fp_world_word(window->world, target);
  } else if (window->uniform == AVRM_I_FP_UNIFORM_AND_LINE) {
    word = avrm_i_fp_world_line(window->world, target);
  }
  return avrm_i_fp_put_to(word, buffer, count, type, target, displacement, window, options, bind);
}

// Builds and proposals.

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                      avrm_request_t **request_p) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, 0, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int32_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, 0, bind);
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
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, AVRM_FP_GLOBAL, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                   int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                   avrm_request_t **request_p) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, AVRM_FP_NO_PROC_NULL, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_noreq(const void *buffer, int32_t count, avrm_datatype_t type,
                                                     int32_t dest, int32_t tag, avrm_fp_comm_t *comm) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, NULL, AVRM_FP_NO_REQUEST, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_nomatch(const void *buffer, int32_t count, avrm_datatype_t type,
                                                       int32_t dest, avrm_fp_comm_t *comm,
                                                       avrm_request_t **request_p) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_isend(buffer, count, type, dest, 0, comm, request_p, AVRM_FP_NO_MATCH, bind);
}

#define AVRM_I_FP_ISEND_ALL_OPTS (AVRM_FP_GLOBAL | AVRM_FP_NO_PROC_NULL | AVRM_FP_NO_REQUEST | AVRM_FP_NO_MATCH)
#define AVRM_I_FP_PUT_ALL_OPTS (AVRM_FP_GLOBAL | AVRM_FP_VIRTUAL_ADDR | AVRM_FP_NO_PROC_NULL)

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                        int64_t dest, avrm_fp_comm_t *comm) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_isend(buffer, count, type, dest, 0, comm, NULL, AVRM_I_FP_ISEND_ALL_OPTS, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_global(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int64_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, AVRM_FP_GLOBAL, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_virtual_addr(const void *buffer, int32_t count, avrm_datatype_t type,
                                                          int32_t target, uint64_t address,
                                                          avrm_fp_window_t *window) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_put(buffer, count, type, target, (int64_t)address, window, AVRM_FP_VIRTUAL_ADDR, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                 int32_t target, int64_t displacement,
                                                 avrm_fp_window_t *window) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, AVRM_FP_NO_PROC_NULL, bind);
}

AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int64_t target, uint64_t address,
                                                      avrm_fp_window_t *window) AVRM_NOEXCEPT {
  const avrm_fp_binding_t bind = AVRM_FP_BINDING;
  return avrm_i_fp_put(buffer, count, type, target, (int64_t)address, window, AVRM_I_FP_PUT_ALL_OPTS, bind);
}

AVRM_END_DECLS

#endif
