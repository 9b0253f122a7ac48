// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators whose members every process knows: duplicates, and communicators of a group.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_FROM_GROUP_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_FROM_GROUP_H

#include "avrankmap/group.h"
#include "comm_algorithms/conclude.h"

namespace avrankmap::detail {

// Creates a duplicate; with a bridge, of an intercommunicator.
Task make_dup(Channel &channel, const Bridge *bridge, CreationHost &site, const Parent &parent,
              CreationResult *made) noexcept;

// Returns AVRM_ERR_RANK if a group is not a subset of the processes of a map. Local.
[[nodiscard]] avrm_status_t check_part_of(const avrm_group_t *group, const avrm_rankmap_t *whole) noexcept;

// Creates a communicator of `group`, collectively over the parent. Processes outside the group get
// no communicator. Processes may pass different groups if no process is in two of them. Returns
// AVRM_ERR_RANK if the group is not a subset of the parent.
Task make_from_group(Channel &channel, CreationHost &site, const Parent &parent, const avrm_group_t *group,
                     CreationResult *made) noexcept;

// As above, but collective over the group only; the channel is that of the group (GroupChannel).
// `name` is the same in all members, and distinguishes this creation from concurrent ones. Returns
// AVRM_ERR_MISMATCH if members pass different groups of the same size.
Task make_in_group(Channel &channel, CreationHost &site, const avrm_group_t *group, std::uint64_t name,
                   CreationResult *made) noexcept;

// As above, for the processes of a map. Returns AVRM_ERR_MISMATCH if members pass different
// digests.
Task make_among(Channel &channel, CreationHost &site, const avrm_rankmap_t *members, std::uint64_t digest,
                std::uint32_t seed, CreationResult *made) noexcept;

// Returns the rank of a process; kNobody if it is not a member. Searches all ranks if memory is
// exhausted.
[[nodiscard]] std::int32_t rank_in(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept;

} // namespace avrankmap::detail

#endif
