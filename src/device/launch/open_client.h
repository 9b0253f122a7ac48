// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Joins the job of a launcher as its client. Each function is in a folder of its own, and only in
// builds that found the client library (AVRM_HAVE_PMIX, AVRM_HAVE_PMI2).
#ifndef AVRANKMAP_SRC_LAUNCH_OPEN_CLIENT_H
#define AVRANKMAP_SRC_LAUNCH_OPEN_CLIENT_H

#include <memory>

#include "launch/boot.h"

namespace avrankmap::detail {

// Returns AVRM_OK, AVRM_ERR_BOOT, AVRM_ERR_SYSTEM or AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t open_pmix(std::unique_ptr<avrm_boot> *boot_p) noexcept;
// Returns AVRM_OK, AVRM_ERR_BOOT (with a text, open_error.h) or AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t open_pmi2(std::unique_ptr<avrm_boot> *boot_p) noexcept;

} // namespace avrankmap::detail

#endif
