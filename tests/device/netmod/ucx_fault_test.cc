// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The UCX netmod when peers die, are removed, or are still busy when it is closed.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <vector>

#include "ucx_pair.h"

namespace avrankmap::test {

namespace {

class UcxFault : public UcxPair {};

// UCX 1.13 may abort when a peer dies during connection, so these processes connect first.
void be_killed(Side &side) {
  side.connect_both_ways();
  side.barrier();
  std::raise(SIGKILL);
}

TEST_P(UcxFault, SendsToAKilledPeerEndWithPeerError) {
  run(
      be_killed,
      [](Side &side) {
        side.connect_both_ways();
        side.barrier();
        EXPECT_TRUE(side.receive().empty()); // the peer is dead; the netmod does not know
        const std::vector<unsigned char> data = pattern(100000, 1);
        avrm_status_t status = AVRM_OK;
        while (status == AVRM_OK) {
          TestRequest request;
          status = side.send(1, data.data(), data.size(), &request);
          if (status == AVRM_OK) {
            side.wait(request);
            status = request.status;
          }
        }
        EXPECT_EQ(status, AVRM_ERR_PEER) << side.ops->last_error(side.net);
        EXPECT_STRNE(side.ops->last_error(side.net), "no error");
        while ((status = side.ops->tinject(side.net, "x", 1, side.peer, 1)) != AVRM_ERR_PEER) {
          side.progress();
        }
      },
      true);
}

// Nobody knows yet that it is dead.
TEST_P(UcxFault, TheFirstContactWithADeadPeerEndsWithPeerError) {
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
  const pid_t dead = start([&] {
    const Side side(GetParam().provider, sockets[0]);
    side.tell_address();
    std::raise(SIGKILL);
  });
  const pid_t survivor = start([&] {
    ::close(sockets[0]);
    Side side(GetParam().provider, sockets[1]);
    const std::vector<unsigned char> address = side.receive_idle();
    ASSERT_TRUE(side.receive_idle().empty());
    avrm_status_t status = side.ops->insert(side.net, 1, address.data(), address.size(), address.size(), &side.peer);
    while (status == AVRM_OK) {
      status = side.inject(1, "x", 1);
      side.progress();
    }
    EXPECT_EQ(status, AVRM_ERR_PEER) << side.ops->last_error(side.net);
  });
  EXPECT_EQ(status_of(dead), SIGKILL);
  ::close(sockets[0]);
  ::close(sockets[1]);
  EXPECT_EQ(status_of(survivor), 0);
}

TEST_P(UcxFault, OperationsWithAPeerThatIsToldToHaveFailedEndWithPeerError) {
  run(
      be_killed,
      [](Side &side) {
        side.connect_both_ways();
        const std::vector<unsigned char> data = pattern(1048576, 1);
        std::vector<TestRequest> requests(5);
        for (TestRequest &request : requests) {
          ASSERT_EQ(side.send(1, data.data(), data.size(), &request), AVRM_OK);
        }
        side.barrier();
        EXPECT_TRUE(side.receive().empty());
        side.ops->peer_failed(side.net, side.peer);
        for (TestRequest &request : requests) {
          side.wait(request);
          EXPECT_EQ(request.status, AVRM_ERR_PEER);
        }
        TestRequest late;
        EXPECT_EQ(side.send(1, data.data(), data.size(), &late), AVRM_ERR_PEER);
        EXPECT_EQ(side.inject(1, "x", 1), AVRM_ERR_PEER);
        EXPECT_EQ(side.message("header", ""), AVRM_ERR_PEER);
        EXPECT_EQ(side.ops->flush(side.net, side.peer, &late), AVRM_ERR_PEER);
        EXPECT_EQ(late.completions, 0);
      },
      true);
}

TEST_P(UcxFault, AReceiveThatAKilledPeerDoesNotFinishEndsWithAnError) {
  run(
      [](Side &side) {
        side.connect_both_ways();
        const std::vector<unsigned char> data = pattern(1 << 24, 1);
        TestRequest request;
        ASSERT_EQ(side.send(1, data.data(), data.size(), &request), AVRM_OK);
        side.barrier();
        std::raise(SIGKILL);
      },
      [](Side &side) {
        side.connect_both_ways();
        side.barrier();
        EXPECT_TRUE(side.receive_idle().empty());
        std::vector<unsigned char> buffer(1 << 24);
        TestRequest request;
        ASSERT_EQ(side.post_receive(1, 0, buffer.data(), buffer.size(), &request), AVRM_OK);
        side.progress();
        side.ops->peer_failed(side.net, side.peer);
        side.ops->cancel(side.net, &request);
        side.wait(request);
        EXPECT_NE(request.status, AVRM_OK);
      },
      true);
}

// The request has completed, and its buffer belongs to the caller.
TEST_P(UcxFault, AReceiveThatEndedWithItsPeerTakesNoLaterMessage) {
  run(
      be_killed,
      [](Side &side) {
        side.connect_both_ways();
        char ended = 0;
        const avrm_piece_t piece{&ended, 1};
        TestRequest request;
        ASSERT_EQ(side.insist([&] { return side.ops->trecv(side.net, side.peer, 1, 0, &piece, 1, &request); }),
                  AVRM_OK);
        side.barrier();
        EXPECT_TRUE(side.receive().empty());
        side.ops->peer_failed(side.net, side.peer);
        side.wait(request);
        EXPECT_EQ(request.status, AVRM_ERR_PEER);

        side.peer_address = side.own_address();
        side.insert();
        ASSERT_EQ(side.inject(1, "x", 1), AVRM_OK);
        char data = 0;
        TestRequest later;
        ASSERT_EQ(side.post_receive(1, 0, &data, 1, &later), AVRM_OK);
        while (later.completions == 0 && ended == 0) {
          side.progress();
        }
        EXPECT_EQ(ended, 0);
        EXPECT_EQ(data, 'x');
        EXPECT_EQ(request.completions, 1);
      },
      true);
}

TEST_P(UcxFault, NoNewPeerGetsTheHandleOfAFailedOne) {
  run(
      be_killed,
      [](Side &side) {
        side.connect_both_ways();
        side.barrier();
        EXPECT_TRUE(side.receive().empty());
        const std::uint64_t failed = side.peer;
        side.ops->peer_failed(side.net, failed);
        for (int i = 0; i < 100; ++i) {
          side.progress();
        }
        unsigned char own[1004];
        std::size_t bytes = sizeof own;
        ASSERT_EQ(side.ops->address(side.net, own, &bytes), AVRM_OK);
        std::uint64_t handles[8];
        for (std::uint64_t &handle : handles) {
          ASSERT_EQ(side.ops->insert(side.net, 1, own, bytes, bytes, &handle), AVRM_OK);
          EXPECT_NE(handle, failed);
        }
        EXPECT_EQ(side.inject(1, "x", 1), AVRM_ERR_PEER);
        side.ops->remove(side.net, failed);
        side.peer = handles[0];
        EXPECT_EQ(side.inject(1, "x", 1), AVRM_OK);
        char data = 0;
        TestRequest request;
        ASSERT_EQ(side.post_receive(1, 0, &data, 1, &request), AVRM_OK);
        side.wait(request);
        EXPECT_EQ(data, 'x');
      },
      true);
}

TEST_P(UcxFault, ARemovedPeerCanBeInsertedAgain) {
  run(
      [](Side &side) {
        for (std::uint64_t round = 0; round < 5; ++round) {
          ASSERT_EQ(side.inject(round, "a", 1), AVRM_OK);
          side.ops->remove(side.net, side.peer);
          side.insert();
        }
        ASSERT_EQ(side.inject(5, "b", 1), AVRM_OK);
        side.barrier();
      },
      [](Side &side) {
        for (std::uint64_t round = 0; round < 6; ++round) {
          char data = 0;
          TestRequest request;
          ASSERT_EQ(side.post_receive(round, 0, &data, 1, &request), AVRM_OK);
          side.wait(request);
          EXPECT_EQ(data, round == 5 ? 'b' : 'a');
        }
        side.barrier();
      });
}

TEST_P(UcxFault, ClosingEndsWhatIsUnderWay) {
  run([](Side &side) { side.barrier(); },
      [](Side &side) {
        const std::vector<unsigned char> data = pattern(1048576, 1);
        char byte = 0;
        TestRequest send;
        TestRequest receive;
        ASSERT_EQ(side.send(1, data.data(), data.size(), &send), AVRM_OK);
        ASSERT_EQ(side.post_receive(2, 0, &byte, 1, &receive), AVRM_OK);
        side.close();
        EXPECT_EQ(send.completions, 1);
        EXPECT_EQ(send.status, AVRM_ERR_CANCELLED);
        EXPECT_EQ(receive.completions, 1);
        EXPECT_EQ(receive.status, AVRM_ERR_CANCELLED);
        side.send_out("m", 1);
      });
}

// UCX 1.13 aborts if a worker is destroyed while its answer to a peer that connects is unsent.
TEST_P(UcxFault, APeerMayBeAtAnyStepOfItsConnectionWhenANetmodIsClosed) {
  constexpr int kMostSteps = 10;
  pid_t pids[kMostSteps];
  for (int steps = 0; steps < kMostSteps; ++steps) {
    pids[steps] = start([steps] {
      TestRequest send;
      Side peer(GetParam().provider, -1);
      Side side(GetParam().provider, -1);
      ASSERT_TRUE(peer.net != nullptr && side.net != nullptr);
      peer.peer_address = side.own_address();
      peer.insert();
      const std::vector<unsigned char> data = pattern(100000, 1);
      ASSERT_EQ(peer.send(1, data.data(), data.size(), &send), AVRM_OK);
      for (int i = 0; i < steps; ++i) {
        (i % 2 == 0 ? peer : side).progress();
      }
      side.close();
    });
  }
  for (int steps = 0; steps < kMostSteps; ++steps) {
    EXPECT_EQ(status_of(pids[steps]), 0) << "after " << steps << " steps";
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, UcxFault, testing::ValuesIn(ucx_transports()), kByName);

} // namespace

} // namespace avrankmap::test
