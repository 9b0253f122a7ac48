// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Large messages, and synchronous messages of any length. The sender offers the message; the next
// steps depend on its length and on permissions:
//
//   up to 32 KiB           longer                   longer
//   sender     receiver    sender     receiver      sender     receiver
//     | -kOffer--> |         | -kOffer--> |           | -kOffer--> |
//     | -kPushed-> |         |            | copy.cpp  | <---kAsk-- |   (not allowed to read)
//     | -kPushed-> |         | <--kTaken- |           | -kChunk--> |
//     | <--kTaken- |                                  | -kChunk--> |
//
// The third method is also used if it is faster (copy_method.h).
//
// Pieces that are pushed after an offer, without being requested, are in the ring before the send
// returns. A receiver that does not want the message yet drops them, and later reads or requests
// the message. If the ring has no room for all pieces, the sender pushes none, and the receiver
// reads or requests the message.
//
// A receiver may request or read less than the whole message, which also completes the send. If it
// wants nothing, it sends kTaken immediately. Unless the peer fails, a process completes its
// request only after it has put into the ring the last record that it must send for this message.
//
// process_vm_readv names the sender by its pid. If the sender dies and the system gives its pid to
// another process of the same user before the core reports the failure, the receiver may read the
// new process's memory into the buffer of the dead sender's message.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "posix/endpoint.h"
#include "posix/record.h"

namespace avrankmap::detail::posix {

namespace {

// Bodies of records.
struct OfferBody {
  std::uint64_t address;
  std::uint64_t length;
  std::uint64_t id;
  std::uint64_t pushed; // true if its pieces follow
};
struct TakenBody {
  std::uint64_t id;
};
struct AskBody {
  std::uint64_t id;
  std::uint64_t ticket;
  std::uint64_t wanted;
};
struct ChunkBody {
  Place place;
  std::uint64_t ticket; // if it was requested
};

// Writes the next piece of a message into the ring. Returns false if there is no room for it.
bool put_piece(Producer &out, Kind kind, Sending *sending, std::uint64_t end) noexcept {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(end - sending->pushed, kEagerMax));
  unsigned char *const room = out.room(bytes);
  if (room == nullptr) {
    return false;
  }
  std::memcpy(room, sending->buffer + sending->pushed, bytes);
  put_record(out, kind, sending->match, ChunkBody{out.place(bytes), sending->ticket}, bytes);
  sending->pushed += bytes;
  return true;
}

// Copies the next piece of a message into its buffer, up to the size that is wanted.
void fill(Offer *offer, const unsigned char *data, std::size_t bytes) noexcept {
  const std::size_t wanted = std::min<std::uint64_t>(bytes, offer->part.to - offer->part.from);
  std::memcpy(offer->buffer + offer->part.from, data, wanted);
  offer->part.from += wanted;
}

std::uint64_t nanoseconds() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

// Moves the elements of a peer to another list, because handling them may call back into this
// endpoint.
template <typename T> List<T> extract(List<T> &list, const Peer &peer) noexcept {
  List<T> extracted;
  for (T *element = list.first(); element != nullptr;) {
    T *const next = element->next;
    if (element->peer == &peer) {
      list.remove(element);
      extracted.append(element);
    }
    element = next;
  }
  return extracted;
}

} // namespace

OfferPool::~OfferPool() {
  while (slabs_ != nullptr) {
    delete std::exchange(slabs_, slabs_->next);
  }
}

Offer *OfferPool::take() noexcept {
  if (free_.empty()) {
    auto *const slab = new (std::nothrow) Slab{slabs_, {}};
    if (slab == nullptr) {
      return nullptr;
    }
    slabs_ = slab;
    for (Offer &offer : slab->offers) {
      free_.push_front(&offer);
    }
  }
  Offer *const offer = free_.pop_front();
  *offer = Offer{};
  return offer;
}

avrm_status_t Endpoint::offer(Peer &peer, std::uint64_t match, const void *buffer, std::size_t bytes,
                              avrm_request_t *request) noexcept {
  auto *const sending = new (request->scratch) Sending;
  sending->request = request;
  sending->peer = &peer;
  sending->buffer = static_cast<const unsigned char *>(buffer);
  sending->match = match;
  sending->bytes = bytes;
  peer.offered.append(sending);
  const bool pushed = bytes != 0 && bytes <= kPushMax && peer.out.fits(1 + (bytes + kEagerMax - 1) / kEagerMax, bytes);
  put_record(peer.out, Kind::kOffer, match, OfferBody{to_word(buffer), bytes, to_word(sending), pushed ? 1U : 0U});
  while (pushed && sending->pushed < bytes && put_piece(peer.out, Kind::kPushed, sending, bytes)) {
  }
  return AVRM_OK;
}

// Returns false if out of memory or if the core cannot accept the message yet. The record then
// stays in the ring.
bool Endpoint::on_offer(Inbox &inbox, const Slot &slot) noexcept {
  Offer *const offer = offers_.take();
  if (offer == nullptr) {
    return false;
  }
  const auto body = body_of<OfferBody>(slot);
  offer->peer = inbox.peer;
  offer->inbox = &inbox;
  offer->match = slot.match;
  offer->length = body.length;
  offer->address = body.address;
  offer->id = body.id;
  Peer &peer = *inbox.peer;
  peer.singles = inbox.in.has_more() ? 0 : std::min<std::uint8_t>(peer.singles + 1, CopyClaims::kSingles);
  inbox.coming = body.pushed != 0 ? offer : nullptr;
  const avrm_arrival_t arrival{inbox.rank, slot.match, body.length, nullptr, to_word(offer)};
  const bool kept = config_.on_message(config_.user, &arrival);
  if (!kept) {
    inbox.coming = nullptr;
    offer->peer = nullptr;
    offers_.give(offer);
  }
  return kept;
}

avrm_status_t Endpoint::take(std::int32_t local_rank, std::uint64_t ticket, void *buffer, std::size_t bytes,
                             avrm_request_t *request) noexcept {
  auto *const offer = from_word<Offer>(ticket);
  if (offer->peer != &peers_[static_cast<std::size_t>(local_rank)] || offer->state != Offer::State::kOffered) {
    return AVRM_ERR_OPTION;
  }
  offer->request = request;
  offer->buffer = static_cast<unsigned char *>(buffer);
  offer->wanted = std::min<std::uint64_t>(bytes, offer->length);
  offer->part = {0, offer->wanted};
  if (offer->part.empty()) {
    offer->state = Offer::State::kTelling;
  } else if (offer->inbox->coming == offer) {
    offer->state = Offer::State::kFilling;
  } else if (copy_allowed_ && !offer->peer->copy_refused && choose_method(offer) == CopyMethod::kCopy) {
    offer->state = Offer::State::kCopying;
    share(offer);
  } else {
    offer->state = Offer::State::kAsking;
  }
  (void)step(offer);
  return AVRM_OK;
}

CopyMethod Endpoint::choose_method(Offer *offer) noexcept {
  const bool begins = offer->wanted > kPushMax && taking_.empty() && filling_count_ == 0;
  const CopyMethodChoice::Choice choice = copy_methods_.take(offer->wanted, begins, begins ? nanoseconds() : 0);
  offer->is_timed = choice.is_timed;
  return choice.method;
}

void Endpoint::finish(Offer *offer) noexcept {
  if (offer->is_timed && offer->status == AVRM_OK) {
    copy_methods_.took(offer->wanted, nanoseconds());
  } else if (offer->is_timed) {
    copy_methods_.lost();
  }
  const bool truncated = offer->status == AVRM_OK && offer->wanted < offer->length;
  const avrm_status_t status = truncated ? AVRM_ERR_TRUNCATED : offer->status;
  unshare(offer);
  if (offer->inbox->coming == offer) {
    offer->inbox->coming = nullptr;
  }
  const Offer ended = *offer;
  offer->peer = nullptr; // so that a ticket used twice is detected
  offers_.give(offer);
  ended.request->complete(ended.request, status, ended.match, ended.length);
}

// Advances a taken offer as far as possible. The offer must not be on a list; on return it is
// finished or on the list for its state. Returns the number of events.
int Endpoint::step(Offer *offer) noexcept {
  Peer &peer = *offer->peer;
  if (peer.state == Peer::State::kFailed) {
    offer->status = AVRM_ERR_PEER;
    finish(offer);
    return 1;
  }
  int events = 0;
  if (offer->state == Offer::State::kCopying) {
    copy(offer);
    ++events;
    if (offer->state == Offer::State::kCopying) {
      taking_.append(offer);
      return events;
    }
  }
  if (offer->state == Offer::State::kHelped || offer->state == Offer::State::kFilling) {
    await_sender(offer);
    return events;
  }
  const avrm_status_t status = ready(peer);
  // The sender waits for this answer, so sending it is retried until the ring or the relay's
  // network accepts it, or until there are descriptors and memory to attach the ring.
  const bool is_lack = status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_SYSTEM;
  if (status == AVRM_ERR_AGAIN || is_lack || (peer.relay != nullptr && status != AVRM_OK && status != AVRM_ERR_PEER)) {
    taking_.append(offer);
    return events;
  }
  if (status != AVRM_OK) {
    if (offer->status == AVRM_OK) {
      offer->status = status;
    }
    finish(offer);
  } else if (offer->state == Offer::State::kAsking) {
    offer->state = Offer::State::kFilling;
    await_sender(offer);
    put_record(peer.out, Kind::kAsk, offer->match, AskBody{offer->id, to_word(offer), offer->wanted});
  } else {
    put_record(peer.out, Kind::kTaken, offer->match, TakenBody{offer->id});
    finish(offer);
  }
  return events + 1;
}

// Puts an offer on its peer's list of offers whose data the sender is writing.
void Endpoint::await_sender(Offer *offer) noexcept {
  offer->peer->filling.append(offer);
  ++filling_count_;
}
void Endpoint::stop_awaiting_sender(Offer *offer) noexcept {
  offer->peer->filling.remove(offer);
  --filling_count_;
}

void Endpoint::on_pushed(Inbox &inbox, const unsigned char *data, std::size_t bytes) noexcept {
  Offer *const offer = inbox.coming;
  if (offer == nullptr) {
    return;
  }
  if (offer->state != Offer::State::kFilling) { // not wanted yet
    inbox.coming = nullptr;
    return;
  }
  fill(offer, data, bytes);
  if (offer->part.empty()) {
    stop_awaiting_sender(offer);
    offer->state = Offer::State::kTelling;
    (void)step(offer);
  }
}

void Endpoint::on_chunk(const Peer &peer, const Slot &slot, const unsigned char *data, std::size_t bytes) noexcept {
  Offer *const offer = peer.filling.find(from_word<Offer>(body_of<ChunkBody>(slot).ticket));
  if (offer == nullptr || offer->state != Offer::State::kFilling) {
    return;
  }
  fill(offer, data, bytes);
  if (offer->part.empty()) {
    stop_awaiting_sender(offer);
    finish(offer);
  }
}

void Endpoint::on_taken(Peer &peer, const Slot &slot) noexcept {
  Sending *const sending = peer.offered.find(from_word<Sending>(body_of<TakenBody>(slot).id));
  if (sending == nullptr) {
    return;
  }
  peer.offered.remove(sending);
  sending->request->complete(sending->request, AVRM_OK, sending->match, sending->bytes);
}

void Endpoint::on_ask(Peer &peer, const Slot &slot) noexcept {
  const auto body = body_of<AskBody>(slot);
  Sending *const sending = peer.offered.find(from_word<Sending>(body.id));
  if (sending == nullptr || body.wanted > sending->bytes) {
    return;
  }
  peer.offered.remove(sending);
  sending->ticket = body.ticket;
  sending->wanted = body.wanted;
  sending->pushed = 0;
  sending->has_helped = false;
  (void)push(sending);
}

// Writes as many chunks into the ring as fit. The message must not be on a list; on return it is
// completed or on the list for its state. Returns the number of chunks.
int Endpoint::push(Sending *sending) noexcept {
  Peer &peer = *sending->peer;
  int chunks = 0;
  while (sending->pushed < sending->wanted) {
    if (ready(peer) != AVRM_OK || !put_piece(peer.out, Kind::kChunk, sending, sending->wanted)) {
      moving_.append(sending);
      return chunks;
    }
    ++chunks;
  }
  sending->request->complete(sending->request, AVRM_OK, sending->match, sending->bytes);
  return chunks;
}

namespace {

// Advances each message of a list once, but only few that cannot go on because their peers do not
// read; the next call begins with the rest. `advance` puts those that remain at the end of the
// list. Returns the number of events.
template <typename T, typename Advance> int advance_all(List<T> &list, Advance advance) noexcept {
  constexpr int kMostIdle = 8;
  int events = 0;
  int idle = 0;
  for (std::size_t count = list.size(); count != 0 && idle < kMostIdle && !list.empty(); --count) {
    const int of_one = advance(list.pop_front());
    idle += of_one == 0 ? 1 : 0;
    events += of_one;
  }
  return events;
}

} // namespace

// Advances messages that wait for this process.
int Endpoint::work() noexcept {
  const int events = advance_all(taking_, [this](Offer *offer) { return step(offer); });
  return events +
         advance_all(moving_, [this](Sending *sending) { return sending->has_helped ? help(sending) : push(sending); });
}

// Ends all operations with a peer.
void Endpoint::end_all_with(Peer &peer, avrm_status_t status) noexcept {
  filling_count_ -= peer.filling.size();
  for (List<Offer> ended : {extract(taking_, peer), std::exchange(peer.filling, {})}) {
    while (!ended.empty()) {
      Offer *const offer = ended.pop_front();
      offer->status = status;
      finish(offer);
    }
  }
  // A receiver must not wait for more help from this process.
  for (const Sending *sending = moving_.first(); sending != nullptr; sending = sending->next) {
    if (sending->peer == &peer) {
      (void)tell_of_help(*sending);
    }
  }
  for (List<Sending> ended : {std::exchange(peer.offered, {}), extract(moving_, peer)}) {
    while (!ended.empty()) {
      const Sending *const sending = ended.pop_front();
      sending->request->complete(sending->request, status, sending->match, sending->bytes);
    }
  }
}

} // namespace avrankmap::detail::posix
