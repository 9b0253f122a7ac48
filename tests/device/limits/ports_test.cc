// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ports of a process that may have few descriptors: clients are let in, and waiting for them does
// not spin.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/wait_for.h"
#include "dynamic/dial.h"
#include "dynamic/handshake.h"
#include "dynamic/port.h"
#include "tests/device/core/process.h"
#include "tests/device/hostile/stranger.h"
#include "tests/device/limits/low_limit.h"

namespace avrankmap::test {
namespace {

using namespace detail;
using Clock = std::chrono::steady_clock;

// Counts the looks at the sockets until the time is over.
class For final : public Waiting {
public:
  explicit For(std::chrono::milliseconds time) : end_(Clock::now() + time) {}
  [[nodiscard]] avrm_status_t go_on() noexcept override {
    ++looks_;
    return Clock::now() < end_ ? AVRM_OK : AVRM_ERR_TIMEOUT;
  }
  [[nodiscard]] int looks() const { return looks_; }

private:
  Clock::time_point end_;
  int looks_ = 0;
};
constexpr std::chrono::milliseconds kLong{20000}; // far longer than a meeting takes

class PortsOfFewDescriptors : public testing::Test {
protected:
  void SetUp() override {
    if (!has_keyed_hash()) {
      GTEST_SKIP() << "this build has no libsodium, and so no ports";
    }
    ASSERT_EQ(listen_at("", true, &port_), AVRM_OK);
  }
  void meet() {
    Socket client;
    std::thread dialling([&] {
      For waiting(kLong);
      EXPECT_EQ(connect_to(port_.name, waiting, &client), AVRM_OK);
    });
    For waiting(kLong);
    Socket server;
    EXPECT_EQ(accept_at(port_, waiting, &server), AVRM_OK);
    dialling.join();
    EXPECT_TRUE(client.is_open() && server.is_open());
  }
  Port port_;
};

class PortsByLimit : public PortsOfFewDescriptors, public testing::WithParamInterface<rlim_t> {};
INSTANTIATE_TEST_SUITE_P(Descriptors, PortsByLimit, testing::Values(16, 64, 128, 135, 256));

TEST_P(PortsByLimit, LetClientsIn) {
  const LowLimit limit(RLIMIT_NOFILE, GetParam());
  meet();
}

// Each look waits for a millisecond, as none is cut short.
TEST_P(PortsByLimit, WaitWithoutSpinning) {
  const LowLimit limit(RLIMIT_NOFILE, GetParam());
  const Clock::time_point start = Clock::now();
  For waiting(std::chrono::milliseconds(20));
  Socket server;
  EXPECT_EQ(accept_at(port_, waiting, &server), AVRM_ERR_TIMEOUT);
  EXPECT_LE(waiting.looks(), std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - start).count() + 1);
}

// The system takes a descriptor before it looks for a client, so that it reports that it lacks one
// even if nobody else has come.
TEST_F(PortsOfFewDescriptors, LetAClientInByTheLastOne) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer opens a pipe to check an object";
  }
  const LowLimit limit(RLIMIT_NOFILE, 100);
  const FewDescriptors two(2);
  meet();
}

TEST_F(PortsOfFewDescriptors, TakeTheLastOneFromASilentStranger) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer opens a pipe to check an object";
  }
  const LowLimit limit(RLIMIT_NOFILE, 100);
  const FewDescriptors three(3);
  const Socket stranger = knock(port_.name.number);
  ASSERT_TRUE(stranger.is_open());
  meet();
}

TEST_F(PortsOfFewDescriptors, SayThatThereIsNone) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer opens a pipe to check an object";
  }
  const Socket stranger = knock(port_.name.number);
  const LowLimit limit(RLIMIT_NOFILE, 100);
  const FewDescriptors none(0);
  For waiting(kLong);
  Socket server;
  EXPECT_EQ(accept_at(port_, waiting, &server), AVRM_ERR_SYSTEM);
}

// Sandboxes forbid new descriptors in this way.
TEST(WaitFor, PausesWhereTheSystemRefusesTheList) {
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  const Socket in(ends[0]);
  const Socket out(ends[1]);
  pollfd list[] = {{-1, POLLIN, 0}, {in.get(), POLLIN, 0}};
  const Clock::time_point start = Clock::now();
  for (const rlim_t limit : {0, 1}) {
    const LowLimit low(RLIMIT_NOFILE, limit);
    for (int i = 0; i < 5; ++i) {
      wait_for(list, 2, kPause);
      EXPECT_EQ(list[1].revents, 0);
    }
  }
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(10));
  const LowLimit low(RLIMIT_NOFILE, 1);
  ASSERT_EQ(write(out.get(), "x", 1), 1);
  wait_for(list, 2, kPause);
  EXPECT_EQ(list[1].revents, POLLIN);
}

} // namespace
} // namespace avrankmap::test
