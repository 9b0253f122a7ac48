// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Windows. What a process knows about the window of a peer it learns when it first reaches for it: the peer describes its
// part in an active message. Nothing is exchanged, or stored, for peers that are never reached for.
#ifndef AVRANKMAP_SRC_CORE_WINDOW_H
#define AVRANKMAP_SRC_CORE_WINDOW_H

#include "core/device.h"

namespace avrankmap::detail {

// A peer's part of a window.
struct Target {
  enum class State : std::uint8_t { kAsked, kReady, kGone, kPutOff /* there was no memory to answer */ };

  std::int32_t rank = 0;
  avrm_gpid_t process{};
  State state = State::kAsked;
  Route route{};
  std::uint64_t bytes = 0;
  unsigned char *mapped = nullptr;         // plain memory: own part, or a peer's on the same node
  avrm_netmod_key_t *key = nullptr;        // native access
  avrm_netmod_key_t *queue_key = nullptr;  // the same by the communicator's queue
  avrm_shmmod_memory_t *mapping = nullptr; // what `mapped` belongs to, if a peer's
  std::uint64_t unacknowledged = 0;        // puts by active message
  bool unflushed = false;                  // native puts since the last flush
  bool injected = false;                   // there may be native puts that nobody counts
  avrm_status_t error = AVRM_OK;           // first thing that went wrong since the last flush
  Target *next = nullptr;
};

// Asked for by a peer before this process has created the window.
struct EarlyKeyRequest {
  EarlyKeyRequest *next;
  std::uint64_t window;
  std::uint64_t token;
  std::int32_t sender; // rank in the communicator
};

// one_sided.cpp: what the fast path needs to know of a peer's part: where it is for the netmod (by the communicator's queue, if
// it has one), and its size. From then on every flush of this peer asks the netmod. AVRM_ERR_UNSUPPORTED if the netmod has no
// put for it without a request.
[[nodiscard]] avrm_status_t reach_natively(avrm_window_t *window, std::int32_t rank, std::uint64_t *remote_p,
                                           std::uint64_t *key_p, std::uint64_t *bytes_p) noexcept;

// window_service.cpp
void handle_active(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept;
// Answers peers that asked for a window before it was created; `window` is null if that has failed.
void answer_early_requests(avrm_device_t *device, std::uint64_t id, avrm_window_t *window) noexcept;
// Ends what waits for processes that have died.
void fail_windows(avrm_device_t *device) noexcept;
// Forgets peers' requests for windows that were never created.
void drop_early_requests(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

struct avrm_window {
  static constexpr std::size_t kBuckets = 256;

  avrm_device_t *device = nullptr;
  avrm_comm_t *comm = nullptr;
  std::uint64_t id = 0;
  unsigned char *base = nullptr;
  std::uint64_t bytes = 0;
  bool owns_memory = false; // `base` came from the instance's allocator
  avrm_netmod_memory_t *net_memory = nullptr;
  avrm_shmmod_memory_t *shm_memory = nullptr;
  std::uint64_t next_token = 1;
  std::uint64_t users = 0;             // requests
  avrankmap::detail::RequestList gets; // by active message
  avrm_window *next = nullptr;
  avrankmap::detail::Target *buckets[kBuckets] = {}; // by rank modulo their number

  [[nodiscard]] avrankmap::detail::Target **bucket_of(std::uint64_t rank) noexcept { return &buckets[rank % kBuckets]; }
  // Null if this process has not reached for that rank's part.
  [[nodiscard]] avrankmap::detail::Target *find(std::uint64_t rank) noexcept {
    avrankmap::detail::Target *target = *bucket_of(rank);
    while (target != nullptr && static_cast<std::uint64_t>(target->rank) != rank) {
      target = target->next;
    }
    return target;
  }
};

#endif
