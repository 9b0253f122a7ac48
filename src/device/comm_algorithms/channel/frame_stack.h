// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for the frames of coroutines. Every operation contains such a stack, so that a process
// that runs out of memory during a collective operation can still notify the others.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_FRAME_STACK_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_FRAME_STACK_H

#include <cstddef>

namespace avrankmap::detail {

class FrameStack {
public:
  // Enough for every operation: tests/device/comm measures the peak.
  static constexpr std::size_t kBytes = 5120;

  FrameStack() noexcept = default; // cppcheck-suppress uninitMemberVar ; room for frames need not be clear
  FrameStack(const FrameStack &) = delete;
  FrameStack &operator=(const FrameStack &) = delete;

  // Returns null if the stack is full. Frames must be popped in reverse order.
  [[nodiscard]] void *push(std::size_t bytes) noexcept {
    const std::size_t whole = rounded(bytes);
    if (whole > kBytes - top_) {
      return nullptr;
    }
    void *const frame = block_ + top_;
    top_ += whole;
    if (top_ > peak_) {
      peak_ = top_;
    }
    return frame;
  }
  void pop(std::size_t bytes) noexcept { top_ -= rounded(bytes); }

  // The peak number of bytes in use.
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }

private:
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::size_t top_ = 0;
  std::size_t peak_ = 0;
  alignas(kAlignment) char block_[kBytes];
};

} // namespace avrankmap::detail

#endif
