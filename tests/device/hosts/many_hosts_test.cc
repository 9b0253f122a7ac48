// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What takes long: the transport suite (device_job.cc) under every launcher, on one host and on
// two; and jobs on eight hosts, of which one is lost (many_hosts_job.cc).
#include <gtest/gtest.h>

#include <csignal>

#include "tests/device/hosts/launchers.h"
#include "tests/support/settings.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

constexpr const char *kLong = "takes long: AVRM_TEST_LONG=1";

using Cell = std::tuple<Launcher, Transport, int>;

std::string name_of(const testing::TestParamInfo<Cell> &info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name + "_" +
         std::to_string(std::get<2>(info.param));
}

class OnHosts : public testing::TestWithParam<Cell> {
protected:
  void SetUp() override {
    if (!is_long()) {
      GTEST_SKIP() << kLong;
    }
    if (const std::string reason = lacks_for(std::get<0>(GetParam())); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }
};

class TheSuite : public OnHosts {};

TEST_P(TheSuite, Passes) {
  const auto &[launcher, transport, hosts] = GetParam();
  const int each = 4 / hosts;
  const int code = run_placed(launcher, block(hosts, each), {},
                              {AVRM_DEVICE_JOB, transport.name, std::to_string(each), launcher.kind});
  if (code == kSkipped) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(code, 0);
}

INSTANTIATE_TEST_SUITE_P(Hosts, TheSuite,
                         testing::Combine(testing::ValuesIn(kLaunchers),
                                          testing::ValuesIn(transports_of(Suites::kAll, has_both)),
                                          testing::Values(1, 2)),
                         name_of);

// The counts of many_hosts_job.cc: processes that are ready, and that survived.
std::uint32_t survivors_in(const SharedFile &file) {
  std::uint32_t counts[2] = {};
  EXPECT_EQ(pread(file.descriptor(), counts, sizeof counts, 0), static_cast<ssize_t>(sizeof counts));
  return counts[1];
}

class EightHosts : public OnHosts {};

// The launcher's exit code says that processes died, or that it was ended: mpirun remains when all
// processes of such a job have ended (seen with Open MPI 4.1.4). Slurm's PMIx plugin does not
// always end the step (22.05: mostly over ofi, rarely over ucx).
TEST_P(EightHosts, GoOnWithoutOneOfThem) {
  const auto &[launcher, transport, hosts] = GetParam();
  constexpr int kEach = 8;
  const SharedFile counts(std::string(2 * sizeof(std::uint32_t), '\0'));
  const int code =
      run_placed(launcher, block(hosts, kEach), {},
                 {AVRM_MANY_HOSTS_JOB, transport.name, launcher.kind, std::to_string(hosts), counts.path()},
                 {launcher.survive}, 100);
  if (code == kSkipped) {
    GTEST_SKIP() << lacks(transport);
  }
  const std::uint32_t survivors = survivors_in(counts);
  const auto left = static_cast<std::uint32_t>((hosts - 1) * kEach);
  // If a survivor failed, the others would wait until their alarms.
  if (survivors < left && code == 128 + SIGKILL && launcher.words == srun_pmix_placed) {
    GTEST_SKIP()
        << "Slurm's PMIx plugin ends the step when it loses the connection to a process, whatever srun is told";
  }
  EXPECT_EQ(survivors, left) << "exit code " << code;
}

INSTANTIATE_TEST_SUITE_P(Hosts, EightHosts,
                         testing::Combine(testing::ValuesIn(kLaunchers),
                                          testing::ValuesIn(transports_of(Suites::kAll, has_both)), testing::Values(8)),
                         name_of);

} // namespace
} // namespace avrankmap::test
