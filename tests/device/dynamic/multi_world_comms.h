// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators of several worlds with plain lists of their members, and the check that both agree.
#ifndef AVRANKMAP_TESTS_DYNAMIC_MULTI_WORLD_COMMS_H
#define AVRANKMAP_TESTS_DYNAMIC_MULTI_WORLD_COMMS_H

#include "tests/device/comm/members.h"

namespace avrankmap::test {

// Id of a process among several worlds, the same number everywhere.
constexpr int kIdsPerWorld = 100;
inline int id_of(int world, int rank) { return kIdsPerWorld * (world + 1) + rank; }

inline Members ids_of(int world, int size) {
  Members ids;
  for (int rank = 0; rank < size; ++rank) {
    ids.push_back(id_of(world, rank));
  }
  return ids;
}

inline Members joined(Members first, const Members &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The process that runs the checks: its world, and its id.
struct WorldMember {
  avrm_comm_t *world;
  int id;
  [[nodiscard]] bool is_at_home(int other) const { return other / kIdsPerWorld == id / kIdsPerWorld; }
  [[nodiscard]] int home_id(int rank) const { return id / kIdsPerWorld * kIdsPerWorld + rank; }
};

// Translates a group's ranks to those of the own world and back: undefined for processes in only
// one of the two.
inline void check_group_of_worlds(const WorldMember &self, avrm_group_t *group, const Members &ids) {
  const auto in_order = [](std::int32_t count) {
    Members ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  };
  const auto size = static_cast<std::int32_t>(ids.size());
  const std::int32_t world_size = avrm_comm_size(self.world);
  avrm_group_t *world = nullptr;
  AVRM_MUST(avrm_comm_group(self.world, &world) == AVRM_OK);
  AVRM_MUST(avrm_group_size(group) == size);
  Members found(ids.size());
  AVRM_MUST(avrm_group_translate_ranks(group, size, in_order(size).data(), world, found.data()) == AVRM_OK);
  for (std::size_t rank = 0; rank < ids.size(); ++rank) {
    AVRM_MUST(found[rank] == (self.is_at_home(ids[rank]) ? ids[rank] % kIdsPerWorld : AVRM_UNDEFINED));
  }
  found.resize(static_cast<std::size_t>(world_size));
  AVRM_MUST(avrm_group_translate_ranks(world, world_size, in_order(world_size).data(), group, found.data()) == AVRM_OK);
  for (std::int32_t rank = 0; rank < world_size; ++rank) {
    const int id = self.home_id(rank);
    AVRM_MUST(found[static_cast<std::size_t>(rank)] == (has(ids, id) ? rank_in(ids, id) : AVRM_UNDEFINED));
  }
  avrm_group_destroy(world);
  avrm_group_destroy(group);
}

// A communicator with one group of several worlds.
inline void check_merged(const WorldMember &self, avrm_comm_t *comm, const Members &ids) {
  AVRM_MUST(!avrm_comm_is_inter(comm));
  AVRM_MUST(avrm_comm_size(comm) == static_cast<int>(ids.size()));
  AVRM_MUST(avrm_comm_rank(comm) == rank_in(ids, self.id));
  avrm_group_t *group = nullptr;
  AVRM_MUST(avrm_comm_group(comm, &group) == AVRM_OK);
  check_group_of_worlds(self, group, ids);
  check_messages(comm, self.id, ids);
}

// A communicator with two groups of several worlds.
inline void check_intercomm(const WorldMember &self, avrm_comm_t *comm, const Members &own, const Members &other) {
  AVRM_MUST(avrm_comm_is_inter(comm));
  AVRM_MUST(avrm_comm_size(comm) == static_cast<int>(own.size()));
  AVRM_MUST(avrm_comm_rank(comm) == rank_in(own, self.id));
  AVRM_MUST(avrm_comm_remote_size(comm) == static_cast<int>(other.size()));
  avrm_group_t *group = nullptr;
  AVRM_MUST(avrm_comm_group(comm, &group) == AVRM_OK);
  check_group_of_worlds(self, group, own);
  AVRM_MUST(avrm_comm_remote_group(comm, &group) == AVRM_OK);
  check_group_of_worlds(self, group, other);
  check_messages(comm, self.id, other);
}

// An intercommunicator of all of the own world and all of another.
inline void check_intercomm(const WorldMember &self, avrm_comm_t *comm, const Members &other) {
  check_intercomm(self, comm, ids_of(self.id / kIdsPerWorld - 1, avrm_comm_size(self.world)), other);
}

} // namespace avrankmap::test

#endif
