// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for descriptors, whatever limits this process has.
#ifndef AVRANKMAP_SRC_BASE_WAIT_FOR_H
#define AVRANKMAP_SRC_BASE_WAIT_FOR_H

#include <poll.h>

#include <cstdint>

namespace avrankmap::detail {

// Waits until a descriptor of the list is ready, but no longer than the given time. Entries with a
// negative descriptor are never ready. Returns early after a signal.
//
// poll refuses a list that is longer than RLIMIT_NOFILE, negative entries included. Such a list is
// looked at entry by entry after a pause of at most a millisecond, so that a loop around this call
// neither spins nor misses anything.
void wait_for(pollfd *list, nfds_t count, std::int64_t nanoseconds) noexcept;

// After a call for a socket that may be made again: nothing moves, or the system is short of
// something. Neither says anything of the other side.
[[nodiscard]] bool may_be_repeated() noexcept;

} // namespace avrankmap::detail

#endif
