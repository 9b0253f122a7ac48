// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Connections to processes of other worlds that have been forgotten, and to processes whose address
// could not be stored for lack of memory. Both are often connected again, and a transport that
// closes a connection while the other side opens a new one may lose both (seen with UCX 1.13), so
// the last few connections are kept and reused, except those that the network has lost meanwhile.
#ifndef AVRANKMAP_SRC_CORE_PEERS_RETIRED_PEERS_H
#define AVRANKMAP_SRC_CORE_PEERS_RETIRED_PEERS_H

#include <algorithm>

#include "avrankmap/device/netmod.h"
#include "core/peers/world_name.h"

namespace avrankmap::detail {

class RetiredPeers {
public:
  // `name` is the name of the process's device. If there is no room, ends the oldest connection.
  void put(avrm_netmod_t *net, const WorldName &name, std::uint64_t handle) noexcept {
    remove_lost(net);
    if (count_ == kMost) {
      net->ops->remove(net, peers_[0].handle);
      erase(0);
    }
    peers_[count_++] = {name, handle, false};
  }
  // Returns true if there was a connection.
  [[nodiscard]] bool take(avrm_netmod_t *net, const WorldName &name, std::uint64_t *handle_p) noexcept {
    remove_lost(net);
    for (int i = 0; i < count_; ++i) {
      if (peers_[i].name == name) {
        *handle_p = peers_[i].handle;
        erase(i);
        return true;
      }
    }
    return false;
  }
  // Called when the network has lost a connection, which may be none of these. It is not removed
  // yet, because on_lost must not call the netmod.
  void lost(std::uint64_t handle) noexcept {
    for (int i = 0; i < count_; ++i) {
      if (peers_[i].handle == handle) {
        peers_[i].is_lost = true;
        has_lost_ = true;
      }
    }
  }
  // Removes the lost connections. Not to be called from a transport's callback.
  void remove_lost(avrm_netmod_t *net) noexcept {
    if (AVRM_LIKELY(!has_lost_)) {
      return;
    }
    has_lost_ = false;
    for (int i = count_; i-- > 0;) {
      if (peers_[i].is_lost) {
        net->ops->remove(net, peers_[i].handle);
        erase(i);
      }
    }
  }

private:
  static constexpr int kMost = 32;
  struct Peer {
    WorldName name;
    std::uint64_t handle;
    bool is_lost;
  };
  void erase(int i) noexcept {
    std::copy(peers_ + i + 1, peers_ + count_, peers_ + i);
    --count_;
  }

  int count_ = 0;
  bool has_lost_ = false;
  Peer peers_[kMost] = {};
};

} // namespace avrankmap::detail

#endif
