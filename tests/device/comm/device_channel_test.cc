// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of collective operations that the transport refuses, and requests to discard messages.
#include "comm_calls/device_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/upcalls.h"
#include "launch/boot.h"
#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

using namespace avrankmap::detail;

Task send_one(Channel &channel, std::int32_t dest, const std::uint64_t *value) {
  co_return co_await send(channel, dest, value, sizeof *value);
}

// Of a first contact.
class RefusedMessage : public testing::TestWithParam<avrm_status_t> {};
INSTANTIATE_TEST_SUITE_P(All, RefusedMessage, testing::Values(AVRM_ERR_SYSTEM, AVRM_ERR_SIZE),
                         [](const auto &status) { return std::string(avrm_status_name(status.param)); });

TEST_P(RefusedMessage, IsATransportErrorOfItsOperation) {
  LoneMember member(100);
  ASSERT_EQ(member.open(), AVRM_OK);
  {
    Outbox outbox(member.device());
    outbox.insert_status = GetParam();
    avrm_comm_t *const world = member.device()->world;
    const std::uint64_t value = 1;
    Operation operation(world);
    DeviceChannel channel(operation, world->collective, next_tag(world));
    operation.run(send_one(channel, 50, &value));
    EXPECT_EQ(operation.wait(), AVRM_ERR_TRANSPORT);
    EXPECT_EQ(outbox.inserts, 1000);
  }
  EXPECT_GT(member.reports(), 0);
  EXPECT_EQ(member.close(), AVRM_OK);
}

class DiscardRequest : public testing::Test {
protected:
  static constexpr std::int32_t kDead = 7;

  void SetUp() override {
    ASSERT_EQ(member_.open(&hooks_), AVRM_OK);
    member_.device()->boot->report_death(kDead);
  }
  void TearDown() override {
    EXPECT_EQ(member_.close(), AVRM_OK);
    EXPECT_EQ(memory_.books.live_bytes(), 0U);
    EXPECT_EQ(member_.reports(), 0);
  }
  // Returns how many requests exist once a request of this kind has been served.
  std::size_t ask(std::int32_t failed, std::int32_t tag, std::int32_t source = 50) {
    avrm_device_t *const device = member_.device();
    ActiveHeader header{};
    header.type = ActiveType::kDiscard;
    header.window =
        device->world->collective->context_match | MatchBits::of_source(source) | static_cast<std::uint32_t>(tag);
    header.position = static_cast<std::uint32_t>(failed);
    EXPECT_TRUE(device->upcalls->on_active(device, header, nullptr, 0));
    (void)avrm_progress(device);
    return device->requests.taken();
  }

  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{100};
};

TEST_F(DiscardRequest, IsIgnoredWhileTheFailureIsNotKnown) {
  for (const std::int32_t failed : {0, kDead - 1, 99, 100, -1}) {
    EXPECT_EQ(ask(failed, 4), 0U) << failed;
  }
  EXPECT_NE(ask(kDead, 4), 0U);
}

TEST_F(DiscardRequest, PostsOneReceiveForAllSourcesOfAnOperation) {
  const std::size_t requests = ask(kDead, 4);
  EXPECT_NE(requests, 0U);
  EXPECT_EQ(ask(kDead, 4), requests);
  EXPECT_EQ(ask(kDead, 5, 51), requests) << "aside";
  EXPECT_EQ(ask(kDead, 6), 2 * requests);
}

TEST_F(DiscardRequest, EndsAnEarlierOneIfThereAreMany) {
  const std::size_t requests = ask(kDead, 0);
  std::size_t most = 0;
  for (std::int32_t tag = 2; tag < 100; tag += 2) {
    most = std::max(most, ask(kDead, tag));
  }
  EXPECT_EQ(most, 8 * requests);
}

} // namespace
} // namespace avrankmap::test
