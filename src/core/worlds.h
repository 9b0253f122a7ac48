// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds other than the own one, of which this process knows some members because it has a communicator with them. A world
// is a process group: it has an AV of its own, and a pgid that only this process calls it by. Between processes it goes by
// its name. It is known from the first communicator with processes of it to the end of the last one: as long as a bound
// rankmap holds its AV.
//
// The business cards of its members come by letter, with the group that they are in; they are kept, since no launcher that we
// can ask has them: 8 bytes and the card per process of the groups that this process has met.
#ifndef AVRANKMAP_SRC_CORE_WORLDS_H
#define AVRANKMAP_SRC_CORE_WORLDS_H

#include "boot/failures.h"
#include "comm/making.h"
#include "core/active.h"
#include "core/card.h"

namespace avrankmap::detail {

// Cards that came in one letter.
struct CardBlock {
  struct Entry {
    std::int32_t lpid;
    std::int32_t place;
  };

  CardBlock *next;
  std::size_t size; // of the block, this header included
  std::int32_t count;
  std::uint32_t pitch;

  // Sorted by lpid; the cards follow.
  [[nodiscard]] Entry *entries() noexcept { return reinterpret_cast<Entry *>(this + 1); }
  [[nodiscard]] unsigned char *cards() noexcept { return reinterpret_cast<unsigned char *>(entries() + count); }
};

struct World {
  World *next = nullptr;
  WorldName name;
  avrm_av_t *av = nullptr;
  CardBlock *cards = nullptr;
  PeerList contacted; // lpids with an AVE
  std::byte *failure_bits = nullptr;
  Failures failures;
  bool lost = false; // taken for dead as a whole
  std::int32_t keeper =
      -1; // process of the own world that hears of deaths there, and whose death makes it lost; -1: none
};

// All with the device's lock held.

[[nodiscard]] World *find_world(const avrm_device_t *device, std::int32_t pgid) noexcept;
[[nodiscard]] World *find_world(const avrm_device_t *device, const WorldName &name) noexcept;
// The name of the own world: its first process's.
[[nodiscard]] avrm_status_t learn_own_name(avrm_device_t *device) noexcept;
// That of a process group that is known; the own world's is, if there are others.
[[nodiscard]] WorldName name_of(const avrm_device_t *device, std::int32_t pgid) noexcept;

// An order of processes that is the same in all of them.
[[nodiscard]] bool comes_first(const avrm_device_t *device, avrm_gpid_t one, avrm_gpid_t other) noexcept;

// A world of `size` processes, known from now on. AVRM_ERR_MISMATCH if it is known with another size.
[[nodiscard]] avrm_status_t know_world(avrm_device_t *device, const WorldName &name, std::int32_t size,
                                       World **world_p) noexcept;
// Forgets the worlds that no bound rankmap has to do with, and what leads there, unless somebody is just learning of some.
void forget_worlds(avrm_device_t *device) noexcept;
// The same whatever holds them: the device is being closed.
void forget_all_worlds(avrm_device_t *device) noexcept;

// The card of a process of another world; null if it is not known.
[[nodiscard]] const unsigned char *find_card(World *world, std::int32_t lpid) noexcept;

// A process of another world, or all of it (lpid < 0), is dead.
void mark_dead(avrm_device_t *device, World *world, std::int32_t lpid) noexcept;

// letter.cpp: groups with processes of any world.
[[nodiscard]] avrm_status_t write_group(avrm_device_t *device, const avrm_rankmap_t *group, Letter *letter) noexcept;
// Makes the worlds known that occur in it; new ones have this keeper.
[[nodiscard]] avrm_status_t read_group(avrm_device_t *device, const Letter &letter, std::int32_t keeper,
                                       MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
