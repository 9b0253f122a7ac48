// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path, bound to the netmod that the program was compiled for, or to none.
#ifndef AVRANKMAP_TESTS_DEVICE_FASTPATH_FASTPATH_BINDING_H
#define AVRANKMAP_TESTS_DEVICE_FASTPATH_FASTPATH_BINDING_H

#if defined(AVRM_TEST_BOUND_TO_OFI)
#include "ofi/ofi_fast.h"
#define AVRM_FP_BINDING AVRM_I_FP_OFI
#elif defined(AVRM_TEST_BOUND_TO_UCX)
#include "ucx/ucx_fast.h"
#define AVRM_FP_BINDING AVRM_I_FP_UCX
#endif
#include "avrankmap/device/fastpath.h"

#endif
