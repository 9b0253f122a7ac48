// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The internal communicators of a communicator's node and of the first processes of all its nodes,
// created at first use.
#ifndef AVRANKMAP_SRC_COMM_CALLS_NODE_COMMS_H
#define AVRANKMAP_SRC_COMM_CALLS_NODE_COMMS_H

#include "core/communicator.h"

namespace avrankmap::detail {

// Shares a communicator's nodes with a duplicate. Returns null if memory is exhausted; then each
// finds its nodes separately.
[[nodiscard]] SharedNodes *share_nodes(avrm_comm_t *comm) noexcept;
// Releases a communicator's reference to its nodes.
void drop_nodes(avrm_comm_t *comm) noexcept;

} // namespace avrankmap::detail

#endif
