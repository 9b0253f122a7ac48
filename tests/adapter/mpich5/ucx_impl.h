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
