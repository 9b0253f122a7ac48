// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The network's handles of processes that are otherwise reached by shared memory, and of this
// process: the network's atomics are atomic towards each other only, so those of a window all go
// over the network. A handle is made at first use and lasts as long as the device.
#ifndef AVRANKMAP_SRC_RMA_NEAR_PEERS_H
#define AVRANKMAP_SRC_RMA_NEAR_PEERS_H

#include "core/queue.h"

namespace avrankmap::detail {

struct NearPeer {
  avrm_gpid_t process;
  std::uint64_t handle;
  bool failed; // and the netmod knows
  NearPeer *next;

  // Queues of communicators are for other peers.
  [[nodiscard]] Way way(const avrm_device_t *device) const noexcept { return {device->net, handle, nullptr}; }
};

// Finds a process of the own world, or introduces it to the network.
[[nodiscard]] avrm_status_t find_near_peer(avrm_device_t *device, avrm_gpid_t process, NearPeer **peer_p) noexcept;
// Tells the network of those that have died.
void fail_near_peers(avrm_device_t *device) noexcept;
// Frees the records, not the handles.
void drop_near_peers(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
