// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ids of parents and of the children that they spawn.
#ifndef AVRANKMAP_TESTS_DYNAMIC_SPAWNED_H
#define AVRANKMAP_TESTS_DYNAMIC_SPAWNED_H

#include "tests/device/dynamic/multi_world_comms.h"

namespace avrankmap::test {

constexpr int kParentWorld = 0; // as run_worlds counts them
constexpr int kChildWorld = 1;

// Parents first.
inline Members family(int parents, int children) {
  return joined(ids_of(kParentWorld, parents), ids_of(kChildWorld, children));
}

// Sends a word, to say that all is well so far.
inline void tell(avrm_comm_t *comm, int rank) {
  const int word = 1;
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_isend(comm, &word, sizeof word, rank, 8, &request) == AVRM_OK);
  const avrm_status_t status = avrm_wait(&request, nullptr);
  AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
}
inline void hear(avrm_comm_t *comm, int rank) {
  int word = 0;
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_irecv(comm, &word, sizeof word, rank, 8, &request) == AVRM_OK);
  wait(request);
}

} // namespace avrankmap::test

#endif
