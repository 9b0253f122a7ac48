// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/consensus.h"

#include <algorithm>
#include <utility>

#include "comm_algorithms/channel/collectives.h"

namespace avrankmap::detail {

static_assert(sizeof(ConsensusHeader) == 32 && sizeof(Mark) == 8);

namespace {

bool is_lower(const Mark &mark, std::int32_t rank) noexcept { return mark.rank < rank; }

} // namespace

void Consensus::Slot::reset(std::uint32_t new_number) noexcept {
  number = new_number;
  has_votes = decided = unacknowledged = false;
  status = AVRM_OK;
  value = 0;
  voters.clear();
  marks.clear();
}

bool Consensus::Slot::has_voter(std::int32_t rank) noexcept {
  return std::binary_search(voters.begin(), voters.end(), rank);
}

bool Consensus::Slot::add_voter(std::int32_t rank) noexcept {
  if (!voters.make_room(1)) {
    return false;
  }
  if (!has_voter(rank)) {
    voters.append(rank);
    std::rotate(std::upper_bound(voters.begin(), voters.end() - 1, rank), voters.end() - 1, voters.end());
  }
  return true;
}

bool Consensus::Slot::add(std::uint64_t other_value, avrm_status_t other_status, const Mark *others,
                          std::size_t count) noexcept {
  if (!marks.make_room(count)) {
    return false;
  }
  const std::uint16_t absent = has_votes ? 0 : 1; // before any vote, all failures are acknowledged
  for (Mark &mark : marks) {
    const Mark *const other = std::lower_bound(others, others + count, mark.rank, is_lower);
    const bool same = other != others + count && other->rank == mark.rank;
    mark.acknowledged = static_cast<std::uint16_t>(mark.acknowledged & (same ? other->acknowledged : 0));
    mark.dead = static_cast<std::uint16_t>(mark.dead | (same ? other->dead : 0));
  }
  const auto own = static_cast<std::ptrdiff_t>(marks.size());
  for (const Mark *other = others; other != others + count; ++other) {
    const Mark *const mark = std::lower_bound(marks.begin(), marks.begin() + own, other->rank, is_lower);
    if (mark == marks.begin() + own || mark->rank != other->rank) {
      marks.append({other->rank, other->dead, static_cast<std::uint16_t>(other->acknowledged & absent)});
    }
  }
  std::sort(marks.begin(), marks.end(), [](const Mark &a, const Mark &b) { return a.rank < b.rank; });
  value = has_votes ? value & other_value : other_value;
  status = std::min(status, other_status);
  has_votes = true;
  return true;
}

void Consensus::Slot::mark_dead(std::int32_t rank) noexcept {
  Mark *const mark = std::lower_bound(marks.begin(), marks.end(), rank, is_lower);
  if (mark != marks.end() && mark->rank == rank) {
    mark->dead = 1;
    return;
  }
  if (!marks.make_room(1)) {
    status = std::min(status, AVRM_ERR_NO_MEMORY);
    return;
  }
  const std::ptrdiff_t at = std::lower_bound(marks.begin(), marks.end(), rank, is_lower) - marks.begin();
  marks.append({rank, 1, 0});
  std::rotate(marks.begin() + at, marks.end() - 1, marks.end());
}

void Consensus::take_ballot() noexcept {
  has_ballot_ = false;
  ++number_;
  Slot &slot = current();
  if (slot.number != number_) {
    slot.reset(number_);
  }
  cursor_ = rank_ + 1;
  voted_at_ = asked_ = kNobody;
  Array<Mark> marks(memory_);
  for (std::int32_t i = 0; i < ballot_.count; ++i) {
    marks.append({ballot_.acknowledged[i], 0, 1});
  }
  if (marks.failed() || !slot.add(ballot_.value, ballot_.status, marks.begin(), marks.size())) {
    marks.clear();
    (void)slot.add(ballot_.value, std::min(ballot_.status, AVRM_ERR_NO_MEMORY), nullptr, 0);
  }
}

std::int32_t Consensus::find_parent(const FaultTolerantChannel &channel) noexcept {
  for (std::int32_t at = is_orphan_ ? 0 : rank_; at != 0;) {
    at &= at - 1;
    if (lives(channel, at)) {
      return at;
    }
  }
  while (floor_ < rank_ && channel.has_died(floor_)) {
    ++floor_;
  }
  return floor_ < rank_ ? floor_ : kNobody;
}

bool Consensus::has_all_votes(const FaultTolerantChannel &channel, std::int32_t end) noexcept {
  Slot &slot = current();
  while (cursor_ < end) {
    if (slot.has_voter(cursor_)) {
      cursor_ = end_of(cursor_);
    } else if (!lives(channel, cursor_)) {
      slot.mark_dead(cursor_);
      ++cursor_;
    } else {
      return false;
    }
  }
  return true;
}

void Consensus::decide() noexcept {
  Slot &slot = current();
  for (std::int32_t rank = 0; rank < rank_; ++rank) {
    slot.mark_dead(rank);
  }
  for (const Mark &mark : slot.marks) {
    slot.unacknowledged = slot.unacknowledged || (mark.dead != 0 && mark.acknowledged == 0);
  }
  slot.marks.truncate(std::remove_if(slot.marks.begin(), slot.marks.end(), [](const Mark &m) { return m.dead == 0; }));
  slot.decided = true;
  still_to_tell_ = slot.voters.size();
}

// Part of next_message: the messages of the current agreement.
bool Consensus::next_of_current(const FaultTolerantChannel &channel, std::int32_t *dest_p,
                                ConsensusHeader *header_p) noexcept {
  Slot &slot = current();
  if (!slot.decided) {
    const std::int32_t parent = find_parent(channel);
    const bool complete = has_all_votes(channel, parent == kNobody ? size_ : end_of(rank_));
    if (complete && parent != kNobody && parent != voted_at_) {
      voted_at_ = *dest_p = parent;
      header_p->kind = ConsensusHeader::kVote;
      return true;
    }
    if (!complete && cursor_ >= end_of(rank_) && asked_ != cursor_) {
      asked_ = *dest_p = cursor_;
      header_p->kind = ConsensusHeader::kAsk;
      return true;
    }
    if (!complete || parent != kNobody) {
      return false;
    }
    decide();
  }
  if (still_to_tell_ != 0) { // the largest subtrees first
    *dest_p = slot.voters[--still_to_tell_];
    header_p->kind = ConsensusHeader::kVerdict;
    return true;
  }
  is_over_ = true;
  return false;
}

bool Consensus::next_message(const FaultTolerantChannel &channel, std::int32_t *dest_p, ConsensusHeader *header_p,
                             const Mark **marks_p) noexcept {
  *header_p = ConsensusHeader{};
  if (reply_ != 0) {
    header_p->kind = reply_;
    header_p->number = reply_number_;
    *dest_p = reply_to_;
    reply_ = 0;
  } else {
    if (has_ballot_) {
      take_ballot();
    }
    header_p->number = number_;
    if (is_over_ || !next_of_current(channel, dest_p, header_p)) {
      return false;
    }
  }
  Slot &slot = slots_[header_p->number & 1];
  header_p->sender = rank_;
  header_p->floor = floor_;
  *marks_p = slot.marks.begin();
  if (header_p->kind != ConsensusHeader::kAsk) {
    header_p->value = slot.value;
    header_p->status = slot.status;
    header_p->unacknowledged = slot.unacknowledged ? 1 : 0;
    header_p->count = static_cast<std::int32_t>(slot.marks.size());
  }
  return true;
}

void Consensus::take_vote(Slot &slot, const ConsensusHeader &header, Array<Mark> &marks, bool complete) noexcept {
  if (slot.decided) {
    reply(header, ConsensusHeader::kVerdict);
  } else if (!complete || !slot.voters.make_room(1) ||
             !slot.add(header.value, status_of(header.status), marks.begin(), marks.size()) ||
             !slot.add_voter(header.sender)) {
    reply(header, ConsensusHeader::kAsk); // requests it again, until there is memory for it
  }
}

void Consensus::take_verdict(const ConsensusHeader &header, Array<Mark> &marks, bool complete) noexcept {
  Slot &slot = current();
  const bool is_root = floor_ >= rank_;
  if (slot.decided || (is_root ? header.sender < rank_ : header.sender != voted_at_)) {
    return;
  }
  if (!complete) {
    repeat(); // votes again, which requests the verdict
    return;
  }
  slot.marks.swap(marks); // a copy would double the memory that most processes need
  slot.value = header.value;
  slot.status = status_of(header.status);
  slot.unacknowledged = header.unacknowledged != 0;
  slot.decided = true;
  still_to_tell_ = slot.voters.size();
}

void Consensus::take(const ConsensusHeader &header, Array<Mark> &marks, bool complete) noexcept {
  floor_ = std::max(floor_, std::min(header.floor, rank_));
  if (header.kind == ConsensusHeader::kAsk && header.floor == header.sender) {
    is_orphan_ = true; // the root asks: no other ancestor is alive
  }
  const auto ahead = static_cast<std::int32_t>(header.number - number_);
  Slot &slot = slots_[header.number & 1];
  if (ahead == 1 && slot.number != header.number) {
    slot.reset(header.number);
  }
  if (slot.number != header.number) {
    return; // no process waits for the answer
  }
  switch (header.kind) {
  case ConsensusHeader::kVote: return take_vote(slot, header, marks, complete);
  case ConsensusHeader::kAsk:
    if (slot.decided) {
      reply(header, ConsensusHeader::kVerdict);
    } else if (ahead == 0) {
      voted_at_ = kNobody;
    }
    return;
  case ConsensusHeader::kVerdict:
    if (ahead == 0 && !is_over_) {
      take_verdict(header, marks, complete);
    }
    return;
  default: return;
  }
}

namespace {

// Returns false for a message that no member would send.
bool is_sound(const FaultTolerantChannel &channel, const ConsensusHeader &header) noexcept {
  return header.sender >= 0 && header.sender < channel.size() && header.sender != channel.rank() && header.count >= 0 &&
         header.count <= channel.size();
}
bool are_sound(const FaultTolerantChannel &channel, Array<Mark> &marks) noexcept {
  std::int32_t last = -1;
  return std::all_of(marks.begin(), marks.end(), [&](const Mark &mark) {
    return mark.rank > std::exchange(last, mark.rank) && mark.rank < channel.size();
  });
}

// Marks are sent in pieces small enough that no transport blocks the sender, because two processes
// may send to each other concurrently.
constexpr std::int32_t kPiece = 64;

Exchange send_piece(Channel &channel, std::int32_t dest, const Mark *marks, std::int32_t count) noexcept {
  Transfer transfer;
  transfer.dest = dest;
  transfer.out = marks;
  transfer.out_bytes = static_cast<std::size_t>(count) * sizeof(Mark);
  transfer.aside = true;
  return {channel, transfer};
}
// If `marks` is null, the piece is received and dropped, and the status is AVRM_ERR_TRUNCATED.
Exchange receive_piece(Channel &channel, std::int32_t source, Mark *marks, std::int32_t count) noexcept {
  Transfer transfer;
  transfer.source = source;
  transfer.in = marks;
  transfer.in_room = marks == nullptr ? 0 : static_cast<std::size_t>(count) * sizeof(Mark);
  transfer.aside = true;
  return {channel, transfer};
}

// True if a receive from any source has failed permanently. The other errors mean that a process
// has failed, that Consensus::begin was called, or that a message has the wrong length.
bool is_failure(avrm_status_t status) noexcept {
  return status != AVRM_OK && status != AVRM_ERR_PEER && status != AVRM_ERR_CANCELLED && status != AVRM_ERR_MISMATCH &&
         status != AVRM_ERR_TRUNCATED;
}

} // namespace

Task attend(FaultTolerantChannel &channel, Consensus &consensus) noexcept {
  Array<Mark> marks(channel.memory());
  ConsensusHeader header;
  for (;;) {
    std::int32_t dest = kNobody;
    const Mark *own = nullptr;
    while (consensus.next_message(channel, &dest, &header, &own)) {
      // Errors are ignored: the agreement continues without a receiver that has failed.
      (void)co_await send(channel, dest, &header, sizeof header);
      for (std::int32_t at = 0; at < header.count; at += kPiece) {
        (void)co_await send_piece(channel, dest, own + at, std::min(kPiece, header.count - at));
      }
    }
    const avrm_status_t heard = co_await receive(channel, kAnybody, &header, sizeof header);
    if (is_failure(heard)) {
      co_return heard;
    }
    if (heard != AVRM_OK || !is_sound(channel, header) || channel.has_died(header.sender)) {
      continue; // a sender that has failed may not have sent all pieces
    }
    marks.clear();
    const bool complete = marks.make_room(static_cast<std::size_t>(header.count));
    bool sound = true;
    while (complete && marks.size() < static_cast<std::size_t>(header.count)) {
      marks.append({});
    }
    avrm_status_t got = AVRM_OK;
    for (std::int32_t at = 0; at < header.count && got != AVRM_ERR_PEER; at += kPiece) {
      got = co_await receive_piece(channel, header.sender, complete ? marks.begin() + at : nullptr,
                                   std::min(kPiece, header.count - at));
      sound = sound && (got == AVRM_OK || !complete);
    }
    if (sound && got != AVRM_ERR_PEER && (!complete || are_sound(channel, marks))) {
      consensus.take(header, marks, complete);
    }
  }
}

} // namespace avrankmap::detail
