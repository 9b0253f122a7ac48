// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First contact with a peer, and the route to it.
#ifndef AVRANKMAP_SRC_CORE_PEERS_CONNECT_H
#define AVRANKMAP_SRC_CORE_PEERS_CONNECT_H

#include "core/device.h"

namespace avrankmap::detail {

struct Card;

// Fetches a peer's card, adds the peer to its transport and sets its AVE.
[[nodiscard]] avrm_status_t connect_peer(avrm_device_t *device, avrm_gpid_t peer) noexcept;
[[nodiscard]] avrm_status_t connect_all(avrm_device_t *device) noexcept;
// Fetches the card that a process of this world has published.
[[nodiscard]] avrm_status_t fetch_card(avrm_device_t *device, std::int32_t lpid, Card *card_p) noexcept;

// The route to a peer; route_to connects the peer if necessary.
struct Route {
  enum Kind { kNet, kShm, kSelf } kind;
  std::uint64_t handle;    // kNet
  std::int32_t local_rank; // kShm, kSelf
};
[[nodiscard]] avrm_status_t route_to(avrm_device_t *device, avrm_gpid_t peer, Route *route_p) noexcept;
// Returns false if the process of an AV is not connected.
[[nodiscard]] bool find_route(const avrm_device_t *device, const avrm_av_t *av, std::int32_t lpid,
                              Route *route_p) noexcept;

// A process as an operation specifies it: by its rank in a communicator or, if that is negative, in
// this world. A message translates the rank once, and passes on the address word.
struct Peer {
  std::int32_t rank;
  std::int32_t lpid;
  std::uint64_t word;
  [[nodiscard]] avrm_gpid_t process_in(const avrm_comm_t *comm) const noexcept {
    return rank >= 0 ? gpid_of(comm, rank) : avrm_gpid_t{kOwnWorld, lpid};
  }
};
[[nodiscard]] inline Peer peer_of(const avrm_comm_t *comm, std::int32_t rank) noexcept {
  return {rank, -1, avrm_rankmap_word(comm->words(), rank)};
}
// Like route_to above, but for a peer of a communicator; translates again only if the peer is not
// connected. Also returns AVRM_ERR_REVOKED.
[[nodiscard]] avrm_status_t route_to(avrm_comm_t *comm, const Peer &peer, Route *route_p) noexcept;

} // namespace avrankmap::detail

#endif
