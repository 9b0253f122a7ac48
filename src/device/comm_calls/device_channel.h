// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective algorithms on a device. Their messages use a different plane of the communicator from
// user messages.
//
// A death breaks an operation in all members, but each learns of it at a different time. A message
// above its transport's eager limit is only sent once the receiver receives it, so its sender would
// wait forever for a member that has given up already. Therefore a sender whose operation is broken
// asks the receiver to discard the operation's messages, again and again, until the send completes
// or the receiver fails. Its request names the failed process. A receiver that does not know of
// this failure ignores the request, because its operation may still wait for an earlier message; it
// will learn of the failure, and the request is repeated. Otherwise its operation starts no more
// transfers, and the messages are superfluous, except for a receive that is posted already, which
// comes first. No later operation has the same match bits: the context id of a communicator with a
// failed member remains in use, all its operations are broken, except those of survivors, whose
// tags differ, and callers do not reuse the tag of a call that failed (comm.h).
#ifndef AVRANKMAP_SRC_COMM_CALLS_DEVICE_CHANNEL_H
#define AVRANKMAP_SRC_COMM_CALLS_DEVICE_CHANNEL_H

#include <optional>

#include "comm_algorithms/channel/task.h"
#include "core/active.h"
#include "core/device.h"

namespace avrankmap::detail {

class DeviceChannel;

// A pending collective operation of this process. It advances when `poll` is called, by one thread
// at a time, without the device's lock.
class Operation {
public:
  explicit Operation(avrm_comm_t *comm) noexcept;
  virtual ~Operation() = default;
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;

  [[nodiscard]] avrm_device_t *device() const noexcept { return device_; }
  [[nodiscard]] FrameStack &frames() noexcept { return frames_; }

  // Starts a task. The operation ends when the task ends.
  void run(Task task) noexcept;
  [[nodiscard]] bool is_done() const noexcept { return task_.has_value() && task_->is_done(); }
  [[nodiscard]] avrm_status_t status() const noexcept { return task_->status(); }
  // For operations for which no thread waits: `awaiter` is made ready whenever `poll` may be able
  // to resume the task.
  void be_awaited_by(Awaiter *awaiter) noexcept { awaiter_ = awaiter; }
  // Resumes the task if its transfer is complete. Returns whether it resumed the task.
  bool poll() noexcept;
  // Cancels the pending receive from any source, if there is one.
  void interrupt() noexcept;
  // Cancels the pending receive permanently. Returns false until the receive and the send of the
  // transfer have ended; must be called again after some progress.
  [[nodiscard]] bool withdraw() noexcept;
  // Checks for failures. Returns whether the operation is broken.
  [[nodiscard]] bool look() noexcept {
    look_for_deaths();
    return broken_;
  }
  // Blocks until the operation has completed.
  avrm_status_t wait() noexcept;

  // Restricts the failures that break the operation to those of the processes in this map. Must be
  // called before `run`.
  void watch(const avrm_rankmap_t *members) noexcept;

  // For channels: posts a transfer. Returns true if it has completed.
  [[nodiscard]] bool begin(DeviceChannel *channel, Transfer *transfer) noexcept;
  // True if a member has failed. Most channels then start no more transfers.
  [[nodiscard]] bool is_broken() const noexcept { return broken_; }

private:
  [[nodiscard]] bool move_on() noexcept;
  void ask_to_discard() noexcept;
  void await_transfer(bool is_announced) noexcept;
  void look_for_deaths() noexcept;

  avrm_device_t *device_;
  Awaiter *awaiter_ = nullptr;
  const avrm_rankmap_t *watched_;        // their failures break the operation
  const avrm_rankmap_t *watched_remote_; // null: none
  FrameStack frames_;
  DeviceChannel *channel_ = nullptr; // of current_
  Transfer *current_ = nullptr;      // the one in progress
  std::uint32_t deaths_seen_ = 0;
  bool broken_ = false;
  std::int64_t next_request_ = 0; // when the receiver is asked again to discard messages
  std::optional<Task> task_;
};

class DeviceChannel final : public Channel {
public:
  // `plane` is a communicator's collective plane or its plane of leaders. Tags are even. With
  // `outlives`, the channel continues when the operation is broken, until the peer itself has died.
  DeviceChannel(Operation &operation, avrm_comm_t *plane, std::int32_t tag, bool outlives = false) noexcept
      : Channel(plane->device->instance->memory, operation.frames(), plane->rank, plane->map->size),
        operation_(operation), plane_(plane), tag_(tag), outlives_(outlives) {}

  [[nodiscard]] bool start(Transfer *transfer) noexcept override;

  // Posts the parts of a transfer that are not posted yet. Returns false if memory is exhausted or
  // the transport refuses; the caller tries again later, since the peer waits for this message.
  [[nodiscard]] bool post(Transfer *transfer) noexcept;
  [[nodiscard]] bool is_broken() const noexcept { return !outlives_ && operation_.is_broken(); }
  // Asks the receiver of a transfer to discard the operation's messages, because a member failed.
  // Returns AVRM_OK if the request was sent. Requires the device's lock.
  [[nodiscard]] avrm_status_t ask_to_discard(const Transfer &transfer, avrm_gpid_t failed) noexcept;

private:
  static constexpr int kMostRefusals = 1000; // of one message, before it fails

  Operation &operation_;
  avrm_comm_t *plane_;
  std::int32_t tag_;
  bool outlives_;
};

// Discards messages of broken operations at the request of their senders.
class Discarder final : public Awaiter {
public:
  explicit Discarder(avrm_device_t *device) noexcept : device_(device) {}

  // Handles a request, which is not trusted. Requires the device's lock.
  void on_request(const ActiveHeader &header) noexcept;
  // Posts the receives that take the messages.
  bool go_on() noexcept override;
  // Ends all receives. Returns false if it must be called again after some progress.
  [[nodiscard]] bool withdraw() noexcept;

private:
  // A receive that takes any number of bytes of one message.
  struct Drain {
    std::uint64_t match;
    bool is_wanted;             // a sender has asked since the last go_on
    std::uint64_t posted_match; // of `request`
    Request *request;           // null: none
  };
  static constexpr std::size_t kMost = 8;

  void post(Drain &drain) noexcept;
  [[nodiscard]] bool withdraw(Drain &drain) noexcept;

  avrm_device_t *device_;
  // Copy of the world's collective plane, to which the requests belong. They do not keep the world
  // in use.
  avrm_comm_t plane_{};
  Drain drains_[kMost] = {};
  std::size_t oldest_ = 0; // is replaced if a request finds all in use
};

// Tags of a communicator's next collective operation; of agreements among its survivors (numbered
// modulo 16,384); and of operations in which only some members take part, who have agreed on a
// number 0 .. 32767.
[[nodiscard]] std::int32_t next_tag(avrm_comm_t *comm) noexcept;
inline constexpr std::uint32_t kMostNumber = 16383;
inline constexpr std::int32_t kSurvivors = 1 << 15;
inline constexpr std::int32_t kSomeMembers = 1 << 16;
[[nodiscard]] inline std::int32_t survivors_tag(std::uint32_t number) noexcept {
  return kSurvivors | static_cast<std::int32_t>(number & kMostNumber) << 1;
}
inline constexpr std::int32_t kMostUserTag = 32767;
[[nodiscard]] inline std::int32_t tag_of(std::int32_t number) noexcept { return kSomeMembers | number << 1; }

} // namespace avrankmap::detail

#endif
