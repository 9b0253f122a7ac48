// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators with plain lists of their members, and the check that both agree: every member has
// the rank that the list says, and can be reached.
#ifndef AVRANKMAP_TESTS_COMM_MEMBERS_H
#define AVRANKMAP_TESTS_COMM_MEMBERS_H

#include <algorithm>
#include <numeric>
#include <vector>

#include "avrankmap/device/comm.h"
#include "tests/device/comm/sequence.h"
#include "tests/device/core/process.h"

namespace avrankmap::test {

inline Members everyone(const Process &process) {
  Members members(static_cast<std::size_t>(process.size));
  for (int lpid = 0; lpid < process.size; ++lpid) {
    members[static_cast<std::size_t>(lpid)] = lpid;
  }
  return members;
}

inline void check_map(const avrm_rankmap_t *map, const Members &members) {
  AVRM_MUST(map->size == static_cast<int>(members.size()));
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map, static_cast<std::int32_t>(rank));
    AVRM_MUST(process.pgid == 0 && process.lpid == members[rank]);
  }
}

// Translates a group's ranks to those of the world and back, and compares them with the list.
inline void check_group(const Process &process, avrm_group_t *group, const Members &members) {
  const auto count = static_cast<std::int32_t>(members.size());
  AVRM_MUST(avrm_group_size(group) == count);
  Members ranks(members.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  Members translated(members.size());
  avrm_group_t *world = nullptr;
  AVRM_MUST(avrm_comm_group(process.world, &world) == AVRM_OK);
  AVRM_MUST(avrm_group_translate_ranks(group, count, ranks.data(), world, translated.data()) == AVRM_OK);
  AVRM_MUST(translated == members);
  AVRM_MUST(avrm_group_translate_ranks(world, count, members.data(), group, translated.data()) == AVRM_OK);
  AVRM_MUST(translated == ranks);
  avrm_group_destroy(world);
  avrm_group_destroy(group);
}

inline void check_groups(const Process &process, const avrm_comm_t *comm, const Members &own, const Members *other) {
  avrm_group_t *group = nullptr;
  AVRM_MUST(avrm_comm_group(comm, &group) == AVRM_OK);
  check_group(process, group, own);
  if (other != nullptr) {
    AVRM_MUST(avrm_comm_remote_group(comm, &group) == AVRM_OK);
    check_group(process, group, *other);
  }
}

// Each process of one side sends its rank to each process of the other side, or of the same side if
// there is only one.
inline void check_messages(avrm_comm_t *comm, int self, const Members &peers, int tag = 3) {
  const std::size_t count = peers.size();
  std::vector<int> in(count, -1);
  std::vector<avrm_request_t *> receives(count);
  for (std::size_t rank = 0; rank < count; ++rank) {
    AVRM_MUST(avrm_irecv(comm, &in[rank], sizeof in[rank], static_cast<int>(rank), tag, &receives[rank]) == AVRM_OK);
  }
  for (std::size_t rank = 0; rank < count; ++rank) {
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_isend(comm, &self, sizeof self, static_cast<int>(rank), tag, &request) == AVRM_OK);
    wait(request);
  }
  for (std::size_t rank = 0; rank < count; ++rank) {
    wait(receives[rank]);
    AVRM_MUST(in[rank] == peers[rank]);
  }
}

// Checks that a communicator has these members, and that it is null in all other processes.
// Collective over the members.
inline void check(const Process &process, avrm_comm_t *comm, const Members &members) {
  if (!has(members, process.rank)) {
    AVRM_MUST(comm == nullptr);
    return;
  }
  AVRM_MUST(comm != nullptr && !avrm_comm_is_inter(comm));
  AVRM_MUST(avrm_comm_rank(comm) == rank_in(members, process.rank));
  AVRM_MUST(avrm_comm_size(comm) == static_cast<int>(members.size()));
  check_map(avrm_comm_map(comm), members);
  check_groups(process, comm, members, nullptr);
  check_messages(comm, process.rank, members);
}

inline void check_inter(const Process &process, avrm_comm_t *comm, const Members &own, const Members &other) {
  AVRM_MUST(comm != nullptr && avrm_comm_is_inter(comm));
  AVRM_MUST(avrm_comm_rank(comm) == rank_in(own, process.rank));
  AVRM_MUST(avrm_comm_size(comm) == static_cast<int>(own.size()));
  AVRM_MUST(avrm_comm_remote_size(comm) == static_cast<int>(other.size()));
  check_map(avrm_comm_map(comm), other);
  check_groups(process, comm, own, &other);
  check_messages(comm, process.rank, other);
}

inline avrm_group_t *group_of(const Process &process, const Members &members) {
  avrm_group_t *world = nullptr;
  avrm_group_t *group = nullptr;
  AVRM_MUST(avrm_comm_group(process.world, &world) == AVRM_OK);
  AVRM_MUST(avrm_group_incl(world, static_cast<std::int32_t>(members.size()), members.data(), &group) == AVRM_OK);
  avrm_group_destroy(world);
  return group;
}

inline void release(avrm_comm_t *comm) { AVRM_MUST(comm == nullptr || avrm_comm_free(comm) == AVRM_OK); }

// Context ids in use, the world's not counted.
inline int live_contexts(const Process &process) {
  std::int32_t live = 0;
  std::int32_t most = 0;
  avrm_device_contexts(process.device, &live, &most);
  AVRM_MUST(most >= 1000000);
  return live - 1;
}

} // namespace avrankmap::test

#endif
