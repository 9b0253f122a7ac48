// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transports that this build has.
#ifndef AVRANKMAP_SRC_CORE_TRANSPORTS_H
#define AVRANKMAP_SRC_CORE_TRANSPORTS_H

#include "avrankmap/device/shmmod.h"

namespace avrankmap::detail {

// By name; null for the first one built. Null if there is none.
[[nodiscard]] const avrm_netmod_ops_t *find_netmod(const char *name) noexcept;
[[nodiscard]] const avrm_shmmod_ops_t *find_shmmod(const char *name) noexcept;

// Their names, with ", " between them.
[[nodiscard]] const char *netmod_names() noexcept;
[[nodiscard]] const char *shmmod_names() noexcept; // ends with "none"

} // namespace avrankmap::detail

#endif
