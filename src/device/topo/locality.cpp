// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/device/topo.h"

#include <cstdint>

namespace avrankmap::detail {

namespace {

// True if both processes are known to run in the same domain.
bool same(std::int32_t one, std::int32_t other) noexcept { return one != AVRM_TOPO_SPREAD && one == other; }

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_topo_shared(const avrm_locality_t *one, const avrm_locality_t *other,
                               avrm_domain_t *domain_p) noexcept {
  if (one == nullptr || other == nullptr || domain_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (one->machine != other->machine) {
    return AVRM_ERR_PEER;
  }
  if (same(one->l3, other->l3)) {
    *domain_p = AVRM_DOMAIN_L3;
  } else if (same(one->numa, other->numa)) {
    *domain_p = AVRM_DOMAIN_NUMA;
  } else if (same(one->package, other->package)) {
    *domain_p = AVRM_DOMAIN_PACKAGE;
  } else {
    *domain_p = AVRM_DOMAIN_MACHINE;
  }
  return AVRM_OK;
}
