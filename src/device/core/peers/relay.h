// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The network as a replacement for shared memory, for a peer on the node whose memory the shmmod
// could not attach although both cards indicated that it could. The shmmod works as before, and
// what it would write into that peer's memory is sent in active messages. The two directions are
// independent and need no agreement: the sender of a message knows its route, and the receiver
// always gets the message from its shmmod, in order with the sender's other messages.
//
// Peers whose cards show that they cannot share memory (core/peers/node_sharing.h) use the network
// directly.
#ifndef AVRANKMAP_SRC_CORE_PEERS_RELAY_H
#define AVRANKMAP_SRC_CORE_PEERS_RELAY_H

#include "avrankmap/device/device.h"
#include "avrankmap/device/shmmod.h"

namespace avrankmap::detail {

// Sets the relay callbacks of the shmmod's configuration.
void offer_relay(avrm_device_t *device, avrm_shmmod_config_t *config) noexcept;

} // namespace avrankmap::detail

#endif
