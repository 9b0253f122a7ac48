// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cold side of the fast path (avrankmap/device/fastpath.h): the objects behind its handles.
#ifndef AVRANKMAP_SRC_FASTPATH_HANDLES_H
#define AVRANKMAP_SRC_FASTPATH_HANDLES_H

#include <mutex>

#include "avrankmap/device/fastpath.h"
#include "core/progress/backoff.h"
#include "core/progress/progress.h"
#include "core/progress/queue.h"

namespace avrankmap::detail {

// Requests that the user does not see. Completed ones stay in the array until complete().
class PendingRequests {
public:
  // Returns false if out of memory.
  [[nodiscard]] bool reserve(Memory &memory) noexcept;
  void add(avrm_request_t *request) noexcept { requests_[count_++] = request; } // after reserve
  // Waits for all requests and frees the memory. Returns the first error.
  avrm_status_t complete(Memory &memory) noexcept;
  // Moves the requests out, leaving none.
  [[nodiscard]] PendingRequests take() noexcept;

private:
  avrm_request_t **requests_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

// Like avrm_i_fp_is_inside, but for windows whose units may have any size.
inline bool is_inside(std::int64_t displacement, std::uint64_t unit, std::size_t bytes, std::uint64_t size) noexcept {
  std::uint64_t offset = 0;
  return displacement >= 0 && !__builtin_mul_overflow(static_cast<std::uint64_t>(displacement), unit, &offset) &&
         offset <= size && bytes <= size - offset;
}

} // namespace avrankmap::detail

// The cold part of a communicator. Aligned, so that threads that send on two communicators do not
// write to one cache line. `lock` protects the pending operations, and is taken before the
// device's.
struct alignas(64) avrm_fp_cold {
  avrm_fp_t *fp = nullptr;
  avrm_fp_comm_t *handle = nullptr;
  avrm_fp_cold *next = nullptr;              // next handle of the communicator
  avrankmap::detail::Queue *queue = nullptr; // null: operations take the device's lock
  std::uint32_t windows = 0;
  std::mutex lock;
  avrankmap::detail::PendingRequests pending;
};

// The device's lock protects the pending operations. There is no other: the first put to a target
// may block for long, and must not stop the puts of other threads.
struct alignas(64) avrm_fp_window_cold {
  avrm_fp_comm_t *comm = nullptr;
  avrm_window_t *window = nullptr;
  avrm_directory_t nobody{}; // for netmods that inject no puts
  avrankmap::detail::PendingRequests pending;
};

struct avrm_fp {
  explicit avrm_fp(avrm_device_t *its_device) noexcept : device(its_device) {}

  avrm_device_t *device;
  std::int32_t queue_count = 0; // the device's first queues; 0: only its own is used
  std::int32_t next_queue = 0;
  std::uint32_t users = 0; // communicators
  // Freed handles, linked through `comm`: they remain readable, so that their use is detected.
  avrm_fp_comm_t *spare = nullptr;
};

namespace avrankmap::detail {

// Holds the lock of a communicator if several threads may use it.
class FastpathGuard {
public:
  FastpathGuard(const avrm_fp_comm_t *comm, std::mutex *lock) noexcept : lock_(comm->threads != 0 ? lock : nullptr) {
    if (lock_ != nullptr) {
      lock_->lock();
    }
  }
  ~FastpathGuard() {
    if (lock_ != nullptr) {
      lock_->unlock();
    }
  }
  FastpathGuard(const FastpathGuard &) = delete;
  FastpathGuard &operator=(const FastpathGuard &) = delete;

private:
  std::mutex *lock_;
};

// Repeats a post while the network is busy. Called without a lock.
template <typename Post> avrm_status_t post_until_accepted(const avrm_netmod_t *net, Post post) noexcept {
  avrm_status_t status = post();
  auto *const device = static_cast<avrm_device_t *>(net->user);
  Backoff backoff(device, Sleep::kFree, true);
  Refusals refusals;
  while (AVRM_UNLIKELY(status == AVRM_ERR_AGAIN)) {
    backoff.after(avrm_progress(device));
    Refusals::begin();
    status = post();
    if (status == AVRM_ERR_AGAIN && AVRM_UNLIKELY(refusals.are_for_memory())) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  return status;
}

// Handles the revocation of a communicator: its handles find no connected peer. Requires the
// device's lock.
void revoke_handles(avrm_comm_t *comm) noexcept;

[[nodiscard]] inline Memory &memory_of(const avrm_fp_comm_t *comm) noexcept {
  return comm->cold->fp->device->instance->memory;
}

} // namespace avrankmap::detail

#endif
