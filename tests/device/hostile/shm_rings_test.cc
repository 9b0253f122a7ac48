// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rings whose receiver writes any numbers into its counters. The sender must neither crash nor give
// away room that it has not got.
#include <gtest/gtest.h>

#include <memory>

#include "posix/ring.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using namespace detail::posix;

class SpoiledShmRing : public testing::Test {
protected:
  SpoiledShmRing() { producer_.open(memory_.get()); }

  void send(std::size_t bytes) {
    unsigned char *const room = producer_.room(bytes);
    ASSERT_NE(room, nullptr);
    ASSERT_GE(room, memory_->data);
    ASSERT_LE(room + bytes, memory_->data + kDataBytes);
    Slot *const slot = producer_.slot();
    ASSERT_NE(slot, nullptr);
    (void)producer_.place(bytes);
    producer_.publish(slot, Kind::kMessageOut, bytes);
  }
  bool can_send(std::size_t bytes) {
    return (producer_.slot() != nullptr || producer_.refresh()) && producer_.room(bytes) != nullptr;
  }

  std::unique_ptr<RingMemory> memory_ = std::make_unique<RingMemory>();
  Producer producer_;
};

TEST_F(SpoiledShmRing, CountersThatMoveBackFreeNothing) {
  std::uint64_t sent = 0;
  for (; can_send(kEagerMax); ++sent) {
    send(kEagerMax);
  }
  memory_->slots_done = sent;
  memory_->data_done = sent * kEagerMax;
  for (std::uint64_t i = 0; i < sent / 2; ++i) {
    ASSERT_TRUE(can_send(kEagerMax));
    send(kEagerMax);
  }
  for (const std::uint64_t back : {std::uint64_t{0}, sent - 1, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    memory_->slots_done = back;
    memory_->data_done = back * kEagerMax;
    producer_.refresh();
    EXPECT_FALSE(producer_.fits(2 * kSlots, 0)) << back;
    EXPECT_FALSE(producer_.fits(1, kDataBytes)) << back;
  }
}

// What fits can be sent, whatever the counters say.
TEST_F(SpoiledShmRing, WhatFitsHasRoom) {
  std::mt19937_64 engine = seeded_engine();
  std::uint64_t slots = 0; // sent
  std::uint64_t data = 0;
  constexpr std::size_t kPieces = kPushMax / kEagerMax;
  for (int round = 0; round < 20000; ++round) {
    switch (below(engine, 4)) {
    case 0: memory_->slots_done = slots - below(engine, 300); break;
    case 1: memory_->data_done = data - below(engine, 300000); break;
    case 2: memory_->slots_done = engine(); break;
    default: memory_->data_done = engine();
    }
    producer_.refresh();
    for (std::size_t messages = 0; producer_.fits(kPieces + 1, kPushMax); ++messages) {
      ASSERT_LT(messages, kSlots) << "more than a ring holds, in round " << round;
      for (std::size_t piece = 0; piece < kPieces; ++piece) {
        ASSERT_NO_FATAL_FAILURE(send(kEagerMax)) << "round " << round;
        ++slots;
        data += kEagerMax;
      }
    }
  }
}

} // namespace
} // namespace avrankmap::test
