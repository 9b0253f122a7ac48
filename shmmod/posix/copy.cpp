// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies a large message once, directly between the memories of two processes. The receiver reads.
// A sender that makes progress meanwhile writes part of the message (copy_claims.h), which halves
// the time.
//
//   sender               receiver
//     | --- kOffer ------> |
//     | <-- kShare ------- |
//     | process_vm_writev  | process_vm_readv
//     | --- kHelped -----> |                     (if the sender has claimed something)
//     | <-- kTaken ------- |
//
// The receiver does not wait for a sender that makes no progress: such a sender claims nothing, and
// the receiver copies everything. The receiver reads what the sender claims but is not permitted to
// write.
//
// process_vm_writev names the receiver by its pid. Just before each call the sender checks that the
// process is still the receiver.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // process_vm_readv, process_vm_writev
#endif
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

#include "posix/endpoint.h"
#include "posix/record.h"

namespace avrankmap::detail::posix {

namespace {

// Approximate number of bytes that one call of progress copies of one message.
constexpr std::uint64_t kCopyStep = CopyClaims::kLongestPart;

struct ShareBody {
  std::uint64_t id;
  std::uint64_t ticket;
  std::uint64_t address; // destination in the receiver's memory
  std::uint64_t wanted;
  std::uint32_t turn;
  std::uint32_t index; // index of the claim word
};
struct HelpedBody {
  std::uint64_t ticket;
  ByteRange missing; // claimed, but not written
};

// Waits until the sender has finished its current write, which must not continue after the buffer
// is returned to the caller. Waits as long as the sender exists, because a stopped sender may
// continue later. If the system cannot tell whether the sender exists, waits about a second.
void await_write(const CopyClaims &share, const FileDescriptor &sender) noexcept {
  constexpr int kYields = 1000;
  constexpr int kSleeps = 1000;
  for (int turns = 0; share.writing() && (sender.is_open() ? lives(sender) : turns < kYields + kSleeps); ++turns) {
    if (turns < kYields) {
      sched_yield();
    } else {
      usleep(1000);
    }
  }
}

// Writes a part of a message into the receiver's memory. On return, `part` is the range that could
// not be written.
void write_part(const Sending &sending, ByteRange *part) noexcept {
  while (!part->empty()) {
    const std::uint64_t bytes = part->to - part->from;
    const iovec here{const_cast<unsigned char *>(sending.buffer) + part->from, bytes};
    const iovec there{from_word<void>(sending.address + part->from), bytes};
    const ssize_t copied = process_vm_writev(sending.peer->card.shm_file.pid, &here, 1, &there, 1, 0);
    if (copied > 0) {
      part->from += static_cast<std::uint64_t>(copied);
    } else if (copied == 0 || errno != EINTR) {
      return;
    }
  }
}

} // namespace

// Invites the sender to copy parts of a message that this process will read, if that is faster.
void Endpoint::share(Offer *offer) noexcept {
  Peer &peer = *offer->peer;
  if (offer->wanted < CopyClaims::kLeast ||
      (offer->wanted <= CopyClaims::kLongestOfBurst && peer.singles < CopyClaims::kSingles)) {
    return;
  }
  Offer **const place = std::find(std::begin(peer.shared), std::end(peer.shared), nullptr);
  if (place == std::end(peer.shared) || peer.help_useless || ready(peer) != AVRM_OK) {
    return;
  }
  const auto index = static_cast<std::uint32_t>(place - peer.shared);
  const CopyClaims share(peer.out.share(index));
  const std::uint32_t turn = next_turn(peer.turn);
  if (!share.begin(turn)) {
    return;
  }
  peer.turn = turn;
  *place = offer;
  offer->share = share;
  offer->turn = turn;
  offer->part = {};
  put_record(peer.out, Kind::kShare, offer->match,
             ShareBody{offer->id, to_word(offer), to_word(offer->buffer), offer->wanted, turn, index});
}

// Returns true if this process has more to copy. Otherwise sets the next state.
bool Endpoint::next_part(Offer *offer) noexcept {
  if (offer->part.empty() && offer->share.has_word()) {
    offer->part = offer->share.claim(offer->turn, offer->wanted);
    if (offer->part.empty()) {
      if (offer->share.helped() && !offer->help_over) {
        offer->state = Offer::State::kHelped;
        return false;
      }
      offer->part = std::exchange(offer->missing, {});
    }
  }
  if (offer->part.empty()) {
    offer->state = Offer::State::kTelling;
    return false;
  }
  return true;
}

// Stops copying. If the sender has claimed a part, waits for its report (kHelped) before entering
// state `then`.
void Endpoint::give_up(Offer *offer, Offer::State then) noexcept {
  offer->part = {0, offer->wanted}; // the whole message, in case it is requested
  offer->after_help = then;
  offer->state = then;
  if (offer->share.has_word()) {
    offer->share.close();
    if (offer->share.helped() && !offer->help_over) {
      offer->state = Offer::State::kHelped;
    }
  }
}

// Copies the next parts out of the sender's memory.
void Endpoint::copy(Offer *offer) noexcept {
  std::uint64_t done = 0;
  while (next_part(offer) && done < kCopyStep) {
    const std::uint64_t bytes = std::min(offer->part.to - offer->part.from, kCopyStep);
    const iovec here{offer->buffer + offer->part.from, bytes};
    const iovec there{from_word<void>(offer->address + offer->part.from), bytes};
    const ssize_t copied = process_vm_readv(offer->peer->card.shm_file.pid, &here, 1, &there, 1, 0);
    if (copied > 0) {
      done += static_cast<std::uint64_t>(copied);
      offer->part.from += static_cast<std::uint64_t>(copied);
    } else if (copied < 0 && errno == EINTR) {
      return;
    } else if (copied < 0 && (errno == EPERM || errno == ENOSYS)) {
      offer->peer->copy_refused = true;
      if (std::exchange(offer->is_timed, false)) {
        copy_methods_.lost();
      }
      return give_up(offer, Offer::State::kAsking);
    } else if (copied < 0 && errno == ESRCH) { // a dead sender does not write either
      offer->status = AVRM_ERR_PEER;
      offer->state = Offer::State::kTelling;
      return;
    } else {
      offer->status = AVRM_ERR_TRANSPORT;
      return give_up(offer, Offer::State::kTelling);
    }
  }
}

// Handles the end of the sender's writes.
void Endpoint::on_helped(Peer &peer, const Slot &slot) noexcept {
  const auto body = body_of<HelpedBody>(slot);
  Offer **const place = std::find(std::begin(peer.shared), std::end(peer.shared), from_word<Offer>(body.ticket));
  if (body.ticket == 0 || place == std::end(peer.shared) || (*place)->help_over) {
    return;
  }
  Offer *const offer = *place;
  offer->help_over = true;
  if (!body.missing.empty()) {
    peer.help_useless = true;
    if (body.missing.to <= offer->wanted) {
      offer->missing = body.missing;
    }
  }
  if (offer->state == Offer::State::kHelped) {
    stop_awaiting_sender(offer);
    offer->state = offer->after_help;
    (void)step(offer);
  }
}

// Prevents further claims and releases the claim word of an offer that ends. Waits for a write in
// progress unless the sender is dead.
void Endpoint::unshare(Offer *offer) noexcept {
  if (!offer->share.has_word()) {
    return;
  }
  Peer &peer = *offer->peer;
  offer->share.close();
  const bool dead = peer.state == Peer::State::kFailed || offer->status == AVRM_ERR_PEER;
  if (offer->share.helped() && !offer->help_over && !dead) {
    await_write(offer->share, peer.process);
  }
  std::replace(std::begin(peer.shared), std::end(peer.shared), offer, static_cast<Offer *>(nullptr));
}

void Endpoint::on_share(Inbox &inbox, const Slot &slot) noexcept {
  const auto body = body_of<ShareBody>(slot);
  Sending *const sending = inbox.peer->offered.find(from_word<Sending>(body.id));
  if (sending == nullptr || body.wanted > sending->bytes || body.index >= kShares || !copy_allowed_ ||
      inbox.peer->help_refused) {
    return;
  }
  inbox.peer->offered.remove(sending);
  sending->ticket = body.ticket;
  sending->wanted = body.wanted;
  sending->address = body.address;
  sending->turn = body.turn;
  sending->share = CopyClaims(inbox.in.share(body.index));
  (void)help(sending);
}

// Writes parts until kCopyStep bytes are written or no part is left; then notifies the receiver.
// The message must not be on a list; on return it is on the list for its state. Returns the number
// of events.
int Endpoint::help(Sending *sending) noexcept {
  Peer &peer = *sending->peer;
  int events = 0;
  for (std::uint64_t done = 0; done < kCopyStep;) {
    ByteRange part;
    if (sending->missing.empty() && lives(peer.process)) {
      part = sending->share.claim_to_write(sending->turn, sending->wanted);
    }
    if (part.empty()) {
      (tell_of_help(*sending) ? peer.offered : moving_).append(sending);
      return events;
    }
    ++events;
    sending->has_helped = true;
    done += part.to - part.from;
    write_part(*sending, &part);
    sending->share.written();
    sending->missing = part;
    if (!part.empty()) {
      peer.help_refused = true;
    }
  }
  moving_.append(sending);
  return events;
}

// Returns false if the record has to wait for room.
bool Endpoint::tell_of_help(const Sending &sending) noexcept {
  if (!sending.has_helped) {
    return true;
  }
  Peer &peer = *sending.peer;
  if (ready(peer) != AVRM_OK) {
    return false;
  }
  put_record(peer.out, Kind::kHelped, sending.match, HelpedBody{sending.ticket, sending.missing});
  return true;
}

} // namespace avrankmap::detail::posix
