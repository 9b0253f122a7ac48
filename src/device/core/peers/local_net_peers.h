// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The netmod's handles of processes of this world that are otherwise reached through shared memory,
// and of this process. The shmmod needs them for peers that it could not attach
// (core/peers/relay.h). Network atomics also need them: they are atomic only with respect to each
// other, so all atomics of a window use the network. A handle is created at first use and exists as
// long as the device.
#ifndef AVRANKMAP_SRC_CORE_PEERS_LOCAL_NET_PEERS_H
#define AVRANKMAP_SRC_CORE_PEERS_LOCAL_NET_PEERS_H

#include "avrankmap/device/device.h"
#include "base/memory.h"

namespace avrankmap::detail {

struct LocalNetPeer {
  std::int32_t lpid;
  std::uint64_t handle;
  bool failed; // the netmod has been informed
  LocalNetPeer *next;
};

// Entries do not move. Their handles are those of the device's netmod.
class LocalNetPeers {
public:
  explicit LocalNetPeers(Memory &memory) noexcept : memory_(memory) {}
  ~LocalNetPeers();
  LocalNetPeers(const LocalNetPeers &) = delete;
  LocalNetPeers &operator=(const LocalNetPeers &) = delete;

  // Returns null if the list does not contain the process.
  [[nodiscard]] LocalNetPeer *find(std::int32_t lpid) const noexcept;
  // Finds a process, or inserts it into the netmod.
  [[nodiscard]] avrm_status_t find_or_make(avrm_device_t *device, std::int32_t lpid, LocalNetPeer **peer_p) noexcept;
  [[nodiscard]] LocalNetPeer *first() const noexcept { return first_; }

private:
  Memory &memory_;
  LocalNetPeer *first_ = nullptr;
};

// Notifies the netmod of peers in the list that have died.
void fail_local_net_peers(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
