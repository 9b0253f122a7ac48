// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/peers/worlds.h"

#include <algorithm>
#include <new>

#include "av/address_vector.h"
#include "core/device.h"
#include "core/progress/progress.h"
#include "launch/boot.h"

namespace avrankmap::detail {

World *find_world(const avrm_device_t *device, std::int32_t pgid) noexcept {
  return device->worlds_by_pgid.find(static_cast<std::uint32_t>(pgid));
}

World *find_world(const avrm_device_t *device, const WorldName &name) noexcept {
  World *world = device->worlds;
  while (world != nullptr && world->name != name) {
    world = world->next;
  }
  return world;
}

avrm_status_t learn_own_name(avrm_device_t *device) noexcept {
  if (device->name != WorldName{}) {
    return AVRM_OK;
  }
  Card card;
  std::size_t bytes = sizeof card;
  const avrm_status_t status = avrm_boot_fetch(device->boot, 0, 0, &card, &bytes);
  if (status != AVRM_OK) {
    return status;
  }
  if (!card.is_sound(bytes)) {
    return AVRM_ERR_BOOT;
  }
  device->name = card.name;
  return AVRM_OK;
}

WorldName name_of(const avrm_device_t *device, std::int32_t pgid) noexcept {
  const World *const world = pgid == kOwnWorld ? nullptr : find_world(device, pgid);
  return world == nullptr ? device->name : world->name;
}

bool comes_first(const avrm_device_t *device, avrm_gpid_t one, avrm_gpid_t other) noexcept {
  return one.pgid == other.pgid ? one.lpid < other.lpid : name_of(device, one.pgid) < name_of(device, other.pgid);
}

namespace {

// Calls visit(lpid, handle) for each process of a world that is reached over the network.
template <typename Visit> void for_each_handle(const avrm_device_t *device, const World *world, Visit visit) noexcept {
  world->contacted.for_each([=](std::int32_t lpid) {
    avrm_ave_t ave;
    if (avrm_av_get(world->av, lpid, &ave) == AVRM_OK && is_network(device, avrm_ave_word(&ave))) {
      visit(lpid, handle_of(device, avrm_ave_word(&ave)));
    }
  });
}

// Retires the connections to a world, which must still be known. Removes failed processes, and
// those whose connection is lost.
void leave_peers(avrm_device_t *device, World *world) noexcept {
  for_each_handle(device, world, [=](std::int32_t lpid, std::uint64_t handle) {
    if (!world->retires || has_failed(device, world, lpid) || world->disconnected.has(lpid)) {
      device->net->ops->remove(device->net, handle);
    } else {
      Card card;
      card.load(find_card(world, lpid));
      device->retired.put(device->net, card.name, handle);
    }
  });
}

void free_world(avrm_device_t *device, World *world) noexcept {
  Memory &memory = device->instance->memory;
  while (world->cards != nullptr) {
    CardBlock *const block = world->cards;
    world->cards = block->next;
    memory.release(block, block->size, alignof(CardBlock), AVRM_MEM_CACHE);
  }
  if (world->av != nullptr) {
    memory.release(world->failure_bits, FailedProcesses::bytes(world->av->size), alignof(std::uint64_t), AVRM_MEM_COMM);
    avrm_av_release(world->av);
  }
  world->~World();
  memory.release(world, sizeof *world, alignof(World), AVRM_MEM_COMM);
}

bool is_held(const avrm_device_t *device, const World *world) noexcept {
  const std::lock_guard guard(device->instance->lock);
  return AddressVector::from_handle(world->av)->holders != 0;
}

bool are_all_held(const avrm_device_t *device) noexcept {
  const std::lock_guard guard(device->instance->lock);
  return device->instance->unheld_avs == 0;
}

template <typename Ends> void forget_if(avrm_device_t *device, Ends ends) noexcept {
  for (World **at = &device->worlds; *at != nullptr;) {
    World *const world = *at;
    if (ends(world)) {
      leave_peers(device, world);
      *at = world->next;
      device->worlds_by_pgid.remove(world);
      --device->world_count;
      device->upcalls->on_world_forgotten(device, world);
      free_world(device, world);
    } else {
      at = &world->next;
    }
  }
}

} // namespace

avrm_status_t know_world(avrm_device_t *device, const WorldName &name, std::int32_t size, World **world_p) noexcept {
  if (World *const known = find_world(device, name)) {
    *world_p = known;
    return known->av->size == size ? AVRM_OK : AVRM_ERR_MISMATCH;
  }
  Memory &memory = device->instance->memory;
  void *const block = memory.allocate(sizeof(World), alignof(World), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const world = new (block) World;
  world->name = name;
  avrm_av_options_t options{};
  options.codec = device->codec;
  avrm_status_t status = avrm_av_create(device->instance, size, &options, &world->av);
  if (status == AVRM_OK) {
    world->failure_bits =
        static_cast<std::byte *>(memory.allocate(FailedProcesses::bytes(size), alignof(std::uint64_t), AVRM_MEM_COMM));
    status = world->failure_bits == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  if (status != AVRM_OK) {
    free_world(device, world);
    return status;
  }
  world->failures = FailedProcesses(world->failure_bits, size);
  world->next = device->worlds;
  device->worlds = world;
  device->worlds_by_pgid.add(world);
  ++device->world_count;
  *world_p = world;
  return AVRM_OK;
}

void forget_worlds(avrm_device_t *device) noexcept {
  if (AVRM_LIKELY(device->worlds == nullptr) || device->world_exchanges != 0 || are_all_held(device)) {
    return;
  }
  forget_if(device, [device](World *world) { return !is_held(device, world); });
}

void forget_all_worlds(avrm_device_t *device) noexcept {
  forget_if(device, [](World * /*world*/) { return true; });
}

void lose_connection(avrm_device_t *device, std::uint64_t handle) noexcept {
  device->retired.lost(handle);
  for (World *world = device->worlds; world != nullptr; world = world->next) {
    for_each_handle(device, world, [=](std::int32_t lpid, std::uint64_t known) {
      if (known != handle || world->disconnected.has(lpid)) {
        return;
      }
      if (world->disconnected.make_room(device->instance->memory)) {
        world->disconnected.add(lpid);
      } else {
        world->retires = false;
      }
    });
  }
}

const unsigned char *find_card(World *world, std::int32_t lpid) noexcept {
  for (CardBlock *block = world->cards; block != nullptr; block = block->next) {
    CardBlock::Entry *const end = block->entries() + block->count;
    const CardBlock::Entry *const found =
        std::lower_bound(block->entries(), end, lpid,
                         [](const CardBlock::Entry &entry, std::int32_t wanted) { return entry.lpid < wanted; });
    if (found != end && found->lpid == lpid) {
      const std::size_t start = static_cast<std::size_t>(found->place) * block->pitch;
      return block->cards() + start;
    }
  }
  return nullptr;
}

bool is_lost(const avrm_device_t *device, const World *world) noexcept {
  return world->lost || (world->link_owner >= 0 && device->boot->failures().has(world->link_owner));
}

void mark_dead(avrm_device_t *device, World *world, std::int32_t lpid) noexcept {
  if (lpid < 0 && !world->lost) {
    world->lost = true;
    device->foreign_failures.fetch_add(1, std::memory_order_release);
  } else if (lpid >= 0 && lpid < world->av->size && !world->failures.has(lpid)) {
    world->failures.mark(lpid);
    device->foreign_failures.fetch_add(1, std::memory_order_release);
  }
}

} // namespace avrankmap::detail
