// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device in jobs that mpirun starts: on this machine, and on two hosts that are simulated with namespaces. What the
// processes check is in device_job.cc.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/launch.h"

namespace avrankmap::test {
namespace {

struct Way {
  const char *name;
  const char *netmod;
  const char *provider;
  const char *shmmod;
};

std::ostream &operator<<(std::ostream &out, const Way &way) { return out << way.name; }

class DeviceUnderMpirun : public testing::TestWithParam<Way> {
protected:
  void SetUp() override {
    if (std::string_view(AVRM_MPIRUN).empty()) {
      GTEST_SKIP() << "Open MPI's mpirun was not found at configure time (Debian and Ubuntu: openmpi-bin)";
    }
  }
  static std::vector<std::string> program(const char *local_size) {
    return {AVRM_DEVICE_JOB, GetParam().netmod, GetParam().provider, GetParam().shmmod, local_size};
  }
};

TEST_P(DeviceUnderMpirun, PassesTheSuite) {
  const std::vector<int> codes = launch(mpirun_words(4), program("4"));
  if (codes.front() == 77) {
    GTEST_SKIP() << "this machine lacks " << GetParam().name;
  }
  EXPECT_EQ(codes, std::vector<int>{0});
}

// Two processes on each of two hosts: what goes between the hosts and what stays on one take different ways.
TEST_P(DeviceUnderMpirun, PassesTheSuiteOnTwoHosts) {
  if (launch({"bash", AVRM_HOSTS, "check"}, {}).front() != 0) {
    GTEST_SKIP() << "hosts cannot be simulated here: that needs root, namespaces and iproute2";
  }
  const std::vector<int> codes = launch({"bash", AVRM_HOSTS, "run", AVRM_MPIRUN}, program("2"));
  if (codes.front() == 77) {
    GTEST_SKIP() << "this machine lacks " << GetParam().name;
  }
  EXPECT_EQ(codes.front(), 0);
}

INSTANTIATE_TEST_SUITE_P(Over, DeviceUnderMpirun,
                         testing::Values(Way{"posix_and_tcp", "ofi", "tcp;ofi_rxm", "posix"},
                                         Way{"tcp", "ofi", "tcp;ofi_rxm", "none"},
                                         Way{"posix_and_ucx_tcp", "ucx", "tcp,self", "posix"}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
