// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a window exchange the locations of their parts: summaries are sent up a binomial
// tree, and the summary of all ranks is sent down. A member sends at most 2 log P + 2 messages, of
// O(runs) bytes.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_EXCHANGE_WINDOW_PARTS_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_EXCHANGE_WINDOW_PARTS_H

#include "avrankmap/parts.h"
#include "comm_algorithms/channel/task.h"

namespace avrankmap::detail {

// Creates the summary of all members' parts, which is the same in all members. *all_p is undefined
// after an error.
// @param mine  the status of this member so far; if it is an error in any member, all members
//              return an error
// @return also AVRM_ERR_NO_MEMORY, if a member cannot allocate 12 KB
Task exchange_window_parts(Channel &channel, avrm_status_t mine, avrm_part_t own, avrm_parts_t *all_p) noexcept;

} // namespace avrankmap::detail

#endif
