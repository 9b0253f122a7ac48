// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last step of every algorithm that creates a communicator. These algorithms are collective
// over the channel and have one result: either every process gets its part of the new communicator,
// or all of them get an error and nothing is created. Steps that may fail in one process alone
// (memory, arguments) come before this one, which reports their errors to the others.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CONCLUDE_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CONCLUDE_H

#include "comm_algorithms/context_agreement.h"
#include "comm_algorithms/creation_host.h"

namespace avrankmap::detail {

// The last step of every algorithm. `status` is an error if this process could not create its part.
// Processes without a part also call it, with no map in `made`.
Task conclude(Channel &channel, const Bridge *bridge, CreationHost &site, avrm_status_t status, std::uint64_t digest,
              std::uint32_t seed, CreationResult *made) noexcept;

} // namespace avrankmap::detail

#endif
