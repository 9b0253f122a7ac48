// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Topologies in builds without hwloc: none can be opened.
#include "avrankmap/device/topo.h"

avrm_status_t avrm_topo_open(const char *, avrm_topo_t **topo_p) noexcept {
  return topo_p == nullptr ? AVRM_ERR_NULL : AVRM_ERR_UNSUPPORTED;
}
void avrm_topo_close(avrm_topo_t *) noexcept {}
bool avrm_topo_is_this_machine(const avrm_topo_t *) noexcept { return false; }
uint32_t avrm_topo_machine(const avrm_topo_t *) noexcept { return 0; }
int32_t avrm_topo_count(const avrm_topo_t *, avrm_domain_t) noexcept { return 0; }
avrm_status_t avrm_topo_cpus(const avrm_topo_t *, const uint32_t *, size_t, avrm_locality_t *) noexcept {
  return AVRM_ERR_NULL;
}
avrm_status_t avrm_topo_process(const avrm_topo_t *, int32_t, avrm_locality_t *) noexcept { return AVRM_ERR_NULL; }
avrm_status_t avrm_topo_object_of_cpus(const avrm_topo_t *, const char *, const uint32_t *, size_t,
                                       int32_t *) noexcept {
  return AVRM_ERR_NULL;
}
avrm_status_t avrm_topo_object_of_process(const avrm_topo_t *, const char *, int32_t, int32_t *) noexcept {
  return AVRM_ERR_NULL;
}
avrm_status_t avrm_topo_bind_av(const avrm_topo_t *, avrm_av_options_t *) noexcept { return AVRM_ERR_NULL; }
