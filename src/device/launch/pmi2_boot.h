// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher interface as a client of PMI-2. Only in builds that found PMI-2 (AVRM_HAVE_PMI2).
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_BOOT_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_BOOT_H

#include <memory>

#include "launch/boot.h"

namespace avrankmap::detail {

// Returns AVRM_OK, AVRM_ERR_BOOT (with a text, open_error.h) or AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t open_pmi2(std::unique_ptr<avrm_boot> *boot_p) noexcept;

} // namespace avrankmap::detail

#endif
