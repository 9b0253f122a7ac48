// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/probes.h"

#define AVRM_FP_BINDING                                                                                                \
  { NULL, AVRM_CODEC_OFI, avrm_probe_tinject, avrm_probe_put_inject }
#define AVRM_PROBES avrm_probes_null
#include "device/fastpath/probes_inl.h"
