// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A ring of records from one process to another, in the receiver's memory. It has one producer and
// one consumer, and needs no lock and no atomic read-modify-write.
//
//   +----------+--------+-------------------------+-----------------------------------------------+
//   | progress | shares | 256 slots of 64 bytes   | data area                                     |
//   +----------+--------+-------------------------+-----------------------------------------------+
//                         slot: header 8 | match 8 | body 48
//
//   header:  bits 63..32  1 + number of the record that the slot holds, modulo 2^32
//            bits 31..8   length of the message in bytes
//            bits  7..0   Kind; never 0
//
// A record is one slot. A message of up to 48 bytes is stored in the body, so one cache line is
// transferred from sender to receiver. A longer one, up to kEagerMax, is stored in the data area in
// one piece, and the body contains its place. Longer messages are offered (rendezvous.cpp). Data
// never overlap slots, so a slot's header always belongs to its last record. The number in it shows
// whether the record is of an earlier lap, and headers need not be cleared.
//
// Memory order: the producer writes match, body and data, then the header with release order; the
// consumer reads the header with acquire order. The consumer reads a record, then counts it in
// `progress` with release order; the producer reads that with acquire order before it reuses the
// space. The consumer updates `progress` once per quarter of the ring, and the producer reads it
// when it knows of no free slot. So `progress` moves between the caches about once per 64 messages.
#ifndef AVRANKMAP_SHMMOD_POSIX_RING_H
#define AVRANKMAP_SHMMOD_POSIX_RING_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "avrankmap/base.h"
#include "posix/doorbell.h"

namespace avrankmap::detail::posix {

inline constexpr std::size_t kLine = 64;
inline constexpr std::size_t kSlots = 256;
inline constexpr std::size_t kInlineMax = 48;
// With 4 KiB messages on a Xeon with 2 MiB of L2 per core, the receiver reads nearly twice as fast
// if the ring has more than about 280 KiB. Pages that were never used take no memory.
inline constexpr std::size_t kRingBytes = std::size_t{384} << 10;
inline constexpr std::size_t kDataBytes = kRingBytes - 2 * kLine - kSlots * kLine;
// Maximum number of large messages that both processes may be copying jointly at one time. They go
// against the direction of the ring, to its producer (copy_claims.h).
inline constexpr std::size_t kShares = 2;
// Maximum size of a message that goes through a ring in one piece, and of the pieces of a longer
// one.
inline constexpr std::size_t kEagerMax = std::size_t{8} << 10;
// Maximum size of a message that is pushed without a request. Up to this size two overlapping
// copies by the processes are faster than one copy by the system.
inline constexpr std::size_t kPushMax = std::size_t{32} << 10;

enum class Kind : std::uint8_t {
  kHello = 1,  // the producer's card
  kMessage,    // data in the body
  kMessageOut, // data in the data area
  kActive,     // as kMessage, for an active message
  kActiveOut,
  kOffer,  // a large message
  kTaken,  // the receiver needs no more of an offered message
  kPushed, // a piece of the last offered message, not requested
  kAsk,    // the receiver requests an offered message through the ring
  kChunk,  // a piece of a requested message
  kShare,  // the receiver reads an offered message and invites the sender to write parts of it
  kHelped, // the sender has written the parts that it claimed
};

struct alignas(kLine) Slot {
  std::uint64_t header;
  std::uint64_t match;
  unsigned char body[kInlineMax];
};
static_assert(sizeof(Slot) == kLine);

// Where a message lies in the data area. `end` is the number of bytes of the area used so far, over
// all laps, including this message.
struct Place {
  std::uint64_t end;
  std::uint64_t offset;
};

struct RingMemory {
  // Written by the consumer: slots and bytes of the data area that it has freed, over all laps.
  alignas(kLine) std::uint64_t slots_done;
  std::uint64_t data_done;
  alignas(kLine) std::uint64_t shares[kShares];
  alignas(kLine) Slot slots[kSlots];
  alignas(kLine) unsigned char data[kDataBytes];
};
static_assert(sizeof(RingMemory) == kRingBytes && offsetof(RingMemory, slots) == 2 * kLine);
// Even if a freed quarter of the area is not yet counted, and the rest of the area up to its end
// must be skipped, the longest piece fits, and so do all pieces of the longest pushed message.
static_assert(2 * kEagerMax <= kDataBytes - kDataBytes / 4);
static_assert(kPushMax + kEagerMax <= kDataBytes - kDataBytes / 4);

[[nodiscard]] inline Kind kind_of(std::uint64_t header) noexcept { return static_cast<Kind>(header & 0xff); }
[[nodiscard]] inline std::size_t length_of(std::uint64_t header) noexcept { return header >> 8 & 0xffffff; }

// Copies up to kInlineMax bytes without a call. Accesses no other bytes.
inline void copy_inline(unsigned char *to, const unsigned char *from, std::size_t bytes) noexcept {
  if (bytes >= 16) {
    std::memcpy(to, from, 16);
    if (bytes > 32) {
      std::memcpy(to + 16, from + 16, 16);
    }
    std::memcpy(to + bytes - 16, from + bytes - 16, 16);
  } else if (bytes >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else if (bytes != 0) {
    to[0] = from[0];
    to[bytes / 2] = from[bytes / 2];
    to[bytes - 1] = from[bytes - 1];
  }
}

// Requests ownership of cache lines that the other side wrote or read last.
inline void prefetch_lines(unsigned char *data, std::size_t lines) noexcept {
  for (std::size_t line = 0; line < lines; ++line) {
#if defined(__x86_64__)
    // GCC and clang turn the builtin into a plain prefetch unless the target is known to have
    // PREFETCHW.
    __asm__ volatile("prefetchw (%0)" : : "r"(data + line * kLine));
#else
    __builtin_prefetch(data + line * kLine, 1);
#endif
  }
}

// The sending side. A producer that is not open counts as full.
class Producer {
public:
  // The memory must be zero, or have been used only by producers that sent nothing. `doorbell`
  // belongs to the consumer.
  void open(RingMemory *ring, Doorbell doorbell = {}) noexcept {
    ring_ = ring;
    doorbell_ = std::move(doorbell);
    position_ = 0;
    limit_ = kSlots;
    data_position_ = 0;
    data_offset_ = 0;
    data_limit_ = kDataBytes;
  }
  void close() noexcept {
    limit_ = position_;
    ring_ = nullptr;
  }

  [[nodiscard]] std::uint64_t *share(std::size_t index) const noexcept { return &ring_->shares[index]; }
  // Wakes a sleeping consumer, as publish() does. To be called once more at first contact, after
  // Endpoint::ring_bell: until then the consumer does not know this ring, so it may have gone to
  // sleep since publish() looked.
  void look_at_consumer() noexcept { doorbell_.look(); }

  // Returns the next slot to fill; null if the ring is full as far as is known.
  [[nodiscard]] Slot *slot() const noexcept {
    return AVRM_LIKELY(position_ != limit_) ? &ring_->slots[position_ % kSlots] : nullptr;
  }
  // Reads the consumer's progress. Returns false if the ring is still full. A consumer may write
  // any numbers: those that decrease, or count records that were never sent, are ignored.
  bool refresh() noexcept {
    if (ring_ == nullptr) {
      return false;
    }
    const std::uint64_t slots = std::atomic_ref(ring_->slots_done).load(std::memory_order_acquire) + kSlots;
    const std::uint64_t data = std::atomic_ref(ring_->data_done).load(std::memory_order_acquire) + kDataBytes;
    if (slots - limit_ <= position_ + kSlots - limit_ &&
        data - data_limit_ <= data_position_ + kDataBytes - data_limit_) {
      limit_ = slots;
      data_limit_ = data;
    }
    return position_ != limit_;
  }
  // True if this many slots are free and there is room for this many bytes in pieces of kEagerMax.
  [[nodiscard]] bool fits(std::size_t slots, std::size_t bytes) noexcept {
    const auto known = [&] {
      return limit_ - position_ >= slots &&
             data_limit_ - data_position_ >= in_lines(bytes) + kEagerMax; // a wrap skips space
    };
    if (!known()) {
      refresh();
    }
    return known();
  }
  // Passes a filled slot to the consumer.
  void publish(Slot *slot, Kind kind, std::size_t length) noexcept {
    const std::uint64_t header = (position_ + 1) << 32 | length << 8 | static_cast<std::uint64_t>(kind);
    std::atomic_ref(slot->header).store(header, std::memory_order_release);
    ++position_;
    doorbell_.look();
    // Fetches a slot well ahead of the one that the consumer polls. A store to a polled slot waits
    // until its line has come back from the consumer, and if the consumer keeps up, every store
    // would wait. This doubles the rate of 8-byte messages.
    prefetch_lines(reinterpret_cast<unsigned char *>(&ring_->slots[(position_ + kSlotsAhead) % kSlots]), 1);
  }

  // Returns room for `bytes` bytes, at most kEagerMax, in the data area, or null. It is not taken
  // until place() is called.
  [[nodiscard]] unsigned char *room(std::size_t bytes) noexcept {
    const std::uint64_t size = in_lines(bytes);
    const bool wraps = data_offset_ + size > kDataBytes;
    const std::uint64_t skip = wraps ? kDataBytes - data_offset_ : 0;
    if (data_position_ + skip + size > data_limit_) {
      refresh();
      if (data_position_ + skip + size > data_limit_) {
        return nullptr;
      }
    }
    if (wraps) {
      data_position_ += skip;
      data_offset_ = 0;
    }
    return ring_->data + data_offset_;
  }
  // Takes the room that room() returned. Prefetches the lines after it, which the consumer does not
  // poll: the next message of a few hundred bytes then takes a fifth less time.
  Place place(std::size_t bytes) noexcept {
    const std::uint64_t size = in_lines(bytes);
    const Place place{data_position_ + size, data_offset_};
    data_position_ += size;
    data_offset_ += size;
    prefetch_lines(ring_->data + data_offset_, kPrefetchLines);
    return place;
  }

private:
  static constexpr std::size_t kPrefetchLines = 8;
  static constexpr std::size_t kSlotsAhead = 8;
  static std::uint64_t in_lines(std::size_t bytes) noexcept { return (bytes + kLine - 1) / kLine * kLine; }

  RingMemory *ring_ = nullptr;
  std::uint64_t position_ = 0; // number of records published
  std::uint64_t limit_ = 0;    // position at which the ring is full, as far as is known
  std::uint64_t data_position_ = 0;
  std::uint64_t data_offset_ = 0; // offset of data_position_ in the area
  std::uint64_t data_limit_ = 0;
  Doorbell doorbell_;
};

// The receiving side.
class Consumer {
public:
  Consumer() noexcept = default;
  explicit Consumer(RingMemory *ring) noexcept : ring_(ring) {}

  [[nodiscard]] std::uint64_t *share(std::size_t index) const noexcept { return &ring_->shares[index]; }

  // Returns the header of the oldest record that was not popped; 0 if there is none.
  [[nodiscard]] std::uint64_t peek() const noexcept {
    const std::uint64_t header =
        std::atomic_ref(ring_->slots[position_ % kSlots].header).load(std::memory_order_acquire);
    return header >> 32 == static_cast<std::uint32_t>(position_ + 1) ? header : 0;
  }
  // True if another record follows the oldest.
  [[nodiscard]] bool has_more() const noexcept {
    const std::uint64_t header =
        std::atomic_ref(ring_->slots[(position_ + 1) % kSlots].header).load(std::memory_order_relaxed);
    return header >> 32 == static_cast<std::uint32_t>(position_ + 2);
  }
  // Returns the record whose header peek() returned. It is valid until it is popped.
  [[nodiscard]] const Slot &front() const noexcept { return ring_->slots[position_ % kSlots]; }
  // Returns the data of a record whose body starts with a Place; null if they do not lie in the
  // area, because a producer may write any number.
  [[nodiscard]] const unsigned char *data(std::size_t length) const noexcept {
    const std::uint64_t offset = place().offset;
    return offset <= kDataBytes && length <= kDataBytes - offset ? ring_->data + offset : nullptr;
  }

  void pop() noexcept {
    ++position_;
    if (AVRM_UNLIKELY(position_ - counted_ == kSlots / 4)) {
      count();
    }
  }
  // Pops a record whose body starts with a Place.
  void pop_data() noexcept {
    data_position_ = place().end;
    ++position_;
    if (data_position_ - data_counted_ >= kDataBytes / 4 || position_ - counted_ == kSlots / 4) {
      count();
    }
  }

private:
  [[nodiscard]] Place place() const noexcept {
    Place place;
    std::memcpy(&place, front().body, sizeof place);
    return place;
  }
  void count() noexcept {
    counted_ = position_;
    data_counted_ = data_position_;
    std::atomic_ref(ring_->data_done).store(data_counted_, std::memory_order_release);
    std::atomic_ref(ring_->slots_done).store(counted_, std::memory_order_release);
  }

  RingMemory *ring_ = nullptr;
  std::uint64_t position_ = 0; // number of records popped
  std::uint64_t counted_ = 0;  // records popped that `progress` includes
  std::uint64_t data_position_ = 0;
  std::uint64_t data_counted_ = 0;
};

} // namespace avrankmap::detail::posix

#endif
