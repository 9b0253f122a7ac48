// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links whose other end reads late, and links of a root that lacks memory. The test plays the other
// root.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <set>
#include <utility>

#include "dynamic/link.h"
#include "dynamic/state.h"
#include "tests/device/liveness/lacking_memory.h"
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

// The root of a group of 100, which passes on what it hears of another world.
class LinkOfARoot : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 100;
  static constexpr detail::WorldName kOther{{1, 1}};

  void SetUp() override {
    ASSERT_EQ(member_.open(&hooks_), AVRM_OK);
    avrm_device_t *const device = member_.device();
    detail::World *world = nullptr;
    ASSERT_EQ(detail::know_world(device, kOther, 4, &world), AVRM_OK);
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    other_ = detail::Socket(ends[1]);
    const avrm_rankmap_t *const all = avrm_comm_map(avrm_device_world(device));
    detail::Link *link = nullptr;
    ASSERT_EQ(detail::new_link(device, all, all, &link), AVRM_OK);
    link->beyond.append(kOther);
    detail::open_link(device, link, detail::Socket(ends[0]));
  }
  void TearDown() override { EXPECT_EQ(member_.close(), AVRM_OK); }

  void say(std::uint32_t kind, std::int32_t lpid) const {
    const Heard notice{kind, lpid, {kOther.words[0], kOther.words[1], 0}};
    EXPECT_EQ(send(other_.get(), &notice, sizeof notice, 0), static_cast<ssize_t>(sizeof notice));
  }
  void serve() const {
    member_.device()->has_slept = true; // it looks at once
    detail::serve_links(member_.device());
  }
  // Serves links and messages that wait until so many were sent, and a little longer.
  void serve_until(Outbox &outbox, std::size_t count) const {
    outbox.send_until(count, [this] { serve(); });
    serve();
  }
  [[nodiscard]] bool has_link() const { return member_.device()->dynamic->links != nullptr; }

  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{kSize};
  detail::Socket other_;
};

// The deaths that were sent, each to each process, where the other world's is -1.
std::set<std::pair<std::uint64_t, std::int64_t>> told(const Outbox &outbox) {
  std::set<std::pair<std::uint64_t, std::int64_t>> all;
  for (const Outbox::Sent &sent : outbox.sent) {
    EXPECT_EQ(sent.header.type, detail::ActiveType::kDeath);
    all.emplace(sent.handle, static_cast<std::int64_t>(sent.header.position));
  }
  return all;
}

TEST_F(LinkOfARoot, TellsEachMemberOfEachDeathThoughItLackedMemory) {
  Outbox outbox(member_.device());
  memory_.lacks = true;
  say(kDeath, 2);
  say(kDeath, 3);
  serve();
  EXPECT_EQ(outbox.sent.size(), 0U);
  memory_.lacks = false;
  serve_until(outbox, 2 * (kSize - 1));
  EXPECT_EQ(told(outbox).size(), std::size_t{2 * (kSize - 1)});
  EXPECT_EQ(outbox.sent.size(), std::size_t{2 * (kSize - 1)}) << "once each";
  EXPECT_TRUE(has_link());
}

TEST_F(LinkOfARoot, TellsEachMemberOfTheEndOfAWorldThoughItLackedMemory) {
  Outbox outbox(member_.device());
  memory_.lacks = true;
  other_ = detail::Socket();
  serve();
  EXPECT_TRUE(has_link());
  memory_.lacks = false;
  serve_until(outbox, kSize - 1);
  EXPECT_EQ(told(outbox).size(), std::size_t{kSize - 1});
  ASSERT_FALSE(outbox.sent.empty());
  EXPECT_EQ(outbox.sent.front().header.position, ~std::uint64_t{0});
  EXPECT_FALSE(has_link());
}

TEST_F(LinkOfARoot, PassesOnADeathBeforeTheLinkEnds) {
  Outbox outbox(member_.device());
  memory_.lacks = true;
  say(kDeath, 2);
  say(kEnd, 0);
  serve();
  EXPECT_TRUE(has_link());
  memory_.lacks = false;
  serve_until(outbox, kSize - 1);
  EXPECT_EQ(told(outbox).size(), std::size_t{kSize - 1});
  EXPECT_FALSE(has_link());
}

// The launcher has no card of it, for example.
TEST_F(LinkOfARoot, TellsAProcessThatCouldNotBeReached) {
  Outbox outbox(member_.device());
  member_.hide(7);
  say(kDeath, 2);
  serve();
  EXPECT_LT(outbox.sent.size(), std::size_t{kSize - 1});
  member_.hide(-1);
  serve_until(outbox, kSize - 1);
  EXPECT_EQ(told(outbox).size(), std::size_t{kSize - 1});
  EXPECT_EQ(member_.reports(), 0);
}

TEST_F(LinkOfARoot, ReportsAProcessThatCanNeverBeReached) {
  Outbox outbox(member_.device());
  member_.hide(7);
  say(kDeath, 2);
  for (int i = 0; i < 1000; ++i) {
    serve();
  }
  EXPECT_EQ(told(outbox).size(), std::size_t{kSize - 2});
  EXPECT_EQ(member_.reports(), 1);
}

} // namespace
} // namespace avrankmap::test
