// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Splits: by colour and key, by node, and by a part of a node.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_SPLIT_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_SPLIT_H

#include "avrankmap/group.h"
#include "comm_algorithms/conclude.h"

namespace avrankmap::detail {

// How a split finds the members and ranks of its parts.
enum class SplitMethod {
  kChoose,
  kGather, // all processes receive all colours and keys: O(P) temporary memory, few messages
  // Colours and keys are sorted in place, and each group searches for a pattern: O(1) memory if it
  // finds one.
  kSort
};

// Finds the map and rank of this process's part of a split. An error may be local.
Task find_part(Channel &channel, const Parent &parent, std::int32_t colour, std::int32_t key, SplitMethod method,
               CreationResult *made) noexcept;

// Creates one communicator per colour, ordered by key, then rank. A process with colour
// AVRM_UNDEFINED gets none.
Task make_split(Channel &channel, CreationHost &site, const Parent &parent, std::int32_t colour, std::int32_t key,
                SplitMethod method, CreationResult *made) noexcept;

// Splits by two colours, the node and a part of the node: one communicator per pair. `status` is
// this process's status so far.
Task make_part_split(Channel &channel, CreationHost &site, const Parent &parent, avrm_status_t status,
                     std::int32_t node, std::int32_t part, std::int32_t key, CreationResult *made) noexcept;

} // namespace avrankmap::detail

#endif
