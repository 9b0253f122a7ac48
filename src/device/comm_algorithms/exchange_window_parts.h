// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a window tell one another where their parts are: summaries go up a binomial tree,
// that of all ranks comes down. A member sends at most 2 log P + 2 messages, of O(runs) bytes.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_EXCHANGE_WINDOW_PARTS_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_EXCHANGE_WINDOW_PARTS_H

#include "avrankmap/parts.h"
#include "comm_algorithms/channel/task.h"

namespace avrankmap::detail {

// The summary of everybody's own part, the same for all; nothing of use if it fails.
// @param mine  what this member has met so far; if it is an error in any member, all end with one
// @return also AVRM_ERR_NO_MEMORY, if one member is short of it (12 KB)
Task exchange_window_parts(Channel &channel, avrm_status_t mine, avrm_part_t own, avrm_parts_t *all_p) noexcept;

} // namespace avrankmap::detail

#endif
