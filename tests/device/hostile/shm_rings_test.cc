// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rings whose receiver writes any numbers into its counters: the sender must neither crash nor give
// away room that it has not got. And rings whose sender shows a card that is not its own.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "posix/endpoint.h"
#include "posix/posix.h"
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

class ShmGreeting : public testing::Test {
protected:
  ShmGreeting() {
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      avrm_shmmod_config_t config{};
      config.local_rank = rank;
      config.local_size = 2;
      config.on_message = [](void *, const avrm_arrival_t *) { return true; };
      config.on_am = [](void *, const void *, std::size_t) { return true; };
      config.relay = [](void *, std::int32_t, const void *, std::size_t, const void *, std::size_t) { return AVRM_OK; };
      EXPECT_EQ(ops_->open(&config, &sides_[rank]), AVRM_OK);
    }
    std::size_t bytes = sizeof card_;
    EXPECT_EQ(ops_->card(sides_[1], &card_, &bytes), AVRM_OK);
  }
  ~ShmGreeting() override {
    ops_->close(sides_[0]);
    ops_->close(sides_[1]);
  }

  // Process 1 greets process 0, which then knows it or not.
  bool is_known_by(const Card &card, std::size_t length = sizeof(Card)) {
    RelayMessage record{RelayMessage::What::kRecord, 1, 0, 0, 0, {}};
    record.header = ++records_ << 32 | length << 8 | static_cast<std::uint64_t>(Kind::kHello);
    std::memcpy(record.body, &card, sizeof card);
    ops_->relayed(sides_[0], &record, sizeof record);
    (void)ops_->progress(sides_[0]);
    const avrm_status_t status = ops_->send(sides_[0], 1, 1, nullptr, 0, nullptr);
    EXPECT_TRUE(status == AVRM_OK || status == AVRM_ERR_PEER) << avrm_status_name(status);
    return status == AVRM_OK;
  }

  const avrm_shmmod_ops_t *const ops_ = avrm_shmmod_posix();
  avrm_shmmod_t *sides_[2]{};
  Card card_{};
  std::uint64_t records_ = 0;
};

TEST_F(ShmGreeting, AStrangersCardIsIgnored) {
  card_.magic ^= 1;
  EXPECT_FALSE(is_known_by(card_));
}

TEST_F(ShmGreeting, ACardOfAnotherRankIsIgnored) {
  for (const std::int32_t rank : {0, 2, -1, INT32_MIN, INT32_MAX}) {
    card_.local_rank = rank;
    EXPECT_FALSE(is_known_by(card_)) << rank;
  }
}

TEST_F(ShmGreeting, ACardOfAnotherSegmentIsIgnored) {
  card_.shm_file.bytes /= 2;
  EXPECT_FALSE(is_known_by(card_));
}

TEST_F(ShmGreeting, ACardOfAnotherLengthIsIgnored) {
  for (const std::size_t length : {std::size_t{0}, sizeof(Card) - 1, sizeof(Card) + 1}) {
    EXPECT_FALSE(is_known_by(card_, length)) << length;
  }
}

TEST_F(ShmGreeting, ACardAfterAWrongOneIsTaken) {
  Card wrong = card_;
  wrong.magic ^= 1;
  EXPECT_FALSE(is_known_by(wrong));
  EXPECT_TRUE(is_known_by(card_));
}

} // namespace
} // namespace avrankmap::test
