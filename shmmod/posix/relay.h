// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A peer whose memory this process cannot attach. There are two copies of its ring, and the core
// transfers what either side writes to the other copy over the network:
//
//   sender                                receiver
//   ring in its own memory  --records-->  ring in its segment, as if the sender had attached it
//                           <--counts---  records and bytes that the receiver has freed
//
// Everything else remains the same: receives match these messages and those of other rings in the
// same way, and large messages are offered and pushed. Other uses of the peer's memory are
// disabled: shared copies, and copies out of a process that is known only by its pid.
//
// The network may reorder messages. A record contains its place in the ring, and waits there until
// all of its data have arrived.
#ifndef AVRANKMAP_SHMMOD_POSIX_RELAY_H
#define AVRANKMAP_SHMMOD_POSIX_RELAY_H

#include "posix/ring.h"

namespace avrankmap::detail::posix {

// A message over the network; data may follow it. The receiver does not trust its contents.
struct RelayMessage {
  enum class What : std::uint32_t {
    kData = 1, // the first data of a record whose data exceed one message
    kRecord,   // a record with all of its data, or with the rest
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
// Two messages must suffice for each record.
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
  bool has_begun = false;     // the first data of the next record have been sent
  std::uint64_t position = 0; // number of records sent

  // Returns false if a later count of freed slots has overtaken this one: the receiver would not
  // repeat the later one.
  [[nodiscard]] bool is_next_count(std::uint64_t slots) const noexcept { return slots - ring.slots_done <= kSlots; }
};

// The receiver's side. While a record is incomplete, its slot's header shows which of its parts
// have arrived, with a value that differs from the header of any complete record near this lap.
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
