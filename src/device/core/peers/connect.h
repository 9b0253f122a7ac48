// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First contact with a peer, and where it is from then on.
#ifndef AVRANKMAP_SRC_CORE_PEERS_CONNECT_H
#define AVRANKMAP_SRC_CORE_PEERS_CONNECT_H

#include "core/device.h"

namespace avrankmap::detail {

struct Card;

// Fetches a peer's card, introduces it to its transport and writes its AVE.
[[nodiscard]] avrm_status_t connect_peer(avrm_device_t *device, avrm_gpid_t peer) noexcept;
[[nodiscard]] avrm_status_t connect_all(avrm_device_t *device) noexcept;
// The card that a process of the own world has published.
[[nodiscard]] avrm_status_t fetch_card(avrm_device_t *device, std::int32_t lpid, Card *card_p) noexcept;

[[nodiscard]] avrm_far_t far_of(const avrm_device_t *device, std::uint64_t word) noexcept;

// Where a peer is. Connects it if need be.
struct Route {
  enum Kind { kNet, kShm, kSelf } kind;
  std::uint64_t handle;    // kNet
  std::int32_t local_rank; // kShm
};
[[nodiscard]] avrm_status_t route_to(avrm_device_t *device, avrm_gpid_t peer, Route *route_p) noexcept;
// The same for a rank; the transport test is all that a network peer costs. AVRM_ERR_REVOKED.
[[nodiscard]] avrm_status_t route_to_far(avrm_comm_t *comm, std::int32_t rank, Route *route_p) noexcept;
[[nodiscard]] inline avrm_status_t route_to(avrm_comm_t *comm, std::int32_t rank, Route *route_p) noexcept {
  const std::uint64_t word = avrm_rankmap_word(comm->words(), rank);
  if (AVRM_LIKELY(is_network(comm->device, word))) {
    *route_p = {Route::kNet, handle_of(comm->device, word), 0};
    return AVRM_OK;
  }
  return route_to_far(comm, rank, route_p);
}

} // namespace avrankmap::detail

#endif
