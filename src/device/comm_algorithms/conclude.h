// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last step of every algorithm that creates a communicator. All of them are collective over the
// channel and end alike in all its processes: each process gets its part of the new communicator,
// or all of them get an error and nobody has anything. What can fail in one process alone (memory,
// arguments) happens before this step, which carries the error to the others.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CONCLUDE_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CONCLUDE_H

#include "comm_algorithms/context_agreement.h"
#include "comm_algorithms/creation_host.h"

namespace avrankmap::detail {

// The last step of every algorithm. `status`: whether this process has what it needs, in `made`. A
// process that has nothing to get takes part as well.
Task conclude(Channel &channel, const Bridge *bridge, CreationHost &site, avrm_status_t status, std::uint64_t digest,
              std::uint32_t seed, CreationResult *made) noexcept;

} // namespace avrankmap::detail

#endif
