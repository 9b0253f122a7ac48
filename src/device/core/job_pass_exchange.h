// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages contain the pass of the job that they are sent to; a message without it is not
// processed. Members learn the pass from the launcher, other worlds from a group message.
#ifndef AVRANKMAP_SRC_CORE_JOB_PASS_EXCHANGE_H
#define AVRANKMAP_SRC_CORE_JOB_PASS_EXCHANGE_H

#include "avrankmap/device/device.h"
#include "launch/job_pass.h"

namespace avrankmap::detail {

// In the first process of a job: generates the pass, unless the boot has one, and publishes it.
[[nodiscard]] avrm_status_t publish_pass(avrm_boot_t *boot) noexcept;
// Fetches the pass of this job, after the fence that followed its publication.
[[nodiscard]] avrm_status_t learn_pass(avrm_boot_t *boot) noexcept;

} // namespace avrankmap::detail

#endif
