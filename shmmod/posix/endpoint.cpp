// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opening, connecting, and messages that go through a ring.
#include "posix/endpoint.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>

#include "base/environment.h"
#include "posix/record.h"

namespace avrankmap::detail::posix {

namespace {

constexpr int kBudget = 64; // maximum number of records per sender and call of progress

std::size_t bell_words(std::int32_t local_size) noexcept { return (static_cast<std::size_t>(local_size) + 63) / 64; }
std::size_t bell_bytes(std::int32_t local_size) noexcept {
  return whole_pages(sizeof(Bell) + bell_words(local_size) * sizeof(std::uint64_t));
}
std::size_t ring_offset(std::int32_t local_size, std::int32_t sender) noexcept {
  return bell_bytes(local_size) + static_cast<std::size_t>(sender) * kRingBytes;
}
std::uint64_t *bell_bits(Bell *bell) noexcept { return reinterpret_cast<std::uint64_t *>(bell + 1); }

} // namespace

// cppcheck-suppress uninitDerivedMemberVar ; it does not see that the base is an aggregate
Endpoint::Endpoint(const avrm_shmmod_config_t &config, const avrm_shmmod_ops_t *table) noexcept
    : avrm_shmmod_t{table, kEagerMax, kEagerMax}, config_(config) {}

avrm_status_t Endpoint::open() noexcept {
  const auto size = static_cast<std::size_t>(config_.local_size);
  peers_.reset(new (std::nothrow) Peer[size]);
  inboxes_.reset(new (std::nothrow) Inbox[size]);
  if (peers_ == nullptr || inboxes_ == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const std::size_t bytes = ring_offset(config_.local_size, config_.local_size);
  avrm_status_t status = create_shm_file(bytes, &shm_file_, &shm_file_name_);
  if (status == AVRM_OK) {
    status = check_openness(shm_file_name_);
  }
  if (status == AVRM_OK) {
    status = Mapping::map(shm_file_, 0, bytes, &shm_mapping_);
  }
  if (status == AVRM_OK) {
    bell_ = reinterpret_cast<Bell *>(shm_mapping_.data());
    status = wakeup_receiver_.open(&bell_->asleep);
    status = status == AVRM_OK ? wakeup_pipe_.open(wakeup_receiver_.name()) : status;
    copy_allowed_ = !env::flag(env::kPosixNoCma);
    if (env::word(env::kPosixNoCma) != nullptr) {
      copy_methods_.fix(copy_allowed_ ? CopyMethod::kCopy : CopyMethod::kRing);
    }
  }
  return status;
}

void Endpoint::close() noexcept {
  for (std::int32_t peer = 0; peer < config_.local_size; ++peer) {
    end_all_with(peers_[static_cast<std::size_t>(peer)], AVRM_ERR_CANCELLED);
  }
}

avrm_status_t Endpoint::card(void *buffer, std::size_t *bytes_p) const noexcept {
  if (*bytes_p < sizeof(Card)) {
    return AVRM_ERR_SIZE;
  }
  const Card card{
      Card::kMagic,  config_.local_rank, config_.process, wakeup_receiver_.name().fd, wakeup_receiver_.name().inode,
      shm_file_name_};
  std::memcpy(buffer, &card, sizeof card);
  *bytes_p = sizeof card;
  return AVRM_OK;
}

avrm_status_t Endpoint::connect(std::int32_t local_rank, const void *card, std::size_t bytes) noexcept {
  if (local_rank < 0 || local_rank >= config_.local_size) {
    return AVRM_ERR_RANK;
  }
  Peer &peer = peers_[static_cast<std::size_t>(local_rank)];
  switch (peer.state) {
  case Peer::State::kMapped:
  case Peer::State::kConnected: return AVRM_OK;
  case Peer::State::kFailed: return AVRM_ERR_PEER;
  case Peer::State::kUnknown:
  case Peer::State::kKnown: break;
  }
  Card sound;
  if (bytes != sizeof sound) {
    return AVRM_ERR_SIZE;
  }
  std::memcpy(&sound, card, sizeof sound);
  if (!is_card_of(sound, local_rank)) {
    return AVRM_ERR_TRANSPORT;
  }
  peer.card = sound;
  return map_peer(peer);
}

// True for cards of that process, if its segment has the rings of a node of this size.
bool Endpoint::is_card_of(const Card &card, std::int32_t local_rank) const noexcept {
  return card.magic == Card::kMagic && card.local_rank == local_rank &&
         card.shm_file.bytes == ring_offset(config_.local_size, config_.local_size);
}

avrm_status_t Endpoint::map_peer(Peer &peer) noexcept {
  const std::int32_t local_size = config_.local_size;
  FileDescriptor process = open_process(peer.card.shm_file);
  FileDescriptor fd;
  Mapping bell;
  avrm_status_t status = open_shm_file(peer.card.shm_file, &fd);
  if (status == AVRM_OK) {
    status = Mapping::map(fd, 0, bell_bytes(local_size), &bell);
  }
  if (status == AVRM_OK) {
    status = Mapping::map(fd, ring_offset(local_size, config_.local_rank), kRingBytes, &peer.ring);
  }
  if (status == AVRM_OK) {
    peer.bell = std::move(bell);
    peer.help_refused = !process.is_open();
    peer.process = std::move(process);
    peer.state = Peer::State::kMapped;
    return AVRM_OK;
  }
  return begin_relay(peer, status, process);
}

// Announces a sender in its receiver's segment.
void Endpoint::ring_bell(Bell *bell, std::int32_t caller) noexcept {
  const auto rank = static_cast<std::uint32_t>(caller);
  std::atomic_ref(bell_bits(bell)[rank / 64]).fetch_or(std::uint64_t{1} << rank % 64, std::memory_order_relaxed);
  std::atomic_ref(bell->callers).fetch_add(1, std::memory_order_release);
}

// Returns the ring of a sender in this process's segment.
RingMemory *Endpoint::ring_of(std::int32_t sender) const noexcept {
  return reinterpret_cast<RingMemory *>(shm_mapping_.data() + ring_offset(config_.local_size, sender));
}

// The slow path of every send, taken when no free slot is known.
avrm_status_t Endpoint::make_room(Peer &peer) noexcept {
  switch (peer.state) {
  case Peer::State::kUnknown:
  case Peer::State::kFailed: return AVRM_ERR_PEER;
  case Peer::State::kConnected: return peer.out.refresh() ? AVRM_OK : AVRM_ERR_AGAIN;
  case Peer::State::kKnown:
    if (const avrm_status_t status = map_peer(peer); status != AVRM_OK) {
      return status;
    }
    break;
  case Peer::State::kMapped: break;
  }
  // First contact.
  auto *const bell = reinterpret_cast<Bell *>(peer.bell.data());
  if (peer.relay != nullptr) {
    peer.out.open(&peer.relay->ring);
  } else {
    peer.out.open(
        reinterpret_cast<RingMemory *>(peer.ring.data()),
        Doorbell(&bell->asleep, {peer.card.shm_file.pid, peer.card.pipe, peer.card.pipe_inode}, &wakeup_pipe_));
  }
  Slot *const slot = peer.out.slot();
  std::size_t bytes = kInlineMax;
  (void)card(slot->body, &bytes);
  peer.out.publish(slot, Kind::kHello, bytes);
  if (peer.relay == nullptr) {
    ring_bell(bell, config_.local_rank);
  }
  peer.out.look_at_consumer();
  peer.state = Peer::State::kConnected;
  // A relay accepts records once the network has accepted this one, which may require a connection.
  return peer.relay == nullptr ? AVRM_OK : carry(*peer.relay);
}

avrm_status_t Endpoint::send(std::int32_t local_rank, std::uint64_t match, const void *buffer, std::size_t bytes,
                             avrm_request_t *request) noexcept {
  Peer &peer = peers_[static_cast<std::size_t>(local_rank)];
  if (bytes > kInlineMax) {
    return send_large(peer, match, buffer, bytes, request);
  }
  Slot *slot = peer.out.slot();
  if (AVRM_UNLIKELY(slot == nullptr)) {
    if (const avrm_status_t status = make_room(peer); status != AVRM_OK) {
      return status;
    }
    slot = peer.out.slot();
  }
  slot->match = match;
  copy_inline(slot->body, static_cast<const unsigned char *>(buffer), bytes);
  peer.out.publish(slot, Kind::kMessage, bytes);
  if (request != nullptr) {
    request->complete(request, AVRM_OK, match, bytes);
  }
  return AVRM_OK;
}

// Offers a message of any length, because the receiver of an offer notifies the sender when it
// takes the message.
avrm_status_t Endpoint::send_sync(std::int32_t local_rank, std::uint64_t match, const void *buffer, std::size_t bytes,
                                  avrm_request_t *request) noexcept {
  Peer &peer = peers_[static_cast<std::size_t>(local_rank)];
  const avrm_status_t status = ready(peer);
  return status == AVRM_OK ? offer(peer, match, buffer, bytes, request) : status;
}

avrm_status_t Endpoint::send_large(Peer &peer, std::uint64_t match, const void *buffer, std::size_t bytes,
                                   avrm_request_t *request) noexcept {
  if (const avrm_status_t status = ready(peer); status != AVRM_OK) {
    return status;
  }
  if (bytes > kEagerMax) {
    return request != nullptr ? offer(peer, match, buffer, bytes, request) : AVRM_ERR_SIZE;
  }
  unsigned char *const room = peer.out.room(bytes);
  if (room == nullptr) {
    return AVRM_ERR_AGAIN;
  }
  std::memcpy(room, buffer, bytes);
  Slot *const slot = peer.out.slot();
  const Place place = peer.out.place(bytes);
  slot->match = match;
  std::memcpy(slot->body, &place, sizeof place);
  peer.out.publish(slot, Kind::kMessageOut, bytes);
  if (request != nullptr) {
    request->complete(request, AVRM_OK, match, bytes);
  }
  return AVRM_OK;
}

avrm_status_t Endpoint::am_send(std::int32_t local_rank, const void *header, std::size_t header_bytes,
                                const void *payload, std::size_t payload_bytes) noexcept {
  Peer &peer = peers_[static_cast<std::size_t>(local_rank)];
  const std::size_t bytes = header_bytes + payload_bytes;
  if (bytes > kEagerMax) {
    return AVRM_ERR_SIZE;
  }
  if (const avrm_status_t status = ready(peer); status != AVRM_OK) {
    return status;
  }
  Slot *slot = peer.out.slot();
  unsigned char *const room = bytes <= kInlineMax ? slot->body : peer.out.room(bytes);
  if (room == nullptr) {
    return AVRM_ERR_AGAIN;
  }
  if (header_bytes != 0) {
    std::memcpy(room, header, header_bytes);
  }
  if (payload_bytes != 0) {
    std::memcpy(room + header_bytes, payload, payload_bytes);
  }
  if (bytes <= kInlineMax) {
    peer.out.publish(slot, Kind::kActive, bytes);
    return AVRM_OK;
  }
  const Place place = peer.out.place(bytes);
  std::memcpy(slot->body, &place, sizeof place);
  peer.out.publish(slot, Kind::kActiveOut, bytes);
  return AVRM_OK;
}

// Starts to poll the rings of senders that have rung the bell since the last call.
void Endpoint::admit_callers() noexcept {
  // Reads the count before the bits: a sender that is counted has set its bit.
  callers_seen_ = std::atomic_ref(bell_->callers).load(std::memory_order_acquire);
  for (std::size_t word = 0; word < bell_words(config_.local_size); ++word) {
    std::uint64_t bits = std::atomic_ref(bell_bits(bell_)[word]).load(std::memory_order_relaxed);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t rank = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (rank < static_cast<std::size_t>(config_.local_size) && !peers_[rank].calls) {
        const auto sender = static_cast<std::int32_t>(rank);
        peers_[rank].calls = true;
        inboxes_[callers_++] = {Consumer(ring_of(sender)), nullptr, &peers_[rank], sender};
      }
    }
  }
}

int Endpoint::progress() noexcept {
  // Progress within a handler does nothing, so that messages are handled one by one and in order.
  if (in_progress_) {
    return 0;
  }
  in_progress_ = true;
  int events = 0;
  if (AVRM_UNLIKELY(std::atomic_ref(bell_->callers).load(std::memory_order_relaxed) != callers_seen_)) {
    admit_callers();
  }
  const Inbox *const end = inboxes_.get() + callers_;
  for (Inbox *inbox = inboxes_.get(); inbox != end; ++inbox) {
    events += drain(*inbox);
  }
  if (AVRM_UNLIKELY(!taking_.empty() || !moving_.empty())) {
    events += work();
  }
  in_progress_ = false;
  return events;
}

// True if a sender has rung the bell or published a record that is not yet handled.
bool Endpoint::has_mail() const noexcept {
  if (std::atomic_ref(bell_->callers).load(std::memory_order_relaxed) != callers_seen_) {
    return true;
  }
  const Inbox *const first = inboxes_.get();
  return std::any_of(first, first + callers_, [](const Inbox &inbox) { return inbox.in.peek() != 0; });
}

avrm_status_t Endpoint::arm(int *descriptor_p) noexcept {
  // Large messages on these lists are advanced by this process, or wait for room in a ring; no
  // wake-up announces room.
  if (!taking_.empty() || !moving_.empty()) {
    return AVRM_ERR_UNSUPPORTED;
  }
  wakeup_receiver_.begin_sleep();
  if (has_mail()) {
    wakeup_receiver_.end_sleep();
    return AVRM_ERR_AGAIN;
  }
  *descriptor_p = wakeup_receiver_.descriptor();
  return AVRM_OK;
}

int Endpoint::drain(Inbox &inbox) noexcept {
  int events = 0;
  while (events < kBudget) {
    const std::uint64_t header = inbox.in.peek();
    if (header == 0) {
      break;
    }
    if (AVRM_LIKELY(kind_of(header) == Kind::kMessage && length_of(header) <= kInlineMax)) {
      const Slot &slot = inbox.in.front();
      const avrm_arrival_t arrival{inbox.rank, slot.match, length_of(header), slot.body, 0};
      if (AVRM_UNLIKELY(!config_.on_message(config_.user, &arrival))) {
        break;
      }
      inbox.in.pop();
    } else if (!handle(inbox, header)) {
      break;
    }
    ++events;
  }
  return events;
}

inline void Endpoint::on_hello(const Inbox &inbox, const Slot &slot, std::size_t length) noexcept {
  Peer &peer = *inbox.peer;
  const auto card = body_of<Card>(slot);
  if (peer.state == Peer::State::kUnknown && length == sizeof card && is_card_of(card, inbox.rank)) {
    peer.card = card;
    peer.state = Peer::State::kKnown;
  }
}

// Handles a peer's reply about a large message. Operations with a failed peer have already ended.
inline void Endpoint::handle_reply(Inbox &inbox, const Slot &slot, Kind kind) noexcept {
  Peer &peer = *inbox.peer;
  if (peer.state == Peer::State::kFailed) {
    return;
  }
  if (kind == Kind::kTaken) {
    on_taken(peer, slot);
  } else if (kind == Kind::kAsk) {
    on_ask(peer, slot);
  } else if (kind == Kind::kShare) {
    on_share(inbox, slot);
  } else {
    on_helped(peer, slot);
  }
}

// Handles a record whose data lie in the data area. Returns false if it has to wait.
inline bool Endpoint::handle_data(Inbox &inbox, const Slot &slot, Kind kind, std::size_t length) noexcept {
  const unsigned char *const data = inbox.in.data(length);
  if (data == nullptr) {
    return true;
  }
  if (kind == Kind::kMessageOut) {
    const avrm_arrival_t arrival{inbox.rank, slot.match, length, data, 0};
    return config_.on_message(config_.user, &arrival);
  }
  if (kind == Kind::kActiveOut) {
    return config_.on_am(config_.user, data, length);
  }
  if (inbox.peer->state != Peer::State::kFailed) {
    if (kind == Kind::kPushed) {
      on_pushed(inbox, data, length);
    } else {
      on_chunk(*inbox.peer, slot, data, length);
    }
  }
  return true;
}

// Handles and pops the oldest record. Returns false if it has to wait.
//
// A peer may write anything. Lengths, places and references to operations are checked; invalid
// records are dropped.
bool Endpoint::handle(Inbox &inbox, std::uint64_t header) noexcept {
  const Slot &slot = inbox.in.front();
  const std::size_t length = length_of(header);
  const Kind kind = kind_of(header);
  switch (kind) {
  case Kind::kHello: on_hello(inbox, slot, length); break;
  case Kind::kMessage: break; // drain() handles valid ones
  case Kind::kActive:
    if (length <= kInlineMax && !config_.on_am(config_.user, slot.body, length)) {
      return false;
    }
    break;
  case Kind::kOffer:
    if (!on_offer(inbox, slot)) {
      return false;
    }
    break;
  case Kind::kTaken:
  case Kind::kAsk:
  case Kind::kShare:
  case Kind::kHelped: handle_reply(inbox, slot, kind); break;
  case Kind::kMessageOut:
  case Kind::kActiveOut:
  case Kind::kPushed:
  case Kind::kChunk:
    if (!handle_data(inbox, slot, kind, length)) {
      return false;
    }
    inbox.in.pop_data();
    return true;
  }
  inbox.in.pop();
  return true;
}

void Endpoint::peer_failed(std::int32_t local_rank) noexcept {
  if (local_rank < 0 || local_rank >= config_.local_size) {
    return;
  }
  Peer &peer = peers_[static_cast<std::size_t>(local_rank)];
  peer.state = Peer::State::kFailed;
  peer.out.close();
  if (peer.relay != nullptr) {
    peer.relay->is_over = true;
  }
  end_all_with(peer, AVRM_ERR_PEER);
}

} // namespace avrankmap::detail::posix
