// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/ofi_fast.h"

#define AVRM_FP_BINDING AVRM_I_FP_OFI
#define AVRM_PROBES avrm_probes_ofi
#include "device/fastpath/probes_inl.h"
