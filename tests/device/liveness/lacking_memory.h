// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device that lacks memory for a while: its own, or that of its netmod. The null netmod sends no
// active messages; here it does, and the test reads what was sent.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_LACKING_MEMORY_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_LACKING_MEMORY_H

#include <unistd.h>

#include <cstring>
#include <utility>
#include <vector>

#include "core/device.h"
#include "tests/support/counting_allocator.h"

namespace avrankmap::test {

// Memory that may be lacking, and in which messages that wait are counted.
struct LackingMemory {
  CountingAllocator books;
  avrm_allocator_t inner = books.hooks();
  int messages = 0;
  bool lacks = false;
  int left = -1; // allocations that succeed; negative: all
  [[nodiscard]] avrm_allocator_t hooks() {
    return {[](void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) -> void * {
              auto *const self = static_cast<LackingMemory *>(user);
              self->messages += kind == AVRM_MEM_MESSAGE ? 1 : 0;
              const bool is_last = self->left == 0;
              self->left -= self->left > 0 ? 1 : 0;
              return self->lacks || is_last ? nullptr : self->inner.allocate(self->inner.user, size, alignment, kind);
            },
            [](void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
              const auto *const self = static_cast<LackingMemory *>(user);
              self->inner.release(self->inner.user, block, size, alignment, kind);
            },
            this};
  }
};

// The active messages of a device over the null netmod. One at a time.
class Outbox {
public:
  struct Sent {
    std::uint64_t handle;
    detail::ActiveHeader header;
  };

  explicit Outbox(avrm_device_t *device)
      : device_(device), ops_(*device->net->ops), before_(std::exchange(device->net->ops, &ops_)) {
    ops_.am_send = am_send;
    ops_.insert = insert;
    current = this;
  }
  ~Outbox() {
    if (device_ != nullptr) {
      device_->net->ops = before_;
    }
  }
  Outbox(const Outbox &) = delete;
  Outbox &operator=(const Outbox &) = delete;

  // Keeps the messages until the device is closed, before this object is destroyed.
  void keep_to_the_end() { device_ = nullptr; }

  avrm_status_t status = AVRM_OK;        // of a message
  int refusals = 0;                      // of messages, before that
  std::uint64_t stopped = 0;             // peers with smaller handles take no messages
  avrm_status_t insert_status = AVRM_OK; // of a first contact
  int inserts = 0;                       // asked for
  int attempts = 0;                      // to send a message
  std::vector<Sent> sent;

  // Sends what waits, until there are so many messages, or for two seconds.
  template <typename Serve> void send_until(std::size_t count, Serve serve) {
    for (int i = 0; i < 400 && sent.size() < count; ++i) {
      serve();
      (void)device_->deferred.flush(device_);
      usleep(5000); // first contacts are tried again later
    }
  }

private:
  static inline Outbox *current = nullptr;

  static avrm_status_t am_send(avrm_netmod_t * /*netmod*/, std::uint64_t handle, const void *header, std::size_t bytes,
                               const void * /*payload*/, std::size_t /*payload_bytes*/) noexcept {
    EXPECT_EQ(bytes, sizeof(detail::ActiveHeader));
    ++current->attempts;
    if (current->refusals != 0) {
      --current->refusals;
      return AVRM_ERR_AGAIN;
    }
    if (handle < current->stopped) {
      return AVRM_ERR_AGAIN;
    }
    if (current->status == AVRM_OK) {
      Sent &one = current->sent.emplace_back();
      one.handle = handle;
      std::memcpy(&one.header, header, sizeof one.header);
    }
    return current->status;
  }
  static avrm_status_t insert(avrm_netmod_t *netmod, std::size_t count, const void *addresses, std::size_t pitch,
                              std::size_t bytes, std::uint64_t *handles) noexcept {
    ++current->inserts;
    return current->insert_status != AVRM_OK
               ? current->insert_status
               : current->before_->insert(netmod, count, addresses, pitch, bytes, handles);
  }

  avrm_device_t *device_;
  avrm_netmod_ops_t ops_;
  const avrm_netmod_ops_t *before_;
};

} // namespace avrankmap::test

#endif
