// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A peer that cannot be let in for lack of a descriptor: the looks alone, and what the netmod ends.
#include "ofi/backlog.h"

#include <netinet/in.h>

#include <cstring>

#include "dynamic/socket.h"
#include "ofi/ofi_fast.h"
#include "tests/device/limits/low_limit.h"
#include "tests/device/netmod/ofi_fixture.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

using detail::Socket;
using detail::ofi::Backlog;

class OfiBacklog : public OfiNetmod {
protected:
  // Runs `body` in a process whose netmod has a listening socket, with a socket that is to knock.
  static void run_alone(const std::function<void(Side &, const Socket &, const sockaddr_in &)> &body) {
    if (kSanitized) {
      GTEST_SKIP() << "the sanitizer opens a pipe to check an object";
    }
    initialize_libfabric();
    const std::vector<int> codes = run_processes(1, [&body](Side &side) {
      if (side.open(GetParam().provider) != AVRM_OK) {
        GTEST_SKIP();
      }
      unsigned char own[512];
      std::size_t bytes = sizeof own;
      ASSERT_EQ(side.ops->address(side.net, own, &bytes), AVRM_OK);
      sockaddr_in name{};
      std::memcpy(&name, own + 2 * sizeof(std::uint32_t), sizeof name); // after the header
      ASSERT_EQ(name.sin_family, AF_INET);
      body(side, Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), name);
      side.close();
    });
    if (any_skipped(codes)) {
      GTEST_SKIP() << lacks(GetParam());
    }
    EXPECT_EQ(codes, std::vector<int>{0});
  }
  static bool knock(const Socket &stranger, const sockaddr_in &name) {
    return connect(stranger.get(), reinterpret_cast<const sockaddr *>(&name), sizeof name) == 0;
  }
};
bool listens(const Transport &transport) {
  return is_ofi(transport) && is_network_alone(transport) && transport.per_node == 1;
}
INSTANTIATE_TEST_SUITE_P(Providers, OfiBacklog, testing::ValuesIn(transports_of(Suites::kNetmod, listens)), kByName);

// Some seconds for each provider.
class OfiStarved : public OfiBacklog {};
INSTANTIATE_TEST_SUITE_P(Providers, OfiStarved,
                         testing::ValuesIn(transports_of(is_long() ? Suites::kNetmod : Suites::kAll, listens)),
                         kByName);

TEST_P(OfiBacklog, StarvesAfterTwoSecondsOfLooks) {
  run_alone([](Side &side, const Socket &stranger, const sockaddr_in &name) {
    fid_ep *const endpoint = reinterpret_cast<avrm_ofi_netmod_t *>(side.net)->ep;
    const LowLimit limit(RLIMIT_NOFILE, 64);
    FewDescriptors none(0);
    Backlog backlog;
    std::int64_t now = 1'000'000'000'000;
    const auto look = [&](std::int64_t later) { backlog.look(endpoint, now += later); };
    look(Backlog::kLongestStep);
    EXPECT_FALSE(backlog.is_stuck()) << "nobody waits";
    ASSERT_TRUE(knock(stranger, name));
    look(Backlog::kBetweenLooks - 1);
    EXPECT_FALSE(backlog.is_stuck()) << "too early";
    look(1);
    EXPECT_TRUE(backlog.is_stuck());
    for (std::int64_t seen = 0; seen < Backlog::kLimit; seen += Backlog::kLongestStep) {
      EXPECT_FALSE(backlog.is_starved());
      look(3'600'000'000'000); // the process was stopped
    }
    EXPECT_TRUE(backlog.is_starved());
    none.free_one();
    do { // the provider's thread may hold the descriptor for a moment, before the listener is idle
      look(Backlog::kBetweenLooks);
    } while (backlog.is_stuck());
    EXPECT_FALSE(backlog.is_starved());
  });
}

TEST_P(OfiStarved, DoesNotEndReceivesOfAConversation) {
  run_alone([](Side &side, const Socket &stranger, const sockaddr_in &name) {
    unsigned char own[512];
    std::size_t bytes = sizeof own;
    ASSERT_EQ(side.ops->address(side.net, own, &bytes), AVRM_OK);
    ASSERT_EQ(side.ops->insert(side.net, 1, own, bytes, bytes, &side.peer), AVRM_OK);
    Bytes message(8);
    const auto converse = [&] {
      TestRequest received;
      ASSERT_EQ(side.receive(kMatch + 1, 0, message, received), AVRM_OK);
      ASSERT_EQ(side.inject(kMatch + 1, Bytes(8)), AVRM_OK);
      side.wait(received);
    };
    converse(); // connects
    const LowLimit limit(RLIMIT_NOFILE, 64);
    FewDescriptors none(0);
    Bytes room(8);
    TestRequest later;
    ASSERT_EQ(side.receive(kMatch, 0, room, later), AVRM_OK);
    ASSERT_TRUE(knock(stranger, name));
    const double start = seconds_of(CLOCK_MONOTONIC);
    for (double next = start; next < start + 4; next += 0.1) {
      while (seconds_of(CLOCK_MONOTONIC) < next) {
        side.poll();
      }
      converse();
    }
    EXPECT_EQ(later.completions, 0);
    ASSERT_EQ(side.inject(kMatch, message), AVRM_OK);
    side.wait(later);
    EXPECT_EQ(later.status, AVRM_OK);
  });
}

TEST_P(OfiStarved, EndsReceivesAndLooksByAStatusUntilThereIsADescriptor) {
  run_alone([](Side &side, const Socket &stranger, const sockaddr_in &name) {
    const LowLimit limit(RLIMIT_NOFILE, 64);
    FewDescriptors none(0);
    Bytes room(8);
    TestRequest ended;
    ASSERT_EQ(side.receive(kMatch, 0, room, ended), AVRM_OK);
    ASSERT_TRUE(knock(stranger, name));
    side.wait(ended);
    EXPECT_EQ(ended.status, AVRM_ERR_SYSTEM);
    EXPECT_NE(std::strstr(side.ops->last_error(side.net), "no descriptor is free"), nullptr);
    bool found = false;
    avrm_netmod_message_t message{};
    const auto probe = [&] {
      return side.insist([&] { return side.ops->tprobe(side.net, kMatch, 0, false, &found, &message); });
    };
    EXPECT_EQ(probe(), AVRM_ERR_SYSTEM);
    none.free_one();
    while (probe() == AVRM_ERR_SYSTEM) {
      side.poll();
    }
    EXPECT_FALSE(found);
    TestRequest waits;
    ASSERT_EQ(side.receive(kMatch, 0, room, waits), AVRM_OK);
    side.ops->cancel(side.net, &waits);
    side.wait(waits);
    EXPECT_EQ(waits.status, AVRM_ERR_CANCELLED);
  });
}

} // namespace
} // namespace avrankmap::test
