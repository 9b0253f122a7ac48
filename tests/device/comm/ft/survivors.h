// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs in which processes die, and what survivors do then.
#ifndef AVRANKMAP_TESTS_DEVICE_COMM_FT_SURVIVORS_H
#define AVRANKMAP_TESTS_DEVICE_COMM_FT_SURVIVORS_H

#include "avrankmap/device/ft.h"
#include "tests/device/comm/members.h"

namespace avrankmap::test {

// Connections over a network take long; the rest of the points is for the long form.
inline bool is_slow(const Transport &transport) { return has_network(transport) && !is_long(); }

inline Members without(const Process &process, int victim) {
  Members members = everyone(process);
  members.erase(members.begin() + victim);
  return members;
}

// Connects all processes where one may not die before. Returns when all have what all sent.
inline void prepare_for_death(const Process &process, const Transport &transport) {
  if (!survives_early_death(transport)) {
    check_messages(process.world, process.rank, everyone(process));
    fence(process);
  }
}

inline avrm_comm_t *dup_of(avrm_comm_t *comm) {
  avrm_comm_t *dup = nullptr;
  AVRM_MUST(avrm_comm_dup(comm, &dup) == AVRM_OK);
  return dup;
}

inline bool is_revoked(avrm_comm_t *comm) {
  bool revoked = false;
  AVRM_MUST(avrm_comm_is_revoked(comm, &revoked) == AVRM_OK);
  return revoked;
}

inline void await_revocation(const Process &process, avrm_comm_t *comm) {
  while (!is_revoked(comm)) {
    avrm_progress(process.device);
  }
}

// Until this process knows that a member has failed.
inline void await_failure(const Process &process, avrm_comm_t *comm) {
  std::int32_t failed = 0;
  while (failed == 0) {
    avrm_progress(process.device);
    avrm_group_t *group = nullptr;
    AVRM_MUST(avrm_comm_get_failed(comm, &group) == AVRM_OK);
    failed = avrm_group_size(group);
    avrm_group_destroy(group);
  }
}

// Bytes of the device's communicators, and what belongs to them.
inline std::uint64_t comm_bytes(const Process &process) {
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(process.device), AVRM_MEM_COMM, &usage) == AVRM_OK);
  return usage.live_bytes;
}

} // namespace avrankmap::test

#endif
