// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collective part of a disconnect.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_DISCONNECT_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_DISCONNECT_H

#include "comm_algorithms/channel/task.h"

namespace avrankmap::detail {

// The channels between the processes of rank 0 of two groups.
struct LeaderChannels {
  Channel &breakable;
  Channel &lasting;
};

// Completes once no other process waits for this one, and all messages of this process have been
// received. Messages of `channel` end when a member of either group has died, those of `lasting`
// only when the peer has; both have the same processes and match each other's messages, as do the
// channels of the leaders (null: there is one group, or this is another process). `first`: this
// group comes first in an order that is the same in both.
Task disconnect_barrier(Channel &channel, Channel &lasting, const LeaderChannels *leaders, bool first) noexcept;

} // namespace avrankmap::detail

#endif
