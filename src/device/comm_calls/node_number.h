// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_COMM_CALLS_NODE_NUMBER_H
#define AVRANKMAP_SRC_COMM_CALLS_NODE_NUMBER_H

#include <cstdint>

#include "avrankmap/device/comm.h"

namespace avrankmap::detail {

// A number of this process's node that no other node's processes have in this communicator: that
// of the launcher, and in front of it, if there are several worlds, the world's place among them.
// Processes of different worlds share no memory, so they are on different nodes even if these
// have the same name. AVRM_ERR_LIMIT: more than 2,047 worlds, or 2^20 nodes in a world that is
// not the first.
[[nodiscard]] avrm_status_t number_node(const avrm_comm_t *comm, std::int32_t *number_p) noexcept;

} // namespace avrankmap::detail

#endif
