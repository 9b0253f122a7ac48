// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A spawned program recognises this by one environment variable.
#include "launch/spawned.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/environment.h"
#include "launch/key_value_store.h"

namespace avrankmap::test {
namespace {

using detail::SpawnedJob;

class Spawned : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 12;
  static constexpr const char *kVariable = detail::env::row(detail::env::kSpawned).name;

  void SetUp() override {
    ASSERT_GE(file_, 0);
    ASSERT_EQ(ftruncate(file_, static_cast<off_t>(detail::KeyValueStore::bytes(kSize))), 0);
    struct stat about = {};
    ASSERT_EQ(fstat(file_, &about), 0);
    store_ = std::to_string(file_) + ":" + std::to_string(about.st_ino);
  }
  void TearDown() override {
    unsetenv(kVariable);
    close(file_);
  }
  static bool finds(const std::string &text, SpawnedJob *job) {
    setenv(kVariable, text.c_str(), 1);
    return job->find();
  }

  int file_ = memfd_create("store", MFD_CLOEXEC);
  std::string store_; // descriptor and inode
};

TEST_F(Spawned, FindsWhatTheLauncherWrites) {
  SpawnedJob job;
  ASSERT_TRUE(finds(store_ + ":12:1:0000000011", &job));
  EXPECT_EQ(job.descriptor, file_);
  EXPECT_EQ(job.size, 12);
  EXPECT_EQ(job.local, 1);
  EXPECT_EQ(job.rank, 11);
}

TEST_F(Spawned, FindsNothingWithoutTheVariable) {
  SpawnedJob job;
  EXPECT_FALSE(job.find());
}

TEST_F(Spawned, FindsNothingInOtherTexts) {
  for (const std::string &text : {std::string(), std::string(":"), store_, store_ + ":12:1",
                                  store_ + ":12:1:", store_ + ":12:1:3:", store_ + ":12:1:3x", store_ + ":12:1:3 ",
                                  store_ + ": 12:1:3", store_ + ":+12:1:3", store_ + ":12::3", store_ + ":12;1:3"}) {
    SpawnedJob job;
    EXPECT_FALSE(finds(text, &job)) << '"' << text << '"';
  }
}

TEST_F(Spawned, FindsNothingWithNumbersOutOfRange) {
  for (const char *const numbers : {":12:1:12", ":12:1:-1", ":0:1:0", ":-1:1:0", ":100000:1:3", ":12:1:4294967299",
                                    ":4294967308:1:3", ":12:99999999999:3"}) {
    SpawnedJob job;
    EXPECT_FALSE(finds(store_ + numbers, &job)) << numbers;
  }
}

TEST_F(Spawned, FindsNothingIfTheFileIsAnother) {
  SpawnedJob job;
  EXPECT_FALSE(finds(std::to_string(file_) + ":1:12:1:3", &job));
  EXPECT_FALSE(finds("1000000:1:12:1:3", &job));
}

} // namespace
} // namespace avrankmap::test
