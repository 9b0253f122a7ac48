// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Progress, waiting, and the state of failures.
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_PROGRESS_H
#define AVRANKMAP_SRC_CORE_PROGRESS_PROGRESS_H

#include <cerrno>
#include <cstdint>

#include "core/device.h"
#include "core/progress/backoff.h"

namespace avrankmap::detail {

// Polls every transport and part of the device once. Returns the number of events.
int progress(avrm_device_t *device) noexcept;
// In a loop that repeats an operation, distinguishes refusals for lack of memory, which may last
// forever, from refusals because of a full queue. Some providers return the same error for both,
// but leave errno at ENOMEM after the former.
class Refusals {
public:
  // Called before an operation.
  static void begin() noexcept { errno = 0; }
  // Called directly after a refusal. Returns true if all refusals of the last second were for lack
  // of memory.
  [[nodiscard]] bool are_for_memory() noexcept;

private:
  static constexpr std::int64_t kLimitNs = 1000000000;
  std::int64_t first_ = 0;
};

// For operations without a transport, such as stores to a mapped window: one in this many makes
// progress, so that a loop of such operations detects the failure of its peer.
inline constexpr std::uint32_t kLocalOperationsPerProgress = 64;
void progress_for_local_operations(avrm_device_t *device) noexcept;
inline void count_local_operation(avrm_device_t *device) noexcept {
  if (AVRM_UNLIKELY(--device->local_operations_left == 0)) {
    progress_for_local_operations(device);
  }
}

[[nodiscard]] bool has_failed(const avrm_device_t *device, avrm_gpid_t peer) noexcept;
// Returns the number of failures known so far, in all process groups. Never decreases.
[[nodiscard]] std::uint32_t failures_of(const avrm_device_t *device) noexcept;

// Repeats a posting function until the transport accepts the operation, and makes progress in
// between. Returns AVRM_ERR_PEER when the peer has failed, and AVRM_ERR_NO_MEMORY if the system has
// no memory left and the transport still refuses. `net` is the netmod that `post` uses.
template <typename Post>
avrm_status_t post_to(avrm_device_t *device, avrm_gpid_t peer, Post post, const avrm_netmod_t *net) noexcept {
  avrm_status_t status = post();
  Backoff backoff(device, Sleep::kHolding, true);
  Refusals refusals;
  while (status == AVRM_ERR_AGAIN) {
    if (device->failures_seen != 0 && has_failed(device, peer)) {
      return AVRM_ERR_PEER;
    }
    device->pace.hurry();
    backoff.after(progress(device));
    Refusals::begin();
    status = post();
    if (status == AVRM_ERR_AGAIN && AVRM_UNLIKELY(refusals.are_for_memory())) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  if (AVRM_UNLIKELY(status == AVRM_ERR_PEER) && peer.pgid == kOwnWorld && peer.lpid >= 0) {
    device->failure_detector.lost(device, peer.lpid);
  }
  if (AVRM_UNLIKELY(status == AVRM_ERR_TRANSPORT || status == AVRM_ERR_SYSTEM)) {
    report(device, status, net->ops->last_error(net));
  }
  return status;
}
template <typename Post> avrm_status_t post_to(avrm_device_t *device, avrm_gpid_t peer, Post post) noexcept {
  return post_to(device, peer, post, device->net);
}

} // namespace avrankmap::detail

#endif
