// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links. The connection between two roots is kept as long as one of the worlds beyond it is known:
// it reports deaths, and its own end counts as one, unless it was announced.
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
  MapOwner group; // the own side, which receives the notices
  Array<WorldName, AVRM_MEM_COMM> beyond;
  const World *known = nullptr; // one of these; null: none is known, so the link ends
  std::size_t filled = 0;
  unsigned char partial[32] = {}; // the received part of the next notice

  // What the connection has not taken yet, as the other root may not read for long.
  enum class Stage : std::uint8_t { kOpen, kEnding, kEnded };
  Stage stage = Stage::kOpen;
  std::int32_t next_lpid = 0; // deaths from there on are left to report; the job's size: none
  std::size_t unsent = 0;
  unsigned char out[32] = {}; // the last of which are unsent
};

// All with the device's lock held.

// Creates a link between two groups, without a socket. free_link frees one that was never opened.
[[nodiscard]] avrm_status_t new_link(avrm_device_t *device, const avrm_rankmap_t *own, const avrm_rankmap_t *other,
                                     Link **link_p) noexcept;
void free_link(avrm_device_t *device, Link *link) noexcept;
// Adds a link with its connection, if it leads to another world.
void open_link(avrm_device_t *device, Link *link, Socket &&socket) noexcept;
// Closes links that lead to no known world any more, once all deaths are reported. The world is no
// longer found.
void on_world_forgotten(avrm_device_t *device, const World *world) noexcept;
// Closes all others, when the device is closed.
void drop_links(avrm_device_t *device) noexcept;
// Looks for notices, and goes on with reports; now and then only.
void serve_links(avrm_device_t *device) noexcept;
// Reports new deaths in the own world over all links.
void tell_links(avrm_device_t *device) noexcept;
// Handles a notice that another process of the own group passes on.
void on_passed_notice(avrm_device_t *device, const ActiveHeader &header) noexcept;

} // namespace avrankmap::detail

#endif
