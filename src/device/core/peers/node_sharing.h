// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Decides which processes of this node are reached through shared memory. Both processes of a pair
// use the same two cards, so they make the same decision, and each expects the other's messages
// where they arrive. Containers on one machine may differ in a namespace, so that their processes
// cannot open each other's memory; the card of a process without a shmmod has no shmmod part. Such
// processes are reached over the network.
#ifndef AVRANKMAP_SRC_CORE_PEERS_NODE_SHARING_H
#define AVRANKMAP_SRC_CORE_PEERS_NODE_SHARING_H

#include "core/device.h"

namespace avrankmap::detail {

struct Card;

[[nodiscard]] bool shares_memory(const avrm_device_t *device, const Card &card) noexcept;

// True if all processes of this world are on this node and share memory with this one. The first
// call reads the cards of all of them.
[[nodiscard]] bool all_share_memory(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
