// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a window's directory fills: members' parts are added as they are met, those of the own node
// and the own one, too, where keys hold for everybody. When the parts of all members are known and
// follow rules, the directory becomes these rules and its records go. Rules are never guessed for
// members that were not met: a put would go to an address of which nobody said that it is there.
//
// Threads of the fast path look parts up with the lock of the communicator's queue, all others with
// the device's. The directory changes its form with both held.
#ifndef AVRANKMAP_SRC_RMA_KNOWN_PARTS_H
#define AVRANKMAP_SRC_RMA_KNOWN_PARTS_H

#include "rma/window.h"

namespace avrankmap::detail {

// Whether the netmod registers memory, and opens that of peers.
[[nodiscard]] inline bool has_native_windows(const avrm_device_t *device) noexcept {
  return (device->net->capabilities & (AVRM_NETMOD_PUT | AVRM_NETMOD_GET)) != 0;
}

// A random key for the part of a window, which the members of the own job derive alike without a
// message; 0 if they cannot.
[[nodiscard]] std::uint64_t common_key(const avrm_device_t *device, std::uint64_t window_id) noexcept;

// The part of this process. Without memory that is registered: base 0, key 0.
[[nodiscard]] avrm_status_t own_part(const avrm_window_t *window, avrm_part_t *part_p) noexcept;

// Adds the part of a target, which the netmod's description of it tells. Cost: O(1) on average.
// @return AVRM_OK also if the part was known, AVRM_ERR_NO_MEMORY, or what the netmod returns
[[nodiscard]] avrm_status_t learn_part(avrm_window_t *window, const Target *target, const void *description,
                                       std::size_t bytes) noexcept;

// The same of a target that is not reached over the network. Nothing happens if keys are for one
// peer each, or without memory: such a part is only wanted to see whether all follow rules.
void learn_local_part(avrm_window_t *window, const Target *target, const void *description, std::size_t bytes) noexcept;
void learn_own_part(avrm_window_t *window, std::int32_t rank) noexcept;

// Opens the part of a target with `near` for the network's atomics, from the netmod's description.
[[nodiscard]] avrm_status_t open_local_part(const avrm_window_t *window, Target *target, const void *description,
                                            std::size_t bytes) noexcept;
// The same for the own part.
[[nodiscard]] avrm_status_t open_own_part(const avrm_window_t *window, Target *target) noexcept;

} // namespace avrankmap::detail

#endif
