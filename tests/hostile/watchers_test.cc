// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Strangers at the sockets by which processes watch one another, and members that lie about deaths.
#include <chrono>

#include "core/active.h"
#include "core/device.h"
#include "ring/ring.h"
#include "tests/hostile/stranger.h"
#include "tests/ring/silent_job.h"
#include "tests/support/descriptors.h"
#include "tests/support/seed.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

constexpr int kSize = 4;

struct Numbers {
  std::uint16_t of[kSize];
};

void progress_for(Process &process, int milliseconds) {
  for (int i = 0; i < milliseconds; ++i) {
    usleep(1000);
    avrm_progress(process.device);
  }
}

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
    numbers->of[process.rank] = process.device->ring->name().number;
    barrier(process);
    std::atomic<bool> ends{false};
    std::thread stranger;
    if (process.rank == 0) {
      stranger = std::thread([&] { attack(*numbers, ends); });
    }
    progress_for(process, 300);
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
    progress_for(process, 300); // others hear of it
  });
}

// Of the process itself, and of processes that do not exist.
TEST(HostileWatchers, LiesAboutDeathsThatCannotBeAreIgnored) {
  const Transport &transport = transport_named("ucx_tcp");
  SilentJob job{&transport, 2};
  job.body = [](Process &process) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const std::uint64_t lies[][2] = {{0, 2},     {1, 1},     {2, 1},         {kMost, 1},
                                     {1, kMost}, {0, kMost}, {kMost, kMost}, {0, 0}};
    for (const auto &lie : lies) {
      detail::ActiveHeader header{};
      header.type = detail::ActiveType::kDeaths;
      header.position = lie[0] == 1 && lie[1] == 1 ? static_cast<std::uint64_t>(process.rank) : lie[0];
      header.token = lie[1];
      process.device->watch.hear(process.device, header);
    }
    AVRM_MUST(avrm_boot_failures(process.boot) == 0);
    barrier(process);
  };
  run_silent_job(job);
}

// Posts are data of others, too.
TEST(HostileWatchers, PostsThatMakeNoSenseAreRefused) {
  detail::Ring::Post post;
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

} // namespace
} // namespace avrankmap::test
