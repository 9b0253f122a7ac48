// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which processes of this node are reached through shared memory. Both processes of a pair decide
// by the same two cards, so that they decide alike: a message that one of them sends through shared
// memory is awaited there by the other. Containers on one machine may differ in a namespace, and
// cannot open one another's memory then; a process without a shmmod has no card for it. The network
// reaches those.
#ifndef AVRANKMAP_SRC_CORE_PEERS_NODE_SHARING_H
#define AVRANKMAP_SRC_CORE_PEERS_NODE_SHARING_H

#include "core/device.h"

namespace avrankmap::detail {

struct Card;

[[nodiscard]] bool shares_memory(const avrm_device_t *device, const Card &card) noexcept;

// True if all processes of the own world are on this node and share memory with this one. Looks at
// each one's card the first time.
[[nodiscard]] bool all_share_memory(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
