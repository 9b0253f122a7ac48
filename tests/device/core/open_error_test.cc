// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text that says why a device could not be opened, for programs that set no hook.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "avrankmap/device/device.h"
#include "core/transports.h"

namespace avrankmap::test {
namespace {

class OpenError : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(avrm_boot_open(&boot_), AVRM_OK);
    options_.boot = boot_;
    options_.netmod = "null";
    options_.shmmod = "none";
  }
  void TearDown() override { avrm_boot_close(boot_); }

  // What the thread has after an attempt that must end with this status.
  std::string text_after(avrm_status_t expected) {
    avrm_device_t *device = nullptr;
    EXPECT_EQ(avrm_device_open(&options_, &device), expected);
    EXPECT_EQ(avrm_device_close(device), AVRM_OK);
    return avrm_device_open_error();
  }
  // The same with a variable of the environment.
  std::string text_with(const char *variable, const char *value) {
    setenv(variable, value, 1);
    std::string text = text_after(AVRM_ERR_OPTION);
    unsetenv(variable);
    return text;
  }

  avrm_boot_t *boot_ = nullptr;
  avrm_device_options_t options_{};
};

TEST_F(OpenError, NamesTheTransportsOfTheBuild) {
  options_.netmod = "pigeon";
  std::string text = text_after(AVRM_ERR_OPTION);
  EXPECT_NE(text.find("netmod \"pigeon\""), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(std::string(": ") + detail::netmod_names())) << text;
  EXPECT_TRUE(text.ends_with("null")) << text;
  options_.netmod = "null";
  options_.shmmod = "pigeon";
  text = text_after(AVRM_ERR_OPTION);
  EXPECT_NE(text.find("shmmod \"pigeon\""), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("none")) << text;
}

TEST_F(OpenError, NamesTheOptionOrVariable) {
  for (const char *const name : {"AVRM_AV", "AVRM_ATOMICS", "AVRM_SPIN_US"}) {
    const std::string text = text_with(name, "pigeon");
    EXPECT_NE(text.find(name), std::string::npos) << text;
    EXPECT_NE(text.find("pigeon"), std::string::npos) << text;
  }
  options_.spin_us = -2;
  EXPECT_NE(text_after(AVRM_ERR_OPTION).find("spin_us"), std::string::npos);
  options_.spin_us = 0;
  options_.port_interface = "an-interface-with-a-long-name";
  EXPECT_NE(text_after(AVRM_ERR_OPTION).find("interface"), std::string::npos);
  options_.port_interface = nullptr;
  options_.av = static_cast<avrm_device_av_t>(9);
  EXPECT_NE(text_after(AVRM_ERR_OPTION).find("av "), std::string::npos);
}

TEST_F(OpenError, IsOfTheLastAttemptOfTheThread) {
  options_.netmod = "pigeon";
  EXPECT_NE(text_after(AVRM_ERR_OPTION), "");
  std::thread([] { EXPECT_STREQ(avrm_device_open_error(), ""); }).join();
  options_.netmod = "null";
  EXPECT_EQ(text_after(AVRM_OK), "");
}

} // namespace
} // namespace avrankmap::test
