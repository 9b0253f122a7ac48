// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/near_peers.h"

#include <new>

#include "core/card.h"
#include "core/connect.h"
#include "core/progress.h"
#include "rma/window.h"

namespace avrankmap::detail {

avrm_status_t find_near_peer(avrm_device_t *device, avrm_gpid_t process, NearPeer **peer_p) noexcept {
  for (NearPeer *peer = device->windows->near_peers; peer != nullptr; peer = peer->next) {
    if (peer->process.lpid == process.lpid) {
      *peer_p = peer;
      return AVRM_OK;
    }
  }
  Card card;
  avrm_status_t status = process.pgid == kOwnWorld ? fetch_card(device, process.lpid, &card) : AVRM_ERR_PEER;
  if (status != AVRM_OK) {
    return status;
  }
  Memory &memory = device->instance->memory;
  void *const block = memory.allocate(sizeof(NearPeer), alignof(NearPeer), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint64_t handle = 0;
  status = device->net->ops->insert(device->net, 1, card.net(), card.net_bytes, card.net_bytes, &handle);
  if (status != AVRM_OK) {
    memory.release(block, sizeof(NearPeer), alignof(NearPeer), AVRM_MEM_COMM);
    report(device, status, device->net->ops->last_error(device->net));
    return status;
  }
  device->windows->near_peers = *peer_p = new (block) NearPeer{process, handle, false, device->windows->near_peers};
  return AVRM_OK;
}

void fail_near_peers(avrm_device_t *device) noexcept {
  for (NearPeer *peer = device->windows->near_peers; peer != nullptr; peer = peer->next) {
    if (!peer->failed && has_failed(device, peer->process)) {
      peer->failed = true;
      device->net->ops->peer_failed(device->net, peer->handle);
    }
  }
}

void drop_near_peers(avrm_device_t *device) noexcept {
  while (NearPeer *const peer = device->windows->near_peers) {
    device->windows->near_peers = peer->next;
    device->instance->memory.release(peer, sizeof *peer, alignof(NearPeer), AVRM_MEM_COMM);
  }
}

} // namespace avrankmap::detail
