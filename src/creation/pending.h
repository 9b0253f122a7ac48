// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creations with a request (idup). Progress advances them.
#ifndef AVRANKMAP_SRC_CREATION_PENDING_H
#define AVRANKMAP_SRC_CREATION_PENDING_H

#include <atomic>
#include <cstddef>

#include "creation/creation.h"

namespace avrankmap::detail {

// A creation with a request.
class RequestedCreation {
public:
  RequestedCreation(avrm_comm_t *parent, avrm_comm_t **comm_p, Request *request) noexcept
      : creation(parent, next_tag(parent)), request_(request), comm_p_(comm_p) {}

  Creation creation;
  RequestedCreation *next = nullptr; // in the device's list

  // Hands over the communicator and ends the request.
  void end() noexcept;

private:
  Request *request_;
  avrm_comm_t **comm_p_;
};

class PendingCreations {
public:
  // Room for one creation. Without memory it is the spare room, since the other members wait for
  // this process's part in the agreement; null if that is in use.
  [[nodiscard]] void *room(Memory &memory) noexcept;
  void give_room_back(Memory &memory, void *room) noexcept;

  // From any thread.
  void add(avrm_device_t *device, RequestedCreation *creation) noexcept;
  // Advances all of them, ends those that are done, and returns how many advanced. Returns 0 if
  // another thread is serving. Call it without the device's lock.
  int serve(avrm_device_t *device) noexcept;

private:
  void remove(RequestedCreation *creation) noexcept;

  std::atomic<RequestedCreation *> first_ = nullptr;
  std::atomic_flag is_served_ = {};
  std::atomic_flag spare_taken_ = {};
  alignas(64) unsigned char spare_[sizeof(RequestedCreation)];
};

} // namespace avrankmap::detail

#endif
