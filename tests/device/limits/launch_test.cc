// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The embedded launcher of a process that may have few descriptors more: those of its programs are
// in place.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "launch/embedded_launch.h"
#include "tests/device/core/process.h"
#include "tests/device/limits/low_limit.h"

namespace avrankmap::test {
namespace {

constexpr int kNeeded = 3; // for the store and both ends to the supervisor

class LaunchOfFewDescriptors : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Free, LaunchOfFewDescriptors, testing::Range(0, kNeeded + 3));

TEST_P(LaunchOfFewDescriptors, GivesProgramsTheirStoreAndTellsTheirEnds) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer opens a pipe to check an object";
  }
  const std::string file = testing::TempDir() + "avrm_store_" + std::to_string(getpid());
  const std::string script = "readlink /proc/$$/fd/3 > " + file;
  const char *const arguments[] = {"-c", script.c_str(), nullptr};
  const detail::Program program{"/bin/sh", arguments, nullptr, "", 1, true};
  detail::EmbeddedLaunch launch;
  avrm_status_t status = AVRM_OK;
  {
    const LowLimit limit(RLIMIT_NOFILE, 64);
    const FewDescriptors few(GetParam());
    status = launch.start(program);
  }
  EXPECT_EQ(status, GetParam() < kNeeded ? AVRM_ERR_SYSTEM : AVRM_OK);
  if (status != AVRM_OK) {
    return;
  }
  while (launch.look() == AVRM_OK) {
    usleep(1000);
  }
  EXPECT_EQ(launch.failure(), AVRM_ERR_PEER);
  EXPECT_EQ(launch.failed_rank(), 0);
  launch.end();
  std::string name;
  std::getline(std::ifstream(file), name);
  EXPECT_NE(name.find("avrm-cards"), std::string::npos) << name;
  unlink(file.c_str());
}

} // namespace
} // namespace avrankmap::test
