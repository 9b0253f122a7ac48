// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers for copies of active messages, and of small messages that UCX did not take immediately
// although the caller's buffer must be free on return. All buffers of a pool have the same size.
// They are allocated at first use and kept. A limited number is for any peer. While all of these
// are in use, each peer may have one more, so that no number of peers that do not read keeps
// messages from others.
#ifndef AVRANKMAP_NETMOD_UCX_BOUNCE_H
#define AVRANKMAP_NETMOD_UCX_BOUNCE_H

#include <cstddef>
#include <cstdint>

#include "avrankmap/device/netmod.h"
#include "base/handle_set.h"

namespace avrankmap::detail::ucx {

class BouncePool;

struct alignas(std::max_align_t) Bounce {
  BouncePool *pool;
  Bounce *next; // in the free list
  Bounce *next_of_all;
  std::uint64_t receiver; // whose one more it is; AVRM_ANY_ADDRESS: it is for any peer

  [[nodiscard]] unsigned char *data() noexcept { return reinterpret_cast<unsigned char *>(this + 1); }
};

class BouncePool {
public:
  // `shared`: buffers for any peer that are in use at a time.
  BouncePool(std::size_t room, std::size_t shared) noexcept : room_(room), shared_(shared) {}
  BouncePool(const BouncePool &) = delete;
  BouncePool &operator=(const BouncePool &) = delete;
  ~BouncePool();

  [[nodiscard]] bool has_shared() const noexcept { return taken_ < shared_; }
  // True if a buffer may be taken for a message to this peer.
  [[nodiscard]] bool has_room_for(std::uint64_t receiver) const noexcept {
    return has_shared() || !extra_.has(receiver);
  }
  // Returns null if out of memory. Any receiver is known unless `has_shared`.
  [[nodiscard]] Bounce *take(std::uint64_t receiver) noexcept;
  void give(Bounce *bounce) noexcept;

private:
  std::size_t room_;
  std::size_t shared_;
  std::size_t taken_ = 0; // of those for any peer
  HandleSet extra_;       // peers that have one more
  Bounce *free_ = nullptr;
  Bounce *all_ = nullptr;
};

} // namespace avrankmap::detail::ucx

#endif
