// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds out by itself that processes of the own world have died, where the launcher does not report
// it: Open MPI's mpirun with --enable-recovery does not. Evidence is the end of a process of this
// node, whose pidfd is looked at, or a connection that the netmod or the ring
// (liveness/ring/watch_ring.h) has lost. All of the world is told (liveness/failure_notices.h).
//
// A pidfd is opened at first contact. A receive from anybody may wait for a process that was never
// contacted, so the first one that waits has all processes of the node watched. If memory or a
// descriptor is lacking, the remaining ones are tried again every 100 ms, which also finds those
// that have ended, as pidfd_open looks for the process before it takes a descriptor.
//
// A process may also end, or close its connections, because the device is closed everywhere. A
// process that is closing therefore believes its evidence only if the fence is not over after a
// second in which this process has looked: while it is stopped it cannot see the end of the fence.
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

  // All with the device's lock held.

  // A peer was contacted.
  void add(avrm_device_t *device, std::int32_t lpid, const Card &card) noexcept;
  // Whether its end will be noticed here.
  [[nodiscard]] bool has(std::int32_t lpid) const noexcept { return watched_.has(lpid); }
  // A receive from anybody waits.
  void add_all_soon() noexcept { all_wanted_ = true; }
  // The netmod, or the ring, has lost its connection to a peer.
  void lost(avrm_device_t *device, std::int32_t lpid) noexcept { suspect(device, lpid); }
  // Another process says that these have died.
  void hear(avrm_device_t *device, const ActiveHeader &header) noexcept;
  // Tells others of deaths that they may not know. Within progress, but within no transport's.
  void spread(avrm_device_t *device) noexcept;
  // The closing fence is about to begin: before this process joins it no other one is through, so
  // evidence found until now is believed at once.
  void close(avrm_device_t *device) noexcept;
  [[nodiscard]] bool is_closing() const noexcept { return closing_; }
  // Looks for deaths, at most every kPause. Cheap enough for every 64th call of progress.
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
  std::int64_t doubted_ = 0; // for how long
  std::int64_t last_look_ = 0;
  std::int64_t last_try_ = 0;    // to watch those that are missing
  std::int64_t last_repeat_ = 0; // of notices
  bool all_wanted_ = false;
  bool all_watched_ = false;
  bool is_short_ = false; // some could not be watched
  bool closing_ = false;
};

// For netmods (avrm_netmod_config_t).
void on_lost(void *user, const avrm_netmod_t *netmod, std::uint64_t handle) noexcept;

} // namespace avrankmap::detail

#endif
