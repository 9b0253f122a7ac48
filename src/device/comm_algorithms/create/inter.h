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

// Creates an intercommunicator of two groups. The channel is that of this process's group; the
// bridge connects its leader with the leader of the other group. Returns AVRM_ERR_DUPLICATE if the
// groups overlap. If a leader cannot reach the other one, all processes of its group return its
// bridge.status.
Task make_inter(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, std::uint32_t seed,
                CreationResult *made) noexcept;

// As above, after the leader has tried to reach the other one: `status` and `seed` are the
// leader's.
Task make_joined(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, avrm_status_t status,
                 std::uint32_t seed, CreationResult *made) noexcept;

// Creates a communicator of two groups. The group whose processes pass `high` comes last; ties are
// resolved as in make_merged. Errors are those of make_inter.
Task make_united(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, bool high,
                 std::uint32_t seed, CreationResult *made) noexcept;

// Creates a communicator of both groups of an intercommunicator. The group whose processes pass
// `high` comes last; if both pass the same value, the group with the greater first process.
Task make_merged(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &parent, bool high,
                 CreationResult *made) noexcept;

// Splits both groups of an intercommunicator. A colour that occurs in only one group yields no
// communicator.
Task make_inter_split(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &parent,
                      std::int32_t colour, std::int32_t key, CreationResult *made) noexcept;

} // namespace avrankmap::detail

#endif
