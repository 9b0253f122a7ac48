// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cold side of the fast path (avrankmap/fastpath.h): what stands behind its handles.
#ifndef AVRANKMAP_SRC_CORE_FASTPATH_H
#define AVRANKMAP_SRC_CORE_FASTPATH_H

#include <mutex>

#include "avrankmap/fastpath.h"
#include "core/device.h"

// A work queue of the netmod. `lock` guards queues of their own; operations on the device's own queue take its lock.
struct alignas(64) avrm_fp_queue {
  std::mutex lock;
  avrm_netmod_t *net = nullptr;
  bool is_device = false;
};

static_assert(sizeof(avrm_fp_queue) % 64 == 0, "queues lie in an array");

namespace avrankmap::detail {

// Requests that nobody but the library knows of. They grow in one array, which is kept for the next ones.
class PendingRequests {
public:
  // False without memory.
  [[nodiscard]] bool reserve(Memory &memory) noexcept;
  void add(avrm_request_t *request) noexcept { requests_[count_++] = request; } // after reserve
  // Waits for all of them, and gives up the memory; how the first that failed ended.
  avrm_status_t complete(Memory &memory) noexcept;
  // Moves them out, leaving none.
  [[nodiscard]] PendingRequests take() noexcept;

private:
  avrm_request_t **requests_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace avrankmap::detail

// What a communicator has besides its hot part. Aligned, so that threads that send on two communicators do not write to
// one cache line.
struct alignas(64) avrm_fp_cold {
  avrm_fp_t *fp = nullptr;
  avrm_fp_queue *queue = nullptr;
  std::uint32_t windows = 0;
  avrankmap::detail::PendingRequests pending;
};

struct alignas(64) avrm_fp_window_cold {
  avrm_fp_comm_t *comm = nullptr;
  avrm_window_t *window = nullptr;
  avrankmap::detail::PendingRequests pending;
};

struct avrm_fp {
  explicit avrm_fp(avrm_device_t *its_device) noexcept : device(its_device) {}

  avrm_device_t *device;
  avrm_fp_queue *queues = nullptr;
  std::int32_t queue_count = 0;
  std::uint32_t next_queue = 0;
  std::uint32_t users = 0;         // communicators
  avrm_fp_comm_t *spare = nullptr; // freed handles, through `comm`: they stay readable, so that their use is recognised
};

namespace avrankmap::detail {

// Holds the lock of a communicator's queue if several threads may use it.
class QueueGuard {
public:
  explicit QueueGuard(const avrm_fp_comm_t *comm) noexcept
      : lock_(comm->threads != 0 ? &comm->cold->queue->lock : nullptr) {
    if (lock_ != nullptr) {
      lock_->lock();
    }
  }
  ~QueueGuard() {
    if (lock_ != nullptr) {
      lock_->unlock();
    }
  }
  QueueGuard(const QueueGuard &) = delete;
  QueueGuard &operator=(const QueueGuard &) = delete;

private:
  std::mutex *lock_;
};

[[nodiscard]] inline Memory &memory_of(const avrm_fp_comm_t *comm) noexcept {
  return comm->cold->fp->device->instance->memory;
}

} // namespace avrankmap::detail

#endif
