// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a process occurs twice in a map, which groups and communicators forbid.
#ifndef AVRANKMAP_SRC_RANKMAP_DUPLICATES_H
#define AVRANKMAP_SRC_RANKMAP_DUPLICATES_H

#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

// AVRM_OK, AVRM_ERR_DUPLICATE, or AVRM_ERR_NO_MEMORY for the scratch that a table needs: a bit per lpid up to the
// greatest one, or, where the table is thin, 8 bytes per rank to sort. O(1) for regular maps, else O(size) or
// O(size log size).
[[nodiscard]] avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
