// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Making and unmaking communicators, with the device's lock held.
#ifndef AVRANKMAP_SRC_COMM_CREATE_H
#define AVRANKMAP_SRC_COMM_CREATE_H

#include "comm/comm.h"

namespace avrankmap::detail {

// A communicator without a context id. Binds the maps, which become the communicator's; on error they stay the caller's.
// `own` is null but for an intercommunicator.
[[nodiscard]] avrm_status_t new_comm(avrm_device_t *device, avrm_rankmap_t *map, avrm_rankmap_t *own, std::int32_t rank,
                                     avrm_comm_t **comm_p) noexcept;
// Gives it its context id, which has been taken, and makes it known.
void open_comm(avrm_comm_t *comm, std::uint32_t context) noexcept;
// The match bits of one of its planes.
void set_context(avrm_comm_t *comm, std::uint32_t context, Plane plane) noexcept;
// core/node_comms.cpp: what a communicator knows of its nodes, or will, for a dup of it; null without memory, and then they
// do not share it. And the end of a communicator's part in it.
[[nodiscard]] SharedNodes *share_nodes(avrm_comm_t *comm) noexcept;
void drop_nodes(avrm_comm_t *comm) noexcept;
// True if requests or windows of it exist, or if it may not be freed at all.
[[nodiscard]] bool is_busy(const avrm_comm_t *comm) noexcept;
// Frees a communicator that was never opened.
void discard_comm(avrm_comm_t *comm) noexcept;
// Frees one that was, that nobody uses, and gives its context id back.
void free_comm(avrm_comm_t *comm) noexcept;

// Binds a communicator's map again, so that it makes the best of what its address vectors have become. Nobody may be using it.
[[nodiscard]] avrm_status_t rebind(avrm_comm_t *comm) noexcept;

} // namespace avrankmap::detail

#endif
