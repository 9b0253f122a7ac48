// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last step of every algorithm that creates a communicator. All of them are collective over the
// channel and end alike in all its processes: each process gets its part of the new communicator,
// or all of them get an error and nobody has anything. What can fail in one process alone (memory,
// arguments) happens before this step, which carries the bad news to the others.
#ifndef AVRANKMAP_SRC_COMM_CONCLUDE_H
#define AVRANKMAP_SRC_COMM_CONCLUDE_H

#include "comm/agree.h"
#include "comm/site.h"

namespace avrankmap::detail {

// The last step of every algorithm. `status`: whether this process has what it needs, in `made`. A
// process that has nothing to get takes part as well.
Task conclude(Channel &channel, const Bridge *bridge, Site &site, avrm_status_t status, std::uint64_t digest,
              std::uint32_t seed, Made *made) noexcept;

} // namespace avrankmap::detail

#endif
