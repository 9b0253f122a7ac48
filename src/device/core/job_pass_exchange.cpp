// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/job_pass_exchange.h"

#include "base/random.h"
#include "launch/boot.h"

namespace avrankmap::detail {

avrm_status_t publish_pass(avrm_boot_t *boot) noexcept {
  JobPass &pass = boot->pass;
  if (const avrm_status_t status = pass.is_none() ? fill_random(&pass, sizeof pass) : AVRM_OK; status != AVRM_OK) {
    pass = {};
    return status;
  }
  // Devices of one job have one pass, so that it does not matter which of them published it last.
  return avrm_boot_publish(boot, JobPass::kSlot, &pass, sizeof pass);
}

avrm_status_t learn_pass(avrm_boot_t *boot) noexcept {
  if (AVRM_LIKELY(!boot->pass.is_none())) {
    return AVRM_OK;
  }
  JobPass pass;
  std::size_t bytes = sizeof pass;
  // Does not use avrm_boot_fetch, which fails for dead processes, although the launcher still has
  // their cards.
  const avrm_status_t status = boot->fetch(0, JobPass::kSlot, &pass, &bytes);
  if (status == AVRM_OK && bytes == sizeof pass && !pass.is_none()) {
    boot->pass = pass;
    return AVRM_OK;
  }
  return status != AVRM_OK ? status : AVRM_ERR_BOOT;
}

} // namespace avrankmap::detail
