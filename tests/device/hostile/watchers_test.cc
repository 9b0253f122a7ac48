// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Strangers at the sockets by which processes watch one another, and members that lie about deaths.
#include <atomic>
#include <chrono>

#include "avrankmap/device/ft.h"
#include "core/active.h"
#include "core/device.h"
#include "liveness/ring/watch_ring.h"
#include "tests/device/hostile/stranger.h"
#include "tests/device/liveness/ring/lone_member.h"
#include "tests/device/liveness/ring/silent_job.h"
#include "tests/support/descriptors.h"
#include "tests/support/seed.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

constexpr int kSize = 4;

struct Numbers {
  std::uint16_t of[kSize];
};

// Connects to everybody again and again, and says garbage or nothing, until told to end.
void attack(const Numbers &numbers, const std::atomic<bool> &ends) {
  std::mt19937_64 engine = seeded_engine();
  std::vector<Socket> open;
  while (!ends) {
    Socket stranger = knock(numbers.of[below(engine, kSize)]);
    std::string bytes(1 + below(engine, 100), '\0');
    for (char &byte : bytes) {
      byte = static_cast<char>(engine());
    }
    if (below(engine, 3) != 0) {
      say(stranger, bytes);
    }
    if (open.size() < 100) {
      open.push_back(std::move(stranger));
    } else {
      open[below(engine, open.size())] = std::move(stranger);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
}

// With strangers all the time; `body` after the ring has been pressed for a while.
void run_pressed(const std::vector<int> &victims, const std::function<void(Process &)> &body) {
  const Shared<Numbers> numbers;
  const Transport &transport = transport_named("ucx_tcp");
  SilentJob job{&transport, kSize, victims};
  job.body = [&](Process &process) {
    numbers->of[process.rank] = process.device->watch_ring->name().number;
    barrier(process);
    std::atomic<bool> ends{false};
    std::thread stranger;
    if (process.rank == 0) {
      stranger = std::thread([&] { attack(*numbers, ends); });
    }
    progress_for(process, 300);
    barrier(process); // by now they watch one another
    const int descriptors = open_descriptors();
    AVRM_MUST(process.rank == 0 || descriptors < 80); // UCX has some
    body(process);
    ends = true;
    if (stranger.joinable()) {
      stranger.join();
    }
  };
  run_silent_job(job);
}

TEST(HostileWatchers, AreNotTakenForDeaths) {
  run_pressed({}, [](Process &process) {
    AVRM_MUST(avrm_boot_failures(process.boot) == 0);
    barrier(process);
  });
}

TEST(HostileWatchers, HideNoDeath) {
  run_pressed({2}, [](Process &process) {
    if (process.rank == 2) {
      die();
    }
    while (!avrm_boot_has_failed(process.boot, 2)) {
      avrm_progress(process.device);
    }
    leave_together(process);
  });
}

// Of the process itself, and of processes that do not exist.
TEST(HostileWatchers, LiesAboutDeathsThatCannotBeAreIgnored) {
  const Transport &transport = transport_named("ucx_tcp");
  SilentJob job{&transport, 2};
  job.body = [](Process &process) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const std::uint64_t lies[][2] = {{0, 2},     {1, 1},     {1, 2},     {2, 1},         {3, 1},
                                     {kMost, 1}, {1, kMost}, {0, kMost}, {kMost, kMost}, {0, 0}};
    for (const auto &lie : lies) {
      detail::ActiveHeader header{};
      header.type = detail::ActiveType::kDeaths;
      header.position = lie[0] == 1 && lie[1] == 1 ? static_cast<std::uint64_t>(process.rank) : lie[0];
      header.token = lie[1];
      process.device->failure_detector.hear(process.device, header);
    }
    AVRM_MUST(avrm_boot_failures(process.boot) == 0);
    barrier(process);
  };
  run_silent_job(job);
}

// The others go on without the process, and it goes on alone once they have left.
TEST(HostileWatchers, ALieAboutADeathIsBelieved) {
  constexpr int kVictim = 2; // ends itself at last
  const Shared<std::atomic<int>> believers;
  const Transport &transport = transport_named("ucx_tcp_and_posix");
  SilentJob job{&transport, kSize, {kVictim}};
  job.body = [&](Process &process) {
    barrier(process);
    if (process.rank == 0) {
      detail::ActiveHeader lie{};
      lie.type = detail::ActiveType::kDeaths;
      lie.position = kVictim;
      lie.token = 1;
      const detail::DeviceGuard guard(process.device);
      AVRM_MUST(send_active(process.device, {detail::kOwnWorld, 1}, lie, nullptr, 0, detail::Retry::kLater) == AVRM_OK);
    }
    const bool is_victim = process.rank == kVictim;
    while (is_victim ? *believers != kSize - 1 : !avrm_boot_has_failed(process.boot, kVictim)) {
      avrm_progress(process.device);
    }
    *believers += is_victim ? 0 : 1;
    std::uint64_t value = ~(std::uint64_t{1} << process.rank);
    AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
    AVRM_MUST(~value == (is_victim ? 1U << kVictim : 15U & ~(1U << kVictim)));
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_shrink(process.world, &comm) == AVRM_OK);
    AVRM_MUST(avrm_comm_size(comm) == (is_victim ? 1 : kSize - 1));
    AVRM_MUST(avrm_barrier(comm) == AVRM_OK && avrm_comm_free(comm) == AVRM_OK);
    if (is_victim) {
      die();
    }
    AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER); // leave together
  };
  run_silent_job(job);
}

// Posts are data of others, too.
TEST(HostileWatchers, PostsThatMakeNoSenseAreRefused) {
  detail::WatchRing::WatchAddress post;
  post.first = 2;
  post.last = 4;
  EXPECT_TRUE(post.is_sound(3, 5));
  EXPECT_FALSE(post.is_sound(5, 6));
  EXPECT_FALSE(post.is_sound(1, 6));
  EXPECT_FALSE(post.is_sound(3, 4));
  post.name.count = -1;
  EXPECT_FALSE(post.is_sound(3, 5));
  post.name.count = detail::PortName::kMostAddresses + 1;
  EXPECT_FALSE(post.is_sound(3, 5));
  post.name.count = 1;
  post.first = -1;
  EXPECT_FALSE(post.is_sound(3, 5));
}

// A process alone with strangers.
class HostileWatchRing : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(member_.open(), AVRM_OK); }
  void TearDown() override { EXPECT_EQ(member_.close(), AVRM_OK); }

  [[nodiscard]] Socket stranger() const { return knock(member_.post().name.number); }
  // The first words of a watcher.
  [[nodiscard]] WatchRing::WatchHandshake ask() const {
    return {WatchRing::WatchHandshake::kAsk, WatchRing::WatchHandshake::kVersion, member_.post().name.secret.words[0],
            1};
  }
  // The process looks until the other side hears from it, or its connection ends.
  void look_until_heard(const Socket &socket) const {
    for (int i = 0; i < kTimeoutMs; ++i) {
      member_.look();
      pollfd entry{socket.get(), POLLIN, 0};
      if (poll(&entry, 1, 1) == 1) {
        return;
      }
    }
    ADD_FAILURE() << "nothing was heard";
  }
  [[nodiscard]] bool answers(const Socket &watcher) const {
    look_until_heard(watcher);
    const WatchRing::WatchHandshake answer{WatchRing::WatchHandshake::kAnswer, WatchRing::WatchHandshake::kVersion,
                                           member_.post().name.secret.words[1], 0};
    return hear(watcher, sizeof answer) == bytes_of(answer);
  }
  [[nodiscard]] Socket known_watcher() const {
    Socket made = stranger();
    say(made, bytes_of(ask()));
    EXPECT_TRUE(answers(made));
    return made;
  }
  // The watched process's side of the connection that this process has made.
  Socket accept_for(PlayedPeer &peer) {
    member_.publish(peer.post.first, peer.post);
    member_.look();
    Socket made = peer.accept();
    member_.look();
    EXPECT_TRUE(made.is_open());
    EXPECT_EQ(hear(made, sizeof(WatchRing::WatchHandshake)).size(), sizeof(WatchRing::WatchHandshake));
    return made;
  }

  LoneMember member_{4};
};

TEST_F(HostileWatchRing, HoldsEightConnectionsHoweverManyCome) {
  std::vector<Socket> strangers(100);
  for (Socket &one : strangers) {
    one = stranger();
    ASSERT_TRUE(one.is_open());
  }
  const int descriptors = open_descriptors();
  for (int i = 0; i < 10; ++i) {
    member_.look();
  }
  EXPECT_EQ(open_descriptors(), descriptors + WatchRing::kMostInbound);
}

TEST_F(HostileWatchRing, AnswersAWatcherBehindFortySilentOnes) {
  std::vector<Socket> strangers(40);
  for (Socket &one : strangers) {
    one = stranger();
  }
  EXPECT_TRUE(known_watcher().is_open());
}

TEST_F(HostileWatchRing, KeepsItsWatchersWhateverElseComes) {
  std::vector<Socket> watchers(WatchRing::kMostInbound);
  for (Socket &one : watchers) {
    one = known_watcher();
  }
  std::vector<Socket> strangers(20);
  for (Socket &one : strangers) {
    one = stranger();
    say(one, bytes_of(ask()));
  }
  for (int i = 0; i < 100; ++i) {
    usleep(1000);
    member_.look();
  }
  for (const Socket &one : watchers) {
    char byte = 0;
    EXPECT_EQ(recv(one.get(), &byte, 1, MSG_DONTWAIT), -1) << "its connection has ended";
  }
  watchers.pop_back();
  EXPECT_TRUE(answers(strangers.front())) << "there is a place again";
}

TEST_F(HostileWatchRing, AnswersAWordThatComesInParts) {
  const Socket watcher = stranger();
  for (const char byte : bytes_of(ask())) {
    say(watcher, {&byte, 1});
    member_.look();
  }
  EXPECT_TRUE(answers(watcher));
}

TEST_F(HostileWatchRing, AnswersNoWordWithAWrongBit) {
  for (std::size_t bit = 0; bit < 8 * offsetof(WatchRing::WatchHandshake, node); ++bit) {
    std::string word = bytes_of(ask());
    word[bit / 8] = static_cast<char>(word[bit / 8] ^ 1 << bit % 8);
    const Socket one = stranger();
    say(one, word);
    look_until_heard(one);
    ASSERT_EQ(hear(one, 1), "") << bit;
  }
}

TEST(HostileWatchers, WhoAnswerWithAWrongBitAreNotBelieved) {
  for (std::size_t bit = 0; bit < 8 * offsetof(WatchRing::WatchHandshake, node); ++bit) {
    LoneMember member(2);
    PlayedPeer peer(1);
    member.publish(1, peer.post);
    ASSERT_EQ(member.open(), AVRM_OK);
    member.look();
    const Socket made = peer.accept();
    member.look();
    EXPECT_EQ(hear(made, sizeof(WatchRing::WatchHandshake)).size(), sizeof(WatchRing::WatchHandshake));
    std::string word = bytes_of(peer.answer());
    word[bit / 8] = static_cast<char>(word[bit / 8] ^ 1 << bit % 8);
    say(made, word);
    member.look();
    ASSERT_TRUE(is_turned_away(made)) << bit;
    member.look();
    ASSERT_EQ(member.deaths(), 0U) << bit;
    EXPECT_EQ(member.close(), AVRM_OK);
  }
}

TEST_F(HostileWatchRing, TakesAnEndBeforeTheWholeAnswerForNoDeath) {
  PlayedPeer peer(1);
  for (int tries = 0; tries < 4; ++tries) {
    const Socket made = accept_for(peer);
    say(made, bytes_of(peer.answer()).substr(0, 23));
    member_.look();
  }
  member_.look();
  EXPECT_EQ(member_.deaths(), 0U);
}

TEST_F(HostileWatchRing, TakesAnEndAfterAnAnswerInPartsForADeath) {
  PlayedPeer peer(1);
  {
    const Socket made = accept_for(peer);
    for (const char byte : bytes_of(peer.answer())) {
      say(made, {&byte, 1});
      member_.look();
    }
    EXPECT_EQ(member_.deaths(), 0U);
  }
  member_.look();
  EXPECT_TRUE(member_.has_died(1));
  EXPECT_EQ(member_.deaths(), 1U);
}

TEST_F(HostileWatchRing, BelievesAnEndJustBeforeItClosesAtOnce) {
  PlayedPeer peer(1);
  {
    const Socket made = accept_for(peer);
    say(made, bytes_of(peer.answer()));
    member_.look();
    member_.device()->failure_detector.look(member_.device()); // the next look is due in 10 ms
  }
  member_.device()->failure_detector.close(member_.device());
  EXPECT_TRUE(member_.has_died(1));
}

// Its port is another's now.
TEST_F(HostileWatchRing, TakesAWrongAnswerForADeathOnceNodesReachOneAnother) {
  PlayedPeer peer(1);
  member_.publish(1, peer.post);
  (void)known_watcher();
  const Socket made = accept_for(peer);
  say(made, std::string(sizeof(WatchRing::WatchHandshake), 'x'));
  member_.look();
  EXPECT_TRUE(member_.has_died(1));
  EXPECT_EQ(member_.deaths(), 1U);
}

// By a machine on which nobody listens there.
TEST_F(HostileWatchRing, BelievesARefusalOnceNodesReachOneAnother) {
  PlayedPeer peer(1);
  peer.listeners.listeners[0] = Socket();
  member_.publish(1, peer.post);
  member_.look();
  member_.look();
  EXPECT_EQ(member_.deaths(), 0U);
  (void)known_watcher();
  EXPECT_TRUE(member_.has_died(1));
}

TEST_F(HostileWatchRing, TakesAnEndAfterClosingForNoDeathAtOnce) {
  PlayedPeer peer(1);
  {
    const Socket made = accept_for(peer);
    say(made, bytes_of(peer.answer()));
    say(made, {&WatchRing::kClosing, 1});
    member_.look();
  }
  member_.look();
  member_.look();
  EXPECT_EQ(member_.deaths(), 0U);
}

} // namespace
} // namespace avrankmap::test
