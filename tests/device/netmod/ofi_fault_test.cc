// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The libfabric netmod when a peer dies, when it is closed, and when a provider is missing.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "ofi/transport.h"
#include "tests/device/netmod/ofi_fixture.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

class OfiFault : public OfiNetmod {};
INSTANTIATE_TEST_SUITE_P(Providers, OfiFault, testing::ValuesIn(ofi_providers()), kByName);

// Every kind of operation with a peer.
struct Traffic {
  static constexpr std::size_t kLarge = 4u << 20;

  explicit Traffic(Side &owner) : side(owner), large(kLarge), buffer(kLarge) {}
  void start(Window &window) {
    const avrm_piece_t to = {buffer.data(), buffer.size()};
    const avrm_piece_t from = {large.data(), large.size()};
    note(0, side.ops->trecv(side.net, side.peer, kMatch, 0, &to, 1, &requests[0]));
    note(kNeverSent, side.ops->trecv(side.net, side.peer, kMatch + 1, 0, &to, 1, &requests[kNeverSent]));
    note(2, side.ops->tsend(side.net, side.peer, kMatch, &from, 1, &requests[2]));
    note(3, side.ops->tsend(side.net, side.peer, kMatch + 2, &from, 1, &requests[3]));
    note(4, side.ops->put(side.net, side.peer, window.remote, window.key, large.data(), 100000, &requests[4]));
    note(5, side.ops->get(side.net, side.peer, window.remote, window.key, buffer.data(), 100000, &requests[5]));
    note(6, side.ops->flush(side.net, side.peer, &requests[6]));
  }
  void note(std::size_t i, avrm_status_t status) { expected[i] = status == AVRM_OK ? 1 : 0; }
  [[nodiscard]] bool is_over() const {
    for (std::size_t i = 0; i < std::size(requests); ++i) {
      if (requests[i].completions < expected[i]) {
        return false;
      }
    }
    return true;
  }

  static constexpr std::size_t kNeverSent = 1; // the receive of a message that nobody sends
  Side &side;
  Bytes large;
  Bytes buffer;
  TestRequest requests[7];
  int expected[7] = {};
};

TEST_P(OfiFault, OperationsWithAKilledPeerEnd) {
  run(
      [](Side &side) {
        Window window(side, 100000);
        connect_both_ways(side);
        Traffic traffic(side);
        traffic.start(window);
        if (side.rank == 1) {
          for (int polls = 0; polls < 20; ++polls) {
            side.ops->progress(side.net);
          }
          kill(getpid(), SIGKILL);
        }
        side.wait_for_death();
        side.ops->peer_failed(side.net, side.peer);
        int polls = 0;
        while (!traffic.is_over()) {
          ASSERT_LT(++polls, 100000);
          side.poll();
        }
        for (std::size_t i = 0; i < std::size(traffic.requests); ++i) {
          const TestRequest &request = traffic.requests[i];
          EXPECT_EQ(request.completions, traffic.expected[i]) << i;
          EXPECT_TRUE(request.status == AVRM_OK || request.status == AVRM_ERR_PEER)
              << i << ": " << avrm_status_name(request.status) << ", " << side.ops->last_error(side.net);
        }
        EXPECT_EQ(traffic.requests[Traffic::kNeverSent].status, AVRM_ERR_PEER);
        side.ops->remove(side.net, side.peer);
        for (polls = 0; polls < 1000; ++polls) { // late messages are dropped
          side.poll();
        }
        EXPECT_EQ(traffic.requests[Traffic::kNeverSent].completions, 1);
      },
      {0, 128 + SIGKILL});
}

TEST_P(OfiFault, NothingIsStartedWithAPeerThatFailed) {
  run([](Side &side) {
    {
      Window window(side, 100);
      side.barrier();
      side.ops->peer_failed(side.net, side.peer);
      Bytes buffer(8);
      TestRequest request;
      TestRequest flushed;
      TestRequest late;
      EXPECT_EQ(side.inject(kMatch, buffer), AVRM_ERR_PEER);
      EXPECT_EQ(side.send(kMatch, buffer, request), AVRM_ERR_PEER);
      EXPECT_EQ(side.am(buffer, {}), AVRM_ERR_PEER);
      EXPECT_EQ(window.put(0, buffer, 8, request), AVRM_ERR_PEER);
      EXPECT_EQ(window.get(0, buffer, 8, request), AVRM_ERR_PEER);
      EXPECT_EQ(request.completions, 0);
      EXPECT_EQ(side.ops->flush(side.net, side.peer, &flushed), AVRM_OK);
      EXPECT_EQ(flushed.status, AVRM_ERR_PEER);
      // A message of the peer may have arrived already, so the netmod accepts a
      // receive, and ends it.
      ASSERT_EQ(side.receive(kMatch, 0, buffer, late), AVRM_OK);
      side.wait(late);
      EXPECT_EQ(late.status, AVRM_ERR_PEER);
    }
    side.barrier();
  });
}

// A provider whose queue of receives is full on request.
struct ReceiveQueue {
  fi_ops_tagged *original;
  fi_ops_tagged changed;
  bool full;
};
ReceiveQueue receives;

// Posts a receive of a message with the match bits kMatch, for which there is room only once its
// peer has failed.
void receive_when_failed(Side &side, Bytes &buffer, TestRequest &request) {
  fid_ep *const endpoint = detail::ofi::transport_of(side.net).ep;
  receives = {endpoint->tagged, *endpoint->tagged, true};
  receives.changed.recv = [](fid_ep *ep, void *base, size_t bytes, void *descriptor, fi_addr_t from, std::uint64_t tag,
                             std::uint64_t ignore, void *context) {
    return receives.full ? -FI_EAGAIN
                         : receives.original->recv(ep, base, bytes, descriptor, from, tag, ignore, context);
  };
  receives.changed.recvv = [](fid_ep *ep, const iovec *list, void **descriptors, size_t count, fi_addr_t from,
                              std::uint64_t tag, std::uint64_t ignore, void *context) {
    return receives.full ? -FI_EAGAIN
                         : receives.original->recvv(ep, list, descriptors, count, from, tag, ignore, context);
  };
  endpoint->tagged = &receives.changed;
  ASSERT_EQ(side.receive(kMatch, 0, buffer, request), AVRM_OK);
  side.poll();
  side.ops->peer_failed(side.net, side.peer);
  receives.full = false;
  side.wait(request);
  endpoint->tagged = receives.original;
}

TEST_P(OfiFault, AReceiveThatWaitedForRoomLeavesLaterMessagesAloneOnceItsPeerHasFailed) {
  run([](Side &side) {
    if (side.rank == 0) {
      Bytes unused(8);
      TestRequest ended;
      receive_when_failed(side, unused, ended);
      EXPECT_EQ(ended.status, AVRM_ERR_PEER);
      Bytes buffer(8);
      TestRequest next;
      const avrm_piece_t piece = {buffer.data(), buffer.size()};
      ASSERT_EQ(side.ops->trecv(side.net, AVRM_ANY_ADDRESS, kMatch, 0, &piece, 1, &next), AVRM_OK);
      side.barrier();
      side.barrier();
      for (int polls = 0; polls < 100000 && next.completions == 0; ++polls) {
        side.poll();
      }
      EXPECT_EQ(next.completions, 1);
      EXPECT_EQ(buffer, pattern(8, 1));
      EXPECT_EQ(unused, Bytes(8));
    } else {
      side.barrier();
      ASSERT_EQ(side.inject(kMatch, pattern(8, 1)), AVRM_OK);
      side.barrier();
    }
    side.barrier();
  });
}

TEST_P(OfiFault, ClosingEndsWhatIsUnderWay) {
  run([](Side &side) {
    Bytes small(8);
    TestRequest received;
    ASSERT_EQ(side.receive(kMatch, 0, small, received), AVRM_OK);
    std::vector<TestRequest> many(3000);
    for (TestRequest &request : many) {
      ASSERT_EQ(side.receive(kMatch + 1, 0, small, request), AVRM_OK);
    }
    side.barrier();
    side.close();
    EXPECT_EQ(received.completions, 1);
    EXPECT_EQ(received.status, AVRM_ERR_CANCELLED);
    EXPECT_TRUE(std::all_of(many.begin(), many.end(), [](const TestRequest &r) { return r.completions == 1; }));
    // A process may open the netmod again.
    ASSERT_EQ(side.open(GetParam().provider), AVRM_OK);
    side.connect();
    TestRequest again;
    ASSERT_EQ(side.receive(kMatch, 0, small, again), AVRM_OK);
    ASSERT_EQ(side.inject(kMatch, pattern(8, 4)), AVRM_OK);
    side.wait(again);
    EXPECT_EQ(small, pattern(8, 4));
    side.barrier();
  });
}

// The device's part that takes them no longer exists.
TEST_P(OfiFault, ClosingOffersNoActiveMessageAgain) {
  run([](Side &side) {
    side.takes = false;
    ASSERT_EQ(side.am(pattern(8, 1), {}), AVRM_OK);
    while (side.offers == 0) {
      side.poll();
    }
    side.barrier();
    const int before = side.offers;
    side.close();
    EXPECT_EQ(side.offers, before);
    ASSERT_EQ(side.open(GetParam().provider), AVRM_OK);
  });
}

TEST_P(OfiFault, RemovedPeersEndTheirRequests) {
  run([](Side &side) {
    Bytes buffer(8);
    TestRequest from_peer;
    TestRequest from_anybody;
    const avrm_piece_t piece = {buffer.data(), buffer.size()};
    ASSERT_EQ(side.ops->trecv(side.net, side.peer, kMatch, 0, &piece, 1, &from_peer), AVRM_OK);
    ASSERT_EQ(side.ops->trecv(side.net, AVRM_ANY_ADDRESS, kMatch + 1, 0, &piece, 1, &from_anybody), AVRM_OK);
    side.ops->remove(side.net, side.peer);
    EXPECT_EQ(from_peer.status, AVRM_ERR_CANCELLED);
    EXPECT_EQ(from_anybody.completions, 0);
    side.connect();
    ASSERT_EQ(side.inject(kMatch + 1, pattern(8, 2)), AVRM_OK);
    side.wait(from_anybody);
    EXPECT_EQ(buffer, pattern(8, 2));
    EXPECT_EQ(from_peer.completions, 1);
    side.barrier();
  });
}

// The provider may still send them, and must not send another message in their place.
TEST_P(OfiFault, ActiveMessagesToARemovedPeerKeepTheirBuffers) {
  run([](Side &side) {
    connect_both_ways(side);
    if (side.rank == 1) {
      side.doze();
      side.barrier();
      return;
    }
    const Bytes content(side.net->am_max);
    (void)flood(side, 20000, [&content](Side &from) {
      return from.ops->am_send(from.net, from.peer, content.data(), content.size(), nullptr, 0);
    });
    const std::size_t free_buffers = detail::ofi::transport_of(side.net).active.free_send_count;
    side.ops->remove(side.net, side.peer);
    EXPECT_EQ(detail::ofi::transport_of(side.net).active.free_send_count, free_buffers);
    EXPECT_LT(free_buffers, detail::ofi::ActiveBuffers::kSends) << "otherwise this tests nothing";
    side.barrier();
  });
}

TEST_P(OfiFault, AddressesOfAnotherProviderAreRefused) {
  run([](Side &side) {
    unsigned char address[512];
    std::size_t bytes = sizeof address;
    ASSERT_EQ(side.ops->address(side.net, address, &bytes), AVRM_OK);
    std::size_t little = bytes - 1;
    EXPECT_EQ(side.ops->address(side.net, address, &little), AVRM_ERR_SIZE);
    address[5] ^= 1; // within the hash of the provider's name
    std::uint64_t handle = 42;
    EXPECT_EQ(side.ops->insert(side.net, 1, address, bytes, bytes, &handle), AVRM_ERR_TRANSPORT);
    EXPECT_NE(std::strstr(side.ops->last_error(side.net), "another provider"), nullptr);
    EXPECT_EQ(side.ops->insert(side.net, 1, address, bytes, 3, &handle), AVRM_ERR_SIZE);
    side.barrier();
  });
}

// What a process that closes has sent.
struct Sent {
  std::atomic<std::size_t> messages = 0;
  std::atomic<bool> all = false;
  std::atomic<bool> closed = false;
  std::atomic<bool> late = false; // the peer read too slowly, on a busy machine
};

class OfiClose : public OfiNetmod {
protected:
  // Sends messages to a peer that does not read, until none is accepted, and closes. The peer then
  // reads, and expects all. `post(side)` sends one, `read(side, count)` returns true once `count`
  // have arrived.
  static void expect_all(const std::function<avrm_status_t(Side &)> &post,
                         const std::function<bool(Side &, std::size_t)> &read) {
    const Shared<Sent> sent;
    run([&](Side &side) {
      connect_both_ways(side);
      if (side.rank == 0) {
        sent->messages = static_cast<std::size_t>(flood(side, kMost, post));
        sent->all = true;
        const auto start = std::chrono::steady_clock::now();
        side.close();
        sent->late = std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(900);
        sent->closed = true;
        ASSERT_EQ(side.open(GetParam().provider), AVRM_OK);
      } else {
        while (!sent->all) {
          sched_yield();
        }
        bool has_all = read(side, sent->messages);
        for (int polls = 0; !has_all && polls < 100000; polls += sent->closed ? 1 : 0) {
          side.poll();
          has_all = read(side, sent->messages);
        }
        EXPECT_TRUE(has_all || sent->late) << sent->messages;
      }
      side.barrier();
    });
  }
  static constexpr int kMost = 200000;
};
INSTANTIATE_TEST_SUITE_P(Providers, OfiClose, testing::ValuesIn(ofi_providers()), kByName);

TEST_P(OfiClose, ActiveMessagesReachAPeerThatReadsLate) {
  expect_all(
      [](Side &side) {
        const Bytes content(side.net->am_max);
        return side.ops->am_send(side.net, side.peer, content.data(), content.size(), nullptr, 0);
      },
      [](Side &side, std::size_t count) { return side.arrived.size() >= count; });
}

TEST_P(OfiClose, InjectedMessagesReachAPeerThatReadsLate) {
  if (std::strcmp(GetParam().provider, "sockets") == 0) {
    GTEST_SKIP() << "it searches all messages for each receive";
  }
  Bytes buffer(16384);
  std::deque<TestRequest> received;
  expect_all(
      [&buffer](Side &side) {
        const Bytes content(std::min(side.net->inject_max, buffer.size()));
        return side.ops->tinject(side.net, content.data(), content.size(), side.peer, kMatch + 1);
      },
      [&](Side &side, std::size_t count) {
        while (received.size() < count && (received.empty() || received.back().completions != 0)) {
          received.emplace_back();
          EXPECT_EQ(side.receive(kMatch + 1, 0, buffer, received.back()), AVRM_OK);
        }
        return received.size() == count && received.back().completions != 0;
      });
}

// Runs in one process of its own.
void run_alone(const std::function<void(Side &)> &body) { EXPECT_EQ(run_processes(1, body), std::vector<int>{0}); }

TEST(OfiTransport, LeavesTheBuffersOfActiveMessagesToObjectsThatStayOpen) {
  unsigned char block[2] = {};
  detail::ofi::Transport net(detail::default_allocator());
  net.active.block.reset(block);
  net.leave_open();
  EXPECT_EQ(net.active.block, nullptr);
}

TEST(OfiProvider, UnknownOnesAreNamed) {
  run_alone([](Side &side) {
    EXPECT_EQ(side.open("no_such_provider"), AVRM_ERR_UNSUPPORTED);
    EXPECT_EQ(side.net, nullptr);
    EXPECT_NE(std::strstr(side.ops->last_error(nullptr), "no_such_provider"), nullptr) << side.ops->last_error(nullptr);
  });
}

// Whether it is the caller or the environment that asks for it, which libfabric reads once.
TEST(OfiProvider, ThoseThatLoseMessagesAreRefusedWithAnAlternative) {
  std::vector<const char *> providers{"udp"};
  if (is_refused(transport_named("ofi_shm"))) {
    providers.push_back("shm");
  }
  for (const char *const provider : providers) {
    for (const bool by_environment : {false, true}) {
      run_alone([provider, by_environment](Side &side) {
        if (by_environment) {
          setenv("FI_PROVIDER", provider, 1);
        }
        EXPECT_EQ(side.open(by_environment ? nullptr : provider), AVRM_ERR_UNSUPPORTED) << provider;
        EXPECT_EQ(side.net, nullptr);
        EXPECT_NE(std::strstr(side.ops->last_error(nullptr), "use the posix shmmod"), nullptr)
            << side.ops->last_error(nullptr);
      });
    }
  }
}

TEST(OfiProvider, ThoseThatAreRefusedGiveWayToOthers) {
  const std::vector<int> codes = run_processes(1, [](Side &side) {
    setenv("FI_PROVIDER", "udp,shm,sockets", 1);
    if (side.open(nullptr) == AVRM_ERR_UNSUPPORTED) {
      GTEST_SKIP();
    }
    const std::string chosen = side.ops->describe(side.net);
    EXPECT_TRUE(chosen.rfind("sockets", 0) == 0 || chosen.rfind("shm", 0) == 0) << chosen;
    side.close();
  });
  EXPECT_TRUE(codes[0] == 0 || codes[0] == kSkipped);
}

TEST(OfiProvider, TheEnvironmentChooses) {
  for (const char *const provider : {"tcp", "sockets", "shm", "net"}) {
    const std::vector<int> codes = run_processes(1, [provider](Side &side) {
      setenv("FI_PROVIDER", provider, 1);
      if (side.open(nullptr) == AVRM_ERR_UNSUPPORTED) {
        GTEST_SKIP();
      }
      EXPECT_EQ(std::string(side.ops->describe(side.net)).rfind(provider, 0), 0u) << side.ops->describe(side.net);
      side.close();
    });
    EXPECT_TRUE(codes[0] == 0 || codes[0] == kSkipped) << provider;
  }
}

TEST(OfiProvider, OnlySharedMemoryAsksForALull) {
  for (const Transport &transport : ofi_providers()) {
    const char *const provider = transport.provider;
    const std::vector<int> codes = run_processes(1, [provider](Side &side) {
      if (side.open(provider) == AVRM_ERR_UNSUPPORTED) {
        GTEST_SKIP();
      }
      EXPECT_EQ(side.net->poll_pause_ns != 0, std::strcmp(provider, "shm") == 0);
      side.close();
    });
    EXPECT_TRUE(codes[0] == 0 || codes[0] == kSkipped) << provider;
  }
}

TEST(OfiProvider, AnEnvironmentThatChoosesNoneIsReported) {
  run_alone([](Side &side) {
    setenv("FI_PROVIDER", "no_such_provider", 1);
    EXPECT_EQ(side.open(nullptr), AVRM_ERR_UNSUPPORTED);
    EXPECT_NE(std::strstr(side.ops->last_error(nullptr), "FI_PROVIDER=no_such_provider"), nullptr)
        << side.ops->last_error(nullptr);
  });
}

TEST(OfiProvider, ActiveMessagesFitIntoOneBuffer) {
  run_alone([](Side &side) {
    setenv("FI_OFI_RXM_BUFFER_SIZE", "3000", 1);
    ASSERT_EQ(side.open("tcp;ofi_rxm"), AVRM_OK) << side.ops->last_error(nullptr);
    EXPECT_EQ(side.net->am_max, 3000u);
    side.close();
  });
}

TEST(OfiProvider, BuffersThatAreTooSmallAreRefused) {
  for (const char *const bytes : {"1023", "many"}) {
    run_alone([bytes](Side &side) {
      setenv("FI_OFI_RXM_BUFFER_SIZE", bytes, 1);
      EXPECT_EQ(side.open("tcp;ofi_rxm"), AVRM_ERR_UNSUPPORTED);
      EXPECT_NE(std::strstr(side.ops->last_error(nullptr), "FI_OFI_RXM_BUFFER_SIZE"), nullptr)
          << side.ops->last_error(nullptr);
    });
  }
}

TEST(OfiProvider, TheBareNetIsReplaced) {
  run_alone([](Side &side) {
    if (side.open("net") == AVRM_OK) {
      EXPECT_EQ(std::string(side.ops->describe(side.net)), "net;ofi_rxm, lo");
      side.close();
    }
  });
}

} // namespace
} // namespace avrankmap::test
