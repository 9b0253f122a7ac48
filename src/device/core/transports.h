// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transports of this build.
#ifndef AVRANKMAP_SRC_CORE_TRANSPORTS_H
#define AVRANKMAP_SRC_CORE_TRANSPORTS_H

#include "avrankmap/device/shmmod.h"

namespace avrankmap::detail {

// Finds a transport by name; a null name finds the first one. Returns null if there is none.
[[nodiscard]] const avrm_netmod_ops_t *find_netmod(const char *name) noexcept;
[[nodiscard]] const avrm_shmmod_ops_t *find_shmmod(const char *name) noexcept;

// Return the names of the transports, separated by ", ".
[[nodiscard]] const char *netmod_names() noexcept;
[[nodiscard]] const char *shmmod_names() noexcept; // ends with "none"

} // namespace avrankmap::detail

#endif
