// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A link is the connection between the roots of two groups. It is kept as long as one of the worlds
// beyond it is known. Deaths are reported over it; if it ends without a notice, all worlds beyond
// it count as dead.
#ifndef AVRANKMAP_SRC_DYNAMIC_LINK_H
#define AVRANKMAP_SRC_DYNAMIC_LINK_H

#include "base/array.h"
#include "core/active.h"
#include "core/peers/worlds.h"
#include "dynamic/socket.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

struct Link {
  explicit Link(Memory &memory) noexcept : beyond(memory) {}

  Link *next = nullptr;
  Socket socket;
  MapOwner group; // on this side, which receives the notices; only grows, at its end
  Array<WorldName, AVRM_MEM_COMM> beyond;
  const World *known = nullptr; // one of them; null if none is known, and the link ends
  std::size_t filled = 0;
  unsigned char partial[32] = {}; // the received part of the next notice

  // A death beyond the link that is being passed on to the group. The next notice is read only
  // afterwards, so that none is lost for lack of memory.
  WorldName dead_world{};
  std::int32_t dead_lpid = 0;  // -1: all of that world
  std::int32_t next_rank = 0;  // of the group, to be informed next; its size: none
  int failures = 0;            // failed attempts, other than for lack of resources
  bool is_lost = false;        // the other root has disconnected without a notice
  std::size_t worlds_lost = 0; // how many of `beyond`

  // Data that the connection has not accepted yet: the other root may not read for a long time.
  enum class Stage : std::uint8_t { kOpen, kEnding, kEnded };
  Stage stage = Stage::kOpen;
  std::int32_t next_lpid = 0; // deaths from this lpid on are unreported; the job's size: none
  std::size_t unsent = 0;
  unsigned char out[32] = {}; // the last `unsent` bytes are still to send
};

// All functions require the device's lock.

// Creates a link between two groups, without a socket. free_link frees one that was never opened.
[[nodiscard]] avrm_status_t new_link(avrm_device_t *device, const avrm_rankmap_t *own, const avrm_rankmap_t *other,
                                     Link **link_p) noexcept;
void free_link(avrm_device_t *device, Link *link) noexcept;
// Adds a link with its connection, if it leads to another world.
void open_link(avrm_device_t *device, Link *link, Socket &&socket) noexcept;
// Adds the processes of `group` to this side's group of all links to worlds of `others`. Returns
// AVRM_ERR_NO_MEMORY if it cannot.
[[nodiscard]] avrm_status_t extend_links(avrm_device_t *device, const avrm_rankmap_t *group,
                                         const avrm_rankmap_t *others) noexcept;
// Closes links that no longer lead to a known world, once all deaths have been reported over them.
// Called after the world has been removed.
void on_world_forgotten(avrm_device_t *device, const World *world) noexcept;
// Closes all links when the device is closed.
void drop_links(avrm_device_t *device) noexcept;
// Reads notices and continues reports; checks only occasionally.
void serve_links(avrm_device_t *device) noexcept;
// Reports new deaths in this process's world over all links.
void tell_links(avrm_device_t *device) noexcept;
// Handles a notice that another process of this group has passed on.
void on_passed_notice(avrm_device_t *device, const ActiveHeader &header) noexcept;

} // namespace avrankmap::detail

#endif
