// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links. The connection between two roots is kept as long as one of the worlds beyond it is known.
// It carries reports of deaths; if it ends without notice, all worlds beyond it count as dead.
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
  MapOwner group; // this side's group, which receives the notices
  Array<WorldName, AVRM_MEM_COMM> beyond;
  const World *known = nullptr; // one of them; null if none is known: the link ends
  std::size_t filled = 0;
  unsigned char partial[32] = {}; // the received part of the next notice

  // A death beyond the link, which is being passed on to the group. The next notice is read after
  // that, so that a lack of memory loses none.
  WorldName dead_world{};
  std::int32_t dead_lpid = 0;  // -1: all of that world
  std::int32_t next_rank = 0;  // of the group, to be told next; its size: all have been told
  int failures = 0;            // to tell it, other than for a lack
  bool is_lost = false;        // the other root has disconnected without saying so
  std::size_t worlds_lost = 0; // of `beyond`

  // State of the data that the connection has not accepted yet: the other root may not read for a
  // long time.
  enum class Stage : std::uint8_t { kOpen, kEnding, kEnded };
  Stage stage = Stage::kOpen;
  std::int32_t next_lpid = 0; // deaths from here on are still to report; the job's size: none
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
// Closes links that no longer lead to a known world, once all deaths have been reported over them.
// Call it after the world has been removed.
void on_world_forgotten(avrm_device_t *device, const World *world) noexcept;
// Closes all others, when the device is closed.
void drop_links(avrm_device_t *device) noexcept;
// Reads notices and continues reports; checks only occasionally.
void serve_links(avrm_device_t *device) noexcept;
// Reports new deaths in this process's world over all links.
void tell_links(avrm_device_t *device) noexcept;
// Handles a notice that another process of this group has passed on.
void on_passed_notice(avrm_device_t *device, const ActiveHeader &header) noexcept;

} // namespace avrankmap::detail

#endif
