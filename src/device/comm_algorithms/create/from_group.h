// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators whose members every process knows: a dup, and a group.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_FROM_GROUP_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_FROM_GROUP_H

#include "avrankmap/group.h"
#include "comm_algorithms/conclude.h"

namespace avrankmap::detail {

// The same processes once more. With a bridge: of both groups.
Task make_dup(Channel &channel, const Bridge *bridge, CreationHost &site, const Parent &parent,
              CreationResult *made) noexcept;

// AVRM_ERR_RANK if a group is not part of the processes of a map. Local.
[[nodiscard]] avrm_status_t check_part_of(const avrm_group_t *group, const avrm_rankmap_t *whole) noexcept;

// The part of the parent that `group` is: collective over the parent. Processes outside it get
// nothing. Different groups may be made at once if no process is in two of them. AVRM_ERR_RANK if
// the group is not part of the parent.
Task make_from_group(Channel &channel, CreationHost &site, const Parent &parent, const avrm_group_t *group,
                     CreationResult *made) noexcept;

// The same, collective over the group only; the channel is one of the group's (GroupChannel).
// AVRM_ERR_MISMATCH if members name different groups of the same size.
Task make_in_group(Channel &channel, CreationHost &site, const avrm_group_t *group, std::uint32_t seed,
                   CreationResult *made) noexcept;

// The same of the processes of a map. AVRM_ERR_MISMATCH if members name different digests.
Task make_among(Channel &channel, CreationHost &site, const avrm_rankmap_t *members, std::uint64_t digest,
                std::uint32_t seed, CreationResult *made) noexcept;

// The rank of a process; kNobody if it has none. Works without memory, too, only slower.
[[nodiscard]] std::int32_t rank_in(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept;

} // namespace avrankmap::detail

#endif
