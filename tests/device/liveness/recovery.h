// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Revoking, agreeing and shrinking, while a process dies at any message of these.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_RECOVERY_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_RECOVERY_H

#include <random>

#include "avrankmap/device/ft.h"
#include "tests/device/core/process.h"
#include "tests/device/liveness/kill_at_message.h"

namespace avrankmap::test {

// True if all who take part come with the same value. Deaths do no harm.
inline bool is_same_in_all(avrm_comm_t *comm, std::uint64_t value) {
  std::uint64_t ones = value;
  std::uint64_t zeros = ~value;
  const avrm_status_t first = avrm_comm_agree(comm, &ones);
  const avrm_status_t second = avrm_comm_agree(comm, &zeros);
  AVRM_MUST((first == AVRM_OK || first == AVRM_ERR_PEER) && (second == AVRM_OK || second == AVRM_ERR_PEER));
  return ones == value && zeros == ~value;
}

// All call it with the same seed, connected to one another. `victim` dies at a point that the seed
// says; survivors have a communicator of their own then, and had the same results all the time.
inline void recover_from_a_death(Process &process, int victim, std::uint32_t seed, void (*last_act)(void *),
                                 void *user) {
  std::minstd_rand random(seed + 1);
  const auto below = [&random](int end) { return static_cast<int>(random() >> 8) % end; };
  avrm_comm_t *comm = nullptr;
  AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_OK);
  gather_at(process, victim); // all have it before the victim may die
  Buffer in;
  const int point = below(48);
  const int caller = below(process.size);
  if (process.rank == victim) {
    KillAtMessage::arm(process.device, point, last_act, user);
  }
  // A receive for which there is no message, as in a program that is interrupted.
  avrm_request_t *request = nullptr;
  const avrm_status_t posted = avrm_irecv(comm, in.data(), in.size(), caller, 1, &request);
  // The victim's neighbour notices the death, if the caller does not live to revoke it.
  if (process.rank == caller || caller == victim) {
    AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
  }
  if (posted == AVRM_OK) {
    const avrm_status_t ended = avrm_wait(&request, nullptr);
    AVRM_MUST(ended == AVRM_ERR_REVOKED || ended == AVRM_ERR_PEER);
  }
  std::uint64_t value = ~(std::uint64_t{1} << process.rank);
  const avrm_status_t agreed = avrm_comm_agree(comm, &value);
  AVRM_MUST(agreed == AVRM_OK || agreed == AVRM_ERR_PEER);
  avrm_comm_t *rest = nullptr;
  AVRM_MUST(avrm_comm_shrink(comm, &rest) == AVRM_OK);
  const auto size = static_cast<std::uint64_t>(avrm_comm_size(rest));
  AVRM_MUST(is_same_in_all(rest, value << 16 | static_cast<std::uint16_t>(agreed) << 8 | size));
  while (avrm_comm_size(rest) == process.size) {
    if (process.rank == victim) {
      KillAtMessage::die(); // it had fewer messages
    }
    avrm_comm_t *without_victim = nullptr;
    AVRM_MUST(avrm_comm_shrink(rest, &without_victim) == AVRM_OK);
    AVRM_MUST(avrm_comm_free(rest) == AVRM_OK);
    rest = without_victim;
  }
  AVRM_MUST(avrm_comm_size(rest) == process.size - 1);
  for (int rank = 0; rank < process.size - 1; ++rank) {
    AVRM_MUST(avrm_rankmap_gpid(avrm_comm_map(rest), rank).lpid == rank + (rank < victim ? 0 : 1));
  }
  AVRM_MUST(avrm_barrier(rest) == AVRM_OK);
  AVRM_MUST(avrm_comm_free(comm) == AVRM_OK);
  AVRM_MUST(is_same_in_all(rest, 1)); // nobody leaves before
  AVRM_MUST(avrm_comm_free(rest) == AVRM_OK);
}

} // namespace avrankmap::test

#endif
