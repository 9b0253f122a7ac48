// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of collective operations that the transport refuses.
#include "comm_calls/device_channel.h"

#include <gtest/gtest.h>

#include <string>

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

} // namespace
} // namespace avrankmap::test
