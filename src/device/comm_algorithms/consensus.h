// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement that survives the death of any of its processes, after "Practical scalable consensus
// for pseudo-synchronous distributed systems" (Herault et al.): votes go up a tree, the root
// decides, the verdict goes down, and a process returns as soon as it has passed the verdict on. It
// answers later questions while it does other things.
//
// The tree is binomial: the parent of a rank is the rank without its lowest set bit, so that the
// processes below a rank are those right behind it. The tree repairs itself. A process votes at its
// nearest ancestor that lives, else at the lowest rank that lives, which is the root. One that
// collects votes walks through the ranks below it: past a voter and all below that, one by one past
// the dead, up to the first rank that lives and has not voted. To become the root only moves the
// end of this walk.
//
// All survivors get the same verdict, for three reasons. A process takes a verdict only from the
// one at which it voted last: a late one of a former root is none. So the live ancestors of a
// process that has the verdict have it, too. And a new root asks the topmost live processes, which
// vote or have the verdict of a former root. A process that dies soon after it returned may have
// had another verdict.
//
// Votes combine idempotently, so that voting twice does no harm. Cost without failures: log2 P
// steps up and log2 P down, 2 (P - 1) messages of 32 bytes. Each failure adds O(log P) messages.
// Votes and the verdict list the dead, with 8 bytes each.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CONSENSUS_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CONSENSUS_H

#include "base/array.h"
#include "comm_algorithms/channel/task.h"

namespace avrankmap::detail {

// A channel whose processes may die. A receive from anybody ends with AVRM_ERR_PEER when another
// death has become known, and with AVRM_ERR_CANCELLED after Consensus::begin. Transfers with dead
// processes end in some way.
class MortalChannel : public Channel {
public:
  using Channel::Channel;
  // True if this process knows that another one is dead. True once is true for ever.
  [[nodiscard]] virtual bool has_died(std::int32_t rank) const noexcept = 0;
};

// A process's contribution.
struct Ballot {
  std::uint64_t value;              // the verdict's is the bitwise and of all
  avrm_status_t status;             // the verdict's is the worst
  const std::int32_t *acknowledged; // deaths it knows of, ascending; valid until the end
  std::int32_t count;
};

// A process that is dead, or whose death was acknowledged.
struct Mark {
  std::int32_t rank;
  std::uint16_t dead;
  std::uint16_t acknowledged; // by all who have voted
};

// On the wire, before `count` marks. Nothing in it is trusted.
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

// The part of one process in the agreements of a communicator, one after the other.
class Consensus {
public:
  Consensus(Memory &memory, std::int32_t rank, std::int32_t size) noexcept
      : memory_(memory), rank_(rank), size_(size), slots_{Slot(memory), Slot(memory)} {}

  // Begins the next agreement, after the last one is over here; `attend` goes on with it.
  void begin(const Ballot &ballot) noexcept {
    ballot_ = ballot;
    has_ballot_ = true;
    is_over_ = false;
  }
  // True if this process has the verdict of the last agreement that it began, and passed it on.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  // True until `attend` has gone on after `begin`.
  [[nodiscard]] bool has_ballot() const noexcept { return has_ballot_; }
  // Number of the last agreement that this process has begun, alike in all; from 1.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

  // The verdict.
  [[nodiscard]] std::uint64_t value() const noexcept { return slots_[number_ & 1].value; }
  [[nodiscard]] avrm_status_t status() const noexcept { return slots_[number_ & 1].status; }
  // False if a process is dead whose death was not acknowledged by all who voted.
  [[nodiscard]] bool is_acknowledged() const noexcept { return !slots_[number_ & 1].unacknowledged; }
  // The dead, by ascending rank: each process either voted or is among them.
  [[nodiscard]] Array<Mark> &dead() noexcept { return slots_[number_ & 1].marks; }

  // For `attend`: the next message that is due, if any. The marks go with it.
  [[nodiscard]] bool next_message(const MortalChannel &channel, std::int32_t *dest_p, ConsensusHeader *header_p,
                                  const Mark **marks_p) noexcept;
  // A message came. `complete`: with all its marks, for which there was memory. A verdict keeps
  // them.
  void take(const ConsensusHeader &header, Array<Mark> &marks, bool complete) noexcept;

private:
  // An agreement: the last one begun, and the one before or after it.
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
    // Combines a vote. False without memory, and nothing is changed.
    [[nodiscard]] bool add(std::uint64_t other_value, avrm_status_t other_status, const Mark *others,
                           std::size_t count) noexcept;
    [[nodiscard]] bool add_voter(std::int32_t rank) noexcept;
    void mark_dead(std::int32_t rank) noexcept;
  };

  [[nodiscard]] Slot &current() noexcept { return slots_[number_ & 1]; }
  [[nodiscard]] bool lives(const MortalChannel &channel, std::int32_t rank) const noexcept {
    return rank >= floor_ && !channel.has_died(rank);
  }
  // The end of the ranks below a process in the tree.
  [[nodiscard]] std::int32_t end_of(std::int32_t rank) const noexcept {
    const std::int64_t end = rank == 0 ? size_ : std::int64_t{rank} + (rank & -rank);
    return end < size_ ? static_cast<std::int32_t>(end) : size_;
  }
  void take_ballot() noexcept;
  [[nodiscard]] std::int32_t find_parent(const MortalChannel &channel) noexcept;
  [[nodiscard]] bool has_all_votes(const MortalChannel &channel, std::int32_t end) noexcept;
  void decide() noexcept;
  [[nodiscard]] bool next_of_current(const MortalChannel &channel, std::int32_t *dest_p,
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
  // Of the current agreement.
  std::int32_t cursor_ = 0;         // all below it and in this part of the tree voted or died
  std::int32_t voted_at_ = kNobody; // last
  std::int32_t asked_ = kNobody;    // last
  std::size_t still_to_tell_ = 0;   // voters
  // The answer to the last message.
  std::uint16_t reply_ = 0;
  std::int32_t reply_to_ = kNobody;
  std::uint32_t reply_number_ = 0;
  Slot slots_[2];
};

// Takes part in the agreements of a communicator, one after the other, until it is destroyed; ends
// only if the channel fails.
Task attend(MortalChannel &channel, Consensus &consensus) noexcept;

} // namespace avrankmap::detail

#endif
