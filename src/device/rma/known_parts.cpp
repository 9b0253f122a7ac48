// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/known_parts.h"

#include <cstring>

#include "core/job_secret_exchange.h"
#include "core/keyed_hash.h"
#include "core/progress/queue.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

[[nodiscard]] bool has_plain_keys(const avrm_device_t *device) noexcept {
  return (device->net->capabilities & AVRM_NETMOD_PLAIN_KEYS) != 0;
}

[[nodiscard]] bool knows(const avrm_window_t *window, std::int32_t rank) noexcept {
  avrm_part_t part{};
  return avrm_directory_find(&window->parts, rank, &part);
}

// Adds the part of this process if only that is missing, then searches for rules. Takes constant
// time unless all parts are known, which happens once.
void look_for_rules(avrm_window_t *window) noexcept {
  if (!has_plain_keys(window->device)) {
    return; // keys are objects that the records own
  }
  const avrm_comm_t *const comm = window->comm;
  if (window->parts.count + 1 == window->parts.ranks && !knows(window, comm->rank)) {
    avrm_part_t own{};
    if (own_part(window, &own) != AVRM_OK || avrm_directory_learn(&window->parts, comm->rank, &own) != AVRM_OK) {
      return;
    }
  }
  const NetRouteGuard guard({nullptr, 0, comm->queue == nullptr ? nullptr : &comm->queue->lock});
  (void)avrm_directory_recognise(&window->parts);
}

} // namespace

std::uint64_t common_key(const avrm_device_t *device, std::uint64_t window_id) noexcept {
  if (!device->receives_from_net || !has_plain_keys(device) || !has_keyed_hash() ||
      learn_secret(device->boot) != AVRM_OK) {
    return 0;
  }
  // This text is not used in any other derivation from the secret.
  struct {
    char purpose[8] = {'w', 'i', 'n', 'd', 'o', 'w', ' ', ' '};
    std::uint64_t id = 0;
  } text;
  text.id = window_id;
  const JobSecret &secret = device->boot->secret;
  const Digest digest = keyed_hash({{secret.words[0], secret.words[1]}}, &text, sizeof text);
  std::uint64_t key = 0;
  std::memcpy(&key, digest.bytes, sizeof key);
  return key;
}

avrm_status_t own_part(const avrm_window_t *window, avrm_part_t *part_p) noexcept {
  const avrm_device_t *const device = window->device;
  avrm_part_t part{0, 0, window->bytes, 1};
  if (window->net_memory != nullptr) {
    const avrm_status_t status =
        device->net->ops->memory_values(device->net, window->net_memory, &part.base, &part.key);
    if (status != AVRM_OK) {
      return status;
    }
  }
  *part_p = part;
  return AVRM_OK;
}

avrm_status_t learn_part(avrm_window_t *window, const Target *target, const void *description,
                         std::size_t bytes) noexcept {
  if (knows(window, target->rank)) {
    return AVRM_OK;
  }
  avrm_part_t part{0, 0, target->bytes, 1};
  NetRoute way{};
  avrm_status_t status = net_route_to(window->comm, target->process, target->route.handle, &way);
  if (status != AVRM_OK) {
    return status;
  }
  {
    const NetRouteGuard guard(way);
    status = way.net->ops->key_open(way.net, way.handle, description, bytes, &part.base, &part.key);
    if (status != AVRM_OK) { // active messages need no key
      report(window->device, status, way.net->ops->last_error(way.net));
      return status;
    }
    status = avrm_directory_learn(&window->parts, target->rank, &part);
    if (status != AVRM_OK) {
      way.net->ops->key_close(way.net, part.key);
      return status;
    }
  }
  look_for_rules(window);
  return AVRM_OK;
}

void learn_local_part(avrm_window_t *window, const Target *target, const void *description,
                      std::size_t bytes) noexcept {
  avrm_netmod_t *const net = window->device->net;
  avrm_part_t part{0, 0, target->bytes, 1};
  if (has_plain_keys(window->device) && !knows(window, target->rank) &&
      net->ops->key_open(net, 0, description, bytes, &part.base, &part.key) == AVRM_OK &&
      avrm_directory_learn(&window->parts, target->rank, &part) == AVRM_OK) {
    look_for_rules(window);
  }
}

avrm_status_t open_local_part(const avrm_window_t *window, Target *target, const void *description,
                              std::size_t bytes) noexcept {
  avrm_netmod_t *const net = window->device->net;
  avrm_part_t part{0, 0, target->bytes, 1};
  const avrm_status_t status =
      net->ops->key_open(net, target->local_net_peer->handle, description, bytes, &part.base, &part.key);
  if (status == AVRM_OK) {
    target->local_part = part;
  } else {
    report(window->device, status, net->ops->last_error(net));
  }
  return status;
}

avrm_status_t open_own_part(const avrm_window_t *window, Target *target) noexcept {
  avrm_netmod_t *const net = window->device->net;
  if (window->net_memory == nullptr) {
    return AVRM_OK;
  }
  unsigned char description[AVRM_NETMOD_KEY_MAX];
  std::size_t room = sizeof description;
  const avrm_status_t status = net->ops->memory_describe(net, window->net_memory, description, &room);
  return status == AVRM_OK ? open_local_part(window, target, description, room) : status;
}

void learn_own_part(avrm_window_t *window, std::int32_t rank) noexcept {
  avrm_part_t part{};
  if (has_plain_keys(window->device) && window->net_memory != nullptr && !knows(window, rank) &&
      own_part(window, &part) == AVRM_OK && avrm_directory_learn(&window->parts, rank, &part) == AVRM_OK) {
    look_for_rules(window);
  }
}

} // namespace avrankmap::detail
