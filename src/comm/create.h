// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Making and unmaking communicators, with the device's lock held.
#ifndef AVRANKMAP_SRC_COMM_CREATE_H
#define AVRANKMAP_SRC_COMM_CREATE_H

#include "comm/comm.h"

namespace avrankmap::detail {

// Binds the map, which becomes the communicator's; on error it stays the caller's. AVRM_ERR_BUSY if the context is in use.
[[nodiscard]] avrm_status_t create_comm(avrm_device_t *device, avrm_rankmap_t *map, std::int32_t rank,
                                        std::uint32_t context, avrm_comm_t **comm_p) noexcept;
// Frees a communicator that nobody uses, with its map.
void free_comm(avrm_comm_t *comm) noexcept;

// Binds a communicator's map again, so that it makes the best of what its address vectors have become. Nobody may be using it.
[[nodiscard]] avrm_status_t rebind(avrm_comm_t *comm) noexcept;

} // namespace avrankmap::detail

#endif
