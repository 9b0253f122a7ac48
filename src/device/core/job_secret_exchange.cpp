// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/job_secret_exchange.h"

#include "base/random.h"
#include "launch/boot.h"

namespace avrankmap::detail {

avrm_status_t publish_secret(avrm_boot_t *boot) noexcept {
  JobSecret &secret = boot->secret;
  if (const avrm_status_t status = secret.is_none() ? fill_random(&secret, sizeof secret) : AVRM_OK;
      status != AVRM_OK) {
    secret = {};
    return status;
  }
  // All devices of a job have the same secret, so it does not matter which of them published it
  // last.
  return avrm_boot_publish(boot, JobSecret::kSlot, &secret, sizeof secret);
}

avrm_status_t learn_secret(avrm_boot_t *boot) noexcept {
  if (AVRM_LIKELY(!boot->secret.is_none())) {
    return AVRM_OK;
  }
  JobSecret secret;
  std::size_t bytes = sizeof secret;
  // Does not use avrm_boot_fetch, which fails for dead processes, although the launcher still has
  // their cards.
  const avrm_status_t status = boot->fetch(0, JobSecret::kSlot, &secret, &bytes);
  if (status == AVRM_OK && bytes == sizeof secret && !secret.is_none()) {
    boot->secret = secret;
    return AVRM_OK;
  }
  // It was published before the fence, so the launcher has it.
  return status == AVRM_ERR_PEER ? AVRM_ERR_TIMEOUT : status != AVRM_OK ? status : AVRM_ERR_BOOT;
}

} // namespace avrankmap::detail
