// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/peers/relay.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/coarse_clock.h"
#include "core/job_secret_exchange.h"
#include "core/peers/connect.h"
#include "core/progress/progress.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kMostHeader = 128; // bytes of a shmmod's header

avrm_status_t relay(void *user, std::int32_t process, const void *header, std::size_t header_bytes, const void *payload,
                    std::size_t payload_bytes) noexcept {
  auto *const device = static_cast<avrm_device_t *>(user);
  if (header_bytes > kMostHeader) {
    return AVRM_ERR_SIZE;
  }
  if (has_failed(device, {kOwnWorld, process})) {
    return AVRM_ERR_PEER;
  }
  LocalNetPeer *peer = device->local_net_peers.find(process);
  if (peer == nullptr) { // each call of progress asks for it
    if (coarse_now() < device->next_relay) {
      return AVRM_ERR_AGAIN;
    }
    avrm_status_t status = learn_secret(device->boot);
    status = status == AVRM_OK ? device->local_net_peers.find_or_make(device, process, &peer) : status;
    if (status != AVRM_OK) {
      device->next_relay = coarse_now() + kConnectPause;
      return status;
    }
  }
  ActiveHeader active{};
  active.type = ActiveType::kRelay;
  active.secret = device->boot->secret;
  unsigned char joined[sizeof active + kMostHeader];
  std::memcpy(joined, &active, sizeof active);
  std::memcpy(joined + sizeof active, header, header_bytes);
  const avrm_status_t status = device->net->ops->am_send(device->net, peer->handle, joined,
                                                         sizeof active + header_bytes, payload, payload_bytes);
  if (status == AVRM_ERR_PEER) {
    device->failure_detector.lost(device, process);
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

void offer_relay(avrm_device_t *device, avrm_shmmod_config_t *config) noexcept {
  config->process = device->rank;
  if (device->receives_from_net) {
    config->relay = relay;
    config->relay_max = device->net->am_max - sizeof(ActiveHeader);
    config->on_apart = on_apart;
  }
}

} // namespace avrankmap::detail
