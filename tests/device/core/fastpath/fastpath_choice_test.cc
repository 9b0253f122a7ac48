// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the plain names do with each value of AVRM_FASTPATH.
#include "tests/device/core/fastpath/fastpath_choice.h"

#include <gtest/gtest.h>

#include <ostream>

#include "bench/synthetic/fastpath_world.h"
#include "fastpath/handles.h"

namespace avrankmap::test {
namespace {

using bench::FastpathWorld;

struct Choice {
  const char *name;
  avrm_test_isend_fn *isend;
  avrm_test_put_fn *put;
  bool checks;
  bool threads;
};
std::ostream &operator<<(std::ostream &out, const Choice &choice) { return out << choice.name; }

class FastpathChoice : public testing::TestWithParam<Choice> {
protected:
  static constexpr std::int32_t kRank = 7;
  const std::uint64_t value = 0x1122334455667788;
  avrm_request_t *request = nullptr;
};

TEST_P(FastpathChoice, Sends) {
  FastpathWorld world;
  ASSERT_EQ(GetParam().isend(&value, 1, AVRM_UINT64, kRank, 5, world.comm, &request), AVRM_OK);
  EXPECT_EQ(world.last().address, world.address_of(FastpathWorld::lpid_of(kRank)));
  EXPECT_EQ(world.last().u.isend.match, avrm_match_pack(1, 0, 5));
  EXPECT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
}

TEST_P(FastpathChoice, Puts) {
  FastpathWorld world;
  ASSERT_EQ(GetParam().put(&value, 1, AVRM_UINT64, kRank, 3, world.window), AVRM_OK);
  EXPECT_EQ(world.last().address, world.address_of(FastpathWorld::lpid_of(kRank)));
  EXPECT_EQ(world.last().u.put.payload, value);
}

// A tag that is one bit too large, and a put beyond the end: harmless on a network that
// delivers nothing.
TEST_P(FastpathChoice, ChecksArgumentsIfItShould) {
  FastpathWorld world;
  const auto end = static_cast<std::int64_t>(sizeof world.memory);
  EXPECT_EQ(GetParam().isend(&value, 1, AVRM_UINT64, kRank, AVRM_MATCH_MAX_TAG + 1, world.comm, &request),
            GetParam().checks ? AVRM_ERR_TAG : AVRM_OK);
  EXPECT_EQ(GetParam().put(&value, 1, AVRM_UINT64, kRank, end, world.window),
            GetParam().checks ? AVRM_ERR_OUTSIDE : AVRM_OK);
}

// Builds that check for threads use the communicator's own queue. The others use the device's.
TEST_P(FastpathChoice, LooksAtThreadsIfItShould) {
  FastpathWorld world(true, 2);
  const avrm_null_net_t &own = *avrm_null_of(world.comm->cold->queue->net);
  const avrm_null_net_t &device = *avrm_null_of(world.device->net);
  const std::uint64_t own_before = own.produced;
  const std::uint64_t device_before = device.produced;
  ASSERT_EQ(GetParam().isend(&value, 1, AVRM_UINT64, kRank, 5, world.comm, &request), AVRM_OK);
  EXPECT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
  ASSERT_EQ(GetParam().put(&value, 1, AVRM_UINT64, kRank, 3, world.window), AVRM_OK);
  EXPECT_EQ(own.produced - own_before, GetParam().threads ? 2U : 0U);
  EXPECT_EQ(device.produced - device_before, GetParam().threads ? 0U : 2U);
}

INSTANTIATE_TEST_SUITE_P(Every, FastpathChoice,
                         testing::Values(Choice{"Default", avrm_test_isend_default, avrm_test_put_default, true, true},
                                         Choice{"NoErr", avrm_test_isend_no_err, avrm_test_put_no_err, false, true},
                                         Choice{"NoErrSingle", avrm_test_isend_no_err_single,
                                                avrm_test_put_no_err_single, false, false},
                                         Choice{"NoErrSingleIpo", avrm_test_isend_no_err_single_ipo,
                                                avrm_test_put_no_err_single_ipo, false, false}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
