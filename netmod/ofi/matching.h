// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tagged messages over providers whose own matching cannot be relied upon (Provider::matches_wrongly). They travel
// untagged, like active messages. Short ones have their match bits beside them, as remote completion data: shared memory
// has those and 8 bytes of data in one cache line. All others are behind an envelope that says what they are. Of a long one
// an offer goes ahead, which is granted when a receive for it is there: the receiver posts the buffer under a tag that is
// used only once, and tells the sender. So a provider sees neither wildcards nor long messages that nobody waits for. Where
// long messages are the trouble, their data stream in, untagged, too.
#ifndef AVRANKMAP_NETMOD_OFI_MATCHING_H
#define AVRANKMAP_NETMOD_OFI_MATCHING_H

#include <string>
#include <unordered_map>

#include "avrankmap/netmod.h"
#include "ofi/op.h"

namespace avrankmap::detail::ofi {

struct Transport;

enum class EnvelopeKind : std::uint32_t { kActive, kOffer, kGrant, kData };

// On the wire, ahead of every untagged message without remote completion data.
struct Envelope {
  std::uint64_t match; // grant: the tag to send with, or the receiver's record; data: where they belong
  std::uint64_t bytes; // of the message
  std::uint64_t token; // offer and grant: the sender's record; data: the receiver's
  EnvelopeKind kind;
  std::uint32_t name_bytes; // offer: of the sender's address, which follows
};

// Operations of which the provider does not know all yet; `part` is 0 for those that it does not know at all.
class OpQueue {
public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void append(Op *op) noexcept {
    op->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = op;
    last_ = op;
  }
  // Unlinks the first one that fits, null if there is none. Orphans that it comes by are given back.
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
      if (op->part == 0) { // else the provider knows it and will end it
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
  Matching(Transport &net, bool streams) noexcept : net_(net), streams_(streams) {}
  Matching(const Matching &) = delete;
  Matching &operator=(const Matching &) = delete;
  ~Matching();

  // The longest untagged message; all of them are injected.
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
  void cancel(Op *op) noexcept;
  // A short message came in.
  void on_eager(std::uint64_t match, const unsigned char *data, std::size_t bytes) noexcept;
  // An untagged message without remote completion data came in.
  void on_arrival(const unsigned char *data, std::size_t bytes) noexcept;
  // Goes on with what the provider had no room for.
  void progress() noexcept {
    if (AVRM_UNLIKELY(!granted_.empty() || !accepting_.empty())) {
      go_on();
    }
  }

private:
  // A message that nobody has asked for yet. Its data, if it came with them, lie behind it.
  struct Unexpected {
    Unexpected *next;
    std::uint64_t match;
    std::uint64_t bytes;
    std::uint64_t token;
    std::uint64_t handle; // of the sender; offers only
    bool has_data;
    [[nodiscard]] const unsigned char *data() const noexcept {
      return reinterpret_cast<const unsigned char *>(this + 1);
    }
  };

  [[nodiscard]] Op *new_op(OpKind kind, std::uint64_t handle, const avrm_piece_t *pieces, std::size_t count,
                           avrm_request_t *request) noexcept;
  void deliver(Op *op, std::uint64_t match, const unsigned char *data, std::uint64_t bytes) noexcept;
  void accept(Op *op, const Unexpected &offer) noexcept;
  void on_message(const Unexpected &message, const unsigned char *data) noexcept;
  void on_grant(const Envelope &envelope) noexcept;
  void on_data(const Envelope &envelope, const unsigned char *data, std::size_t bytes) noexcept;
  void go_on() noexcept;
  [[nodiscard]] bool go_on_accepting(Op *op) noexcept;
  [[nodiscard]] bool start_sending(Op *op) noexcept;
  [[nodiscard]] bool stream(Op *op) noexcept;
  [[nodiscard]] std::uint64_t handle_of(const unsigned char *name, std::size_t bytes) noexcept;

  Transport &net_;
  const bool streams_; // long messages
  std::size_t longest_ = 0;
  std::uint64_t next_tag_ = 0;
  OpQueue posted_;    // receives that no message has matched
  OpQueue offered_;   // sends that wait to be granted
  OpQueue accepting_; // receives whose buffer is not posted, or whose grant is not sent
  OpQueue granted_;   // sends that are not posted, or not wholly streamed
  OpQueue streaming_; // receives whose data stream in
  Unexpected *first_ = nullptr;
  Unexpected *last_ = nullptr;
  std::size_t name_bytes_ = 0;
  unsigned char name_[256] = {};
  std::unordered_map<std::string, std::uint64_t> senders_; // by address; inserted when they offer something
};

} // namespace avrankmap::detail::ofi

#endif
