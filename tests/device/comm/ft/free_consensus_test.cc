// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The agreement on a freed communicator in a process that lacks memory. The test plays the others.
#include "comm_calls/free_consensus.h"

#include <gtest/gtest.h>

#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;
using detail::Reply;

// The receivers of all messages.
std::vector<std::uint64_t> receivers(const Outbox &outbox) {
  std::vector<std::uint64_t> all;
  for (const Outbox::Sent &sent : outbox.sent) {
    all.push_back(sent.header.token);
  }
  return all;
}

TEST(FreeConsensus, AsksAgainForAnAnswerThatItHadNoMemoryFor) {
  LackingMemory memory;
  const avrm_allocator_t hooks = memory.hooks();
  LoneMember member(8);
  ASSERT_EQ(member.open(&hooks), AVRM_OK);
  {
    Outbox outbox(member.device());
    avrm_comm_t plane = *avrm_device_world(member.device());
    plane.rank = 7; // as if this process were another one
    detail::FrameStack frames;
    detail::FreeConsensus consensus(&plane, plane.context, frames);
    consensus.begin(false);
    EXPECT_EQ(receivers(outbox), (std::vector<std::uint64_t>{6}));
    ActiveHeader gone = detail::header_about(member.device(), ActiveType::kFreeConsensus, plane.context, 6, 7);
    gone.token |= static_cast<std::uint64_t>(Reply::kGone) << 32;
    memory.lacks = true;
    consensus.take(gone, nullptr, 0);
    consensus.go_on();
    EXPECT_TRUE(consensus.has_unsent()) << "so that it goes on";
    EXPECT_EQ(outbox.sent.size(), 1U);
    memory.lacks = false;
    consensus.go_on();
    EXPECT_EQ(receivers(outbox), (std::vector<std::uint64_t>{6, 6}));
    consensus.take(gone, nullptr, 0);
    EXPECT_EQ(receivers(outbox), (std::vector<std::uint64_t>{6, 6, 4})) << "the next ancestor";
  }
  EXPECT_EQ(member.close(), AVRM_OK);
}

} // namespace
} // namespace avrankmap::test
