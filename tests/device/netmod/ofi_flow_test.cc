// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of injected messages: the rule alone, and a peer that does not read.
#include "ofi/flow.h"

#include <cstring>

#include "tests/device/netmod/ofi_fixture.h"

namespace avrankmap::test {
namespace {

using detail::ofi::Flow;
constexpr std::uint64_t kPeer = 5;
constexpr std::uint64_t kOther = 6;

// Sends to a peer until one takes a turn; returns its verdict.
Flow::Verdict send_to_turn(Flow &flow, std::uint64_t peer) {
  for (std::uint32_t i = 0; i < 2 * Flow::kShortest; ++i) {
    if (flow.counts()) {
      if (const Flow::Verdict verdict = flow.take(peer); verdict != Flow::Verdict::kSend) {
        return verdict;
      }
    }
  }
  return Flow::Verdict::kSend;
}

TEST(OfiFlow, AMessageWaitsForProgressAtItsTurn) {
  std::uint32_t left = 0;
  Flow flow{left};
  for (std::uint32_t i = 1; i < Flow::kShortest; ++i) {
    ASSERT_FALSE(flow.counts());
  }
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(flow.counts());
    ASSERT_EQ(flow.take(kPeer), Flow::Verdict::kLater);
  }
  flow.progressed();
  ASSERT_TRUE(flow.counts());
  EXPECT_EQ(flow.take(kPeer), Flow::Verdict::kSendWithCompletion);
  EXPECT_FALSE(flow.counts());
}

TEST(OfiFlow, APeerIsHeldUntilItsTurnHasLeft) {
  std::uint32_t left = 0;
  Flow flow{left};
  flow.progressed();
  ASSERT_EQ(send_to_turn(flow, kPeer), Flow::Verdict::kSendWithCompletion);
  flow.sent(kPeer);
  flow.progressed();
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(send_to_turn(flow, kPeer), Flow::Verdict::kLater);
    flow.progressed();
  }
  ASSERT_EQ(send_to_turn(flow, kOther), Flow::Verdict::kSendWithCompletion) << "others are not held";
  flow.over(kPeer);
  flow.progressed();
  EXPECT_NE(send_to_turn(flow, kPeer), Flow::Verdict::kLater);
}

TEST(OfiFlow, AMessageThatCouldNotBeSentTakesTheNextTurn) {
  std::uint32_t left = 0;
  Flow flow{left};
  flow.progressed();
  ASSERT_EQ(send_to_turn(flow, kPeer), Flow::Verdict::kSendWithCompletion);
  flow.repeat();
  flow.progressed();
  ASSERT_TRUE(flow.counts());
  EXPECT_EQ(flow.take(kPeer), Flow::Verdict::kSendWithCompletion);
}

class OfiFlood : public OfiNetmod {};
INSTANTIATE_TEST_SUITE_P(Providers, OfiFlood, testing::ValuesIn(ofi_providers()), kByName);

// The system's own buffers hold some ten thousand messages. The receiver takes all in before it
// ends, since ofi_rxm of libfabric 1.17 may crash when it is closed while messages arrive. The
// provider sockets, which does not, would need minutes: it searches them all for each receive.
TEST_P(OfiFlood, APeerThatDoesNotReadIsPushedBack) {
  const bool is_quick = std::strcmp(GetParam().provider, "sockets") != 0;
  run([is_quick](Side &side) {
    Bytes message(8);
    TestRequest request;
    ASSERT_EQ(side.receive(kMatch, 0, message, request), AVRM_OK);
    ASSERT_EQ(side.inject(kMatch, message), AVRM_OK); // connects
    side.wait(request);
    side.barrier();
    if (side.rank == 1) {
      TestRequest last;
      if (is_quick) {
        ASSERT_EQ(side.receive(kMatch + 2, 0, message, last), AVRM_OK);
      }
      side.doze();
      side.barrier();
      if (is_quick) {
        side.wait(last);
      }
      side.barrier();
      return;
    }
    constexpr int kMost = 300000;
    int accepted = 0;
    for (int refused = 0; accepted < kMost && refused < 200;) {
      const avrm_status_t status = side.ops->tinject(side.net, message.data(), message.size(), side.peer, kMatch + 1);
      ASSERT_TRUE(status == AVRM_OK || status == AVRM_ERR_AGAIN);
      accepted += status == AVRM_OK;
      refused = status == AVRM_OK ? 0 : refused + 1;
      if (refused != 0) {
        side.poll();
      }
    }
    EXPECT_LT(accepted, kMost);
    side.barrier();
    EXPECT_EQ(side.inject(kMatch + 2, message), AVRM_OK) << "it reads again";
    side.barrier();
  });
}

} // namespace
} // namespace avrankmap::test
