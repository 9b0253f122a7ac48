// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An operation that continues when one of its requests completes, without a thread that waits for
// it: a creation with a request, or an agreement of survivors. Operations that can continue are in
// a list, so that the others cost progress nothing.
#ifndef AVRANKMAP_SRC_CORE_AWAITER_H
#define AVRANKMAP_SRC_CORE_AWAITER_H

#include <atomic>
#include <cstdint>

namespace avrankmap::detail {

class Awaiter {
public:
  Awaiter() noexcept = default;
  Awaiter(const Awaiter &) = delete;
  Awaiter &operator=(const Awaiter &) = delete;

  // Continues as far as possible; the operation may complete. Returns true if anything happened.
  // Called without the device's lock, by one thread at a time.
  virtual bool go_on() noexcept = 0;

protected:
  ~Awaiter() = default;

private:
  friend class ReadyList;
  Awaiter *next_ = nullptr;
  Awaiter *previous_ = nullptr;
  bool is_ready_ = false;
};

// Requires the device's lock.
class ReadyList {
public:
  // May be called by any thread, without the lock.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }

  // Adds an awaiter, unless it is in the list.
  void add(Awaiter *awaiter) noexcept {
    if (awaiter->is_ready_) {
      return;
    }
    awaiter->is_ready_ = true;
    awaiter->next_ = nullptr;
    awaiter->previous_ = last_;
    (last_ == nullptr ? first_ : last_->next_) = awaiter;
    last_ = awaiter;
    change_count(1);
  }
  // Removes an awaiter, if it is in the list.
  void remove(Awaiter *awaiter) noexcept {
    if (!awaiter->is_ready_) {
      return;
    }
    awaiter->is_ready_ = false;
    (awaiter->previous_ == nullptr ? first_ : awaiter->previous_->next_) = awaiter->next_;
    (awaiter->next_ == nullptr ? last_ : awaiter->next_->previous_) = awaiter->previous_;
    change_count(-1);
  }
  // Removes the oldest entry of the list; null: the list is empty.
  [[nodiscard]] Awaiter *take() noexcept {
    Awaiter *const awaiter = first_;
    if (awaiter != nullptr) {
      remove(awaiter);
    }
    return awaiter;
  }

private:
  void change_count(int by) noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(by), std::memory_order_release);
  }

  Awaiter *first_ = nullptr;
  Awaiter *last_ = nullptr;
  std::atomic<std::uint32_t> count_ = 0;
};

} // namespace avrankmap::detail

#endif
