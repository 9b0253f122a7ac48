// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boots as a client of PMIx. Only in builds that found PMIx (AVRM_HAVE_PMIX).
#ifndef AVRANKMAP_SRC_LAUNCH_PMIX_BOOT_H
#define AVRANKMAP_SRC_LAUNCH_PMIX_BOOT_H

#include <memory>

#include "launch/boot.h"

namespace avrankmap::detail {

// Returns AVRM_OK, AVRM_ERR_BOOT, AVRM_ERR_SYSTEM or AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t open_pmix(std::unique_ptr<avrm_boot> *boot_p) noexcept;

} // namespace avrankmap::detail

#endif
