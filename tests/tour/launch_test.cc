// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Examples under mpirun: they find themselves in a job, and it starts the processes that they
// spawn.
#include <gtest/gtest.h>

#include "tests/support/launch.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

class TourUnderMpirun : public testing::TestWithParam<Transport> {
protected:
  void SetUp() override {
    if (!has_mpirun()) {
      GTEST_SKIP() << kNoMpirun;
    }
  }

  // The launcher itself has the variables, since those that it starts for a spawn get its own.
  static void run(const char *example) {
    const std::string netmod = GetParam().netmod;
    const std::string choice = is_ofi(GetParam()) ? "FI_PROVIDER=" : "UCX_TLS=";
    std::vector<std::string> words = {"env", "AVRM_NETMOD=" + netmod, "AVRM_SHMMOD=none", choice + GetParam().provider};
    const std::vector<std::string> launcher = mpirun_words(2);
    words.insert(words.end(), launcher.begin(), launcher.end());
    const std::vector<int> codes = launch(words, {std::string(AVRM_TOUR "/tour_") + example});
    if (codes.front() == kSkipped) {
      GTEST_SKIP() << lacks(GetParam());
    }
    EXPECT_EQ(codes, std::vector<int>{0});
  }
};

TEST_P(TourUnderMpirun, ProcessesOfTheLauncherGreetOneAnother) { run("job"); }
TEST_P(TourUnderMpirun, ParentsExchangeMessagesWithTheChildrenThatTheySpawn) { run("spawn"); }

INSTANTIATE_TEST_SUITE_P(Over, TourUnderMpirun, testing::ValuesIn(transports_of(Suites::kAll, is_network_alone)),
                         kByName);

} // namespace
} // namespace avrankmap::test
