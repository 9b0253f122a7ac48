// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stand-in for ucx_impl.h and UCX.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH5_UCX_IMPL_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH5_UCX_IMPL_H

#include "tests/adapter/mpich5/mpidimpl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ucp_ep *ucp_ep_h;
typedef struct ucp_worker *ucp_worker_h;
typedef struct ucp_address ucp_address_t;
typedef enum { UCS_OK = 0, UCS_ERR_NO_MEMORY = -4 } ucs_status_t;
enum { UCP_EP_PARAM_FIELD_REMOTE_ADDRESS = 1 };
typedef struct {
  uint64_t field_mask;
  const ucp_address_t *address;
} ucp_ep_params_t;
typedef void *ucs_status_ptr_t;
#define UCS_PTR_IS_PTR(ptr) ((uintptr_t)(ptr)-1 < (uintptr_t)-101)
ucs_status_ptr_t ucp_disconnect_nb(ucp_ep_h ep);
int ucp_request_is_completed(void *request);
void ucp_request_release(void *request);
unsigned ucp_worker_progress(ucp_worker_h worker);
#define MPIDI_UCX_CHK_STATUS(status)                                                                                   \
  do {                                                                                                                 \
    if ((status) != UCS_OK) {                                                                                          \
      mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_OTHER,           \
                                       "**ucx_nm_status", "**ucx_nm_status %s %d %s %s", __FILE__, __LINE__, __func__, \
                                       "failed");                                                                      \
      goto fn_fail;                                                                                                    \
    }                                                                                                                  \
  } while (0)
ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep_p);

typedef struct {
  ucp_worker_h worker;
} MPIDI_UCX_context_t;
typedef struct {
  MPIDI_UCX_context_t ctx[64];
  int num_vcis;
} MPIDI_UCX_global_t;
extern MPIDI_UCX_global_t MPIDI_UCX_global;

#ifdef __cplusplus
}
#endif
#include "src/adapter/mpich5/ucx.h"

#endif
