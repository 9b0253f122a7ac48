// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A coroutine that returns a status. Its frame is on the frame stack of its channel; a task without
// room for its frame ends with AVRM_ERR_NO_MEMORY when it is awaited.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_TASK_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_TASK_H

#include <coroutine>
#include <cstdlib>
#include <utility>

#include "comm_algorithms/channel/channel.h"

namespace avrankmap::detail {

class [[nodiscard]] Task {
public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type {
    avrm_status_t status = AVRM_OK;
    std::coroutine_handle<> caller = std::noop_coroutine();

    // A task is a function whose first parameter is the channel.
    template <typename... Arguments>
    static void *operator new(std::size_t bytes, Channel &channel, Arguments &...) noexcept {
      auto *const block = static_cast<char *>(channel.frames().push(bytes + kHeader));
      if (block == nullptr) {
        return nullptr;
      }
      *reinterpret_cast<FrameStack **>(block) = &channel.frames();
      return block + kHeader;
    }
    static void operator delete(void *frame, std::size_t bytes) noexcept {
      (*reinterpret_cast<FrameStack **>(static_cast<char *>(frame) - kHeader))->pop(bytes + kHeader);
    }
    static Task get_return_object_on_allocation_failure() noexcept { return Task(nullptr); }
    Task get_return_object() noexcept { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(Handle ended) noexcept { return ended.promise().caller; }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(avrm_status_t value) noexcept { status = value; }
    void unhandled_exception() noexcept { std::abort(); } // nothing below throws

  private:
    static constexpr std::size_t kHeader = 16;
  };

  Task(Task &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task &operator=(Task &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) {
      handle_.destroy();
    }
  }

  // Starts the task. From then on its channel resumes it.
  void start() const noexcept {
    if (handle_) {
      handle_.resume();
    }
  }
  [[nodiscard]] bool is_done() const noexcept { return !handle_ || handle_.done(); }
  [[nodiscard]] avrm_status_t status() const noexcept {
    return handle_ ? handle_.promise().status : AVRM_ERR_NO_MEMORY;
  }

  // Lets other tasks await this one.
  [[nodiscard]] bool await_ready() const noexcept { return !handle_; }
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  [[nodiscard]] avrm_status_t await_resume() const noexcept { return status(); }

private:
  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Handle handle_;
};

} // namespace avrankmap::detail

#endif
