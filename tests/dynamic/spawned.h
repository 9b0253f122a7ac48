// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who is who among processes and those that they spawn.
#ifndef AVRANKMAP_TESTS_DYNAMIC_SPAWNED_H
#define AVRANKMAP_TESTS_DYNAMIC_SPAWNED_H

#include "tests/comm/members.h"

namespace avrankmap::test {

inline int parent_id(int rank) { return 100 + rank; }
inline int child_id(int rank) { return 200 + rank; }

inline Members ids(int (*id)(int), int count) {
  Members members;
  for (int rank = 0; rank < count; ++rank) {
    members.push_back(id(rank));
  }
  return members;
}

// Parents first.
inline Members family(int parents, int children) {
  Members members = ids(parent_id, parents);
  const Members young = ids(child_id, children);
  members.insert(members.end(), young.begin(), young.end());
  return members;
}

// A word that all is well so far.
inline void tell(avrm_comm_t *comm, int rank) {
  const int word = 1;
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_isend(comm, &word, sizeof word, rank, 8, &request) == AVRM_OK);
  wait(request);
}
inline void hear(avrm_comm_t *comm, int rank) {
  int word = 0;
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_irecv(comm, &word, sizeof word, rank, 8, &request) == AVRM_OK);
  wait(request);
}

} // namespace avrankmap::test

#endif
