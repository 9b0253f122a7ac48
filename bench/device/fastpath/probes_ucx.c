// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/ucx_fast.h"

#define AVRM_FP_BINDING AVRM_I_FP_UCX
#define AVRM_PROBES avrm_probes_ucx
#include "device/fastpath/probes_inl.h"
