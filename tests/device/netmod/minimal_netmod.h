// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The netmod of tests/tour/datagram reduced to the minimum that netmod.h requires: every optional
// operation is null, the only capability is AVRM_NETMOD_DELIVERS, and the limits are the smallest
// ones. It refuses, delays and reorders what it may, and checks what netmod.h promises to a netmod:
// which functions the core calls, and when.
#ifndef AVRANKMAP_TESTS_DEVICE_NETMOD_MINIMAL_NETMOD_H
#define AVRANKMAP_TESTS_DEVICE_NETMOD_MINIMAL_NETMOD_H

#include <cstdint>

#include "avrankmap/device/netmod.h"

namespace avrankmap::test {

// When an operation that could end at once does so.
enum class Ending : std::uint8_t {
  kLate,  // some calls of progress later; and each operation is refused before it is accepted
  kAtOnce // within the function that posts or cancels it, where it can
};

// Which of its freedoms the netmod uses.
struct MinimalWish {
  Ending ending = Ending::kLate;
  bool delivers = true; // false: it has no capability at all, and loses what it takes
};

// Its operations, for avrm_device_options_t.
[[nodiscard]] const avrm_netmod_ops_t *minimal_ops() noexcept;

// Of processes that are forked later.
void set_minimal(const MinimalWish &wish);

// What this process's netmod has seen.
struct MinimalCounts {
  std::uint64_t refused;      // operations that returned AVRM_ERR_AGAIN
  std::uint64_t overtaken;    // messages that others of the same sender have overtaken
  std::uint64_t cancels;      // calls of cancel
  std::uint64_t late_cancels; // of them for a receive that was cancelled before, or has its message
  std::uint64_t removed;      // peers
  std::uint64_t failed;       // calls of peer_failed
};
[[nodiscard]] const MinimalCounts &minimal_counts();

} // namespace avrankmap::test

#endif
