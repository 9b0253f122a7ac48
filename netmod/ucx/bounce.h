// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers for copies of active messages, and of small messages that UCX did not take immediately
// although the caller's buffer must be free on return. All buffers of a pool have the same size.
// They are allocated at first use and kept. While half of them are in use, a peer that has one must
// wait, so that a peer that does not read leaves buffers to others.
#ifndef AVRANKMAP_NETMOD_UCX_BOUNCE_H
#define AVRANKMAP_NETMOD_UCX_BOUNCE_H

#include <cstddef>
#include <cstdint>

#include "avrankmap/device/netmod.h"

namespace avrankmap::detail::ucx {

class BouncePool;

struct alignas(std::max_align_t) Bounce {
  BouncePool *pool;
  Bounce *next; // in the free list
  Bounce *next_of_all;
  std::uint64_t receiver; // of the message; AVRM_ANY_ADDRESS: free, or not known yet

  [[nodiscard]] unsigned char *data() noexcept { return reinterpret_cast<unsigned char *>(this + 1); }
};

class BouncePool {
public:
  // `most`: buffers in use at a time.
  BouncePool(std::size_t room, std::size_t most) noexcept : room_(room), most_(most) {}
  BouncePool(const BouncePool &) = delete;
  BouncePool &operator=(const BouncePool &) = delete;
  ~BouncePool();

  // True if a buffer may be taken for a message to this peer.
  [[nodiscard]] bool has_room_for(std::uint64_t receiver) const noexcept {
    return taken_ < most_ / 2 || (taken_ < most_ && !serves(receiver));
  }
  // Returns null if out of memory.
  [[nodiscard]] Bounce *take(std::uint64_t receiver) noexcept;
  void give(Bounce *bounce) noexcept {
    bounce->receiver = AVRM_ANY_ADDRESS;
    bounce->next = free_;
    free_ = bounce;
    --taken_;
  }

private:
  // True if a buffer is in use for this peer.
  [[nodiscard]] bool serves(std::uint64_t receiver) const noexcept;

  std::size_t room_;
  std::size_t most_;
  std::size_t taken_ = 0;
  Bounce *free_ = nullptr;
  Bounce *all_ = nullptr;
};

} // namespace avrankmap::detail::ucx

#endif
