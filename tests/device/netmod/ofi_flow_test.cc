// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of messages that the netmod copies: the rule alone, and peers that do not read.
#include "ofi/flow.h"

#include <cstring>
#include <map>

#include "ofi/transport.h"
#include "tests/device/netmod/ofi_fixture.h"
#if AVRM_WITH_COUNTERS
#include "bench/counters/single_step.h"
#include "tests/support/counted.h"

extern "C" {
// What is counted.
[[gnu::noinline, gnu::used]] bool avrm_test_take(avrankmap::detail::ofi::Flow *flow, std::uint64_t peer) {
  return flow->take(peer) == avrankmap::detail::ofi::Flow::Verdict::kSend;
}
}
#endif

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

#if AVRM_WITH_COUNTERS
// A message to another peer costs about as many instructions if many peers are held.
TEST(OfiFlow, HeldPeersDoNotSlowMessagesToOthers) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<double> counts;
  for (const std::uint64_t held : {2, 500}) {
    const auto run = [held] {
      std::uint32_t left = 0;
      Flow flow{left};
      for (std::uint64_t peer = 1; peer <= held; ++peer) {
        flow.sent(peer);
        flow.progressed();
        EXPECT_EQ(send_to_turn(flow, peer), Flow::Verdict::kLater);
      }
      (void)avrm_test_take(&flow, held + 1);
    };
    const counters::Result<counters::StepCount> counted = counters::count_call(avrm_test_take, run, options);
    AVRM_ASSERT_COUNTED(counted);
    counts.push_back(static_cast<double>(counted->instructions));
  }
  EXPECT_LT(counts[1], 5 * counts[0]);
}
#endif

class OfiFlood : public OfiNetmod {
protected:
  // Expects that a peer that does not read is sent a limited number of messages. The system's own
  // buffers hold some ten thousand. The receiver takes all in before it ends, since ofi_rxm of
  // libfabric 1.17 may crash when it is closed while messages arrive.
  static void expect_push_back(const std::function<avrm_status_t(Side &, const Bytes &)> &post) {
    if (std::strcmp(GetParam().provider, "sockets") == 0) {
      GTEST_SKIP() << "a thread of this provider takes in messages for the receiver, ever more slowly";
    }
    run([&post](Side &side) {
      Bytes message(8);
      connect_both_ways(side);
      if (side.rank == 1) {
        TestRequest last;
        ASSERT_EQ(side.receive(kMatch + 2, 0, message, last), AVRM_OK);
        side.doze();
        side.barrier();
        side.wait(last);
        side.barrier();
        return;
      }
      constexpr int kMost = 300000;
      EXPECT_LT(flood(side, kMost, [&](Side &from) { return post(from, message); }), kMost);
      side.barrier();
      EXPECT_EQ(side.inject(kMatch + 2, message), AVRM_OK) << "it reads again";
      side.barrier();
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, OfiFlood, testing::ValuesIn(ofi_providers()), kByName);

TEST_P(OfiFlood, MessagesToAPeerThatDoesNotReadArePushedBack) {
  expect_push_back([](Side &side, const Bytes &message) {
    return side.ops->tinject(side.net, message.data(), message.size(), side.peer, kMatch + 1);
  });
}

TEST_P(OfiFlood, ActiveMessagesToAPeerThatDoesNotReadArePushedBack) {
  expect_push_back([](Side &side, const Bytes &message) {
    return side.ops->am_send(side.net, side.peer, message.data(), message.size(), nullptr, 0);
  });
}

TEST_P(OfiFlood, APeerThatDoesNotReadLeavesBuffersToOthers) {
  run([](Side &side) {
    connect_both_ways(side);
    if (side.rank == 1) {
      side.doze();
      const std::size_t taken = side.exchange({}).size();
      while (side.arrived.size() < taken) {
        side.poll();
      }
      side.barrier();
      return;
    }
    unsigned char own[512];
    std::size_t bytes = sizeof own;
    std::uint64_t self = 0;
    ASSERT_EQ(side.ops->address(side.net, own, &bytes), AVRM_OK);
    ASSERT_EQ(side.ops->insert(side.net, 1, own, bytes, bytes, &self), AVRM_OK);
    const Bytes content(side.net->am_max);
    const auto send_to_self = [&] {
      return side.ops->am_send(side.net, self, content.data(), content.size(), nullptr, 0);
    };
    const auto wait_for = [&side](std::size_t messages) {
      for (int polls = 0; polls < 100000 && side.arrived.size() < messages; ++polls) {
        side.poll();
      }
      EXPECT_EQ(side.arrived.size(), messages);
    };
    ASSERT_EQ(side.insist(send_to_self), AVRM_OK); // connects
    wait_for(1);
    const int taken = flood(side, 20000, [&content](Side &from) {
      return from.ops->am_send(from.net, from.peer, content.data(), content.size(), nullptr, 0);
    });
    EXPECT_EQ(send_to_self(), AVRM_OK);
    wait_for(2);
    side.exchange(Bytes(static_cast<std::size_t>(taken)));
    side.barrier();
  });
}

// A provider that does not send active messages to other peers than one until it is asked to.
class StoppedPeers {
public:
  explicit StoppedPeers(Side &side) : side_(side), endpoint_(detail::ofi::transport_of(side.net).ep) {
    original_ = endpoint_->msg;
    ops_ = *original_;
    ops_.send = [](fid_ep *endpoint, const void *buffer, std::size_t bytes, void *descriptor, fi_addr_t to,
                   void *context) {
      if (to == current->side_.peer) {
        return current->original_->send(endpoint, buffer, bytes, descriptor, to, context);
      }
      current->pending_.push_back({buffer, bytes, descriptor, context});
      return ssize_t{0};
    };
    current = this;
    endpoint_->msg = &ops_;
  }
  StoppedPeers(const StoppedPeers &) = delete;
  StoppedPeers &operator=(const StoppedPeers &) = delete;
  ~StoppedPeers() { endpoint_->msg = original_; }

  // Sends what is pending to that one peer.
  void send() {
    for (const Pending &one : pending_) {
      while (original_->send(endpoint_, one.buffer, one.bytes, one.descriptor, side_.peer, one.context) != 0) {
        side_.poll();
      }
    }
  }

private:
  static inline StoppedPeers *current = nullptr;
  struct Pending {
    const void *buffer;
    std::size_t bytes;
    void *descriptor;
    void *context;
  };

  Side &side_;
  fid_ep *endpoint_;
  fi_ops_msg *original_;
  fi_ops_msg ops_;
  std::vector<Pending> pending_;
};

// Sends messages to as many stopped peers, and then to one that reads. All bytes of a message are
// the number of its receiver.
void send_past(Side &side, unsigned char stopped) {
  detail::ofi::Transport &net = detail::ofi::transport_of(side.net);
  StoppedPeers provider(side);
  const auto send_to = [&side](unsigned char number) {
    const Bytes content(side.net->am_max, number);
    return side.ops->am_send(side.net, side.peer + number, content.data(), content.size(), nullptr, 0);
  };
  std::size_t sent = 0;
  for (unsigned char number = 1; number <= stopped; ++number) {
    while (send_to(number) == AVRM_OK) {
      ++sent;
    }
  }
  EXPECT_EQ(sent, detail::ofi::ActiveBuffers::kSends + stopped);
  for (int polls = 0, left = 3; polls < 100000 && left != 0; ++polls) {
    if (send_to(0) == AVRM_OK) {
      ++sent;
      --left;
    }
    side.poll();
  }
  side.ops->peer_failed(side.net, side.peer + stopped);
  for (int polls = 0; polls < 1000; ++polls) { // its message ends
    side.poll();
  }
  (void)side.exchange(Bytes(sent));
  provider.send();
  while (net.active.free_send_count != detail::ofi::ActiveBuffers::kSends) {
    side.poll();
  }
}

void read_past(Side &side, unsigned char stopped) {
  const std::size_t sent = side.exchange({}).size();
  while (side.arrived.size() < sent) {
    side.poll();
  }
  std::map<unsigned char, std::size_t> counts;
  for (const Bytes &message : side.arrived) {
    EXPECT_EQ(message, Bytes(side.net->am_max, message.front()));
    ++counts[message.front()];
  }
  EXPECT_EQ(counts[0], 3U);
  EXPECT_EQ(counts[1], detail::ofi::ActiveBuffers::kSends + 1);
  for (unsigned char number = 2; number <= stopped; ++number) {
    EXPECT_EQ(counts[number], 1U) << int{number};
  }
}

class OfiStoppedPeers : public OfiNetmod {
protected:
  // `registers`: as a provider with FI_MR_LOCAL wants it.
  static void expect_room_for_others(bool registers) {
    run([registers](Side &side) {
      constexpr unsigned char kStopped = 100;
      connect_both_ways(side);
      detail::ofi::transport_of(side.net).registers_local = registers;
      if (side.rank == 0) {
        send_past(side, kStopped);
      } else {
        read_past(side, kStopped);
      }
      side.barrier();
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, OfiStoppedPeers, testing::ValuesIn(ofi_providers()), kByName);

TEST_P(OfiStoppedPeers, InAnyNumberLeaveBuffersToOthers) { expect_room_for_others(false); }
TEST_P(OfiStoppedPeers, InAnyNumberLeaveRegisteredBuffersToOthers) { expect_room_for_others(true); }

} // namespace
} // namespace avrankmap::test
