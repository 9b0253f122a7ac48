// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for descriptors, independent of this process's limits.
#ifndef AVRANKMAP_SRC_BASE_WAIT_FOR_H
#define AVRANKMAP_SRC_BASE_WAIT_FOR_H

#include <poll.h>

#include <cstdint>

namespace avrankmap::detail {

// Waits until a descriptor of the list is ready, but no longer than the given time. Entries with a
// negative descriptor are never ready. Returns early after a signal.
//
// poll refuses a list that is longer than RLIMIT_NOFILE, negative entries included. Such a list is
// polled entry by entry after a pause of at most a millisecond, so that a loop around this call
// neither spins nor misses an event.
void wait_for(pollfd *list, nfds_t count, std::int64_t nanoseconds) noexcept;

// True if a failed call for a socket may be repeated: it would block, or a resource is exhausted.
// Neither means that the other side has failed.
[[nodiscard]] bool may_be_repeated() noexcept;

} // namespace avrankmap::detail

#endif
