// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two groups: creating an intercommunicator or a communicator of both, merging an
// intercommunicator, and splitting its groups.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_INTER_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_INTER_H

#include "avrankmap/group.h"
#include "comm_algorithms/conclude.h"

namespace avrankmap::detail {

// Two groups that do not overlap as the two sides of an intercommunicator. The channel is the own
// group's; the bridge leads to the leader of the other. AVRM_ERR_DUPLICATE if they do overlap. All
// of the own group end with the status of a leader that reaches nobody.
Task make_inter(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, std::uint32_t seed,
                CreationResult *made) noexcept;

// The same after the leader tried to reach the other one: `status` and `seed` are the leader's.
Task make_joined(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, avrm_status_t status,
                 std::uint32_t seed, CreationResult *made) noexcept;

// Two groups that do not overlap as one, the one whose processes say `high` last; ties as in
// make_merged(). Errors as of make_inter().
Task make_united(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, bool high,
                 std::uint32_t seed, CreationResult *made) noexcept;

// Both groups of an intercommunicator as one; the group whose processes say `high` comes last. If
// both say the same, the one with the greater first process does.
Task make_merged(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &parent, bool high,
                 CreationResult *made) noexcept;

// Splits both groups of an intercommunicator. A colour in one group only yields no communicator.
Task make_inter_split(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &parent,
                      std::int32_t colour, std::int32_t key, CreationResult *made) noexcept;

} // namespace avrankmap::detail

#endif
