// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement of the members of a group, or of two groups, on a context id, and on whether all of
// them can continue.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CONTEXT_AGREEMENT_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CONTEXT_AGREEMENT_H

#include "comm_algorithms/channel/collectives.h"
#include "comm_algorithms/contexts.h"

namespace avrankmap::detail {

// Connects two groups: their leaders have a channel to each other.
struct Bridge {
  std::int32_t leader;            // in the local group
  Channel *channel;               // the leader's, if it is connected; null in all other processes
  std::int32_t partner;           // the other leader's rank in `channel`
  avrm_status_t status = AVRM_OK; // in a leader that is not connected: the reason
};

// A member's contribution.
struct Contribution {
  avrm_status_t status = AVRM_OK; // an error if this process cannot continue
  // A digest of arguments that must be the same in all members; otherwise AVRM_ERR_MISMATCH.
  std::uint64_t digest = 0;
  std::uint32_t seed = 0; // determines where the search for an id begins; the same in all members
};

// Finds an id that is free in all members and takes it in each. After an error that a member
// passed, or if there is no id, no member has taken one, and all members return the worst status. A
// member may also fail or the parent be revoked before all members know the result: then some
// members return that error, and others may have agreed. *id_p is then the id on which they may
// have agreed, if any, which remains taken, because messages with it may arrive.
//
// Usually one reduction over the group: each member proposes its first free id, counted from a
// start that depends on the seed. Threads that create from different communicators concurrently
// therefore rarely compete for the same ids. If the proposals differ, the search continues at the
// greatest. After a few such rounds all ids are compared in windows, so that an id that is free in
// all members is always found. Returns AVRM_ERR_LIMIT if there is none.
Task agree_on_context(Channel &channel, const Bridge *bridge, Contexts &contexts, const Contribution &mine,
                      std::uint32_t *id_p) noexcept;

// Returns the worst status that any member of one group, or of both, passes. For steps that may
// fail before the agreement on an id.
Task agree_on_status(Channel &channel, const Bridge *bridge, avrm_status_t status) noexcept;

} // namespace avrankmap::detail

#endif
