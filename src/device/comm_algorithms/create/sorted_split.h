// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Splits without memory per process: the processes sort their colours, keys and ranks in place, one
// item each, and then each group finds out whether its ranks follow a pattern. Only a group without
// a pattern gathers its ranks.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_SORTED_SPLIT_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_SORTED_SPLIT_H

#include "comm_algorithms/channel/task.h"
#include "comm_algorithms/creation_host.h"

namespace avrankmap::detail {

// Stores the map and rank of this process's part of the split in `made`. Collective. An error may
// be local. O(log^2 P) messages, and O(1) memory in addition to the map if there is a pattern.
Task sort_and_find(Channel &channel, const Parent &parent, std::int32_t colour, std::int32_t key,
                   CreationResult *made) noexcept;

} // namespace avrankmap::detail

#endif
