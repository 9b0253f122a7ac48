// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A link whose other end reads late. The test plays the other root.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <set>

#include "dynamic/link.h"
#include "dynamic/state.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

// As on the wire.
constexpr std::uint32_t kDeath = 1;
constexpr std::uint32_t kEnd = 2;
struct Heard {
  std::uint32_t kind;
  std::int32_t lpid;
  std::uint64_t rest[3];
};

// The next notice, if the connection has one.
bool hear(const detail::Socket &socket, Heard *heard) {
  const ssize_t got = recv(socket.get(), heard, sizeof *heard, MSG_DONTWAIT);
  return got == static_cast<ssize_t>(sizeof *heard);
}

bool has_ended(const detail::Socket &socket) {
  char byte = 0;
  return recv(socket.get(), &byte, 1, MSG_DONTWAIT) == 0;
}

// A job in which all others have died: more than the connection takes at once. The link leads to no
// known world.
class LinkToALateReader : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 20000;

  void SetUp() override {
    ASSERT_EQ(member_.open(), AVRM_OK);
    avrm_device_t *const device = member_.device();
    for (std::int32_t lpid = 1; lpid < kSize; ++lpid) {
      device->boot->report_death(lpid);
    }
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    other_ = detail::Socket(ends[1]);
    const avrm_rankmap_t *const all = avrm_comm_map(avrm_device_world(device));
    detail::Link *link = nullptr;
    ASSERT_EQ(detail::new_link(device, all, all, &link), AVRM_OK);
    detail::open_link(device, link, detail::Socket(ends[0]));
  }

  LoneMember member_{kSize};
  detail::Socket other_;
};

TEST_F(LinkToALateReader, ReportsAllDeathsBeforeItEnds) {
  avrm_device_t *const device = member_.device();
  std::set<std::int32_t> deaths;
  Heard heard{};
  for (int idle = 0; heard.kind != kEnd && idle < 100; ++idle) {
    for (; hear(other_, &heard) && heard.kind == kDeath; idle = 0) {
      deaths.insert(heard.lpid);
    }
    device->has_slept = true; // it looks at once
    detail::serve_links(device);
  }
  EXPECT_EQ(deaths.size(), std::size_t{kSize - 1});
  EXPECT_EQ(heard.kind, kEnd);
  EXPECT_TRUE(has_ended(other_));
  EXPECT_EQ(member_.close(), AVRM_OK);
}

TEST_F(LinkToALateReader, IsFreedWithTheDevice) {
  EXPECT_NE(member_.device()->dynamic->links, nullptr);
  EXPECT_EQ(member_.close(), AVRM_OK);
  Heard heard{};
  while (hear(other_, &heard)) {
  }
  EXPECT_TRUE(has_ended(other_));
}

// A death is reported over a link once, and to links that are opened later at once.
TEST(Link, ReportsEachDeathOnce) {
  LoneMember member(100);
  ASSERT_EQ(member.open(), AVRM_OK);
  avrm_device_t *const device = member.device();
  detail::World *world = nullptr;
  ASSERT_EQ(detail::know_world(device, {{1, 1}}, 4, &world), AVRM_OK);
  const avrm_rankmap_t *const all = avrm_comm_map(avrm_device_world(device));
  const auto open = [&] {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    detail::Link *link = nullptr;
    EXPECT_EQ(detail::new_link(device, all, all, &link), AVRM_OK);
    link->beyond.append(world->name);
    detail::open_link(device, link, detail::Socket(ends[0]));
    return detail::Socket(ends[1]);
  };
  const auto next = [](const detail::Socket &socket) {
    Heard heard{};
    return hear(socket, &heard) && heard.kind == kDeath ? heard.lpid : -1;
  };
  const detail::Socket first = open();
  EXPECT_EQ(next(first), -1);
  for (const std::int32_t lpid : {70, 7}) {
    device->boot->report_death(lpid);
    detail::tell_links(device);
    EXPECT_EQ(next(first), lpid);
    EXPECT_EQ(next(first), -1);
  }
  const detail::Socket second = open();
  EXPECT_EQ(next(second), 7);
  EXPECT_EQ(next(second), 70);
  device->boot->report_death(8);
  detail::tell_links(device);
  EXPECT_EQ(next(first), 8);
  EXPECT_EQ(next(second), 8);
  EXPECT_EQ(next(second), -1);
  EXPECT_EQ(member.close(), AVRM_OK);
}

} // namespace
} // namespace avrankmap::test
