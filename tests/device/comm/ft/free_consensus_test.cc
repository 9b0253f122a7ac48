// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a process answers messages about a freed communicator, even without memory. The test plays
// the others.
#include "comm_calls/free_consensus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "avrankmap/device/ft.h"
#include "comm_calls/pending.h"
#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;
using detail::Reply;

// One of eight processes that have freed a communicator.
class FreeConsensus : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 8;

  void SetUp() override { ASSERT_EQ(member_.open(&hooks_), AVRM_OK); }
  void TearDown() override {
    consensus_.reset();
    outbox_.reset();
    EXPECT_EQ(member_.close(), AVRM_OK);
    EXPECT_EQ(member_.reports(), 0);
  }
  [[nodiscard]] avrm_device_t *device() const { return member_.device(); }

  void begin(std::int32_t rank) {
    outbox_.emplace(device());
    plane_ = *avrm_device_world(device());
    plane_.rank = rank; // as if this process were another one
    consensus_.emplace(&plane_, plane_.context, frames_);
    consensus_->begin(false);
  }
  void take(std::int32_t from, Reply answer) {
    ActiveHeader header = header_from(from);
    header.token |= static_cast<std::uint64_t>(answer) << 32;
    consensus_->take(header, nullptr, 0);
  }
  void take_vote(std::int32_t from) {
    detail::ConsensusHeader vote{};
    vote.number = 1;
    vote.kind = detail::ConsensusHeader::kVote;
    vote.sender = from;
    consensus_->take(header_from(from), &vote, sizeof vote);
  }
  [[nodiscard]] ActiveHeader header_from(std::int32_t from) const {
    return detail::header_about(device(), ActiveType::kFreeConsensus, plane_.context, from, plane_.rank);
  }
  // The receivers of all messages.
  [[nodiscard]] std::vector<std::int32_t> receivers() const {
    std::vector<std::int32_t> all;
    for (const Outbox::Sent &sent : outbox_->sent) {
      all.push_back(static_cast<std::int32_t>(sent.header.token));
    }
    return all;
  }

  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{kSize};
  std::optional<Outbox> outbox_;
  avrm_comm_t plane_{};
  detail::FrameStack frames_;
  std::optional<detail::FreeConsensus> consensus_;
};

TEST_F(FreeConsensus, AsksAgainForAnAnswerThatItHadNoMemoryFor) {
  begin(7);
  EXPECT_EQ(receivers(), (std::vector<std::int32_t>{6}));
  memory_.lacks = true;
  take(6, Reply::kGone);
  consensus_->go_on();
  EXPECT_TRUE(consensus_->has_unsent()) << "so that it goes on";
  EXPECT_EQ(outbox_->sent.size(), 1U);
  memory_.lacks = false;
  consensus_->go_on();
  EXPECT_EQ(receivers(), (std::vector<std::int32_t>{6, 6}));
  take(6, Reply::kGone);
  EXPECT_EQ(receivers(), (std::vector<std::int32_t>{6, 6, 4})) << "the next ancestor";
}

TEST_F(FreeConsensus, AsksAgainEvenIfTheNextAnswerFindsMemory) {
  begin(7);
  memory_.lacks = true;
  take(6, Reply::kGone);
  memory_.lacks = false;
  take(5, Reply::kGone);
  EXPECT_EQ(receivers(), (std::vector<std::int32_t>{6, 6}));
}

TEST_F(FreeConsensus, AsksAProcessAgainThatCouldNotAnswer) {
  begin(1);
  take(0, Reply::kGone);
  EXPECT_EQ(receivers(), (std::vector<std::int32_t>{2}));
  take(2, Reply::kAgain);
  EXPECT_EQ(receivers(), (std::vector<std::int32_t>{2, 2}));
}

// Processes whose parent has died vote after the verdict, while no answer can be sent.
TEST_F(FreeConsensus, AnswersEveryLateVoteThoughItLackedMemory) {
  begin(0);
  take_vote(1);
  take_vote(2);
  take_vote(4);
  EXPECT_EQ(receivers(), (std::vector<std::int32_t>{4, 2, 1}));
  outbox_->sent.clear();
  outbox_->status = AVRM_ERR_AGAIN;
  memory_.lacks = true;
  for (const std::int32_t late : {3, 5, 6, 7}) {
    take_vote(late);
  }
  outbox_->status = AVRM_OK;
  memory_.lacks = false;
  (void)device()->deferred.flush(device());
  consensus_->go_on();
  std::vector<std::int32_t> answered = receivers();
  std::sort(answered.begin(), answered.end());
  EXPECT_EQ(answered, (std::vector<std::int32_t>{3, 5, 6, 7}));
}

// Process 0 of eight, in a communicator of all of them.
class FreedCommunicator : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 8;
  static constexpr std::uint32_t kContext = 5;

  void SetUp() override {
    ASSERT_EQ(member_.open(&hooks_), AVRM_OK);
    outbox_.emplace(device());
    avrm_rankmap_t map{};
    ASSERT_EQ(avrm_rankmap_dup(avrm_comm_map(world()), &map), AVRM_OK);
    ASSERT_EQ(avrm_comm_create_local(device(), &map, 0, kContext, &comm_), AVRM_OK);
  }
  void TearDown() override {
    outbox_.reset();
    EXPECT_EQ(member_.close(), AVRM_OK);
  }
  [[nodiscard]] avrm_device_t *device() const { return member_.device(); }
  [[nodiscard]] avrm_comm_t *world() const { return avrm_device_world(device()); }

  [[nodiscard]] ActiveHeader header_from(std::int32_t rank, ActiveType type, std::uint32_t context) const {
    ActiveHeader header = detail::header_about(device(), type, context, rank, 0);
    header.position = static_cast<std::uint32_t>(rank); // its signature
    return header;
  }
  void take_revocation() { device()->creations->on_revoke(device(), header_from(1, ActiveType::kRevoke, kContext)); }
  // A member has freed the communicator, and tells this process.
  void take_vote(std::int32_t rank, std::uint32_t context = kContext) {
    detail::ConsensusHeader vote{};
    vote.number = 1;
    vote.kind = detail::ConsensusHeader::kVote;
    vote.sender = rank;
    device()->creations->on_free_consensus(device(), header_from(rank, ActiveType::kFreeConsensus, context), &vote,
                                           sizeof vote);
  }
  // The answer to such a vote.
  [[nodiscard]] Reply answer_about(std::uint32_t context) {
    outbox_->sent.clear();
    take_vote(1, context);
    return outbox_->sent.size() == 1 ? detail::answer_in(outbox_->sent[0].header) : Reply::kNone;
  }
  void free_comm() {
    EXPECT_EQ(avrm_comm_free(comm_), AVRM_OK);
    for (int i = 0; i < 5; ++i) {
      avrm_progress(device());
    }
  }
  // What only counts the failures so far.
  void acknowledge_none() {
    std::int32_t acknowledged = -1;
    EXPECT_EQ(avrm_comm_ack_failed(comm_, 0, &acknowledged), AVRM_OK);
  }

  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{kSize};
  std::optional<Outbox> outbox_;
  avrm_comm_t *comm_ = nullptr;
};

// This process has not taken notice of the revocation yet. Another member may still send messages.
TEST_F(FreedCommunicator, KeepsItsContextIdIfAnotherMemberHasRevokedIt) {
  take_revocation();
  free_comm();
  EXPECT_TRUE(device()->contexts.has(kContext));
}

TEST_F(FreedCommunicator, KeepsItsContextIdAlsoIfItsFailedMembersWereCounted) {
  acknowledge_none();
  take_revocation();
  free_comm();
  EXPECT_TRUE(device()->contexts.has(kContext));
}

TEST_F(FreedCommunicator, AnswersMembersThatFreedItBefore) {
  acknowledge_none();
  for (const std::int32_t rank : {1, 2, 4}) {
    take_vote(rank);
  }
  EXPECT_TRUE(outbox_->sent.empty());
  free_comm();
  EXPECT_EQ(outbox_->sent.size(), 3U);
}

TEST_F(FreedCommunicator, IsUnknownAlsoIfItsIdIsKeptWithoutMemory) {
  device()->boot->report_death(7);
  memory_.lacks = true;
  free_comm();
  memory_.lacks = false;
  EXPECT_TRUE(device()->contexts.has(kContext));
  EXPECT_EQ(answer_about(kContext), Reply::kGone);
}

TEST_F(FreedCommunicator, IsUnknownAfterItsCreationHasFailed) {
  constexpr std::uint32_t kNext = 9;
  std::optional<detail::Creation> creation(std::in_place, world(), 0);
  creation->made()->map = detail::copy_of(avrm_comm_map(world()));
  creation->made()->rank = 0;
  ASSERT_EQ(creation->prepare(*creation->made()), AVRM_OK);
  ASSERT_EQ(device()->contexts.take(kNext), AVRM_OK);
  creation->made()->context = kNext;
  EXPECT_EQ(answer_about(kNext), Reply::kAgain) << "others may already have it";
  memory_.lacks = true;
  creation.reset();
  memory_.lacks = false;
  EXPECT_TRUE(device()->contexts.has(kNext));
  EXPECT_EQ(answer_about(kNext), Reply::kGone);
  free_comm();
}

} // namespace
} // namespace avrankmap::test
