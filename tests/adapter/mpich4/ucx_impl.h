// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stand-in for ucx_impl.h of MPICH 4.0.2.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH4_UCX_IMPL_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH4_UCX_IMPL_H

#include "tests/adapter/mpich4/mpidimpl.h"

typedef struct ucp_ep *ucp_ep_h;

#include "adapter/mpich4/ucx.h"

#endif
