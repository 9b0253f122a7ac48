// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages between the devices of two processes, over any transport. They emulate what a
// transport cannot do natively, introduce windows to peers and report failures.
#ifndef AVRANKMAP_SRC_CORE_ACTIVE_H
#define AVRANKMAP_SRC_CORE_ACTIVE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "avrankmap/device/device.h"
#include "base/coarse_clock.h"
#include "base/memory.h"
#include "launch/job_secret.h"

namespace avrankmap::detail {

enum class ActiveType : std::uint32_t {
  kKeyRequest = 1, // asks how to reach a window of the receiver
  kKeyReply,       // payload: a WindowDescription
  kPut,            // payload: `bytes` bytes of packed data, starting at `position`
  kPutDone,
  kGet, // asks for `bytes` bytes of packed data, starting at `position`
  kGetData,
  kAtomic,      // operates on `bytes` bytes of elements at `offset`; payload: the operands, if any
  kFetchAtomic, // like kAtomic, but asks for the old values, for the result from `position` on
  kRefused,     // rejects `token`; `position` may contain a reason
  // A process of another world failed: world in `window` and `offset`, process in `position`.
  kDeath,
  kRevoke,        // the communicator in `window` was revoked
  kFreeConsensus, // payload: a ConsensusHeader of comm_calls/free_consensus.h
  kRelay,         // payload: for the shmmod (core/peers/relay.h); the other fields are 0
  kDeaths,        // `token` processes of this world failed, starting at lpid `position`
  kMatched,       // a synchronous message to `sender`, with the match bits in `window`, was matched
  // Like kPut and kGet, but for `block` blocks: the payload begins with an ActiveBlock for each.
  kPutBlocks,
  kGetBlocks,
  // Rejects, for lack of memory, messages that its receiver has sent about a window: the key
  // request if `block` is not 0, the first `offset` unanswered messages that belong to no Request,
  // and all unanswered messages with tokens from `token` to `position` (of those with token
  // `position`, only the first `bytes`).
  kRefusedAll,
  // Asks its receiver to discard messages with the match bits `window`, whatever their source: an
  // operation is broken because a process failed, with its world in `offset` and `block` and its
  // lpid in `position`.
  kDiscard
};

// Reasons in kRefused. No request may have one of these values as its position, because a refusal
// without a reason returns the request's position unchanged.
inline constexpr std::uint64_t kWantsMemory = 1; // the sender may repeat the request
inline constexpr std::uint64_t kMisplaced = 2;   // the address is misaligned for the element

// The header that is sent. The receiver checks all fields.
struct ActiveHeader {
  ActiveType type;
  std::int32_t sender;    // rank in the communicator of the window
  std::uint64_t window;   // context id << 32 | number of the window in its communicator
  std::uint64_t offset;   // in the target's window
  std::uint64_t position; // in the packed data
  std::uint64_t bytes;    // of the payload, or of the requested data
  std::uint64_t block;    // layout in the target's window; of atomics: the operation
  std::uint64_t pitch;    // of atomics: the datatype
  std::uint64_t token;    // chosen by the sender; returned in the reply
  JobSecret secret;       // of the receiver's job; send_active fills it in
};

// A block of a list, stored in the payload without alignment.
struct ActiveBlock {
  std::uint64_t offset; // in the target's window
  std::uint64_t bytes;
};

// What a send does if the transport does not accept the message immediately. kLater: sends the
// message later, even if there is no memory or descriptor left with which to connect to the peer;
// returns AVRM_ERR_NO_MEMORY if there is no memory to keep it. kNow: makes progress until the
// transport accepts it, which a handler must not do, because it is called within progress. kNever:
// returns AVRM_ERR_AGAIN.
enum class Retry : std::uint8_t { kLater, kNow, kNever };

// Minimum time between attempts to connect peers or to learn the secret: an attempt may call the
// launcher, and every failure to connect is reported.
inline constexpr std::int64_t kConnectPause = 100 * kMillisecond;

[[nodiscard]] avrm_status_t send_active(avrm_device_t *device, avrm_gpid_t peer, const ActiveHeader &header,
                                        const void *payload, std::size_t bytes, Retry retry) noexcept;
// Like send_active with Retry::kLater, but for a payload that DeferredMessages::prepare returned,
// so there is always memory to keep the message.
[[nodiscard]] avrm_status_t send_prepared(avrm_device_t *device, avrm_gpid_t peer, const ActiveHeader &header,
                                          unsigned char *payload) noexcept;
// True if a call failed because of exhausted memory or descriptors, which may become available, or
// because the launcher did not answer in time.
[[nodiscard]] constexpr bool is_lack(avrm_status_t status) noexcept {
  return status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_SYSTEM || status == AVRM_ERR_TIMEOUT;
}
// Returns the largest payload, after the header, that every transport can carry in one message.
[[nodiscard]] std::size_t active_payload_max(const avrm_device_t *device) noexcept;

// The transports' callback on_am. Returns false for a message that is to be offered again: there is
// no room for its answer, or this job's secret cannot be learned yet.
[[nodiscard]] bool on_active(void *user, const void *data, std::size_t bytes) noexcept;

// Messages of handlers that a transport did not accept at once, or whose peer could not be
// connected for lack of memory or descriptors. A peer waits for each of them, so they are kept and
// sent later, before any other message from this process to the same peer. A small reserve holds a
// few messages without a payload if memory is exhausted.
//
// A request is not taken until there is room for its answer. Until then it blocks later messages
// from the same peer. These may include answers that this process waits for, while the peer is in
// the same situation. So if nothing could be sent for a second, requests are rejected unread. One
// rejection, for which a second reserve has room, covers any number of requests from a peer about a
// window, and grows until it is sent.
class DeferredMessages {
public:
  explicit DeferredMessages(Memory &memory) noexcept : memory_(memory) {
    for (Message &message : reserve_) {
      message.next = free_reserve_;
      free_reserve_ = &message;
    }
    for (Message &message : rejections_) {
      message.next = free_rejection_;
      free_rejection_ = &message;
    }
  }
  ~DeferredMessages();
  DeferredMessages(const DeferredMessages &) = delete;
  DeferredMessages &operator=(const DeferredMessages &) = delete;

  // `lacks_route`: the peer could not be connected.
  [[nodiscard]] bool add(avrm_gpid_t peer, bool lacks_route, const ActiveHeader &header, const void *payload,
                         std::size_t bytes) noexcept;
  // Reserves room for one more message without a payload. Returns false if memory is exhausted.
  [[nodiscard]] bool make_room() noexcept;
  // True if there has been no room, and nothing could be sent, for a second.
  [[nodiscard]] bool is_stuck() const noexcept;
  // True if rejections wait to be sent; each also covers further requests of the same kind.
  [[nodiscard]] bool has_rejections() const noexcept { return rejection_count_ != 0; }
  // Adds a rejection of one request, or extends one that waits. Returns false if none can be
  // extended, and either `only_extends` is set or there is no room for another.
  [[nodiscard]] bool reject(avrm_gpid_t peer, const ActiveHeader &rejection, bool only_extends) noexcept;
  // True if messages to the peer wait.
  [[nodiscard]] bool has(avrm_gpid_t peer) const noexcept { return first_to(peer) != nullptr; }
  // Allocates a message, for send_prepared. Returns the address of its payload; null if memory is
  // exhausted.
  [[nodiscard]] unsigned char *prepare(std::size_t bytes) noexcept;
  void add_prepared(avrm_gpid_t peer, bool lacks_route, const ActiveHeader &header, unsigned char *payload) noexcept;
  void discard_prepared(unsigned char *payload) noexcept { release(message_of(payload)); }
  // Tries to send messages, in order per peer, and to connect each peer once. Returns how many
  // messages left the list.
  int flush(avrm_device_t *device) noexcept;
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

private:
  struct Message {
    Message *next; // in the list, which contains the first message to each peer
    avrm_gpid_t peer;
    std::size_t bytes;
    ActiveHeader header;
    int failures; // transport errors, other than AVRM_ERR_AGAIN
    bool lacks_route;
    Message *next_to_peer = nullptr;
    Message *last_to_peer = nullptr; // set in the first message to a peer; may be itself
  };
  static constexpr std::int64_t kLongestHold = 1000000000; // nanoseconds

  static constexpr std::size_t kReserve = 16;
  static constexpr std::size_t kRejections = 32;
  // After this many, the message is dropped, and its receiver, if in this world, counts as failed.
  static constexpr int kMostFailures = 1000;
  static constexpr int kMostBusy = 8; // a flush stops after this many busy peers; the next goes on
  [[nodiscard]] static Message *message_of(unsigned char *payload) noexcept {
    return reinterpret_cast<Message *>(payload) - 1;
  }
  [[nodiscard]] static bool is_to(const Message &message, avrm_gpid_t peer) noexcept {
    return message.peer.pgid == peer.pgid && message.peer.lpid == peer.lpid;
  }
  // Returns the first message to the peer; null if there is none.
  [[nodiscard]] Message *first_to(avrm_gpid_t peer) const noexcept;
  void append(Message *message) noexcept;
  void remove(Message **at, Message *previous) noexcept;
  [[nodiscard]] bool is_over(avrm_device_t *device, Message *message) noexcept;
  void release(Message *message) noexcept;
  template <std::size_t kCount>
  [[nodiscard]] static bool is_in(const Message (&reserve)[kCount], const Message *message) noexcept {
    return reinterpret_cast<std::uintptr_t>(message) - reinterpret_cast<std::uintptr_t>(reserve) < sizeof reserve;
  }

  Memory &memory_;
  Message reserve_[kReserve] = {};
  Message *free_reserve_ = nullptr;
  Message rejections_[kRejections] = {};
  Message *free_rejection_ = nullptr;
  std::size_t rejection_count_ = 0; // rejections that wait
  Message *first_ = nullptr;
  Message *last_ = nullptr;
  std::int64_t next_connect_ = 0; // when peers without a route are tried again
  std::int64_t full_since_ = 0;   // when room ran out; 0 once there is room or a message was sent
};

// The peers that this process knows, in order of first contact, as runs of consecutive lpids. If
// all are connected at once, there is one run. The list grows with contacts, not with the size of
// the job.
class PeerList {
public:
  ~PeerList() { clear(); }
  // Reserves room for one more peer. Returns false if memory is exhausted.
  [[nodiscard]] bool make_room(Memory &memory) noexcept;
  // Called after make_room.
  void add(std::int32_t lpid) noexcept;
  void clear() noexcept;
  // Calls visit(lpid) for each peer.
  template <typename Visit> void for_each(Visit visit) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::int32_t k = 0; k < runs_[i].count; ++k) {
        visit(runs_[i].first + k);
      }
    }
  }
  [[nodiscard]] bool has(std::int32_t lpid) const noexcept {
    return std::any_of(runs_, runs_ + count_,
                       [lpid](const Run &run) { return lpid >= run.first && lpid - run.first < run.count; });
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

private:
  struct Run {
    std::int32_t first;
    std::int32_t count;
  };

  Memory *memory_ = nullptr;
  Run *runs_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace avrankmap::detail

#endif
