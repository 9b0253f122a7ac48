// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding of the fast path (fastpath.h) to a netmod: the functions by which its operations finally
// pass the data to the network.
//
//   bound to a netmod   functions of the netmod's header, which are inlined: ofi/ofi_fast.h,
//                       ucx/ucx_fast.h or null/null_fast.h in avrankmap/netmod
//   not bound           AVRM_I_FP_TABLE: a call through the netmod's table
//
// A program that knows its netmod defines AVRM_FP_BINDING after that header and before fastpath.h
// (tests/tour/bound.c):
//
//   #include <avrankmap/netmod/ofi/ofi_fast.h>
//   #define AVRM_FP_BINDING AVRM_I_FP_OFI
//   #include <avrankmap/device/fastpath.h>
//
// In C++20 and later, where the inline functions have external linkage, AVRM_FP_BINDING must be the
// same in all translation units. avrm_fp_open returns AVRM_ERR_UNSUPPORTED on a device with another
// netmod.
//
// A function of a binding never returns AVRM_ERR_AGAIN. It tries once, and calls the library
// functions below if the network does not accept the operation, or if its netmod does not handle it
// inline.
#ifndef AVRANKMAP_DEVICE_BINDING_H
#define AVRANKMAP_DEVICE_BINDING_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

/// The binding of the fast path to a netmod.
typedef struct avrm_fp_binding {
  const char *netmod; ///< name of the only netmod that it supports; null: any
  int codec;          ///< avrm_codec_t, or -1: look it up
  /// Arguments are in the order of the application's call, so that they stay in their registers.
  avrm_status_t (*tinject)(const void *buffer, size_t bytes, uint64_t handle, uint64_t match, avrm_netmod_t *net);
  avrm_status_t (*put_inject)(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                              avrm_netmod_t *net);
} avrm_fp_binding_t;

/// Calls the netmod's tinject until it returns a status other than AVRM_ERR_AGAIN, and makes
/// progress between the calls. The netmod must belong to a device.
avrm_status_t avrm_i_fp_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                avrm_netmod_t *net) AVRM_NOEXCEPT;
/// Calls the netmod's put_inject until it returns a status other than AVRM_ERR_AGAIN, and makes
/// progress between the calls. The netmod must belong to a device.
avrm_status_t avrm_i_fp_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                                   avrm_netmod_t *net) AVRM_NOEXCEPT;

AVRM_INLINE avrm_status_t avrm_i_fp_table_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                                  avrm_netmod_t *net) AVRM_NOEXCEPT {
  return net->ops->fp_tinject(buffer, bytes, handle, match, net);
}

AVRM_INLINE avrm_status_t avrm_i_fp_table_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote,
                                                     uint64_t handle, avrm_netmod_t *net) AVRM_NOEXCEPT {
  return net->ops->fp_put_inject(buffer, bytes, key, remote, handle, net);
}

/// Binding of builds that support any netmod.
#define AVRM_I_FP_TABLE                                                                                                \
  { NULL, -1, avrm_i_fp_table_tinject, avrm_i_fp_table_put_inject }

AVRM_END_DECLS

#endif
