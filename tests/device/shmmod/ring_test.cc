// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ring on its own: both ends in one process, so that the thread sanitizer sees both.
#include "posix/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/seed.h"

namespace {

using namespace avrankmap::detail::posix;
using avrankmap::test::below;
using avrankmap::test::seeded_engine;

unsigned char byte_at(std::uint64_t record, std::size_t index) {
  return static_cast<unsigned char>(record * 37 + index * 11 + (index >> 8));
}

std::vector<unsigned char> content(std::uint64_t record, std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = byte_at(record, i);
  }
  return data;
}

// Uses a ring as the endpoint does: short messages in the slot, others in the data area.
bool try_put(Producer &producer, std::uint64_t record, std::size_t bytes) {
  if (producer.slot() == nullptr && !producer.refresh()) {
    return false;
  }
  const std::vector<unsigned char> data = content(record, bytes);
  if (bytes <= kInlineMax) {
    Slot *const slot = producer.slot();
    slot->match = record;
    copy_inline(slot->body, data.data(), bytes);
    producer.publish(slot, Kind::kMessage, bytes);
    return true;
  }
  unsigned char *const room = producer.room(bytes);
  if (room == nullptr) {
    return false;
  }
  std::memcpy(room, data.data(), bytes);
  Slot *const slot = producer.slot();
  const Place place = producer.place(bytes);
  slot->match = record;
  std::memcpy(slot->body, &place, sizeof place);
  producer.publish(slot, Kind::kMessageOut, bytes);
  return true;
}

// Pops the oldest record. True if it is this one, complete.
bool get(Consumer &consumer, std::uint64_t record, std::size_t bytes) {
  const std::uint64_t header = consumer.peek();
  if (header == 0 || length_of(header) != bytes || consumer.front().match != record) {
    return false;
  }
  const bool outside = kind_of(header) == Kind::kMessageOut;
  const unsigned char *const data = outside ? consumer.data(bytes) : consumer.front().body;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (data[i] != byte_at(record, i)) {
      return false;
    }
  }
  if (outside) {
    consumer.pop_data();
  } else {
    consumer.pop();
  }
  return true;
}

class Ring : public testing::Test {
protected:
  Ring() : consumer_(memory_.get()) { producer_.open(memory_.get()); }

  // Puts and gets one record.
  bool pass(std::size_t bytes) {
    const std::uint64_t record = next_++;
    return try_put(producer_, record, bytes) && get(consumer_, record, bytes);
  }
  // Puts records until the ring is full; returns their number.
  std::size_t fill(std::size_t bytes) {
    std::size_t count = 0;
    while (try_put(producer_, next_ + count, bytes)) {
      ++count;
    }
    return count;
  }
  // Gets that many records, after which the ring must be empty.
  bool empty(std::size_t count, std::size_t bytes) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!get(consumer_, next_++, bytes)) {
        return false;
      }
    }
    return consumer_.peek() == 0;
  }

  std::unique_ptr<RingMemory> memory_ = std::make_unique<RingMemory>();
  Producer producer_;
  Consumer consumer_;
  std::uint64_t next_ = 0;
};

TEST_F(Ring, FreshMemoryIsAnEmptyRing) { EXPECT_EQ(consumer_.peek(), 0U); }

TEST_F(Ring, EveryLengthArrivesWhole) {
  for (std::size_t bytes = 0; bytes <= kEagerMax; ++bytes) {
    ASSERT_TRUE(pass(bytes)) << bytes;
  }
}

TEST_F(Ring, ShortCopyWritesNothingBeyondItsLength) {
  for (std::size_t bytes = 0; bytes <= kInlineMax; ++bytes) {
    std::vector<unsigned char> to(kInlineMax + 1, 0xee);
    const std::vector<unsigned char> from = content(7, bytes);
    copy_inline(to.data(), from.data(), bytes);
    ASSERT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << bytes;
    ASSERT_EQ(std::count(to.begin() + static_cast<std::ptrdiff_t>(bytes), to.end(), 0xee),
              static_cast<std::ptrdiff_t>(kInlineMax + 1 - bytes))
        << bytes;
  }
}

TEST_F(Ring, FullRingHoldsOneRecordPerSlot) { EXPECT_EQ(fill(8), kSlots); }

TEST_F(Ring, FullRingIsEmptiedInOrder) {
  const std::size_t count = fill(8);
  EXPECT_TRUE(empty(count, 8));
}

TEST_F(Ring, RoomComesBackAQuarterAtATime) {
  (void)fill(8);
  for (std::size_t i = 0; i < kSlots / 4 - 1; ++i) {
    ASSERT_TRUE(get(consumer_, i, 8));
  }
  EXPECT_FALSE(producer_.refresh());
  ASSERT_TRUE(get(consumer_, kSlots / 4 - 1, 8));
  EXPECT_TRUE(producer_.refresh());
}

TEST_F(Ring, WrapsAroundFromEverySlot) {
  for (std::size_t start = 0; start < kSlots; ++start) {
    const std::size_t count = fill(8);
    ASSERT_GE(count, kSlots - kSlots / 4) << start;
    ASSERT_TRUE(empty(count, 8)) << start;
    ASSERT_TRUE(pass(8)) << start;
  }
}

TEST_F(Ring, WrapsAroundWithLongRecordsFromEveryPartOfTheDataArea) {
  for (std::size_t start = 0; start < 3 * kDataBytes / kEagerMax; ++start) {
    const std::size_t count = fill(kEagerMax);
    ASSERT_GE(count, 3 * kDataBytes / 4 / kEagerMax - 1) << start;
    ASSERT_TRUE(empty(count, kEagerMax)) << start;
    ASSERT_TRUE(pass(kLine)) << start; // the next lap starts one line later
  }
}

TEST_F(Ring, LongestRecordFindsRoomInAnEmptiedRingWhereverItStands) {
  for (std::size_t line = 0; line < 2 * kDataBytes / kLine; ++line) {
    ASSERT_TRUE(pass(kLine)) << line;
    ASSERT_TRUE(pass(kEagerMax)) << line;
  }
}

TEST_F(Ring, WhatFitsFindsItsRoom) {
  auto engine = seeded_engine();
  std::vector<std::size_t> lengths;
  std::size_t got = 0;
  std::size_t fitted = 0;
  while (fitted < 3000) {
    const std::size_t bytes = 1 + below(engine, kPushMax);
    const std::size_t pieces = (bytes + kEagerMax - 1) / kEagerMax;
    if (producer_.fits(pieces, bytes)) {
      ++fitted;
      for (std::size_t done = 0; done < bytes; done += lengths.back()) {
        lengths.push_back(std::max(std::min(bytes - done, kEagerMax), kInlineMax + 1));
        ASSERT_TRUE(try_put(producer_, lengths.size() - 1, lengths.back())) << bytes;
      }
    }
    for (std::size_t count = below(engine, 9); count != 0 && got < lengths.size(); --count, ++got) {
      ASSERT_TRUE(get(consumer_, got, lengths[got])) << got;
    }
  }
}

TEST_F(Ring, LongestPushedMessageFitsIntoAnEmptiedRingWhereverItStands) {
  for (std::size_t line = 0; line < 2 * kDataBytes / kLine; ++line) {
    ASSERT_TRUE(pass(kLine)) << line;
    ASSERT_TRUE(producer_.fits(kPushMax / kEagerMax + 1, kPushMax)) << line;
  }
}

TEST_F(Ring, RecordThatFillsTheDataAreaIsFollowedByOneAtItsStart) {
  for (std::size_t line = 0; line < kDataBytes / kLine; ++line) {
    ASSERT_TRUE(pass(kLine)) << line;
  }
  ASSERT_TRUE(try_put(producer_, next_, kLine));
  EXPECT_EQ(consumer_.data(kLine), memory_->data);
}

TEST_F(Ring, APlaceOutsideTheDataAreaIsNone) {
  ASSERT_TRUE(try_put(producer_, next_, kLine));
  for (const std::uint64_t offset : {kDataBytes - kLine + 1, kDataBytes + 1, std::size_t{SIZE_MAX}}) {
    const Place place{kLine, offset};
    std::memcpy(memory_->slots[0].body, &place, sizeof place);
    EXPECT_EQ(consumer_.data(kLine), nullptr) << offset;
  }
}

TEST_F(Ring, MixedLengthsArriveWholeAndInOrder) {
  auto engine = seeded_engine();
  std::vector<std::size_t> lengths;
  std::size_t got = 0;
  while (got < 20000) {
    const std::size_t bytes = below(engine, 2) == 0 ? below(engine, 64) : below(engine, kEagerMax + 1);
    if (below(engine, 3) != 0 && try_put(producer_, lengths.size(), bytes)) {
      lengths.push_back(bytes);
    } else if (got < lengths.size()) {
      ASSERT_TRUE(get(consumer_, got, lengths[got])) << got;
      ++got;
    }
  }
}

TEST_F(Ring, ClosedProducerIsFull) {
  ASSERT_TRUE(pass(8));
  producer_.close();
  EXPECT_EQ(producer_.slot(), nullptr);
  EXPECT_FALSE(producer_.refresh());
}

TEST(RingProducer, UnopenedProducerIsFull) {
  Producer producer;
  EXPECT_EQ(producer.slot(), nullptr);
  EXPECT_FALSE(producer.refresh());
}

TEST_F(Ring, TwoThreadsPassRecordsInOrder) {
  constexpr std::uint64_t kRecords = 30000;
  const auto length = [](std::uint64_t record) {
    return static_cast<std::size_t>(record % 5 == 0 ? record * 131 % (kEagerMax + 1) : record % (kInlineMax + 1));
  };
  std::atomic<bool> failed{false};
  std::thread sender([&] {
    for (std::uint64_t record = 0; record < kRecords && !failed; ++record) {
      while (!try_put(producer_, record, length(record)) && !failed) {
        std::this_thread::yield();
      }
    }
  });
  for (std::uint64_t record = 0; record < kRecords && !failed; ++record) {
    while (consumer_.peek() == 0) {
      std::this_thread::yield();
    }
    if (!get(consumer_, record, length(record))) {
      failed = true; // stored only now, since it would order the threads otherwise
    }
  }
  sender.join();
  EXPECT_FALSE(failed);
}

} // namespace
