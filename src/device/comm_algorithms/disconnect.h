// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Leaving a communicator for good: the collective part of a disconnect.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_DISCONNECT_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_DISCONNECT_H

#include "comm_algorithms/context_agreement.h"

namespace avrankmap::detail {

// Returns when no other process waits for this one any more and all that it has sent was received.
// `first`: this group comes first in the site's order.
Task disconnect_barrier(Channel &channel, const Bridge *bridge, bool first) noexcept;

} // namespace avrankmap::detail

#endif
