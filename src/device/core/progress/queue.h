// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Work queues of the netmod, in addition to the device's own. Each has its own lock, endpoints and
// handles, so that threads on different communicators send without sharing anything.
//
// A communicator sends all messages to processes of this world over its queue, regardless of size
// and function, so that they keep their order. Receives, shared memory, active messages and other
// worlds do not use queues.
//
// Lock order: the device's, then a queue's. The first send to a peer inserts it into the queue,
// with both held. Operations of a queue complete in the device's progress, with both held.
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_QUEUE_H
#define AVRANKMAP_SRC_CORE_PROGRESS_QUEUE_H

#include "avrankmap/addresses.h"
#include "core/device.h"

namespace avrankmap::detail {

struct alignas(64) Queue {
  std::mutex lock;
  avrm_netmod_t *net = nullptr;
  // A peer's handle is its word `number` in the AV of this world (avrankmap/addresses.h).
  avrm_av_t *av;
  std::int32_t number;  // from 1
  bool is_used = false; // has peers
  // The peer that was inserted last, until its handle is stored; -1: none.
  std::int32_t inserted_lpid = -1;
  std::uint64_t inserted_handle = 0;
  Queue *next = nullptr; // list of the device

  Queue(avrm_av_t *its_av, std::int32_t its_number) noexcept : av(its_av), number(its_number) {}
  // Returns false if the peer has not been inserted yet. Requires no lock.
  [[nodiscard]] bool find(std::int32_t lpid, std::uint64_t *handle_p) const noexcept {
    return avrm_addresses_get(av, lpid, number, handle_p) == AVRM_OK;
  }
};

// Opens queues until the device has `count` of them. Returns AVRM_ERR_UNSUPPORTED if the netmod has
// no queues.
[[nodiscard]] avrm_status_t open_queues(avrm_device_t *device, std::int32_t count) noexcept;
void close_queues(avrm_device_t *device) noexcept;

// The functions below are called with the device's lock held.

[[nodiscard]] int progress_queues(avrm_device_t *device) noexcept;
// Informs the queues that a process of this world has failed.
void tell_queues(avrm_device_t *device, std::int32_t lpid) noexcept;

// The network route to a peer: through the device's own work queue or another one.
struct NetRoute {
  avrm_netmod_t *net;
  std::uint64_t handle;
  std::mutex *lock; // null: the device's, which is held
};
// Returns the network route to a process of this node, which always uses the device's own work
// queue.
inline NetRoute net_route_to_local(const avrm_device_t *device, const LocalNetPeer &peer) noexcept {
  return {device->net, peer.handle, nullptr};
}
// Finds the network route of a communicator to a connected peer. Inserts the peer into the
// communicator's queue.
[[nodiscard]] avrm_status_t net_route_to(const avrm_comm_t *comm, avrm_gpid_t peer, std::uint64_t handle,
                                         NetRoute *way_p) noexcept;

class NetRouteGuard {
public:
  explicit NetRouteGuard(const NetRoute &way) noexcept : lock_(way.lock) {
    if (AVRM_UNLIKELY(lock_ != nullptr)) {
      lock_->lock();
    }
  }
  ~NetRouteGuard() {
    if (AVRM_UNLIKELY(lock_ != nullptr)) {
      lock_->unlock();
    }
  }
  NetRouteGuard(const NetRouteGuard &) = delete;
  NetRouteGuard &operator=(const NetRouteGuard &) = delete;

private:
  std::mutex *lock_;
};

} // namespace avrankmap::detail

#endif
