// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collective part of a disconnect.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_DISCONNECT_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_DISCONNECT_H

#include "comm_algorithms/context_agreement.h"

namespace avrankmap::detail {

// Completes once no other process waits for this one, and all messages of this process have been
// received. `first`: this group comes first in the order of CreationHost.
Task disconnect_barrier(Channel &channel, const Bridge *bridge, bool first) noexcept;

} // namespace avrankmap::detail

#endif
