// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Connections to processes of other worlds that have been forgotten, and to processes whose address
// could not be stored for lack of memory. Both are often connected again, and a transport that
// closes a connection while the other side opens a new one may lose both (seen with UCX 1.13), so
// the last few connections are kept and reused.
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
    if (count_ == kMost) {
      net->ops->remove(net, peers_[0].handle);
      erase(0);
    }
    peers_[count_++] = {name, handle};
  }
  // Returns true if there was a connection.
  [[nodiscard]] bool take(const WorldName &name, std::uint64_t *handle_p) noexcept {
    for (int i = 0; i < count_; ++i) {
      if (peers_[i].name == name) {
        *handle_p = peers_[i].handle;
        erase(i);
        return true;
      }
    }
    return false;
  }

private:
  static constexpr int kMost = 32;
  struct Peer {
    WorldName name;
    std::uint64_t handle;
  };
  void erase(int i) noexcept {
    std::copy(peers_ + i + 1, peers_ + count_, peers_ + i);
    --count_;
  }

  int count_ = 0;
  Peer peers_[kMost] = {};
};

} // namespace avrankmap::detail

#endif
