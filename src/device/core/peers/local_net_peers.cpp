// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/peers/local_net_peers.h"

#include <new>

#include "core/peers/card.h"
#include "core/peers/connect.h"
#include "core/progress/progress.h"

namespace avrankmap::detail {

LocalNetPeers::~LocalNetPeers() {
  while (LocalNetPeer *const peer = first_) {
    first_ = peer->next;
    memory_.release(peer, sizeof *peer, alignof(LocalNetPeer), AVRM_MEM_COMM);
  }
}

LocalNetPeer *LocalNetPeers::find(std::int32_t lpid) const noexcept {
  LocalNetPeer *peer = first_;
  while (peer != nullptr && peer->lpid != lpid) {
    peer = peer->next;
  }
  return peer;
}

avrm_status_t LocalNetPeers::find_or_make(avrm_device_t *device, std::int32_t lpid, LocalNetPeer **peer_p) noexcept {
  if (LocalNetPeer *const peer = find(lpid); peer != nullptr) {
    *peer_p = peer;
    return AVRM_OK;
  }
  Card card;
  avrm_status_t status = lpid >= 0 && lpid < device->size ? fetch_card(device, lpid, &card) : AVRM_ERR_RANK;
  if (status != AVRM_OK) {
    return status;
  }
  void *const block = memory_.allocate(sizeof(LocalNetPeer), alignof(LocalNetPeer), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint64_t handle = 0;
  status = device->net->ops->insert(device->net, 1, card.net(), card.net_bytes, card.net_bytes, &handle);
  if (status != AVRM_OK) {
    memory_.release(block, sizeof(LocalNetPeer), alignof(LocalNetPeer), AVRM_MEM_COMM);
    report(device, status, device->net->ops->last_error(device->net));
    return status;
  }
  *peer_p = first_ = new (block) LocalNetPeer{lpid, handle, false, first_};
  return AVRM_OK;
}

void fail_local_net_peers(avrm_device_t *device) noexcept {
  for (LocalNetPeer *peer = device->local_net_peers.first(); peer != nullptr; peer = peer->next) {
    if (!peer->failed && has_failed(device, {kOwnWorld, peer->lpid})) {
      peer->failed = true;
      device->net->ops->peer_failed(device->net, peer->handle);
    }
  }
}

} // namespace avrankmap::detail
