// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/peers/node_sharing.h"

#include "core/peers/card.h"
#include "core/peers/connect.h"
#include "launch/boot.h"

namespace avrankmap::detail {

bool shares_memory(const avrm_device_t *device, const Card &card) noexcept {
  return device->shm != nullptr && card.node == device->node && card.shm_bytes != 0 &&
         card.space == device->process.space;
}

bool all_share_memory(avrm_device_t *device) noexcept {
  if (device->shm == nullptr || avrm_boot_local_size(device->boot) != device->size) {
    return false;
  }
  if (device->node_sharing == NodeSharing::kUnseen) {
    device->node_sharing = NodeSharing::kShareMemory;
    for (std::int32_t lpid = 0; lpid < device->size; ++lpid) {
      if (Card card; fetch_card(device, lpid, &card) != AVRM_OK || !shares_memory(device, card)) {
        device->node_sharing = NodeSharing::kDiffer;
        break;
      }
    }
  }
  return device->node_sharing == NodeSharing::kShareMemory;
}

} // namespace avrankmap::detail
