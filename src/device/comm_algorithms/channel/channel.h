// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator as the collective algorithms see it: this process's rank, the number of ranks, and
// messages to and from other ranks. On a device these are messages of the communicator's collective
// plane (comm_calls/device_channel.h); in the simulator they are sent between virtual processes
// (bench/synthetic). The algorithms are coroutines and do not depend on the implementation.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_CHANNEL_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_CHANNEL_H

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "avrankmap/status.h"
#include "base/memory.h"
#include "comm_algorithms/channel/frame_stack.h"

namespace avrankmap::detail {

inline constexpr std::int32_t kNobody = -1;
inline constexpr std::int32_t kAnybody = -2; // as a source

// A message to send, a message to receive, or both concurrently. A transfer is stored in the frame
// of the coroutine that awaits it.
struct Transfer {
  std::int32_t dest = kNobody;
  std::int32_t source = kNobody;
  const void *out = nullptr;
  std::size_t out_bytes = 0;
  void *in = nullptr;
  std::size_t in_room = 0;
  // Messages and receives with `aside` set match only each other. Used for messages that a receive
  // from any source must not take.
  bool aside = false;
  // Set by the channel. AVRM_ERR_TRUNCATED if the message was longer than in_room.
  avrm_status_t status = AVRM_OK;
  std::size_t in_bytes = 0;
  std::coroutine_handle<> waiting = nullptr;
  void *handles[2] = {};
  bool posted[2] = {}; // receive, send: true if it is posted, or if there is none
  int refusals = 0;    // by the transport, other than for lack of memory
};

// True for types that may be sent: those without padding, which would contain bytes of the sender's
// stack.
template <typename T> inline constexpr bool is_message = std::has_unique_object_representations_v<T>;

class Channel {
public:
  // `frames` holds the frames of all tasks on this channel.
  Channel(Memory &memory, FrameStack &frames, std::int32_t rank, std::int32_t size) noexcept
      : memory_(memory), frames_(frames), rank_(rank), size_(size) {}
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;
  virtual ~Channel() = default;

  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] Memory &memory() const noexcept { return memory_; }
  [[nodiscard]] FrameStack &frames() const noexcept { return frames_; }

  // Starts a transfer. Returns true if it has completed; otherwise the channel resumes
  // transfer->waiting when it completes.
  [[nodiscard]] virtual bool start(Transfer *transfer) noexcept = 0;

private:
  Memory &memory_;
  FrameStack &frames_;
  std::int32_t rank_;
  std::int32_t size_;
};

// An awaitable that performs a transfer; co_await returns its status.
class Exchange {
public:
  Exchange(Channel &channel, const Transfer &transfer) noexcept : channel_(channel), transfer_(transfer) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> waiting) noexcept {
    transfer_.waiting = waiting;
    return !channel_.start(&transfer_);
  }
  // A message of an unexpected length comes from a process that executes a different operation.
  [[nodiscard]] avrm_status_t await_resume() const noexcept {
    const bool fits = transfer_.source == kNobody || transfer_.in_bytes == transfer_.in_room;
    return transfer_.status == AVRM_OK && !fits ? AVRM_ERR_MISMATCH : transfer_.status;
  }

private:
  Channel &channel_;
  Transfer transfer_;
};

[[nodiscard]] inline Exchange send(Channel &channel, std::int32_t dest, const void *data, std::size_t bytes) noexcept {
  Transfer transfer;
  transfer.dest = dest;
  transfer.out = data;
  transfer.out_bytes = bytes;
  return {channel, transfer};
}
[[nodiscard]] inline Exchange receive(Channel &channel, std::int32_t source, void *data, std::size_t bytes) noexcept {
  Transfer transfer;
  transfer.source = source;
  transfer.in = data;
  transfer.in_room = bytes;
  return {channel, transfer};
}
[[nodiscard]] inline Exchange exchange(Channel &channel, std::int32_t dest, const void *out, std::size_t out_bytes,
                                       std::int32_t source, void *in, std::size_t in_bytes) noexcept {
  Transfer transfer;
  transfer.dest = dest;
  transfer.out = out;
  transfer.out_bytes = out_bytes;
  transfer.source = source;
  transfer.in = in;
  transfer.in_room = in_bytes;
  return {channel, transfer};
}

} // namespace avrankmap::detail

#endif
