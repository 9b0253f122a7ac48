// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The process in which a creation algorithm runs: the parent communicator, the result, and the
// functions of its device that the algorithm needs.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATION_HOST_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATION_HOST_H

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "comm_algorithms/channel/channel.h"
#include "comm_algorithms/contexts.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

// The communicator from which another one is created, as one process knows it.
struct Parent {
  const avrm_rankmap_t *map;              // of this process's group
  const avrm_rankmap_t *remote = nullptr; // of the other group, if there are two
  std::uint32_t context = 0;
};

// The result for a process. It gets no communicator if `context` is kNone. After an error `context`
// is an id that other members may use, or kNone; it remains in use until the owner gives it back.
struct CreationResult {
  MapOwner map;    // of this process's group
  MapOwner remote; // of the other group, if there are two
  std::int32_t rank = kNobody;
  std::uint32_t context = Contexts::kNone;
};

// A group as its leader describes it to another group.
class GroupMessage {
public:
  // Maximum size: that of a message for the largest group with the longest cards
  // (group_message_wire.h).
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 35;

  explicit GroupMessage(Memory &memory) noexcept : memory_(memory) {}
  ~GroupMessage() { drop(); }
  GroupMessage(const GroupMessage &) = delete;
  GroupMessage &operator=(const GroupMessage &) = delete;

  // Replaces the contents with `bytes` zero bytes. Returns false if memory is exhausted.
  [[nodiscard]] bool resize(std::uint64_t bytes) noexcept {
    drop();
    data_ = allocate(bytes);
    bytes_ = room_ = data_ == nullptr ? 0 : bytes;
    return data_ != nullptr;
  }
  // Appends zero bytes up to a length of `bytes`. Allocates at most twice that memory, and none
  // beyond `end`, the announced length of the message. Returns false if memory is exhausted.
  [[nodiscard]] bool grow(std::uint64_t bytes, std::uint64_t end) noexcept {
    if (bytes > room_) {
      const std::uint64_t room = std::max(bytes, std::min(2 * room_, end));
      unsigned char *const data = allocate(room);
      if (data == nullptr) {
        return false;
      }
      if (bytes_ != 0) {
        std::memcpy(data, data_, bytes_);
      }
      drop();
      data_ = data;
      room_ = room;
    }
    bytes_ = bytes;
    return true;
  }
  [[nodiscard]] unsigned char *data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
  unsigned char *allocate(std::uint64_t bytes) noexcept {
    return static_cast<unsigned char *>(memory_.allocate(bytes, alignof(std::max_align_t), AVRM_MEM_SCRATCH));
  }
  void drop() noexcept { memory_.release(data_, room_, alignof(std::max_align_t), AVRM_MEM_SCRATCH); }

  Memory &memory_;
  unsigned char *data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t room_ = 0;
};

// The process in which an algorithm runs.
class CreationHost {
public:
  explicit CreationHost(Contexts &contexts) noexcept : contexts_(contexts) {}
  CreationHost(const CreationHost &) = delete;
  CreationHost &operator=(const CreationHost &) = delete;
  virtual ~CreationHost() = default;

  [[nodiscard]] Contexts &contexts() const noexcept { return contexts_; }
  // Prepares a communicator with the maps in `made`, which it may take over. Every step that may
  // fail is done here, except for the agreement on a context id. Called once, before that
  // agreement, if this process gets a communicator.
  [[nodiscard]] virtual avrm_status_t prepare(CreationResult &made) noexcept = 0;

  // Pgids differ between worlds (each process numbers its own process group 0), so groups are
  // described in messages. Returns true in a leader unless its group and the other one are in the
  // same single world.
  [[nodiscard]] virtual bool crosses_worlds() const noexcept { return false; }
  [[nodiscard]] virtual avrm_status_t write_group_message(const avrm_rankmap_t * /*own*/,
                                                          GroupMessage * /*message*/) noexcept {
    return AVRM_ERR_UNSUPPORTED;
  }
  // Reads the group in a message, which is not trusted.
  [[nodiscard]] virtual avrm_status_t read_group_message(const GroupMessage & /*message*/,
                                                         MapOwner * /*map_p*/) noexcept {
    return AVRM_ERR_UNSUPPORTED;
  }
  // True if `one` precedes `other` in an order that is the same in all processes.
  [[nodiscard]] virtual bool comes_first(avrm_gpid_t one, avrm_gpid_t other) const noexcept {
    return one.pgid != other.pgid ? one.pgid < other.pgid : one.lpid < other.lpid;
  }
  // Returns a number for a process group that is the same in all processes.
  [[nodiscard]] virtual std::uint64_t number_of(std::int32_t pgid) const noexcept {
    return static_cast<std::uint64_t>(pgid);
  }

private:
  Contexts &contexts_;
};

} // namespace avrankmap::detail

#endif
