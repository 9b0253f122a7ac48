// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Removal of a run of members from groups that are one run, and of a few members from groups of
// many blocks or rows, at a cost that depends only on those members.
#ifndef AVRANKMAP_SRC_GROUP_LEAVE_OUT_H
#define AVRANKMAP_SRC_GROUP_LEAVE_OUT_H

#include "base/array.h"
#include "group/group.h"

namespace avrankmap::detail {

// True for groups that leave_out_run accepts.
[[nodiscard]] inline bool is_one_run(const avrm_group_t *group) noexcept {
  return size_of(group) > 0 && is_affine(&group->map);
}

// Creates the group without the processes of `run`. Returns AVRM_ERR_UNSUPPORTED if the result is
// not blocked or a cart. O(log stride).
[[nodiscard]] avrm_status_t leave_out_run(const avrm_group_t *group, const Run &run, avrm_group_t **group_p) noexcept;

// Creates the group without some of its ranks, each of which is listed once. Sorts `ranks`.
[[nodiscard]] avrm_status_t leave_out(const avrm_group_t *group, Array<std::int32_t> *ranks,
                                      avrm_group_t **group_p) noexcept;

// True if this takes less time than listing the group's runs, given the number of ranks.
[[nodiscard]] bool are_few_of_many_runs(const avrm_group_t *group, std::int64_t ranks) noexcept;

} // namespace avrankmap::detail

#endif
