// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a process answers messages about a freed communicator, even without memory. The test plays
// the others.
#include "comm_calls/free_consensus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "core/upcalls.h"
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

// This process has not taken notice of the revocation yet. Another member may still send messages.
TEST(FreedCommunicator, KeepsItsContextIdIfAnotherMemberHasRevokedIt) {
  constexpr std::uint32_t kContext = 5;
  LoneMember member(8);
  ASSERT_EQ(member.open(), AVRM_OK);
  avrm_device_t *const device = member.device();
  const auto create = [device](avrm_comm_t **comm_p) {
    avrm_rankmap_t map{};
    EXPECT_EQ(avrm_rankmap_dup(avrm_comm_map(avrm_device_world(device)), &map), AVRM_OK);
    const avrm_status_t status = avrm_comm_create_local(device, &map, 0, kContext, comm_p);
    avrm_rankmap_destroy(&map);
    return status;
  };
  avrm_comm_t *comm = nullptr;
  ASSERT_EQ(create(&comm), AVRM_OK);
  ActiveHeader header = detail::header_about(device, ActiveType::kRevoke, kContext, 1, 0);
  header.position = 1;
  EXPECT_TRUE(device->upcalls->on_active(device, header, nullptr, 0));
  EXPECT_EQ(avrm_comm_free(comm), AVRM_OK);
  EXPECT_EQ(create(&comm), AVRM_ERR_BUSY);
  EXPECT_EQ(member.close(), AVRM_OK);
}

} // namespace
} // namespace avrankmap::test
