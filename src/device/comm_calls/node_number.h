// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_COMM_CALLS_NODE_NUMBER_H
#define AVRANKMAP_SRC_COMM_CALLS_NODE_NUMBER_H

#include <cstdint>

#include "avrankmap/device/comm.h"

namespace avrankmap::detail {

// Finds a number for this process's node that is unique in this communicator: the launcher's number
// and, above it, the place of the world among the communicator's worlds. Processes of different
// worlds share no memory, so they count as being on different nodes. Returns AVRM_ERR_NO_MEMORY, or
// AVRM_ERR_LIMIT for worlds after the first 2,048, and for node numbers of 2^20 or more in worlds
// other than the first.
[[nodiscard]] avrm_status_t number_node(const avrm_comm_t *comm, std::int32_t *number_p) noexcept;

} // namespace avrankmap::detail

#endif
