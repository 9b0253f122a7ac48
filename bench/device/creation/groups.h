// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ways to make a communicator of some of the processes of another one ("Noncollective Communicator
// Creation in MPI", figure 1, and its sections 5.1 and 5.2).
#ifndef AVRANKMAP_BENCH_DEVICE_CREATION_GROUPS_H
#define AVRANKMAP_BENCH_DEVICE_CREATION_GROUPS_H

#include "comm_algorithms/create/from_group.h"
#include "device/creation/creation_ops.h"

namespace avrankmap::bench {

constexpr const char *kByMembers = "group, by its members";
constexpr const char *kByParent = "group, by the parent";
/// The paper's algorithm 1: at each level pairs of neighbouring groups make an intercommunicator
/// and merge it. A last group without a neighbour waits for a later level.
constexpr const char *kMerging = "merging step by step";
/// The same with one agreement per level (avrm_comm_merge).
constexpr const char *kMergingAtOnce = "merging step by step, at once";
/// Section 5.2: a communicator of as many groups as processes, flattened into an intercommunicator
/// of each process and all others, which is merged.
constexpr const char *kMulti = "multicommunicator";

/// The second step of kMulti: this process on one side, the rest of the group on the other.
/// Collective over the group, which has more than one process.
detail::Task make_flattened(detail::Channel &channel, detail::CreationHost &site, const avrm_group_t *group,
                            std::uint32_t seed, detail::CreationResult *made) noexcept;

/// Groups of the first 2, 3, 8, 12, ... processes of so many, in all ways. Throws
/// std::runtime_error if one of them fails.
std::vector<CreationOp> simulate_groups(std::int32_t processes);

/// The same in a forked job of this machine, over shared memory: groups of 2, 3, 4, 6, 8, ...
/// processes. From when the last process begins to when the last one has the communicator; median.
/// The processes that do not take part sleep.
std::vector<CreationOp> measure_groups(std::int32_t processes, int repetitions);

} // namespace avrankmap::bench

#endif
