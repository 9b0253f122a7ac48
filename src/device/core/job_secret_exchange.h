// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages contain the secret of the job that they are sent to; a message without it is not
// processed. Processes of the job learn the secret from the launcher, processes of other worlds
// from a group message.
#ifndef AVRANKMAP_SRC_CORE_JOB_SECRET_EXCHANGE_H
#define AVRANKMAP_SRC_CORE_JOB_SECRET_EXCHANGE_H

#include "avrankmap/device/device.h"
#include "launch/job_secret.h"

namespace avrankmap::detail {

// Generates the secret, unless the boot has one, and publishes it. Called in the first process of a
// job.
[[nodiscard]] avrm_status_t publish_secret(avrm_boot_t *boot) noexcept;
// Fetches the secret of this job, after the fence that followed its publication. Returns
// AVRM_ERR_TIMEOUT if the launcher does not answer now.
[[nodiscard]] avrm_status_t learn_secret(avrm_boot_t *boot) noexcept;

} // namespace avrankmap::detail

#endif
