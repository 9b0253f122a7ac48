// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stand-in for ofi_impl.h and libfabric, with one address table per context.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH5_OFI_IMPL_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH5_OFI_IMPL_H

#include "tests/adapter/mpich5/mpidimpl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t fi_addr_t;
#define FI_ADDR_NOTAVAIL (~(fi_addr_t)0)
#define FI_NAME_MAX 64
struct fid_av;
int fi_av_insert(struct fid_av *av, const void *addr, size_t count, fi_addr_t *fi_addr, uint64_t flags, void *context);
int fi_av_lookup(struct fid_av *av, fi_addr_t fi_addr, void *addr, size_t *addrlen);
const char *fi_strerror(int errnum);
#define MPIDI_OFI_CALL(call, name)                                                                                     \
  do {                                                                                                                 \
    const long _ret = (call);                                                                                          \
    if (_ret < 0) {                                                                                                    \
      mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_OTHER,           \
                                       "**ofid_" #name, "**ofid_" #name " %s %s", "nic", fi_strerror((int)-_ret));     \
      goto fn_fail;                                                                                                    \
    }                                                                                                                  \
  } while (0)
static inline fi_addr_t fi_rx_addr(fi_addr_t fi_addr, int rx_index, int rx_ctx_bits) {
  return (uint64_t)rx_index << (64 - rx_ctx_bits) | fi_addr;
}

#ifndef MPIDI_OFI_VNI_USE_SEPCTX
#define MPIDI_OFI_VNI_USE_DOMAIN
#endif
#define MPIDI_OFI_ENABLE_SCALABLE_ENDPOINTS 0
#define MPIDI_OFI_MAX_ENDPOINTS_BITS 8
typedef struct {
  struct fid_av *av;
} MPIDI_OFI_context_t;
typedef struct {
  MPIDI_OFI_context_t ctx[64];
  int num_vcis;
  int num_nics;
} MPIDI_OFI_global_t;
extern MPIDI_OFI_global_t MPIDI_OFI_global;
static inline int MPIDI_OFI_get_ctx_index(int vci, int nic) { return nic * MPIDI_OFI_global.num_vcis + vci; }

#ifdef __cplusplus
}
#endif
#include "src/adapter/mpich5/ofi.h"

#endif
