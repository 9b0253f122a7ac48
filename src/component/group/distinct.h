// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks whether a rank occurs twice in a list.
#ifndef AVRANKMAP_SRC_GROUP_DISTINCT_H
#define AVRANKMAP_SRC_GROUP_DISTINCT_H

#include "group/process_list.h"

namespace avrankmap::detail {

// Checks whether a rank occurs twice. `ranks` are runs, all of one process group, within 0 .. bound
// - 1.
// @return AVRM_OK, AVRM_ERR_DUPLICATE, AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT (too many runs)
// Cost: O(k log k) for k runs that do not overlap; otherwise O(n) for n ranks, or O(n log n) if
// they are sparse in `bound`.
[[nodiscard]] avrm_status_t check_distinct(const ProcessList &ranks, std::int32_t bound) noexcept;

} // namespace avrankmap::detail

#endif
