// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement that survives the failure of any of its processes, after "Practical scalable consensus
// for pseudo-synchronous distributed systems" (Herault et al.): votes are sent up a tree, the root
// decides, and the verdict is sent down. A process returns as soon as it has passed the verdict on,
// and still answers later queries.
//
// The tree is binomial: the parent of a rank is the rank without its lowest set bit, so that the
// ranks below a process in the tree directly follow its own rank. The tree repairs itself. A
// process sends its vote to its nearest live ancestor or, if it has none, to the lowest live rank,
// which is the root. A process that collects votes walks through the ranks below it: it skips a
// voter together with all ranks below the voter, and failed ranks one by one, up to the first live
// rank that has not voted. When a process becomes the root, only the end of this walk moves.
//
// All survivors get the same verdict, for two reasons. First, a process accepts a verdict only from
// the process to which it voted last, so a late verdict of a former root is ignored. Therefore the
// live ancestors of a process that has the verdict also have it. Second, a new root queries the
// topmost live processes, which vote or have the verdict of a former root. A process that fails
// soon after it has returned may have had a different verdict.
//
// Combining votes is idempotent, so voting twice is harmless. Cost without failures: log2 P steps
// up and log2 P down, 2 (P - 1) messages of 32 bytes. Each failure adds O(log P) messages. Votes
// and the verdict list the failed processes, in 8 bytes each.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CONSENSUS_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CONSENSUS_H

#include "base/array.h"
#include "comm_algorithms/channel/task.h"

namespace avrankmap::detail {

// A channel whose processes may fail. A receive from any source ends with AVRM_ERR_PEER when
// another failure has become known, and with AVRM_ERR_CANCELLED after Consensus::begin. Transfers
// with failed processes may end with any status.
class FaultTolerantChannel : public Channel {
public:
  using Channel::Channel;
  // True if this process knows that `rank` has failed; remains true.
  [[nodiscard]] virtual bool has_died(std::int32_t rank) const noexcept = 0;
};

// A process's contribution.
struct Ballot {
  std::uint64_t value;              // in the verdict: the bitwise and of all
  avrm_status_t status;             // in the verdict: the worst
  const std::int32_t *acknowledged; // failed ranks it acknowledged, ascending; valid until the end
  std::int32_t count;
};

// A process that has failed, or whose failure was acknowledged.
struct Mark {
  std::int32_t rank;
  std::uint16_t dead;
  std::uint16_t acknowledged; // by all voters so far
};

// The header that is sent before `count` marks. The receiver checks all fields.
struct ConsensusHeader {
  enum Kind : std::uint16_t { kVote = 1, kAsk, kVerdict };

  std::uint32_t number; // of the agreement
  std::uint16_t kind;
  std::uint16_t unacknowledged;
  std::int32_t sender;
  std::int32_t floor; // all lower ranks are dead
  std::uint64_t value;
  std::int32_t status;
  std::int32_t count;
};

// The state of one process for the consecutive agreements of a communicator.
class Consensus {
public:
  Consensus(Memory &memory, std::int32_t rank, std::int32_t size) noexcept
      : memory_(memory), rank_(rank), size_(size), slots_{Slot(memory), Slot(memory)} {}

  // Begins the next agreement, after the last one has ended here; `attend` continues it.
  void begin(const Ballot &ballot) noexcept {
    ballot_ = ballot;
    has_ballot_ = true;
    is_over_ = false;
  }
  // True if this process has the verdict of the last agreement that it began, and has passed it on.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  // True until `attend` has continued after `begin`.
  [[nodiscard]] bool has_ballot() const noexcept { return has_ballot_; }
  // Number of the last agreement that this process has begun, counted from 1; the same in all
  // processes.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

  // The verdict.
  [[nodiscard]] std::uint64_t value() const noexcept { return slots_[number_ & 1].value; }
  [[nodiscard]] avrm_status_t status() const noexcept { return slots_[number_ & 1].status; }
  // False if a process has failed and some voter had not acknowledged that failure.
  [[nodiscard]] bool is_acknowledged() const noexcept { return !slots_[number_ & 1].unacknowledged; }
  // The failed processes, by ascending rank: each process either voted or is one of them.
  [[nodiscard]] Array<Mark> &dead() noexcept { return slots_[number_ & 1].marks; }

  // For `attend`: the next message to send, if any, with its marks.
  [[nodiscard]] bool next_message(const FaultTolerantChannel &channel, std::int32_t *dest_p, ConsensusHeader *header_p,
                                  const Mark **marks_p) noexcept;
  // Handles a message. `complete` is false if there was no memory for its marks. Takes over the
  // marks of a verdict.
  void take(const ConsensusHeader &header, Array<Mark> &marks, bool complete) noexcept;
  // True if next_message returns an answer to the last message taken, which another one replaces.
  [[nodiscard]] bool has_reply() const noexcept { return reply_ != 0; }
  // Causes the last vote or query of the current agreement to be sent again, after its answer was
  // lost.
  void repeat() noexcept { voted_at_ = asked_ = kNobody; }

private:
  // The state of an agreement: of the last one begun, or of the one before or after it.
  struct Slot {
    explicit Slot(Memory &memory) noexcept : voters(memory), marks(memory) {}
    std::uint32_t number = 0;
    bool has_votes = false;
    bool decided = false;
    bool unacknowledged = false;
    avrm_status_t status = AVRM_OK;
    std::uint64_t value = 0;
    Array<std::int32_t> voters; // ascending
    Array<Mark> marks;          // by ascending rank

    void reset(std::uint32_t new_number) noexcept;
    [[nodiscard]] bool has_voter(std::int32_t rank) noexcept;
    // Combines a vote with the earlier ones. Returns false, and changes nothing, if memory is
    // exhausted.
    [[nodiscard]] bool add(std::uint64_t other_value, avrm_status_t other_status, const Mark *others,
                           std::size_t count) noexcept;
    [[nodiscard]] bool add_voter(std::int32_t rank) noexcept;
    void mark_dead(std::int32_t rank) noexcept;
  };

  [[nodiscard]] Slot &current() noexcept { return slots_[number_ & 1]; }
  [[nodiscard]] bool lives(const FaultTolerantChannel &channel, std::int32_t rank) const noexcept {
    return rank >= floor_ && !channel.has_died(rank);
  }
  // The end of the ranks below a process in the tree.
  [[nodiscard]] std::int32_t end_of(std::int32_t rank) const noexcept {
    const std::int64_t end = rank == 0 ? size_ : std::int64_t{rank} + (rank & -rank);
    return end < size_ ? static_cast<std::int32_t>(end) : size_;
  }
  void take_ballot() noexcept;
  [[nodiscard]] std::int32_t find_parent(const FaultTolerantChannel &channel) noexcept;
  [[nodiscard]] bool has_all_votes(const FaultTolerantChannel &channel, std::int32_t end) noexcept;
  void decide() noexcept;
  [[nodiscard]] bool next_of_current(const FaultTolerantChannel &channel, std::int32_t *dest_p,
                                     ConsensusHeader *header_p) noexcept;
  void take_vote(Slot &slot, const ConsensusHeader &header, Array<Mark> &marks, bool complete) noexcept;
  void take_verdict(const ConsensusHeader &header, Array<Mark> &marks, bool complete) noexcept;
  void reply(const ConsensusHeader &header, ConsensusHeader::Kind kind) noexcept {
    reply_ = kind;
    reply_to_ = header.sender;
    reply_number_ = header.number;
  }

  Memory &memory_;
  std::int32_t rank_;
  std::int32_t size_;
  std::int32_t floor_ = 0; // all lower ranks are dead
  bool is_orphan_ = false; // all ancestors but the root are dead
  std::uint32_t number_ = 0;
  bool has_ballot_ = false;
  bool is_over_ = true;
  Ballot ballot_{};
  // State of the current agreement.
  std::int32_t cursor_ = 0;         // all lower ranks in this part of the tree voted or died
  std::int32_t voted_at_ = kNobody; // the last recipient of this process's vote
  std::int32_t asked_ = kNobody;    // the last recipient of its query
  std::size_t still_to_tell_ = 0;   // voters that have not been sent the verdict
  // The pending answer to the last message.
  std::uint16_t reply_ = 0;
  std::int32_t reply_to_ = kNobody;
  std::uint32_t reply_number_ = 0;
  Slot slots_[2];
};

// Takes part in the agreements of a communicator, one after the other, until it is destroyed; ends
// only if the channel fails.
Task attend(FaultTolerantChannel &channel, Consensus &consensus) noexcept;

} // namespace avrankmap::detail

#endif
