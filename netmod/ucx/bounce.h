// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers for copies of active messages, and of small messages that UCX did not take immediately
// although the caller's buffer must be free on return. All buffers of a pool have the same size.
// They are allocated at first use and kept.
#ifndef AVRANKMAP_NETMOD_UCX_BOUNCE_H
#define AVRANKMAP_NETMOD_UCX_BOUNCE_H

#include <cstddef>

namespace avrankmap::detail::ucx {

class BouncePool;

struct alignas(std::max_align_t) Bounce {
  BouncePool *pool;
  Bounce *next; // in the free list or in a queue
  Bounce *next_of_all;
  std::size_t bytes; // in use

  [[nodiscard]] unsigned char *data() noexcept { return reinterpret_cast<unsigned char *>(this + 1); }
};

class BouncePool {
public:
  explicit BouncePool(std::size_t room) noexcept : room_(room) {}
  BouncePool(const BouncePool &) = delete;
  BouncePool &operator=(const BouncePool &) = delete;
  ~BouncePool();

  // Returns null if out of memory.
  [[nodiscard]] Bounce *take() noexcept;
  void give(Bounce *bounce) noexcept {
    bounce->next = free_;
    free_ = bounce;
    --taken_;
  }
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }

private:
  std::size_t room_;
  std::size_t taken_ = 0;
  Bounce *free_ = nullptr;
  Bounce *all_ = nullptr;
};

} // namespace avrankmap::detail::ucx

#endif
