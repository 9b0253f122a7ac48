// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device in jobs under mpirun: on this machine, and on two hosts that namespaces simulate. The
// processes run device_job.cc, which has the checks.
#include <gtest/gtest.h>

#include "tests/support/hosts.h"
#include "tests/support/settings.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

// Short runs take each transport once under mpirun: networks alone on one host, and with shared
// memory on two.
std::vector<Transport> networks(bool (*in_short_runs)(const Transport &)) {
  return transports_of(Suites::kAll, [&](const Transport &transport) {
    return has_network(transport) && (is_long() || in_short_runs(transport));
  });
}

class DeviceUnderMpirun : public testing::TestWithParam<Transport> {
protected:
  void SetUp() override {
    if (!has_mpirun()) {
      GTEST_SKIP() << kNoMpirun;
    }
  }
  static std::vector<std::string> program(const char *local_size) {
    return {AVRM_DEVICE_JOB, GetParam().name, local_size};
  }
};

TEST_P(DeviceUnderMpirun, PassesTheSuite) {
  const std::vector<int> codes = launch(mpirun_words(4), program("4"));
  if (codes.front() == kSkipped) {
    GTEST_SKIP() << lacks(GetParam());
  }
  EXPECT_EQ(codes, std::vector<int>{0});
}

INSTANTIATE_TEST_SUITE_P(Over, DeviceUnderMpirun, testing::ValuesIn(networks(is_network_alone)), kByName);

// Two processes on each of two hosts: messages within a host and between hosts take different ways.
class DeviceOnTwoHosts : public DeviceUnderMpirun {};

TEST_P(DeviceOnTwoHosts, PassesTheSuite) {
  if (!has_hosts()) {
    GTEST_SKIP() << kNoHosts;
  }
  const std::vector<int> codes = launch(two_hosts_words(), program("2"));
  if (codes.front() == kSkipped) {
    GTEST_SKIP() << lacks(GetParam());
  }
  EXPECT_EQ(codes.front(), 0);
}

INSTANTIATE_TEST_SUITE_P(Over, DeviceOnTwoHosts, testing::ValuesIn(networks(has_both)), kByName);

} // namespace
} // namespace avrankmap::test
