// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/peers/near_peers.h"

#include <new>

#include "core/peers/card.h"
#include "core/peers/connect.h"
#include "core/progress/progress.h"

namespace avrankmap::detail {

NearPeers::~NearPeers() {
  while (NearPeer *const peer = first_) {
    first_ = peer->next;
    memory_.release(peer, sizeof *peer, alignof(NearPeer), AVRM_MEM_COMM);
  }
}

NearPeer *NearPeers::find(std::int32_t lpid) const noexcept {
  NearPeer *peer = first_;
  while (peer != nullptr && peer->lpid != lpid) {
    peer = peer->next;
  }
  return peer;
}

avrm_status_t NearPeers::find_or_make(avrm_device_t *device, std::int32_t lpid, NearPeer **peer_p) noexcept {
  if (NearPeer *const peer = find(lpid); peer != nullptr) {
    *peer_p = peer;
    return AVRM_OK;
  }
  Card card;
  avrm_status_t status = lpid >= 0 && lpid < device->size ? fetch_card(device, lpid, &card) : AVRM_ERR_RANK;
  if (status != AVRM_OK) {
    return status;
  }
  void *const block = memory_.allocate(sizeof(NearPeer), alignof(NearPeer), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint64_t handle = 0;
  status = device->net->ops->insert(device->net, 1, card.net(), card.net_bytes, card.net_bytes, &handle);
  if (status != AVRM_OK) {
    memory_.release(block, sizeof(NearPeer), alignof(NearPeer), AVRM_MEM_COMM);
    report(device, status, device->net->ops->last_error(device->net));
    return status;
  }
  *peer_p = first_ = new (block) NearPeer{lpid, handle, false, first_};
  return AVRM_OK;
}

void fail_near_peers(avrm_device_t *device) noexcept {
  for (NearPeer *peer = device->near_peers.first(); peer != nullptr; peer = peer->next) {
    if (!peer->failed && has_failed(device, {kOwnWorld, peer->lpid})) {
      peer->failed = true;
      device->net->ops->peer_failed(device->net, peer->handle);
    }
  }
}

} // namespace avrankmap::detail
