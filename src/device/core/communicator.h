// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator: a context id and a bound rankmap, which contains the local group or, in an
// intercommunicator, the remote group.
#ifndef AVRANKMAP_SRC_CORE_COMMUNICATOR_H
#define AVRANKMAP_SRC_CORE_COMMUNICATOR_H

#include <cstdint>

#include "base/number_tree.h"
#include "comm_algorithms/create/grid.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

// Purpose of the messages of a context id, in the uppermost match bits.
enum class Plane : std::uint32_t { kUser = 0, kCollective = 1, kLeaders = 2, kNode = 2, kRoots = 3 };

struct Queue;       // core/progress/queue.h
struct SharedNodes; // comm_calls/node_comms.h

} // namespace avrankmap::detail

struct avrm_fp_cold; // fastpath/handles.h

struct avrm_comm {
  // Processes to send to and receive from. The maps of a communicator are in the same block of
  // memory.
  avrm_rankmap_t *map = nullptr;
  // Map in which messages look up addresses: `map`, or, once the communicator is revoked, a map of
  // the same size on which no process is connected. Then all messages take the path of a first
  // contact, which refuses them.
  const avrm_rankmap_t *address_map = nullptr;
  avrm_device_t *device = nullptr;
  std::uint64_t context_match = 0; // match bits of plane and context id
  std::uint64_t send_match = 0;    // context_match with this process's rank, for sends with tag 0
  std::uint32_t context = 0;       // includes the plane, in the upper bits
  std::int32_t rank = 0;
  std::uint32_t windows_created = 0; // numbers its windows, the same in all members
  std::uint64_t users = 0;           // requests and windows that exist
  // Work queue for sends to this process's world; null: the device's own queue. Does not change
  // after the first send.
  avrankmap::detail::Queue *queue = nullptr;
  avrankmap::detail::NumberLinks<avrm_comm> links; // the device's, by context id
  avrm_rankmap_t *own = nullptr;                   // local group of an intercommunicator, or null
  // The other planes of this communicator, which follow it in the same block: for messages within
  // the local group, and, in an intercommunicator, between the groups.
  avrm_comm *collective = nullptr;
  avrm_comm *leaders = nullptr;
  std::uint32_t collectives_begun = 0; // numbers collective operations, the same in all members
  avrankmap::detail::Grid grid;
  // Communicators of the processes on this node and of the first process of each node, created at
  // first use; duplicates share their maps.
  avrankmap::detail::SharedNodes *nodes = nullptr;
  avrm_comm *node = nullptr;
  avrm_comm *roots = nullptr;
  avrm_fp_cold *handles = nullptr; // all handles of the fast path
  // Numbers of failures: on the device when members were last counted, among the members, and how
  // many of the latter are acknowledged (acknowledged.h).
  std::uint32_t failures_counted = 0;
  std::int32_t dead = 0;
  std::int32_t acknowledged = 0;
  bool has_sent = false;         // a send may have used the network, so `queue` is fixed
  bool is_to_be_revoked = false; // a member revoked it; PendingCreations will do so
  bool is_held = false;          // PendingCreations uses it, so it is not freed
  avrm_comm *next_to_revoke = nullptr;

  [[nodiscard]] bool is_inter() const noexcept { return own != nullptr; }
  // True for communicators that belong to another one: they only carry messages.
  [[nodiscard]] bool is_internal() const noexcept { return collective == nullptr; }
  [[nodiscard]] std::uint64_t number() const noexcept { return context; }
  // Thread-safe.
  [[nodiscard]] const avrm_rankmap_t *words() const noexcept { return __atomic_load_n(&address_map, __ATOMIC_ACQUIRE); }
  [[nodiscard]] bool is_revoked() const noexcept { return words() != map; }
  // Returns the map of the local group.
  [[nodiscard]] const avrm_rankmap_t *group() const noexcept { return own != nullptr ? own : map; }
};

namespace avrankmap::detail {

// All functions require the device's lock.

// Creates a communicator without a context id. Takes ownership of the maps and binds them; after an
// error the caller keeps them. `own` is empty except for an intercommunicator.
[[nodiscard]] avrm_status_t new_comm(avrm_device_t *device, MapOwner *map, MapOwner *own, std::int32_t rank,
                                     avrm_comm_t **comm_p) noexcept;
// Sets the context id, which has been taken, and adds the communicator to the device.
void open_comm(avrm_comm_t *comm, std::uint32_t context) noexcept;
// Sets the context id and the match bits of one of a communicator's planes.
void set_context(avrm_comm_t *comm, std::uint32_t context, Plane plane) noexcept;
// Returns true if the communicator has requests or windows, or may never be freed.
[[nodiscard]] bool is_busy(const avrm_comm_t *comm) noexcept;
// Frees a communicator that was never opened or has already left the device. Returns true if its
// context id remains in use.
bool discard_comm(avrm_comm_t *comm) noexcept;
// Frees an opened communicator that is not in use, and releases its context id.
void free_comm(avrm_comm_t *comm) noexcept;

// Binds a communicator's map again after its address vectors changed. The communicator must not be
// in use.
[[nodiscard]] avrm_status_t rebind(avrm_comm_t *comm) noexcept;

} // namespace avrankmap::detail

#endif
