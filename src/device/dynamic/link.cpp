// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/link.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>

#include "core/progress/progress.h"
#include "dynamic/state.h"
#include "rankmap/create/runs.h"

namespace avrankmap::detail {

namespace {

// On the wire, once the groups know each other.
struct Notice {
  enum : std::uint32_t { kDeath = 1, kEnd = 2 };
  std::uint32_t kind;
  std::int32_t lpid;
  WorldName world;
  std::uint64_t unused;
};
static_assert(sizeof(Notice) == sizeof(Link::partial) && sizeof(Notice) == sizeof(Link::out));

// Calls of progress between two looks, and links that a look reads, one after the other: each is a
// system call of almost a microsecond. A thread that slept looks at all of them at once.
constexpr std::uint32_t kLooksApart = 64;
constexpr int kLinksALook = 8;

// False while the connection takes no more.
bool push(Link *link) noexcept {
  while (link->unsent != 0) {
    const ssize_t sent = ::send(link->socket.get(), link->out + sizeof link->out - link->unsent, link->unsent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && may_be_repeated()) {
      return false;
    }
    link->unsent -= sent < 0 ? link->unsent : static_cast<std::size_t>(sent); // who reads finds out
  }
  return true;
}

// After push.
void put(Link *link, const Notice &notice) noexcept {
  std::memcpy(link->out, &notice, sizeof notice);
  link->unsent = sizeof notice;
}

// Reports deaths in the own world. False while some are left for later.
bool tell_deaths(const avrm_device_t *device, Link *link) noexcept {
  for (; push(link) && link->untold != 0; --link->untold) {
    const std::int32_t lpid = link->next_lpid;
    link->next_lpid = (lpid + 1) % device->size;
    if (avrm_boot_has_failed(device->boot, lpid)) {
      put(link, {Notice::kDeath, lpid, device->name, 0});
    }
  }
  return link->untold + link->unsent == 0;
}

void tell_all_deaths(const avrm_device_t *device, Link *link) noexcept {
  link->untold = avrm_boot_failures(device->boot) == 0 ? 0 : device->size;
  (void)tell_deaths(device, link);
}

// Passes the notice of a death beyond a link on to the own group.
void pass_on(avrm_device_t *device, const Link &link, const WorldName &world, std::int32_t lpid) noexcept {
  ActiveHeader header{};
  header.type = ActiveType::kDeath;
  header.window = world.words[0];
  header.offset = world.words[1];
  header.position = static_cast<std::uint64_t>(std::int64_t{lpid});
  for (std::int32_t rank = 0; rank < link.group->size; ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(link.group.get(), rank);
    const bool is_self = process.pgid == kOwnWorld && process.lpid == device->rank;
    if (!is_self && !has_failed(device, process)) {
      (void)send_active(device, process, header, nullptr, 0, Patient::kNo);
    }
  }
}

void on_death(avrm_device_t *device, const Link &link, const WorldName &name, std::int32_t lpid) noexcept {
  if (World *const world = find_world(device, name)) {
    mark_dead(device, world, lpid);
  }
  pass_on(device, link, name, lpid);
}

// Reads all notices that have arrived. False if the link has ended.
bool read_notices(avrm_device_t *device, Link *link) noexcept {
  for (;;) {
    const ssize_t got =
        ::recv(link->socket.get(), link->partial + link->filled, sizeof link->partial - link->filled, MSG_DONTWAIT);
    if (got < 0 && may_be_repeated()) {
      return true;
    }
    if (got <= 0) {
      break;
    }
    link->filled += static_cast<std::size_t>(got);
    if (link->filled < sizeof link->partial) {
      continue;
    }
    link->filled = 0;
    Notice notice;
    std::memcpy(&notice, link->partial, sizeof notice);
    if (notice.kind == Notice::kEnd) {
      return false;
    }
    if (notice.kind != Notice::kDeath || notice.lpid < 0) {
      break;
    }
    on_death(device, *link, notice.world, notice.lpid);
  }
  // The other root is gone without notice, so no more notices will come.
  for (std::int32_t i = 0; i < link->count; ++i) {
    on_death(device, *link, link->beyond[i], -1);
  }
  return false;
}

} // namespace

avrm_status_t new_link(avrm_device_t *device, const avrm_rankmap_t *own, const avrm_rankmap_t *other,
                       Link **link_p) noexcept {
  Memory &memory = device->instance->memory;
  const std::int32_t worlds = device->world_count + 1; // at least one element
  const std::size_t bytes = static_cast<std::size_t>(worlds) * sizeof(WorldName);
  void *const block = memory.allocate(sizeof(Link), alignof(Link), AVRM_MEM_COMM);
  void *const names = memory.allocate(bytes, alignof(WorldName), AVRM_MEM_COMM);
  MapOwner group = copy_of(own);
  if (block == nullptr || names == nullptr || group == nullptr) {
    memory.release(block, sizeof(Link), alignof(Link), AVRM_MEM_COMM);
    memory.release(names, bytes, alignof(WorldName), AVRM_MEM_COMM);
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const link = new (block) Link;
  link->group = std::move(group);
  link->count = worlds;
  link->beyond = new (names) WorldName[static_cast<std::size_t>(worlds)];
  std::int32_t used = 0; // the rest names no world
  (void)for_each_run(other, [&](const Run &run) {
    const WorldName name = name_of(device, run.pgid);
    if (run.pgid != kOwnWorld && std::find(link->beyond, link->beyond + used, name) == link->beyond + used) {
      link->beyond[used++] = name;
    }
    return AVRM_OK;
  });
  *link_p = link;
  return AVRM_OK;
}

void free_link(avrm_device_t *device, Link *link) noexcept {
  Memory &memory = device->instance->memory;
  memory.release(link->beyond, static_cast<std::size_t>(link->count) * sizeof(WorldName), alignof(WorldName),
                 AVRM_MEM_COMM);
  link->~Link();
  memory.release(link, sizeof *link, alignof(Link), AVRM_MEM_COMM);
}

void open_link(avrm_device_t *device, Link *link, Socket &&socket) noexcept {
  link->socket = std::move(socket);
  link->next = device->dynamic->links;
  device->dynamic->links = link;
  ++device->served;
  close_idle_links(device);
}

void close_idle_links(avrm_device_t *device) noexcept {
  for (Link **at = &device->dynamic->links; *at != nullptr;) {
    Link *const link = *at;
    const bool leads_somewhere = std::any_of(link->beyond, link->beyond + link->count, [device](const WorldName &name) {
      return find_world(device, name) != nullptr;
    });
    if (leads_somewhere) {
      at = &link->next;
      continue;
    }
    if (link->stage == Link::Stage::kOpen) {
      link->stage = Link::Stage::kEnding;
      tell_all_deaths(device, link); // before any other process reports them
    }
    if (link->stage == Link::Stage::kEnding && tell_deaths(device, link)) {
      link->stage = Link::Stage::kEnded;
      put(link, {Notice::kEnd, 0, {}, 0});
    }
    if (link->stage != Link::Stage::kEnded || !push(link)) {
      at = &link->next;
      continue;
    }
    *at = link->next;
    device->dynamic->last_looked_at = nullptr;
    --device->served;
    free_link(device, link);
  }
}

void drop_links(avrm_device_t *device) noexcept {
  while (device->dynamic->links != nullptr) {
    Link *const link = device->dynamic->links;
    device->dynamic->links = link->next;
    --device->served;
    free_link(device, link);
  }
}

void serve_links(avrm_device_t *device) noexcept {
  if (++device->dynamic->looks_at_links % kLooksApart != 0 && !device->has_slept) {
    return;
  }
  DynamicState &state = *device->dynamic;
  // After a sleep all of them: much may have happened.
  int left = device->has_slept ? INT_MAX : kLinksALook;
  bool is_any_ending = false;
  Link **at = state.last_looked_at == nullptr || device->has_slept ? &state.links : &state.last_looked_at->next;
  for (; *at != nullptr && left != 0; --left) {
    Link *const link = *at;
    if (read_notices(device, link)) {
      (void)tell_deaths(device, link);
      is_any_ending = is_any_ending || link->stage != Link::Stage::kOpen;
      state.last_looked_at = link;
      at = &link->next;
    } else {
      *at = link->next;
      --device->served;
      free_link(device, link);
    }
  }
  state.last_looked_at = *at == nullptr ? nullptr : state.last_looked_at;
  if (is_any_ending) {
    close_idle_links(device);
  }
}

void tell_links(avrm_device_t *device) noexcept {
  for (Link *link = device->dynamic->links; link != nullptr; link = link->next) {
    tell_all_deaths(device, link);
  }
}

void on_passed_notice(avrm_device_t *device, const ActiveHeader &header) noexcept {
  World *const world = find_world(device, WorldName{{header.window, header.offset}});
  const auto lpid = static_cast<std::int64_t>(header.position);
  if (world != nullptr && lpid >= -1 && lpid < world->av->size) {
    mark_dead(device, world, static_cast<std::int32_t>(lpid));
  }
}

} // namespace avrankmap::detail
