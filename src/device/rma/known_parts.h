// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fills a window's directory: members' parts are added as operations reach them. If keys are valid
// for all peers, the parts on this node and of this process are added as well. Once the parts of
// all members are known and follow rules, the directory changes to these rules and frees its
// records. Rules are never assumed for members that were not reached, because a put might then go
// to an address that is not part of the window.
//
// Threads of the fast path look parts up with the lock of the communicator's queue held, all others
// with the device's lock. The directory changes its form with both held.
#ifndef AVRANKMAP_SRC_RMA_KNOWN_PARTS_H
#define AVRANKMAP_SRC_RMA_KNOWN_PARTS_H

#include "rma/window.h"

namespace avrankmap::detail {

// True if the netmod registers memory and opens peers' memory.
[[nodiscard]] inline bool has_native_windows(const avrm_device_t *device) noexcept {
  return (device->net->capabilities & (AVRM_NETMOD_PUT | AVRM_NETMOD_GET)) != 0;
}

// Returns a key for the parts of a window, which cannot be guessed and which all processes of a job
// derive without messages; 0 if it cannot be derived.
[[nodiscard]] std::uint64_t common_key(const avrm_device_t *device, std::uint64_t window_id) noexcept;

// Finds the part of this process. Without registered memory, base and key are 0.
[[nodiscard]] avrm_status_t own_part(const avrm_window_t *window, avrm_part_t *part_p) noexcept;

// Adds the part of a target, from the netmod's description of it. Takes constant time on average.
// @return AVRM_OK (also if the part was known), AVRM_ERR_NO_MEMORY, or the netmod's status
[[nodiscard]] avrm_status_t learn_part(avrm_window_t *window, const Target *target, const void *description,
                                       std::size_t bytes) noexcept;

// Adds the part of a target that is not reached over the network, which is only needed to find out
// whether all parts follow rules. A no-op if each key is for one peer, or if out of memory.
void learn_local_part(avrm_window_t *window, const Target *target, const void *description, std::size_t bytes) noexcept;
void learn_own_part(avrm_window_t *window, std::int32_t rank) noexcept;

// Opens the part of a target with a `local_net_peer` for network atomics, from the netmod's
// description.
[[nodiscard]] avrm_status_t open_local_part(const avrm_window_t *window, Target *target, const void *description,
                                            std::size_t bytes) noexcept;
// Like open_local_part, but for the part of this process.
[[nodiscard]] avrm_status_t open_own_part(const avrm_window_t *window, Target *target) noexcept;

} // namespace avrankmap::detail

#endif
