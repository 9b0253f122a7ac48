// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of many blocks or rows without a few of their members, at the cost of those only.
#ifndef AVRANKMAP_SRC_GROUP_LEAVE_OUT_H
#define AVRANKMAP_SRC_GROUP_LEAVE_OUT_H

#include "base/array.h"
#include "group/group.h"

namespace avrankmap::detail {

// The group without some of its ranks, each once. Sorts them.
[[nodiscard]] avrm_status_t leave_out(const avrm_group_t *group, Array<std::int32_t> *ranks,
                                      avrm_group_t **group_p) noexcept;

// Whether this takes less than a list of the group's runs, given the number of ranks.
[[nodiscard]] bool are_few_of_many_runs(const avrm_group_t *group, std::int64_t ranks) noexcept;

} // namespace avrankmap::detail

#endif
