// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rankmaps as messages: the receiver gets the map that was sent, and refuses messages
// that are no map.
#include "comm_algorithms/map_message.h"

#include <climits>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

using detail::MapHeader;
using detail::MapOwner;
using detail::Run;

struct Message {
  MapHeader header;
  std::vector<Run> runs;
};

class MapMessage : public testing::Test {
protected:
  Instance instance;

  // Two runs: lpids 10, 12, 14 of group 0, and 7 of group 1.
  Message sent() {
    const MapPtr map = make_gpids(instance, {{0, 10}, {0, 12}, {0, 14}, {1, 7}});
    Message message{detail::header_of(map.get()), {}};
    message.runs.resize(static_cast<std::size_t>(message.header.runs));
    detail::write_runs(map.get(), message.runs.data());
    return message;
  }
  avrm_status_t receive(const Message &message, MapOwner *map_p) {
    return detail::map_from_message(instance, message.header, message.runs.data(), map_p);
  }
  testing::AssertionResult is_refused(const Message &message) {
    MapOwner map;
    const avrm_status_t status = receive(message, &map);
    return status == AVRM_ERR_MISMATCH && map == nullptr ? testing::AssertionSuccess()
                                                         : testing::AssertionFailure() << avrm_status_name(status);
  }
};

TEST_F(MapMessage, BringsTheMapThatWasSent) {
  MapOwner map;
  ASSERT_EQ(receive(sent(), &map), AVRM_OK);
  EXPECT_TRUE(agrees(map.get(), {{0, 10}, {0, 12}, {0, 14}, {1, 7}}));
}

TEST_F(MapMessage, RunThatDoesNotBeginWhereTheLastOneEndedIsRefused) {
  for (const std::int32_t first : {-1, 0, 2, 4, INT_MAX, INT_MIN}) {
    Message message = sent();
    message.runs.at(1).first_rank = first;
    EXPECT_TRUE(is_refused(message)) << first;
  }
}

TEST_F(MapMessage, RunOfNoRanksIsRefused) {
  for (const std::int32_t count : {0, -1, INT_MIN}) {
    Message message = sent();
    message.runs.at(1).count = count;
    EXPECT_TRUE(is_refused(message)) << count;
  }
}

TEST_F(MapMessage, RunOfOneRankHasTheStrideOne) {
  for (const std::int32_t stride : {0, 2, INT_MAX, INT_MIN}) {
    Message message = sent();
    message.runs.at(1).stride = stride;
    EXPECT_TRUE(is_refused(message)) << stride;
  }
}

TEST_F(MapMessage, RunThatLeavesTheLpidsIsRefused) {
  for (const std::int32_t stride : {-6, INT_MAX, INT_MIN}) {
    Message message = sent();
    message.runs.at(0).stride = stride;
    EXPECT_TRUE(is_refused(message)) << stride;
  }
}

TEST_F(MapMessage, SizeThatIsNotThatOfTheRunsIsRefused) {
  for (const std::int32_t size : {0, 3, 5, INT_MAX, -4}) {
    Message message = sent();
    message.header.size = size;
    EXPECT_TRUE(is_refused(message)) << size;
  }
}

} // namespace
} // namespace avrankmap::test
