// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_COMM_CALLS_NODE_NUMBER_H
#define AVRANKMAP_SRC_COMM_CALLS_NODE_NUMBER_H

#include <cstdint>

#include "avrankmap/device/comm.h"

namespace avrankmap::detail {

// Finds a number of this process's node that is unique in this communicator: the launcher's number,
// preceded by the place of the world if there are several worlds. Processes of different worlds
// share no memory, so they are on different nodes even if these have the same name. Returns
// AVRM_ERR_LIMIT if there are more than 2,047 worlds, or 2^20 nodes in a world other than the
// first.
[[nodiscard]] avrm_status_t number_node(const avrm_comm_t *comm, std::int32_t *number_p) noexcept;

} // namespace avrankmap::detail

#endif
