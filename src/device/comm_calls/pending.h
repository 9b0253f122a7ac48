// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creations with a request (idup), and agreements of survivors. Progress advances them.
#ifndef AVRANKMAP_SRC_COMM_CALLS_PENDING_H
#define AVRANKMAP_SRC_COMM_CALLS_PENDING_H

#include <sched.h>

#include <atomic>
#include <cstddef>

#include "comm_calls/ft_state.h"

namespace avrankmap::detail {

// A creation with a request.
class RequestedCreation final : public Awaiter {
public:
  RequestedCreation(avrm_comm_t *parent, avrm_comm_t **comm_p, Request *request) noexcept
      : creation(parent, next_tag(parent)), request_(request), comm_p_(comm_p) {}

  Creation creation;
  RequestedCreation *next = nullptr; // in the device's list
  RequestedCreation *previous = nullptr;

  bool go_on() noexcept override;
  // Passes the communicator to the caller and completes the request.
  void end() noexcept;

private:
  Request *request_;
  avrm_comm_t **comm_p_;
};

class PendingCreations {
public:
  PendingCreations(avrm_device_t *device, Memory &memory) noexcept
      : discarder_(device), revoker_(device), kept_(memory) {}

  // Returns room for one creation. If memory is exhausted, this is the spare room, since the other
  // members wait for this process in the agreement; null if that is also in use.
  [[nodiscard]] void *room(Memory &memory) noexcept;
  void give_room_back(Memory &memory, void *room) noexcept;

  // Thread-safe.
  void add(avrm_device_t *device, RequestedCreation *creation) noexcept;
  // Advances the operations that are ready. Returns how many have advanced; 0 if another thread is
  // serving. Called without the device's lock.
  int serve(avrm_device_t *device) noexcept;
  // Called by operations when they continue: ends a completed creation; drops survivors that are no
  // longer needed.
  bool serve(RequestedCreation *creation) noexcept;
  bool serve(FtState *survivors) noexcept;

  // Calls ask(survivors) for a communicator while no other thread serves. The survivors are created
  // at the first call.
  template <typename Ask> [[nodiscard]] avrm_status_t with_survivors(avrm_comm_t *comm, Ask ask) noexcept {
    while (is_served_.test_and_set(std::memory_order_acquire)) {
      sched_yield();
    }
    FtState *survivors = nullptr;
    avrm_status_t status = find_survivors(comm, &survivors);
    if (status == AVRM_OK) {
      status = ask(*survivors);
      const DeviceGuard guard(comm->device);
      comm->device->ready.add(survivors);
    }
    is_served_.clear(std::memory_order_release);
    return status;
  }
  // Handle messages in which members of some communicator report that it was revoked, or that they
  // have freed it. The contents are not trusted. Called with the device's lock.
  void on_revoke(avrm_device_t *device, const ActiveHeader &header) noexcept;
  void on_free_consensus(avrm_device_t *device, const ActiveHeader &header, const void *payload,
                         std::size_t bytes) noexcept;
  [[nodiscard]] Discarder &discarder() noexcept { return discarder_; }
  // Called with the device's lock when a communicator is freed. Its survivors, if there are any,
  // continue and keep the context id; without them it is kept if a member has died or has revoked
  // the communicator. Returns whether the id is kept.
  [[nodiscard]] bool on_discard(avrm_comm_t *comm) noexcept;
  // Keeps a context id that is in use, for messages with it may arrive until the device is closed.
  // Without memory to remember that, the id remains in use all the same. Requires the device's
  // lock.
  void keep(std::uint32_t context) noexcept { (void)kept_.take(context); }
  // Called with the device's lock when processes have failed: all operations check their members.
  void on_failures(avrm_device_t *device) noexcept;
  // Survivors that only answer queries do not prevent closing the device.
  [[nodiscard]] bool has_pending() const noexcept { return first_ != nullptr; }
  // Called when the device is closed: no more queries are answered.
  void end_survivors(avrm_device_t *device) noexcept;

private:
  [[nodiscard]] avrm_status_t find_survivors(avrm_comm_t *comm, FtState **survivors_p) noexcept;
  // The answer if this process has no such communicator.
  [[nodiscard]] Reply answer_of(const avrm_device_t *device, const ActiveHeader &header) const noexcept;
  [[nodiscard]] FtState *survivors_of(const ActiveHeader &header, avrm_gpid_t from) const noexcept;
  void want_revoked(avrm_comm_t *comm) noexcept;
  void want_no_more(avrm_comm_t *comm) noexcept;
  bool revoke_wanted(avrm_device_t *device) noexcept;
  static void drop(avrm_device_t *device, FtState *survivors) noexcept;

  // Continues while communicators are to be revoked.
  class Revoker final : public Awaiter {
  public:
    explicit Revoker(avrm_device_t *device) noexcept : device_(device) {}
    bool go_on() noexcept override;

  private:
    avrm_device_t *device_;
  };

  // The device's lock protects the members up to kept_.
  Discarder discarder_;
  RequestedCreation *first_ = nullptr;
  NumberTree<FtState> by_context_;
  avrm_comm_t *to_be_revoked_ = nullptr;
  Revoker revoker_;
  Contexts kept_; // context ids of forgotten communicators, for which messages may still arrive
  std::atomic_flag is_served_ = {};
  std::atomic_flag spare_taken_ = {};
  alignas(64) unsigned char spare_[sizeof(RequestedCreation)];
};

} // namespace avrankmap::detail

#endif
