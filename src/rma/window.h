// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Windows. The first operation on a peer's part asks the peer, which describes it in an active
// message. Nothing is exchanged or stored for other peers.
#ifndef AVRANKMAP_SRC_RMA_WINDOW_H
#define AVRANKMAP_SRC_RMA_WINDOW_H

#include "core/connect.h"

namespace avrankmap::detail {

// A peer's part of a window.
struct Target {
  enum class State : std::uint8_t { kAsked, kReady, kGone, kPutOff /* there was no memory to answer */ };

  std::int32_t rank = 0;
  avrm_gpid_t process{};
  State state = State::kAsked;
  Route route{};
  std::uint64_t bytes = 0;
  // The part in this address space: the own one, or one of the same node.
  unsigned char *mapped = nullptr;
  avrm_netmod_key_t *key = nullptr;        // native access
  avrm_netmod_key_t *queue_key = nullptr;  // the same by the communicator's queue
  avrm_shmmod_memory_t *mapping = nullptr; // what `mapped` belongs to, if a peer's
  std::uint64_t unacknowledged = 0;        // puts by active message
  bool unflushed = false;                  // native puts since the last flush
  bool injected = false;                   // native puts without a request may be pending
  avrm_status_t error = AVRM_OK;           // first error since the last flush
  Target *next = nullptr;
};

// A peer asked for a window that this process has yet to create.
struct EarlyKeyRequest {
  EarlyKeyRequest *next;
  std::uint64_t window;
  std::uint64_t token;
  std::int32_t sender; // rank in the communicator
};

// What a device keeps for windows.
struct Windows {
  avrm_window_t *first = nullptr; // all of them
  EarlyKeyRequest *early_requests = nullptr;
};

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
  // Null before the first operation on that rank's part.
  [[nodiscard]] avrankmap::detail::Target *find(std::uint64_t rank) noexcept {
    avrankmap::detail::Target *target = *bucket_of(rank);
    while (target != nullptr && static_cast<std::uint64_t>(target->rank) != rank) {
      target = target->next;
    }
    return target;
  }
};

#endif
