// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A peer whose memory this process cannot attach. Its ring is kept twice, and the core carries what
// either side writes to the other one's over the network:
//
//   sender                                receiver
//   ring in its own memory  --records-->  ring in its segment, as if the sender had attached it
//                           <--counts---  of what the receiver has taken out
//
// So nothing else changes: messages stay in order among those that come through other rings, match
// receives in the same list, and large ones are offered and pushed. Uses of the peer's memory in
// another way are left out: the sharing of copies, and copies out of a process that is known by a
// pid only.
//
// The network may let messages overtake one another. A record says its place in the ring, and waits
// there until all of its data have come.
#ifndef AVRANKMAP_SHMMOD_POSIX_RELAY_H
#define AVRANKMAP_SHMMOD_POSIX_RELAY_H

#include "posix/ring.h"

namespace avrankmap::detail::posix {

// On the wire, followed by data. The receiver trusts nothing in it.
struct RelayMessage {
  enum class What : std::uint32_t {
    kData = 1, // the first data of a record, as they do not fit behind it
    kRecord,   // and its data, or the last of them
    kCounts    // slots in `header`, bytes of the data area in `offset`
  };
  What what;
  std::int32_t sender;
  std::uint64_t offset; // of the data that follow, in the data area
  std::uint64_t header; // of the record
  std::uint64_t match;
  unsigned char body[kInlineMax];
};
static_assert(sizeof(RelayMessage) == 80);
// Two messages must do for each record.
inline constexpr std::size_t kLeastRelay = sizeof(RelayMessage) + kEagerMax / 2;

[[nodiscard]] constexpr bool has_data(Kind kind) noexcept {
  return kind == Kind::kMessageOut || kind == Kind::kActiveOut || kind == Kind::kPushed || kind == Kind::kChunk;
}

// The sender's side.
struct Relay {
  RingMemory ring{};
  Relay *next = nullptr;
  std::int32_t process = 0;
  bool is_over = false;       // the peer has failed
  bool has_begun = false;     // the first data of the next record are on their way
  std::uint64_t position = 0; // records carried
};

// The receiver's side: what has come of a record that is not whole is noted in its slot's header,
// by a number that no record of these laps has.
class RelayedSlot {
public:
  RelayedSlot(Slot *slot, std::uint64_t header) noexcept : slot_(slot), header_(header) {}
  void on_data() noexcept {
    const std::uint64_t seen = slot_->header;
    if (seen >> 32 == early() >> 32 && (seen & kLow) != 0) {
      publish(seen ^ kEarly);
    } else {
      slot_->header = early() & ~kLow;
    }
  }
  void on_record(bool is_whole) noexcept {
    if (is_whole || slot_->header == (early() & ~kLow)) {
      publish(header_);
    } else {
      slot_->header = early();
    }
  }

private:
  static constexpr std::uint64_t kEarly = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kLow = 0xffffffff; // length and kind, which is never 0
  [[nodiscard]] std::uint64_t early() const noexcept { return header_ ^ kEarly; }
  void publish(std::uint64_t header) noexcept {
    std::atomic_ref(slot_->header).store(header, std::memory_order_release);
  }

  Slot *slot_;
  std::uint64_t header_;
};

} // namespace avrankmap::detail::posix

#endif
