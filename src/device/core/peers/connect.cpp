// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First contact, which runs once per peer, in the first operation that involves the peer.
#include "core/peers/connect.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <new>
#include <utility>

#include "core/peers/card.h"
#include "core/peers/node_sharing.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"

namespace avrankmap::detail {

namespace {

constexpr std::int32_t kBatch = 64; // peers inserted together by eager connection

// Handles first contact with a process of this node that shares no memory with this one.
avrm_status_t connect_without_shared_memory(avrm_device_t *device, std::int32_t lpid) noexcept {
  const avrm_status_t status = device->receives_from_net ? AVRM_OK : AVRM_ERR_PEER;
  if (!std::exchange(device->reported_unshared_memory, true)) {
    char text[112];
    (void)std::snprintf(text, sizeof text, "process %" PRId32 " of this node shares no memory with this one%s", lpid,
                        status == AVRM_OK ? ": the network is used" : ", and there is no network");
    report(device, AVRM_ERR_UNSUPPORTED, text);
  }
  return status;
}

// Connects a peer that is not reached over the network. Returns false for any other peer.
bool connect_far(avrm_device_t *device, std::int32_t lpid, const Card &card, avrm_ave_t *ave_p,
                 avrm_status_t *status_p) noexcept {
  if (lpid == device->rank) {
    const auto local_rank = static_cast<std::uint32_t>(avrm_boot_local_rank(device->boot));
    *status_p = avrm_ave_pack_far(device->codec, {AVRM_FAR_SELF, local_rank}, device->node, ave_p);
    return true;
  }
  if (!shares_memory(device, card)) {
    *status_p =
        device->shm != nullptr && card.node == device->node ? connect_without_shared_memory(device, lpid) : AVRM_OK;
    return *status_p != AVRM_OK;
  }
  *status_p = device->shm->ops->connect(device->shm, card.local_rank, card.shm(), card.shm_bytes);
  if (*status_p == AVRM_OK) {
    *status_p = avrm_ave_pack_far(device->codec, {AVRM_FAR_LOCAL, static_cast<std::uint32_t>(card.local_rank)},
                                  card.node, ave_p);
  }
  return true;
}

// Inserts a process into the network, unless it has a retired connection.
avrm_status_t insert(avrm_device_t *device, const Card &card, avrm_ave_t *ave_p) noexcept {
  std::uint64_t handle = 0;
  if (!device->retired.take(device->net, card.name, &handle)) {
    const avrm_status_t status =
        device->net->ops->insert(device->net, 1, card.net(), card.net_bytes, card.net_bytes, &handle);
    if (status != AVRM_OK) {
      report(device, status, device->net->ops->last_error(device->net));
      return status;
    }
  }
  const avrm_status_t status = avrm_ave_pack(device->codec, handle, card.node, ave_p);
  if (status != AVRM_OK) {
    device->net->ops->remove(device->net, handle);
  }
  return status;
}

// Stores the address of a connected process. If there is no memory, its connection is retired, so
// that the next attempt does not insert the process again.
avrm_status_t store(avrm_device_t *device, avrm_av_t *av, std::int32_t lpid, const Card &card,
                    const avrm_ave_t &ave) noexcept {
  const avrm_status_t status = avrm_av_set(av, lpid, &ave);
  if (status != AVRM_OK && is_network(device, avrm_ave_word(&ave))) {
    device->retired.put(device->net, card.name, handle_of(device, avrm_ave_word(&ave)));
  }
  return status;
}

// Peers with consecutive lpids. Network addresses of equal length are inserted together and set in
// the order of lpids, which an implicit address vector needs. For such a vector, the addresses of
// processes on this node are also inserted, although they are not used, so that the addresses of
// all other processes are numbered by lpid: one line (line.h) with exceptions.
class Batch {
public:
  explicit Batch(std::int32_t first) noexcept : first_(first) {}

  // Adds the next lpid, a process that is reached over the network.
  avrm_status_t add(avrm_device_t *device, const Card &card) noexcept {
    const avrm_status_t status = add_address(device, card, true);
    aves_[count_++] = avrm_i_ave_of(0, card.node); // flush adds the address
    return status;
  }

  // Adds the next lpid, a process on this node.
  avrm_status_t add(avrm_device_t *device, const Card &card, const avrm_ave_t &ave) noexcept {
    const bool is_implicit = device->world_av->elements == nullptr;
    const avrm_status_t status = is_implicit        ? add_address(device, card, false)
                                 : count_ == kBatch ? flush(device)
                                                    : AVRM_OK;
    aves_[count_++] = ave;
    return status;
  }

  avrm_status_t flush(avrm_device_t *device) noexcept {
    avrm_status_t status = AVRM_OK;
    if (net_count_ > 0) {
      std::uint64_t handles[kBatch];
      status = device->net->ops->insert(device->net, static_cast<std::size_t>(net_count_), addresses_, Card::kRoom,
                                        address_bytes_, handles);
      if (status != AVRM_OK) {
        report(device, status, device->net->ops->last_error(device->net));
      }
      for (std::int32_t i = 0; i < net_count_ && status == AVRM_OK; ++i) {
        avrm_ave_t &ave = aves_[net_[i]];
        if (is_used_[i]) {
          status = avrm_ave_pack(device->codec, handles[i], avrm_ave_node(&ave), &ave);
        }
      }
    }
    if (status == AVRM_OK) {
      status = avrm_av_set_range(device->world_av, first_, count_, aves_);
    }
    first_ += count_;
    count_ = 0;
    net_count_ = 0;
    return status;
  }

private:
  avrm_status_t add_address(avrm_device_t *device, const Card &card, bool is_used) noexcept {
    avrm_status_t status = AVRM_OK;
    if (count_ == kBatch || (net_count_ > 0 && card.net_bytes != address_bytes_)) {
      status = flush(device);
    }
    address_bytes_ = card.net_bytes;
    std::copy_n(card.bytes, card.net_bytes, addresses_ + net_count_ * Card::kRoom);
    is_used_[net_count_] = is_used;
    net_[net_count_++] = count_;
    return status;
  }

  std::int32_t first_;
  std::int32_t count_ = 0;
  std::int32_t net_count_ = 0;
  std::size_t address_bytes_ = 0;
  std::int32_t net_[kBatch] = {}; // index into aves_, by address
  bool is_used_[kBatch] = {};
  avrm_ave_t aves_[kBatch] = {};
  unsigned char addresses_[kBatch * Card::kRoom] = {};
};

// Connects a process of another world, which is always reached over the network.
avrm_status_t connect_other_world(avrm_device_t *device, avrm_gpid_t peer) noexcept {
  World *const world = find_world(device, peer.pgid);
  const unsigned char *const found = world == nullptr ? nullptr : find_card(world, peer.lpid);
  if (found == nullptr) {
    return AVRM_ERR_PEER;
  }
  Card card;
  card.load(found);
  if (!world->contacted.make_room(device->instance->memory)) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_ave_t ave;
  avrm_status_t status = insert(device, card, &ave);
  if (status == AVRM_OK) {
    status = store(device, world->av, peer.lpid, card, ave);
  }
  if (status == AVRM_OK) {
    world->contacted.add(peer.lpid);
  }
  return status;
}

} // namespace

avrm_status_t fetch_card(avrm_device_t *device, std::int32_t lpid, Card *card_p) noexcept {
  std::size_t bytes = sizeof(Card);
  const avrm_status_t status = avrm_boot_fetch(device->boot, lpid, 0, card_p, &bytes);
  if (status != AVRM_OK) {
    return status;
  }
  return card_p->is_sound(bytes) ? AVRM_OK : AVRM_ERR_BOOT;
}

avrm_status_t connect_peer(avrm_device_t *device, avrm_gpid_t peer) noexcept {
  if (has_failed(device, peer)) {
    return AVRM_ERR_PEER;
  }
  if (peer.pgid != kOwnWorld) {
    return connect_other_world(device, peer);
  }
  const std::int32_t lpid = peer.lpid;
  Card card;
  avrm_status_t status = fetch_card(device, lpid, &card);
  if (status != AVRM_OK) {
    return status;
  }
  if (!device->contacted.make_room(device->instance->memory)) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_ave_t ave;
  if (!connect_far(device, lpid, card, &ave, &status)) {
    status = insert(device, card, &ave);
  }
  if (status == AVRM_OK) {
    status = store(device, device->world_av, lpid, card, ave);
  }
  if (status == AVRM_OK) {
    device->contacted.add(lpid);
    device->failure_detector.add(device, lpid, card);
  }
  return status;
}

avrm_status_t connect_all(avrm_device_t *device) noexcept {
  const Scratch<Batch> room(device->instance->memory, 1);
  if (!room) {
    return AVRM_ERR_NO_MEMORY;
  }
  Batch &batch = *new (room.data()) Batch(0);
  for (std::int32_t lpid = 0; lpid < device->size; ++lpid) {
    Card card;
    avrm_status_t status = fetch_card(device, lpid, &card);
    if (status == AVRM_OK && !device->contacted.make_room(device->instance->memory)) {
      status = AVRM_ERR_NO_MEMORY;
    }
    if (status == AVRM_OK) {
      device->contacted.add(lpid);
      device->failure_detector.add(device, lpid, card);
      avrm_ave_t ave;
      const bool is_far = connect_far(device, lpid, card, &ave, &status);
      status = !is_far ? batch.add(device, card) : status == AVRM_OK ? batch.add(device, card, ave) : status;
    }
    if (status != AVRM_OK) {
      return status;
    }
  }
  return batch.flush(device);
}

namespace {

// Decodes the route from an address word. Returns false if the peer is not connected.
bool route_of(const avrm_device_t *device, std::uint64_t word, Route *route_p) noexcept {
  if (is_network(device, word)) {
    *route_p = {Route::kNet, handle_of(device, word), 0};
    return true;
  }
  if (!avrm_word_is_local(device->codec, word)) {
    return false;
  }
  const auto local_rank = static_cast<std::int32_t>(avrm_word_local_rank(device->codec, word));
  *route_p = {local_rank == avrm_boot_local_rank(device->boot) ? Route::kSelf : Route::kShm, 0, local_rank};
  return true;
}

} // namespace

bool find_route(const avrm_device_t *device, const avrm_av_t *av, std::int32_t lpid, Route *route_p) noexcept {
  avrm_ave_t ave;
  return avrm_av_get(av, lpid, &ave) == AVRM_OK && route_of(device, avrm_ave_word(&ave), route_p);
}

avrm_status_t route_to(avrm_device_t *device, avrm_gpid_t peer, Route *route_p) noexcept {
  const avrm_av_t *av = device->world_av;
  if (AVRM_UNLIKELY(peer.pgid != kOwnWorld)) {
    const World *const world = find_world(device, peer.pgid);
    if (world == nullptr) {
      return AVRM_ERR_PGID_UNKNOWN;
    }
    av = world->av;
  }
  avrm_ave_t ave;
  avrm_status_t status = avrm_av_get(av, peer.lpid, &ave);
  if (status != AVRM_OK || route_of(device, avrm_ave_word(&ave), route_p)) {
    return status;
  }
  status = connect_peer(device, peer);
  if (status == AVRM_OK) {
    status = avrm_av_get(av, peer.lpid, &ave);
  }
  if (status != AVRM_OK) {
    return status;
  }
  return route_of(device, avrm_ave_word(&ave), route_p) ? AVRM_OK : AVRM_ERR_PEER;
}

avrm_status_t route_to(avrm_comm_t *comm, const Peer &peer, Route *route_p) noexcept {
  if (AVRM_LIKELY(route_of(comm->device, peer.word, route_p))) {
    return AVRM_OK;
  }
  if (comm->is_revoked()) {
    return AVRM_ERR_REVOKED;
  }
  return route_to(comm->device, peer.process_in(comm), route_p);
}

} // namespace avrankmap::detail
