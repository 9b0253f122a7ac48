// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/link.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <utility>

#include "core/group_owner.h"
#include "core/progress/progress.h"
#include "core/report.h"
#include "dynamic/state.h"
#include "launch/boot.h"
#include "rankmap/create/runs.h"

namespace avrankmap::detail {

namespace {

// The messages of a link, once the groups know each other.
struct Notice {
  enum : std::uint32_t { kDeath = 1, kEnd = 2 };
  std::uint32_t kind;
  std::int32_t lpid;
  WorldName world;
  std::uint64_t unused;
};
static_assert(sizeof(Notice) == sizeof(Link::partial) && sizeof(Notice) == sizeof(Link::out));

// Number of progress calls between two checks, and number of links that a check reads, in turn:
// each read is a system call of almost a microsecond. A thread that has slept reads all links
// immediately.
constexpr std::uint32_t kCallsPerPoll = 64;
constexpr int kLinksALook = 8;

// Number of transport errors after which a process is no longer informed of a death.
constexpr int kMostFailures = 1000;

// Sends the unsent bytes. Returns false while the connection accepts no more.
bool push(Link *link) noexcept {
  while (link->unsent != 0) {
    const ssize_t sent = ::send(link->socket.get(), link->out + sizeof link->out - link->unsent, link->unsent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && may_be_repeated()) {
      return false;
    }
    // After an error the rest is dropped: the next read fails as well and marks the link as lost.
    link->unsent -= sent < 0 ? link->unsent : static_cast<std::size_t>(sent);
  }
  return true;
}

// Called only once push has returned true.
void put(Link *link, const Notice &notice) noexcept {
  std::memcpy(link->out, &notice, sizeof notice);
  link->unsent = sizeof notice;
}

// Continues to report deaths in this world. Returns false while some are unreported.
bool tell_deaths(const avrm_device_t *device, Link *link) noexcept {
  while (push(link) && link->next_lpid < device->size) {
    const std::int32_t lpid = device->boot->failures().next(link->next_lpid);
    link->next_lpid = lpid < device->size ? lpid + 1 : device->size;
    if (lpid < device->size) {
      put(link, {Notice::kDeath, lpid, device->name, 0});
    }
  }
  return link->next_lpid >= device->size && link->unsent == 0;
}

// Reports a death now, or later if the connection does not accept it yet.
void tell_death(const avrm_device_t *device, Link *link, std::int32_t lpid) noexcept {
  if (link->next_lpid >= device->size && push(link)) {
    put(link, {Notice::kDeath, lpid, device->name, 0});
    (void)push(link);
  } else {
    link->next_lpid = std::min(link->next_lpid, lpid);
  }
}

// Returns a known world beyond the link; null if there is none.
const World *known_world_beyond(const avrm_device_t *device, const Link &link) noexcept {
  const World *world = nullptr;
  for (auto name = link.beyond.begin(); name != link.beyond.end() && world == nullptr; ++name) {
    world = find_world(device, *name);
  }
  return world;
}

// Ends a link that leads to no known world, once all deaths have been reported over it. Returns
// true once it has ended.
bool end_link(avrm_device_t *device, Link *link) noexcept {
  if (link->stage == Link::Stage::kOpen) {
    link->stage = Link::Stage::kEnding;
    tell_links(device);
  }
  if (link->stage == Link::Stage::kEnding && tell_deaths(device, link)) {
    link->stage = Link::Stage::kEnded;
    put(link, {Notice::kEnd, 0, {}, 0});
  }
  return link->stage == Link::Stage::kEnded && push(link) && link->next_rank == link->group->size;
}

void remove_link(avrm_device_t *device, Link **at) noexcept {
  Link *const link = *at;
  *at = link->next;
  device->dynamic->last_looked_at = nullptr;
  --device->served;
  free_link(device, link);
}

// Informs a process of a death beyond the link, unless it has failed or is this process. Returns
// false if that must be tried again.
bool is_told(avrm_device_t *device, Link *link, avrm_gpid_t process) noexcept {
  const bool is_self = process.pgid == kOwnWorld && process.lpid == device->rank;
  if (is_self || has_failed(device, process)) {
    return true;
  }
  ActiveHeader header{};
  header.type = ActiveType::kDeath;
  header.window = link->dead_world.words[0];
  header.offset = link->dead_world.words[1];
  header.position = static_cast<std::uint64_t>(std::int64_t{link->dead_lpid});
  const avrm_status_t status = send_active(device, process, header, nullptr, 0, Retry::kLater);
  // A process of a forgotten world shares no communicator with this one.
  if (status != AVRM_OK && status != AVRM_ERR_PEER && status != AVRM_ERR_PGID_UNKNOWN) {
    if (is_lack(status) || ++link->failures < kMostFailures) {
      return false;
    }
    report(device, status, "a process could not be told that a process of another world has failed");
  }
  link->failures = 0;
  return true;
}

// Informs this side's group of a death beyond the link. Returns false while some members remain.
bool pass_on(avrm_device_t *device, Link *link) noexcept {
  for (; link->next_rank < link->group->size; ++link->next_rank) {
    if (!is_told(device, link, avrm_rankmap_gpid(link->group.get(), link->next_rank))) {
      return false;
    }
  }
  return true;
}

void on_death(avrm_device_t *device, Link *link, const WorldName &name, std::int32_t lpid) noexcept {
  if (World *const world = find_world(device, name)) {
    mark_dead(device, world, lpid);
  }
  link->dead_world = name;
  link->dead_lpid = lpid;
  link->next_rank = 0;
}

// Receives the next notice. Returns false while it has not arrived. A connection that ends, or
// delivers an invalid notice, is lost.
bool receive(Link *link, Notice *notice) noexcept {
  while (link->filled < sizeof link->partial) {
    const ssize_t got =
        ::recv(link->socket.get(), link->partial + link->filled, sizeof link->partial - link->filled, MSG_DONTWAIT);
    if (got < 0 && may_be_repeated()) {
      return false;
    }
    if (got <= 0) {
      link->is_lost = true;
      return false;
    }
    link->filled += static_cast<std::size_t>(got);
  }
  link->filled = 0;
  std::memcpy(notice, link->partial, sizeof *notice);
  link->is_lost = notice->kind != Notice::kEnd && (notice->kind != Notice::kDeath || notice->lpid < 0);
  return !link->is_lost;
}

// Reads the notices that have arrived, and passes them on. Returns false if the link has ended.
bool read_notices(avrm_device_t *device, Link *link) noexcept {
  while (pass_on(device, link)) {
    if (link->stage == Link::Stage::kEnded && link->unsent == 0) {
      return false;
    }
    Notice notice{};
    if (!link->is_lost && receive(link, &notice)) {
      if (notice.kind == Notice::kEnd) {
        return false;
      }
      on_death(device, link, notice.world, notice.lpid);
    } else if (!link->is_lost) {
      return true;
    } else if (link->worlds_lost == link->beyond.size()) {
      return false;
    } else { // no more notices will arrive
      on_death(device, link, link->beyond[link->worlds_lost++], -1);
    }
  }
  return true;
}

} // namespace

avrm_status_t new_link(avrm_device_t *device, const avrm_rankmap_t *own, const avrm_rankmap_t *other,
                       Link **link_p) noexcept {
  Memory &memory = device->instance->memory;
  DynamicState &state = *device->dynamic;
  void *const block = memory.allocate(sizeof(Link), alignof(Link), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const link = new (block) Link(memory);
  if (state.link_count++ == 0) {
    state.reported_bits = static_cast<std::byte *>(
        memory.allocate(FailedProcesses::bytes(device->size), alignof(std::uint64_t), AVRM_MEM_COMM));
    state.reported = FailedProcesses(state.reported_bits, device->size);
    state.reported_count = 0;
  }
  link->group = copy_of(own);
  (void)for_each_run(other, [&](const Run &run) {
    const WorldName name = name_of(device, run.pgid);
    if (run.pgid != kOwnWorld && std::find(link->beyond.begin(), link->beyond.end(), name) == link->beyond.end()) {
      link->beyond.append(name);
    }
    return AVRM_OK;
  });
  if (state.reported_bits == nullptr || link->group == nullptr || link->beyond.failed()) {
    free_link(device, link);
    return AVRM_ERR_NO_MEMORY;
  }
  link->next_rank = link->group->size;
  *link_p = link;
  return AVRM_OK;
}

void free_link(avrm_device_t *device, Link *link) noexcept {
  Memory &memory = device->instance->memory;
  DynamicState &state = *device->dynamic;
  link->~Link();
  memory.release(link, sizeof *link, alignof(Link), AVRM_MEM_COMM);
  if (--state.link_count == 0) {
    memory.release(state.reported_bits, FailedProcesses::bytes(device->size), alignof(std::uint64_t), AVRM_MEM_COMM);
  }
}

void open_link(avrm_device_t *device, Link *link, Socket &&socket) noexcept {
  DynamicState &state = *device->dynamic;
  link->socket = std::move(socket);
  link->next = state.links;
  state.links = link;
  ++device->served;
  link->known = known_world_beyond(device, *link);
  if (link->known != nullptr) {
    (void)tell_deaths(device, link);
  } else if (end_link(device, link)) {
    remove_link(device, &state.links);
  }
}

namespace {

bool leads_to(const avrm_device_t *device, const Link &link, const avrm_rankmap_t *others) noexcept {
  bool leads = false;
  (void)for_each_run(others, [&](const Run &run) {
    leads = leads || (run.pgid != kOwnWorld && std::find(link.beyond.begin(), link.beyond.end(),
                                                         name_of(device, run.pgid)) != link.beyond.end());
    return AVRM_OK;
  });
  return leads;
}

avrm_status_t extend(Link *link, const avrm_rankmap_t *group) noexcept {
  avrm_group_t *made = nullptr;
  avrm_status_t status = avrm_group_create(link->group.get(), &made);
  const GroupOwner before(std::exchange(made, nullptr));
  status = status != AVRM_OK ? status : avrm_group_create(group, &made);
  const GroupOwner more(std::exchange(made, nullptr));
  status = status != AVRM_OK ? status : avrm_group_union(before.get(), more.get(), &made);
  const GroupOwner all(made);
  if (status != AVRM_OK) {
    return status;
  }
  MapOwner map = copy_of(avrm_group_map(all.get()));
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (link->next_rank == link->group->size) {
    link->next_rank = map->size;
  }
  link->group = std::move(map);
  return AVRM_OK;
}

} // namespace

avrm_status_t extend_links(avrm_device_t *device, const avrm_rankmap_t *group, const avrm_rankmap_t *others) noexcept {
  avrm_status_t status = AVRM_OK;
  for (Link *link = device->dynamic->links; link != nullptr && status == AVRM_OK; link = link->next) {
    if (leads_to(device, *link, others)) {
      status = extend(link, group);
    }
  }
  return status;
}

void on_world_forgotten(avrm_device_t *device, const World *world) noexcept {
  for (Link **at = &device->dynamic->links; *at != nullptr;) {
    Link *const link = *at;
    link->known = link->known == world ? known_world_beyond(device, *link) : link->known;
    if (link->known == nullptr && end_link(device, link)) {
      remove_link(device, at);
    } else {
      at = &link->next;
    }
  }
}

void drop_links(avrm_device_t *device) noexcept {
  while (device->dynamic->links != nullptr) {
    remove_link(device, &device->dynamic->links);
  }
}

void serve_links(avrm_device_t *device) noexcept {
  if (++device->dynamic->looks_at_links % kCallsPerPoll != 0 && !device->has_slept) {
    return;
  }
  DynamicState &state = *device->dynamic;
  // All links are read after a sleep, during which many notices may have arrived.
  int left = device->has_slept ? INT_MAX : kLinksALook;
  Link **at = state.last_looked_at == nullptr || device->has_slept ? &state.links : &state.last_looked_at->next;
  for (; *at != nullptr && left != 0; --left) {
    Link *const link = *at;
    if (!read_notices(device, link) || (link->known == nullptr && end_link(device, link))) {
      remove_link(device, at);
      continue;
    }
    (void)tell_deaths(device, link);
    state.last_looked_at = link;
    at = &link->next;
  }
  state.last_looked_at = *at == nullptr ? nullptr : state.last_looked_at;
}

void tell_links(avrm_device_t *device) noexcept {
  DynamicState &state = *device->dynamic;
  const FailedProcesses &failures = device->boot->failures();
  // The count is read first: then the bits of all failures that it includes are set.
  const std::uint32_t count = failures.count();
  if (state.links == nullptr || count == state.reported_count) {
    return;
  }
  state.reported_count = count;
  for (std::int32_t lpid = failures.next(0); lpid < device->size; lpid = failures.next(lpid + 1)) {
    if (state.reported.has(lpid)) {
      continue;
    }
    state.reported.mark(lpid);
    for (Link *link = state.links; link != nullptr; link = link->next) {
      tell_death(device, link, lpid);
    }
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
