// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Other worlds whose processes share a communicator with this process. A world is a process group:
// it has an AV and a pgid, which is local to this process. In messages, a world is identified by
// its name. The device knows a world as long as a bound rankmap holds its AV.
//
// The business cards of a world's processes arrive in messages, together with their group
// (comm_calls/group_message.h). The device keeps them, because no launcher has them: 8 bytes and
// the card for each process of the groups that it has received.
#ifndef AVRANKMAP_SRC_CORE_PEERS_WORLDS_H
#define AVRANKMAP_SRC_CORE_PEERS_WORLDS_H

#include "base/number_tree.h"
#include "core/active.h"
#include "core/peers/card.h"
#include "launch/failed_processes.h"
#include "launch/job_secret.h"

namespace avrankmap::detail {

// Cards that arrived in one group message.
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
  // Returns the number in the device's tree.
  [[nodiscard]] std::uint64_t number() const noexcept { return static_cast<std::uint32_t>(av->pgid); }
  NumberLinks<World> links;
  World *next = nullptr; // in the device's list
  WorldName name;
  JobSecret secret; // for active messages to this world
  avrm_av_t *av = nullptr;
  CardBlock *cards = nullptr;
  PeerList contacted;    // lpids with an AVE
  PeerList disconnected; // those of them whose connection the network has lost
  // False if `disconnected` is incomplete, because memory was exhausted: no connection is retired.
  bool retires = true;
  std::byte *failure_bits = nullptr;
  FailedProcesses failures;
  bool lost = false; // all of it is considered dead
  // Process of this process's own world that has the link to the other world; -1: none. If that
  // process dies, the other world is lost.
  std::int32_t link_owner = -1;
};

// All functions require the device's lock.

[[nodiscard]] World *find_world(const avrm_device_t *device, std::int32_t pgid) noexcept;
[[nodiscard]] World *find_world(const avrm_device_t *device, const WorldName &name) noexcept;
// Learns the name of this world, which its first process determines.
[[nodiscard]] avrm_status_t learn_own_name(avrm_device_t *device) noexcept;
// Returns the name of a known process group. The name of this world is known if there are other
// worlds.
[[nodiscard]] WorldName name_of(const avrm_device_t *device, std::int32_t pgid) noexcept;

// True if `one` precedes `other`, in an order of processes that is the same in all of them.
[[nodiscard]] bool comes_first(const avrm_device_t *device, avrm_gpid_t one, avrm_gpid_t other) noexcept;

// Adds a world of `size` processes unless it is known. Returns AVRM_ERR_MISMATCH if it is known
// with a different size.
[[nodiscard]] avrm_status_t know_world(avrm_device_t *device, const WorldName &name, std::int32_t size,
                                       World **world_p) noexcept;
// Forgets the worlds whose AV no bound rankmap holds, unless a creation may be adding worlds. Takes
// constant time while all AVs are held.
void forget_worlds(avrm_device_t *device) noexcept;
// Forgets all worlds when the device is closed.
void forget_all_worlds(avrm_device_t *device) noexcept;

// Called when the network has lost a connection: that of a process of another world will not be
// reused.
void lose_connection(avrm_device_t *device, std::uint64_t handle) noexcept;

// Returns the card of a process of another world; null if it is not known.
[[nodiscard]] const unsigned char *find_card(World *world, std::int32_t lpid) noexcept;

// True if all processes of a world count as dead.
[[nodiscard]] bool is_lost(const avrm_device_t *device, const World *world) noexcept;
[[nodiscard]] inline bool has_failed(const avrm_device_t *device, const World *world, std::int32_t lpid) noexcept {
  return is_lost(device, world) || world->failures.has(lpid);
}
// Marks a process of another world, or the whole world (lpid < 0), as dead.
void mark_dead(avrm_device_t *device, World *world, std::int32_t lpid) noexcept;

} // namespace avrankmap::detail

#endif
