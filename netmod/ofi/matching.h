// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Matches tagged messages itself, over providers whose matching is faulty
// (Provider::matches_wrongly).
//
// All messages travel untagged, like active messages. A short one carries its match bits as remote
// completion data, as shared memory fits those and 8 bytes of data into one cache line. All others
// begin with an envelope.
//
// A long message is offered first. When there is a receive for it, the receiver posts the buffer
// under a tag that is used once, and grants the offer. So the provider sees neither wildcards nor
// unexpected long messages. Over providers that lose long messages, the data stream in untagged
// pieces instead.
#ifndef AVRANKMAP_NETMOD_OFI_MATCHING_H
#define AVRANKMAP_NETMOD_OFI_MATCHING_H

#include "avrankmap/netmod.h"
#include "base/hash_table.h"
#include "base/match_queue.h"
#include "ofi/op.h"

namespace avrankmap::detail::ofi {

struct Transport;

enum class EnvelopeKind : std::uint32_t { kActive, kOffer, kGrant, kData };

// Precedes every untagged message without remote completion data.
struct Envelope {
  // Grant: the tag to send with, or the receiver's record. Data: their offset.
  std::uint64_t match;
  std::uint64_t bytes; // of the message
  std::uint64_t token; // offer and grant: the sender's record; data: the receiver's
  EnvelopeKind kind;
  std::uint32_t name_bytes; // offer: size of the sender's address, which follows
};

// Operations that the provider does not know completely yet. `part` is 0 if it does not know them
// at all.
class OpQueue {
public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void append(Op *op) noexcept {
    op->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = op;
    last_ = op;
  }
  // Removes the first operation that fits; null if there is none. Frees orphans on the way.
  template <typename Fits> [[nodiscard]] Op *take(OpPool &pool, Fits fits) noexcept {
    Op *previous = nullptr;
    for (Op *op = first_; op != nullptr;) {
      Op *const next = op->next;
      const bool over = op->orphan;
      if (!over && !fits(*op)) {
        previous = op;
        op = next;
        continue;
      }
      (previous == nullptr ? first_ : previous->next) = next;
      if (last_ == op) {
        last_ = previous;
      }
      if (!over) {
        return op;
      }
      if (op->part == 0) { // otherwise the provider ends it
        pool.give(op);
      }
      op = next;
    }
    return nullptr;
  }

private:
  Op *first_ = nullptr;
  Op *last_ = nullptr;
};

class Matching {
public:
  Matching(Transport &net, bool streams) noexcept;
  Matching(const Matching &) = delete;
  Matching &operator=(const Matching &) = delete;
  ~Matching();

  // Maximum size of an untagged message. All of them are injected.
  static constexpr std::size_t kMost = 4096;
  [[nodiscard]] avrm_status_t open(std::size_t longest) noexcept;
  [[nodiscard]] std::size_t eager_max() const noexcept { return longest_; }
  [[nodiscard]] std::size_t behind_envelope_max() const noexcept { return longest_ - sizeof(Envelope); }

  [[nodiscard]] avrm_status_t inject(std::uint64_t handle, std::uint64_t match, const void *buffer,
                                     std::size_t bytes) noexcept;
  [[nodiscard]] avrm_status_t send(std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                                   std::size_t count, avrm_request_t *request) noexcept;
  [[nodiscard]] avrm_status_t receive(std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                                      const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept;
  // Looks for an unexpected message; claims it if asked to.
  [[nodiscard]] bool find(std::uint64_t match, std::uint64_t ignore, bool claim,
                          avrm_netmod_message_t *message_p) noexcept;
  [[nodiscard]] avrm_status_t receive_claimed(void *claimed, const avrm_piece_t *pieces, std::size_t count,
                                              avrm_request_t *request) noexcept;
  void cancel(Op *op) noexcept;
  // Takes back a receive that no message has matched (Op::posted).
  void withdraw(Op *op) noexcept;
  // Handles a short message.
  void on_eager(std::uint64_t match, const unsigned char *data, std::size_t bytes) noexcept;
  // Handles an untagged message without remote completion data.
  void on_arrival(const unsigned char *data, std::size_t bytes) noexcept;
  // Continues operations that the provider had no room for.
  void progress() noexcept {
    if (AVRM_UNLIKELY(!granted_.empty() || !accepting_.empty())) {
      go_on();
    }
  }

private:
  struct Message {
    std::uint64_t match;
    std::uint64_t bytes;
    std::uint64_t token;
    std::uint64_t handle; // of the sender, for offers only
    bool has_data;
  };

  // A message that no receive has matched. Its data, if they came with it, follow.
  struct Unexpected : Message {
    Unexpected *next;
    Unexpected *previous;
    MatchLink<Unexpected> links[kWildcardSets];
    [[nodiscard]] const unsigned char *data() const noexcept {
      return reinterpret_cast<const unsigned char *>(this + 1);
    }
    [[nodiscard]] std::size_t size() const noexcept { return sizeof(Unexpected) + (has_data ? bytes : 0); }
  };
  struct UnexpectedTraits {
    static constexpr std::uint64_t kSource = AVRM_MATCH_SOURCE_MASK;
    static constexpr std::uint64_t kTag = AVRM_MATCH_TAG_MASK;
    static constexpr bool kInAllTables = true;
    [[nodiscard]] static std::uint64_t ignore_of(const Unexpected & /*message*/) noexcept { return 0; }
    [[nodiscard]] static MatchLink<Unexpected> &link_of(Unexpected &message, int set) noexcept {
      return message.links[set];
    }
  };

  struct PostedTraits {
    static constexpr std::uint64_t kSource = AVRM_MATCH_SOURCE_MASK;
    static constexpr std::uint64_t kTag = AVRM_MATCH_TAG_MASK;
    static constexpr bool kInAllTables = false;
    [[nodiscard]] static std::uint64_t ignore_of(const Op &op) noexcept { return op.ignore; }
    [[nodiscard]] static MatchLink<Op> &link_of(Op &op, int /*set*/) noexcept { return op.link; }
  };

  // A process that has offered a message. Its address follows.
  struct Sender {
    std::uint64_t handle;
    std::size_t bytes;
  };

  [[nodiscard]] Op *new_op(OpKind kind, std::uint64_t handle, const avrm_piece_t *pieces, std::size_t count,
                           avrm_request_t *request) noexcept;
  void deliver(Op *op, std::uint64_t match, const unsigned char *data, std::uint64_t bytes) noexcept;
  void accept(Op *op, const Message &offer) noexcept;
  void take(Op *op, Unexpected *message) noexcept;
  void on_message(const Message &message, const unsigned char *data) noexcept;
  void drop(Unexpected *message) noexcept;
  void on_grant(const Envelope &envelope) noexcept;
  void on_data(const Envelope &envelope, const unsigned char *data, std::size_t bytes) noexcept;
  void go_on() noexcept;
  [[nodiscard]] bool go_on_accepting(Op *op) noexcept;
  [[nodiscard]] bool start_sending(Op *op) noexcept;
  [[nodiscard]] bool stream(Op *op) noexcept;
  [[nodiscard]] std::uint64_t handle_of(const unsigned char *name, std::size_t bytes) noexcept;
  void release(Sender *sender) noexcept;

  Transport &net_;
  const bool streams_; // long messages arrive in pieces
  std::size_t longest_ = 0;
  std::uint64_t next_tag_ = 0;
  MatchQueue<Op, PostedTraits> posted_; // receives without a message
  MatchQueue<Unexpected, UnexpectedTraits> unexpected_;
  OpQueue offered_;   // sends that wait for a grant
  OpQueue accepting_; // receives whose buffer is not posted, or whose grant is not sent
  OpQueue granted_;   // sends that are not posted, or not completely streamed
  OpQueue streaming_; // receives whose data are arriving
  std::size_t name_bytes_ = 0;
  unsigned char name_[256] = {};
  HashTable senders_; // by a hash of the address; added by their first offer
};

} // namespace avrankmap::detail::ofi

#endif
