// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Large messages. The sender offers; the receiver, when it has a buffer, does one of two things:
//
//   sender               receiver              sender               receiver
//     | --- kOffer ------> |                     | --- kOffer ------> |
//     |                    | process_vm_readv    | <-- kAsk --------- |   (not allowed to read)
//     | <-- kTaken ------- |                     | --- kChunk ------> |
//                                                | --- kChunk ------> |
//
// A receiver that wants less than all asks for or reads less; the sender is done all the same. A receiver that wants
// nothing says kTaken at once. A request ends after the last record that its process owes for it is in the ring.
//
// process_vm_readv names the sender by its pid. Should the sender die and the system give its pid to another process of
// the same user, before the core says that the peer has failed, that one's memory might be read; for the buffer of a
// message whose sender is dead.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // process_vm_readv
#endif
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/uio.h>
#include <utility>

#include "posix/endpoint.h"

namespace avrankmap::detail::posix {

namespace {

// What one call of progress copies for one message at most.
constexpr std::uint64_t kCopyStep = std::uint64_t{1} << 20;

// Bodies of records.
struct OfferBody {
  std::uint64_t address;
  std::uint64_t length;
  std::uint64_t id;
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
  std::uint64_t ticket;
};

template <typename Body> Body body_of(const Slot &slot) noexcept {
  static_assert(sizeof(Body) <= kInlineMax);
  Body body;
  std::memcpy(&body, slot.body, sizeof body);
  return body;
}

template <typename Body>
void put_record(Producer &out, Kind kind, std::uint64_t match, const Body &body, std::size_t length) noexcept {
  Slot *const slot = out.slot();
  slot->match = match;
  std::memcpy(slot->body, &body, sizeof body);
  out.publish(slot, kind, length);
}

template <typename T> T *from_word(std::uint64_t word) noexcept {
  return reinterpret_cast<T *>(static_cast<std::uintptr_t>(word));
}
std::uint64_t to_word(const void *pointer) noexcept { return reinterpret_cast<std::uintptr_t>(pointer); }

// Moves the elements of a peer, or all if it is null, to another list: what is done to them may call back into us.
template <typename T> List<T> extract(List<T> &list, const Peer *peer) noexcept {
  List<T> extracted;
  for (T *element = list.first(); element != nullptr;) {
    T *const next = element->next;
    if (peer == nullptr || element->peer == peer) {
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
  offered_.append(sending);
  put_record(peer.out, Kind::kOffer, match, OfferBody{to_word(buffer), bytes, to_word(sending)}, 0);
  return AVRM_OK;
}

// False without memory: the record stays where it is.
bool Endpoint::on_offer(Inbox &inbox, const Slot &slot) noexcept {
  Offer *const offer = offers_.take();
  if (offer == nullptr) {
    return false;
  }
  const auto body = body_of<OfferBody>(slot);
  offer->peer = inbox.peer;
  offer->match = slot.match;
  offer->length = body.length;
  offer->address = body.address;
  offer->id = body.id;
  const avrm_arrival_t arrival{inbox.rank, slot.match, body.length, nullptr, to_word(offer)};
  const bool kept = config_.on_message(config_.user, &arrival);
  if (!kept) {
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
  if (offer->wanted == 0) {
    offer->state = Offer::State::kTelling;
  } else {
    offer->state = copy_allowed_ && !offer->peer->copy_refused ? Offer::State::kCopying : Offer::State::kAsking;
  }
  (void)step(offer);
  return AVRM_OK;
}

void Endpoint::finish(Offer *offer) noexcept {
  const bool truncated = offer->status == AVRM_OK && offer->wanted < offer->length;
  const avrm_status_t status = truncated ? AVRM_ERR_TRUNCATED : offer->status;
  const Offer ended = *offer;
  offer->peer = nullptr; // a ticket that is used twice is noticed
  offers_.give(offer);
  ended.request->complete(ended.request, status, ended.match, ended.length);
}

// Copies the next part straight out of the sender's memory.
void Endpoint::copy(Offer *offer) noexcept {
  const std::uint64_t part = std::min(offer->wanted - offer->arrived, kCopyStep);
  const iovec here{offer->buffer + offer->arrived, part};
  const iovec there{from_word<void>(offer->address + offer->arrived), part};
  const ssize_t copied = process_vm_readv(offer->peer->card.segment.pid, &here, 1, &there, 1, 0);
  if (copied > 0) {
    offer->arrived += static_cast<std::uint64_t>(copied);
    if (offer->arrived == offer->wanted) {
      offer->state = Offer::State::kTelling;
    }
  } else if (copied < 0 && (errno == EPERM || errno == ENOSYS)) {
    offer->peer->copy_refused = true;
    offer->arrived = 0;
    offer->state = Offer::State::kAsking;
  } else if (copied == 0 || errno != EINTR) {
    offer->status = copied < 0 && errno == ESRCH ? AVRM_ERR_PEER : AVRM_ERR_TRANSPORT;
    offer->state = Offer::State::kTelling;
  }
}

// Moves an offer that was taken on as far as possible. It is on no list before, and on the one that it belongs to
// afterwards. Returns the number of things that happened.
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
  const avrm_status_t status = ready(peer);
  if (status == AVRM_ERR_AGAIN) {
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
    filling_.append(offer);
    put_record(peer.out, Kind::kAsk, offer->match, AskBody{offer->id, to_word(offer), offer->wanted}, 0);
  } else {
    put_record(peer.out, Kind::kTaken, offer->match, TakenBody{offer->id}, 0);
    finish(offer);
  }
  return events + 1;
}

void Endpoint::on_chunk(const Peer &peer, const Slot &slot, const unsigned char *data, std::size_t bytes) noexcept {
  Offer *const offer = filling_.find(from_word<Offer>(body_of<ChunkBody>(slot).ticket));
  if (offer == nullptr || offer->peer != &peer || bytes > offer->wanted - offer->arrived) {
    return;
  }
  std::memcpy(offer->buffer + offer->arrived, data, bytes);
  offer->arrived += bytes;
  if (offer->arrived == offer->wanted) {
    filling_.remove(offer);
    finish(offer);
  }
}

// What we have offered to a peer under the name that it gives back; null if there is no such thing.
Sending *Endpoint::offered_to(const Peer &peer, std::uint64_t id) const noexcept {
  Sending *const sending = offered_.find(from_word<Sending>(id));
  return sending != nullptr && sending->peer == &peer ? sending : nullptr;
}

void Endpoint::on_taken(const Peer &peer, const Slot &slot) noexcept {
  Sending *const sending = offered_to(peer, body_of<TakenBody>(slot).id);
  if (sending == nullptr) {
    return;
  }
  offered_.remove(sending);
  sending->request->complete(sending->request, AVRM_OK, sending->match, sending->bytes);
}

void Endpoint::on_ask(const Peer &peer, const Slot &slot) noexcept {
  const auto body = body_of<AskBody>(slot);
  Sending *const sending = offered_to(peer, body.id);
  if (sending == nullptr || body.wanted > sending->bytes) {
    return;
  }
  offered_.remove(sending);
  sending->ticket = body.ticket;
  sending->wanted = body.wanted;
  (void)push(sending);
}

// Puts as many chunks into the ring as find room. On no list before, on the one where it belongs afterwards.
int Endpoint::push(Sending *sending) noexcept {
  Peer &peer = *sending->peer;
  int chunks = 0;
  while (sending->pushed < sending->wanted) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(sending->wanted - sending->pushed, kEagerMax));
    unsigned char *const room = ready(peer) == AVRM_OK ? peer.out.room(bytes) : nullptr;
    if (room == nullptr) {
      pushing_.append(sending);
      return chunks;
    }
    std::memcpy(room, sending->buffer + sending->pushed, bytes);
    put_record(peer.out, Kind::kChunk, sending->match, ChunkBody{peer.out.place(bytes), sending->ticket}, bytes);
    sending->pushed += bytes;
    ++chunks;
  }
  sending->request->complete(sending->request, AVRM_OK, sending->match, sending->bytes);
  return chunks;
}

// Moves on what needs this process to move.
int Endpoint::work() noexcept {
  int events = 0;
  for (std::size_t count = taking_.size(); count != 0 && !taking_.empty(); --count) {
    events += step(taking_.pop_front());
  }
  for (std::size_t count = pushing_.size(); count != 0 && !pushing_.empty(); --count) {
    events += push(pushing_.pop_front());
  }
  return events;
}

// Ends what is under way with a peer, or with anybody if it is null.
void Endpoint::end_all_with(const Peer *peer, avrm_status_t status) noexcept {
  for (List<Offer> *const list : {&taking_, &filling_}) {
    for (List<Offer> ended = extract(*list, peer); !ended.empty();) {
      Offer *const offer = ended.pop_front();
      offer->status = status;
      finish(offer);
    }
  }
  for (List<Sending> *const list : {&offered_, &pushing_}) {
    for (List<Sending> ended = extract(*list, peer); !ended.empty();) {
      const Sending *const sending = ended.pop_front();
      sending->request->complete(sending->request, status, sending->match, sending->bytes);
    }
  }
}

} // namespace avrankmap::detail::posix
