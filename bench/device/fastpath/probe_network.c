// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The network that the probes end in.
#include "device/fastpath/probes.h"

avrm_status_t avrm_probe_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                 avrm_netmod_t *net) {
  (void)buffer, (void)bytes, (void)handle, (void)match, (void)net;
  return AVRM_OK;
}

avrm_status_t avrm_probe_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                                    avrm_netmod_t *net) {
  (void)buffer, (void)bytes, (void)key, (void)remote, (void)handle, (void)net;
  return AVRM_OK;
}
