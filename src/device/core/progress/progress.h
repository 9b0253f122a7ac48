// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Progress, waiting, and the state of failures.
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_PROGRESS_H
#define AVRANKMAP_SRC_CORE_PROGRESS_PROGRESS_H

#include "core/device.h"
#include "core/progress/backoff.h"

namespace avrankmap::detail {

// Polls every transport and part of the device once. Returns the number of events.
int progress(avrm_device_t *device) noexcept;
// Counts how often a transport refused an operation, in a loop that repeats it. Some providers do
// so, too, when the system gives them no memory, which may last for ever.
class Refusals {
public:
  // True if memory has been exhausted for a while. Costs a system call per second.
  [[nodiscard]] bool are_for_memory() noexcept;

private:
  static constexpr std::uint32_t kRefusalsToLook = 256;
  static constexpr std::int64_t kRefusalLimitNs = 1000000000;
  std::uint32_t count_ = 0;
  std::int64_t next_ = 0;
};

// For operations that no transport takes part in, such as stores to a mapped window: after so many
// of them one makes progress, so that a loop of them sees its peer die.
inline constexpr std::uint32_t kLocalOperationsPerProgress = 64;
void progress_for_local_operations(avrm_device_t *device) noexcept;
inline void count_local_operation(avrm_device_t *device) noexcept {
  if (AVRM_UNLIKELY(--device->local_operations_left == 0)) {
    progress_for_local_operations(device);
  }
}

[[nodiscard]] bool has_failed(const avrm_device_t *device, avrm_gpid_t peer) noexcept;
// Number of deaths known so far, in all process groups. It only grows.
[[nodiscard]] std::uint32_t failures_of(const avrm_device_t *device) noexcept;

// Repeats a posting function until the transport accepts the operation. Makes progress meanwhile.
// Returns AVRM_ERR_PEER when the peer has died, AVRM_ERR_NO_MEMORY if the system has no memory left
// and the transport goes on refusing. `net` is the netmod that it posts to.
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
    if (AVRM_UNLIKELY(refusals.are_for_memory())) {
      return AVRM_ERR_NO_MEMORY;
    }
    status = post();
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
