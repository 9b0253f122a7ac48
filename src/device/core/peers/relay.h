// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The network in place of shared memory, for a peer of the node that the shmmod could not attach
// although both cards said that it could. The shmmod goes on as before, and what it would write
// into that peer's memory travels by active messages. The two directions are independent of one
// another, and nobody has to agree on anything: the sender of a message knows which way it goes,
// and the receiver gets it from its shmmod in any case, in the order of all others from there.
//
// Peers that cannot share memory by what their cards say (core/peers/node_sharing.h) use the
// network by itself.
#ifndef AVRANKMAP_SRC_CORE_PEERS_RELAY_H
#define AVRANKMAP_SRC_CORE_PEERS_RELAY_H

#include "avrankmap/device/device.h"
#include "avrankmap/device/shmmod.h"

namespace avrankmap::detail {

// The core's part of it, for the shmmod.
void offer_relay(avrm_device_t *device, avrm_shmmod_config_t *config) noexcept;

} // namespace avrankmap::detail

#endif
