// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// A process that fails ends its job, whatever the others wait for, and the caller learns which.
#include "support/job.h"

#include "avrankmap/device/comm.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kMilliseconds = 60000;

/// The text of the exception that a job of three processes ends with. `fail` is called in the
/// second one; the others wait for it.
std::string text_of(void (*fail)()) {
  try {
    run_job_over_shared_memory("work", 3, kMilliseconds, [&](avrm_device_t *device) {
      avrm_comm_t *const world = avrm_device_world(device);
      if (avrm_comm_rank(world) == 1) {
        fail();
      }
      require(avrm_barrier(world));
    });
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(BenchJob, EndsWell) {
  EXPECT_EQ(text_of([] {}), "");
}
TEST(BenchJob, EndsWithAnException) {
  EXPECT_EQ(text_of([] { throw std::runtime_error("it is broken"); }), "work, process 1: it is broken");
}
TEST(BenchJob, EndsWithAStatus) {
  EXPECT_EQ(text_of([] { require(AVRM_ERR_RANK, "a message"); }),
            std::string("work, process 1: a message: ") + avrm_status_text(AVRM_ERR_RANK));
}
TEST(BenchJob, EndsWithASignal) {
  EXPECT_EQ(text_of([] { (void)std::raise(SIGTERM); }), "work, process 1: exit code 143");
}
TEST(BenchJob, EndsWithAnExitCode) {
  EXPECT_EQ(text_of([] { _exit(3); }), "work, process 1: exit code 3");
}

TEST(BenchJob, EndsAfterItsTime) {
  try {
    run_job("work", 2, 100, [](avrm_boot_t *boot) {
      if (avrm_boot_rank(boot) == 1) {
        require(avrm_boot_fence(boot)); // which the other does not enter
      } else {
        pause();
      }
    });
    FAIL() << "it ended well";
  } catch (const std::runtime_error &error) {
    EXPECT_EQ(error.what(), std::string("work: ") + avrm_status_text(AVRM_ERR_TIMEOUT));
  }
}

TEST(BenchJob, TellsThatATransportIsMissing) {
  const auto body = [](avrm_boot_t *boot) {
    avrm_device_options_t options{};
    options.boot = boot;
    options.netmod = "no such network";
    (void)open_device(options);
  };
  EXPECT_THROW(run_job("work", 1, kMilliseconds, body), TransportMissing);
}

} // namespace
} // namespace avrankmap::bench
