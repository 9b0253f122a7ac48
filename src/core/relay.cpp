// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/relay.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "boot/boot.h"
#include "core/admission.h"
#include "core/card.h"
#include "core/connect.h"
#include "core/progress.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kMostHeader = 128; // of a shmmod

// Finds a peer, or introduces it to the netmod.
avrm_status_t handle_for(avrm_device_t *device, std::int32_t lpid, std::uint64_t *handle_p) noexcept {
  if (device->relay_peers.find(lpid, handle_p)) {
    return AVRM_OK;
  }
  Card card;
  avrm_status_t status = lpid >= 0 && lpid < device->size ? fetch_card(device, lpid, &card) : AVRM_ERR_RANK;
  if (status == AVRM_OK && !device->relay_peers.make_room()) {
    status = AVRM_ERR_NO_MEMORY;
  }
  if (status == AVRM_OK) {
    status = device->net->ops->insert(device->net, 1, card.net(), card.net_bytes, card.net_bytes, handle_p);
  }
  if (status == AVRM_OK) {
    device->relay_peers.add(lpid, *handle_p);
  }
  return status;
}

avrm_status_t relay(void *user, std::int32_t process, const void *header, std::size_t header_bytes, const void *payload,
                    std::size_t payload_bytes) noexcept {
  auto *const device = static_cast<avrm_device_t *>(user);
  if (header_bytes > kMostHeader) {
    return AVRM_ERR_SIZE;
  }
  std::uint64_t handle = 0;
  avrm_status_t status = has_failed(device, {kOwnWorld, process}) ? AVRM_ERR_PEER : learn_pass(device->boot);
  if (status == AVRM_OK) {
    status = handle_for(device, process, &handle);
  }
  if (status != AVRM_OK) {
    return status;
  }
  ActiveHeader active{};
  active.type = ActiveType::kRelay;
  active.pass = device->boot->pass;
  unsigned char joined[sizeof active + kMostHeader];
  std::memcpy(joined, &active, sizeof active);
  std::memcpy(joined + sizeof active, header, header_bytes);
  status = device->net->ops->am_send(device->net, handle, joined, sizeof active + header_bytes, payload, payload_bytes);
  if (status == AVRM_ERR_PEER) {
    device->watch.lost(device, process);
  }
  return status;
}

void on_apart(void *user, std::int32_t process, avrm_status_t reason) noexcept {
  char text[128];
  (void)std::snprintf(text, sizeof text,
                      "memory of process %" PRId32 " of this node cannot be attached: the network is used", process);
  report(static_cast<avrm_device_t *>(user), reason, text);
}

} // namespace

RelayPeers::~RelayPeers() {
  if (peers_ != nullptr) {
    memory_.release(peers_, capacity_ * sizeof(Peer), alignof(Peer), AVRM_MEM_CACHE);
  }
}

bool RelayPeers::make_room() noexcept {
  if (count_ == capacity_) {
    const std::size_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
    auto *const peers = static_cast<Peer *>(memory_.allocate(capacity * sizeof(Peer), alignof(Peer), AVRM_MEM_CACHE));
    if (peers == nullptr) {
      return false;
    }
    std::copy_n(peers_, count_, peers);
    if (peers_ != nullptr) {
      memory_.release(peers_, capacity_ * sizeof(Peer), alignof(Peer), AVRM_MEM_CACHE);
    }
    peers_ = peers;
    capacity_ = capacity;
  }
  return true;
}

void RelayPeers::add(std::int32_t lpid, std::uint64_t handle) noexcept { peers_[count_++] = {lpid, handle}; }

bool RelayPeers::find(std::int32_t lpid, std::uint64_t *handle_p) const noexcept {
  const Peer *const end = peers_ + count_;
  const Peer *const found =
      std::find_if(static_cast<const Peer *>(peers_), end, [lpid](const Peer &peer) { return peer.lpid == lpid; });
  if (found == end) {
    return false;
  }
  *handle_p = found->handle;
  return true;
}

void offer_relay(avrm_device_t *device, avrm_shmmod_config_t *config) noexcept {
  config->process = device->rank;
  if (device->receives_from_net) {
    config->relay = relay;
    config->relay_max = device->net->am_max - sizeof(ActiveHeader);
    config->on_apart = on_apart;
  }
}

} // namespace avrankmap::detail
