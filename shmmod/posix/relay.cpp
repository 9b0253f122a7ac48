// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "posix/relay.h"

#include <algorithm>
#include <new>
#include <utility>

#include "posix/endpoint.h"
#include "posix/posix.h"
#include "posix/record.h"

namespace avrankmap::detail::posix {

// Starts to relay to a peer over the network after its memory could not be attached. Returns
// `failure` if there is no suitable network or the peer is dead, and AVRM_ERR_NO_MEMORY if memory
// is exhausted.
avrm_status_t Endpoint::begin_relay(Peer &peer, avrm_status_t failure, const FileDescriptor &process) noexcept {
  if (config_.relay == nullptr || config_.relay_max < kLeastRelay || (process.is_open() && !lives(process))) {
    return failure;
  }
  peer.relay.reset(new (std::nothrow) Relay);
  if (peer.relay == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  peer.relay->process = peer.card.process;
  peer.relay->next = std::exchange(relays_, peer.relay.get());
  peer.copy_refused = true;
  peer.help_refused = true;
  peer.help_useless = true;
  peer.state = Peer::State::kMapped;
  ops = relaying_ops();
  config_.on_apart(config_.user, peer.card.process, failure);
  return AVRM_OK;
}

// Sends the records in the ring of a relay. Returns AVRM_OK if none is left.
avrm_status_t Endpoint::carry(Relay &relay) noexcept {
  const std::size_t room = config_.relay_max - sizeof(RelayMessage);
  while (!relay.is_over) {
    const Slot &slot = relay.ring.slots[relay.position % kSlots];
    if (slot.header >> 32 != static_cast<std::uint32_t>(relay.position + 1)) {
      break;
    }
    RelayMessage message{RelayMessage::What::kData, config_.local_rank, 0, slot.header, slot.match, {}};
    std::copy_n(slot.body, kInlineMax, message.body);
    std::size_t bytes = has_data(kind_of(slot.header)) ? length_of(slot.header) : 0;
    if (bytes != 0) {
      message.offset = body_of<Place>(slot).offset;
    }
    const auto send = [&](std::size_t count) {
      return config_.relay(config_.user, relay.process, &message, sizeof message, relay.ring.data + message.offset,
                           count);
    };
    if (bytes > room) {
      const std::size_t first = bytes - room;
      if (!relay.has_begun) {
        if (const avrm_status_t status = send(first); status != AVRM_OK) {
          return status;
        }
        relay.has_begun = true;
      }
      message.offset += first;
      bytes = room;
    }
    message.what = RelayMessage::What::kRecord;
    if (const avrm_status_t status = send(bytes); status != AVRM_OK) {
      return status;
    }
    relay.has_begun = false;
    ++relay.position;
  }
  return AVRM_OK;
}

// Reports to a relaying peer how much of its ring is free again. Returns false if the report has to
// wait.
bool Endpoint::tell_counts(const Inbox &inbox) noexcept {
  Peer &peer = *inbox.peer;
  if (!peer.relays || peer.state == Peer::State::kUnknown || peer.state == Peer::State::kFailed) {
    return true;
  }
  const RingMemory &ring = *ring_of(inbox.rank);
  if (ring.slots_done == peer.slots_told) {
    return true; // data_done has not changed either
  }
  const RelayMessage message{RelayMessage::What::kCounts, config_.local_rank, ring.data_done, ring.slots_done, 0, {}};
  if (config_.relay(config_.user, peer.card.process, &message, sizeof message, nullptr, 0) != AVRM_OK) {
    return false;
  }
  peer.slots_told = message.header;
  return true;
}

// Returns true if no record of this process is waiting to be sent.
bool Endpoint::carry_all(int *events_p) noexcept {
  bool all = true;
  for (Relay *relay = relays_; relay != nullptr; relay = relay->next) {
    const std::uint64_t before = relay->position;
    all = carry(*relay) == AVRM_OK && all;
    *events_p += static_cast<int>(relay->position - before);
  }
  for (std::size_t i = 0; i < callers_; ++i) {
    all = tell_counts(inboxes_[i]) && all;
  }
  return all;
}

avrm_status_t Endpoint::carry_to(std::int32_t local_rank) noexcept {
  Relay *const relay = peers_[static_cast<std::size_t>(local_rank)].relay.get();
  return relay == nullptr ? AVRM_OK : carry(*relay);
}

void Endpoint::relayed(const void *data, std::size_t bytes) noexcept {
  RelayMessage message;
  if (bytes < sizeof message) {
    return;
  }
  std::memcpy(&message, data, sizeof message);
  bytes -= sizeof message;
  if (message.sender < 0 || message.sender >= config_.local_size || message.sender == config_.local_rank ||
      config_.relay == nullptr) {
    return;
  }
  Peer &peer = peers_[static_cast<std::size_t>(message.sender)];
  if (message.what == RelayMessage::What::kCounts) {
    if (peer.relay != nullptr && peer.relay->is_next_count(message.header)) {
      peer.relay->ring.data_done = message.offset;
      peer.relay->ring.slots_done = message.header;
    }
    return;
  }
  if (message.offset > kDataBytes || bytes > kDataBytes - message.offset) {
    return;
  }
  RingMemory *const ring = ring_of(message.sender);
  std::copy_n(static_cast<const unsigned char *>(data) + sizeof message, bytes, ring->data + message.offset);
  Slot &slot = ring->slots[((message.header >> 32) - 1) % kSlots];
  RelayedSlot place(&slot, message.header);
  if (message.what == RelayMessage::What::kData) {
    place.on_data();
  } else {
    slot.match = message.match;
    std::copy_n(message.body, kInlineMax, slot.body);
    place.on_record(!has_data(kind_of(message.header)) || bytes == length_of(message.header));
  }
  if (!peer.relays) {
    peer.relays = true;
    ops = relaying_ops();
    ring_bell(bell_, message.sender);
  }
}

} // namespace avrankmap::detail::posix
