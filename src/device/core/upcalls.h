// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls from the core to the folders above it (p2p, rma, comm_calls, dynamic). The core includes
// none of their headers: open/open.cpp, which knows all of them, fills in this table, and every
// device refers to it. All calls are made with the device's lock held, except serve_creations.
#ifndef AVRANKMAP_SRC_CORE_UPCALLS_H
#define AVRANKMAP_SRC_CORE_UPCALLS_H

#include "avrankmap/device/shmmod.h"
#include "core/active.h"

namespace avrankmap::detail {

struct World; // core/peers/worlds.h

struct Upcalls {
  // Called when a message has arrived over shared memory. Returns false if out of memory: the
  // shmmod then keeps the message and calls again.
  bool (*on_message)(void *device, const avrm_arrival_t *arrival) noexcept;
  // Called when an active message with a complete header has arrived. All fields must be checked.
  // Returns false if the message is to be offered again, for lack of memory.
  bool (*on_active)(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept;
  // Rejects an active message for lack of memory (DeferredMessages::reject). Returns false if there
  // is no room for the rejection, or if the sender is not known yet.
  bool (*reject_active)(avrm_device_t *device, const ActiveHeader &header, bool only_extends) noexcept;
  // Called by every progress while device->served is not 0.
  void (*serve)(avrm_device_t *device) noexcept;
  // Advances the operations that are ready. Returns their number.
  int (*serve_creations)(avrm_device_t *device) noexcept;
  // Called about every ten milliseconds of progress, if device->watch_ring is not null.
  void (*poll_watch_ring)(avrm_device_t *device) noexcept;
  // Called when processes have failed since the last call. The transports have been informed.
  void (*on_failures)(avrm_device_t *device) noexcept;
  // Called when the device no longer knows this world, which is about to be freed.
  void (*on_world_forgotten)(avrm_device_t *device, const World *world) noexcept;
  // Called in the leader of `group` when it creates a communicator with processes of other worlds,
  // which are among `others`: over its links, it passes deaths in those worlds on to the group.
  // Returns AVRM_ERR_NO_MEMORY if it cannot.
  avrm_status_t (*on_worlds_joined)(avrm_device_t *device, const avrm_rankmap_t *group,
                                    const avrm_rankmap_t *others) noexcept;
  // Called when the communicator was revoked, to update its handles of the fast path.
  void (*on_revoked)(avrm_comm_t *comm) noexcept;
  // Called when the communicator is about to be freed. Returns true if its context id remains in
  // use.
  bool (*on_discard)(avrm_comm_t *comm) noexcept;
};

} // namespace avrankmap::detail

#endif
