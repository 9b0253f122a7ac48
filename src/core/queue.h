// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Further ways out of a process: work queues of the netmod beside the device's own, each with a lock, endpoints and handles of
// its own, so that threads on different communicators issue without sharing anything.
//
// All that a communicator sends over the network to processes of the own world takes its queue, whatever its size and
// whichever function sends it; else messages could overtake one another. Receives, shared memory, active messages and other
// worlds have nothing to do with queues.
//
// Order of locks: that of the device, then that of a queue. Peers are introduced to a queue when they are first sent to, with
// both held; what a queue completes it completes in the device's progress, with both held.
#ifndef AVRANKMAP_SRC_CORE_QUEUE_H
#define AVRANKMAP_SRC_CORE_QUEUE_H

#include "core/device.h"

namespace avrankmap::detail {

struct alignas(64) Queue {
  std::mutex lock;
  avrm_netmod_t *net = nullptr;
  std::uint64_t *handles_plus_1 = nullptr; // by lpid in the own world; 0: not introduced yet, and the page untouched
  bool is_used = false;                    // some peer was introduced
  Queue *next = nullptr;                   // list of the device

  // Without any lock.
  [[nodiscard]] std::uint64_t handle_plus_1(std::int32_t lpid) const noexcept {
    return std::atomic_ref(handles_plus_1[lpid]).load(std::memory_order_acquire);
  }
};

// Opens queues until the device has `count` of them. AVRM_ERR_UNSUPPORTED if the netmod has no such thing: then there are none.
[[nodiscard]] avrm_status_t open_queues(avrm_device_t *device, std::int32_t count) noexcept;
void close_queues(avrm_device_t *device) noexcept;

// The functions below are called with the device's lock held.

[[nodiscard]] int progress_queues(avrm_device_t *device) noexcept;
// A process of the own world has died.
void tell_queues(avrm_device_t *device, std::int32_t lpid) noexcept;

// How a peer is reached over the network: by the device's own work queue, or by another.
struct Way {
  avrm_netmod_t *net;
  std::uint64_t handle;
  std::mutex *lock; // null: the device's, which is held
};
// The way of a communicator to a peer that has a handle of the device's. Introduces it to the communicator's queue.
[[nodiscard]] avrm_status_t way_to(const avrm_comm_t *comm, avrm_gpid_t peer, std::uint64_t handle,
                                   Way *way_p) noexcept;

class WayGuard {
public:
  explicit WayGuard(const Way &way) noexcept : lock_(way.lock) {
    if (AVRM_UNLIKELY(lock_ != nullptr)) {
      lock_->lock();
    }
  }
  ~WayGuard() {
    if (AVRM_UNLIKELY(lock_ != nullptr)) {
      lock_->unlock();
    }
  }
  WayGuard(const WayGuard &) = delete;
  WayGuard &operator=(const WayGuard &) = delete;

private:
  std::mutex *lock_;
};

} // namespace avrankmap::detail

#endif
