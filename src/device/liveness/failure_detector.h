// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Detects deaths of processes of this world if the launcher does not report them, for example Open
// MPI's mpirun with --enable-recovery. Evidence is the end of a process of this node, reported by
// its pidfd, or a connection that the netmod or the ring (liveness/ring/watch_ring.h) has lost. The
// whole world is notified (liveness/failure_notices.h).
//
// A pidfd is opened at first contact. A receive from any source may wait for a process that was
// never contacted, so the first one that has to wait makes the detector watch all processes of the
// node. If memory or descriptors are exhausted, the remaining processes are tried again every 100
// ms. This also finds those that have ended, because pidfd_open looks up the process before it
// takes a descriptor.
//
// A process may also end, or close its connections, because all processes are closing their
// devices. While closing, a process therefore accepts evidence only if the closing fence has not
// completed after a second. Time during which this process is stopped does not count, because it
// cannot see the fence complete.
#ifndef AVRANKMAP_SRC_LIVENESS_FAILURE_DETECTOR_H
#define AVRANKMAP_SRC_LIVENESS_FAILURE_DETECTOR_H

#include <cstdint>

#include "avrankmap/device/netmod.h"
#include "core/active.h"
#include "core/peers/card.h"
#include "liveness/failure_notices.h"

namespace avrankmap::detail {

class FailureDetector {
public:
  FailureDetector() noexcept = default;
  FailureDetector(const FailureDetector &) = delete;
  FailureDetector &operator=(const FailureDetector &) = delete;
  ~FailureDetector();

  // All functions require the device's lock.

  // Starts to watch a peer that was contacted.
  void add(avrm_device_t *device, std::int32_t lpid, const Card &card) noexcept;
  // True if this process will detect the end of `lpid`.
  [[nodiscard]] bool has(std::int32_t lpid) const noexcept { return watched_.has(lpid); }
  // Called when a receive from any source has to wait, and by probes from any source: all processes
  // of the node will be watched.
  void add_all_soon() noexcept { all_wanted_ = true; }
  // Called when the netmod or the ring has lost its connection to a peer.
  void lost(avrm_device_t *device, std::int32_t lpid) noexcept { suspect(device, lpid); }
  // Handles the notice of another process that some processes have died.
  void hear(avrm_device_t *device, const ActiveHeader &header) noexcept;
  // Notifies others of deaths of which they may not know. Called in progress, but not from a
  // transport's callback.
  void spread(avrm_device_t *device) noexcept;
  // Called before joining the closing fence. No other process can have passed the fence yet, so all
  // evidence found until now is accepted immediately.
  void close(avrm_device_t *device) noexcept;
  [[nodiscard]] bool is_closing() const noexcept { return closing_; }
  // True while this process is closing and `lpid` has ended or is disconnected. No message can
  // reach it any more, whether it counts as failed later or not.
  [[nodiscard]] bool suspects(std::int32_t lpid) const noexcept { return suspects_.has(lpid); }
  // Checks for deaths, at most once per kPause. Cheap enough for every 64th call of progress.
  void look(avrm_device_t *device) noexcept;

private:
  void add_missing(avrm_device_t *device) noexcept;
  void repeat(avrm_device_t *device) noexcept;
  void suspect(avrm_device_t *device, std::int32_t lpid) noexcept;
  void believe(avrm_device_t *device, std::int32_t lpid) noexcept;

  int ends_ = -1;        // epoll of the pidfds
  PeerList descriptors_; // pidfds
  PeerList watched_;     // lpids
  PeerList suspects_;    // lpids, while closing
  FailureNotices notices_;
  std::int64_t doubted_ = 0; // how long the suspects have been in doubt
  std::int64_t last_look_ = 0;
  std::int64_t last_try_ = 0;    // to watch the processes that are not watched yet
  std::int64_t last_repeat_ = 0; // of notices
  bool all_wanted_ = false;
  bool all_watched_ = false;
  bool is_short_ = false; // some processes could not be watched
  bool closing_ = false;
};

// For netmods (avrm_netmod_config_t).
void on_lost(void *user, const avrm_netmod_t *netmod, std::uint64_t handle) noexcept;

} // namespace avrankmap::detail

#endif
