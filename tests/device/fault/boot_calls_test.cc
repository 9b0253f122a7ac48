// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Booting and opening while the system, memory or PMIx fail, call by call: the caller gets a
// status, nothing leaks, and the next attempt works.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "avrankmap/device/boot.h"
#include "avrankmap/device/device.h"
#include "launch/embedded_launch.h"
#include "tests/device/fault/pmix_server.h"
#include "tests/device/fault/sweep.h"
#include "tests/support/shared.h"
#if AVRM_TEST_PMIX
#include "launch/pmix/launch.h"
#endif

namespace avrankmap::test {
namespace {

int succeed(avrm_boot_t *, void *) {
  disarm(); // as the launching process forked it
  return 0;
}

TEST(BootCalls, AForkedJobThatCannotBeStartedLeavesNoProcess) {
  in_process([] {
    const int descriptors = open_descriptors();
    sweep(kSystem | kMemory, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, [&](const Shot &shot) {
      const avrm_fork_options_t options{3, 0, 60000, 0};
      std::int32_t codes[3] = {-1, -1, -1};
      shot.arm();
      const avrm_status_t status = avrm_boot_fork_run(&options, succeed, nullptr, codes);
      disarm();
      EXPECT_TRUE(status == AVRM_OK || status == AVRM_ERR_SYSTEM || status == AVRM_ERR_NO_MEMORY)
          << avrm_status_name(status);
      EXPECT_EQ(codes[2], status == AVRM_OK ? 0 : -1);
      EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
      EXPECT_EQ(open_descriptors(), descriptors);
    });
  });
}

TEST(BootCalls, AJobOfOneProcessCanBeOpenedAtTheSecondAttempt) {
  in_process([] {
    sweep(kSystem | kMemory, {Fault::kNoMemory}, [](const Shot &shot) {
      avrm_boot_t *boot = nullptr;
      shot.arm();
      const avrm_status_t status = avrm_boot_open(&boot);
      disarm();
      EXPECT_EQ(status == AVRM_OK, boot != nullptr);
      if (status != AVRM_OK) {
        EXPECT_EQ(status, AVRM_ERR_NO_MEMORY);
        EXPECT_EQ(avrm_boot_open(&boot), AVRM_OK);
      }
      avrm_boot_close(boot);
    });
  });
}

// A launched program that ends at once is a failure, too. The launch must report it and
// leave nothing.
TEST(BootCalls, ALaunchThatFailsSaysSo) {
  in_process([] {
    const int descriptors = open_descriptors();
    const detail::Program program{"true", nullptr, nullptr, "", 2, true};
    sweep(kSystem | kMemory, {Fault::kHard, Fault::kNoMemory},
          [&](const Shot &shot) {
            {
              detail::EmbeddedLaunch launch;
              shot.arm();
              const avrm_status_t status = launch.start(program);
              disarm();
              if (status != AVRM_OK) {
                EXPECT_TRUE(status == AVRM_ERR_SYSTEM || status == AVRM_ERR_NO_MEMORY) << avrm_status_name(status);
                ASSERT_EQ(launch.start(program), AVRM_OK);
              }
              while (launch.look() == AVRM_OK) {
                usleep(1000);
              }
              EXPECT_TRUE(launch.failure() == AVRM_ERR_PEER || launch.failure() == AVRM_ERR_SYSTEM ||
                          launch.failure() == AVRM_ERR_NO_MEMORY || launch.failure() == AVRM_ERR_BOOT)
                  << avrm_status_name(launch.failure());
            }
            EXPECT_EQ(open_descriptors(), descriptors);
          },
          {.samples = 8});
  });
}

TEST(BootCalls, ALaunchIsLetGoEvenIfTheSystemIsShortOfMemory) {
  in_process([] {
    const std::string file = testing::TempDir() + "avrm-let-go-" + std::to_string(getpid());
    const std::string script = "until [ -e " + file + ".go ]; do sleep 0.01; done; rm " + file + ".go; touch " + file;
    const char *const arguments[] = {"-c", script.c_str(), nullptr};
    detail::EmbeddedLaunch launch;
    ASSERT_EQ(launch.start({"sh", arguments, nullptr, "", 1, true}), AVRM_OK);
    arm(kSystem, Fault::kNoMemory, 0, 5);
    launch.let_go();
    disarm();
    EXPECT_EQ(faults().failed, 5u);
    std::ofstream(file + ".go").flush();
    while (!launch.is_over()) {
      usleep(1000);
    }
    EXPECT_EQ(unlink(file.c_str()), 0) << "it was ended";
  });
}

struct Opening {
  Shot shot{};
  const Transport *transport = nullptr;
  // Results of the victim.
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  avrm_status_t status = AVRM_OK;
  bool lacking = false;
};

int open_device(avrm_boot_t *boot, void *user) {
  auto &opening = *static_cast<Opening *>(user);
  const bool victim = avrm_boot_rank(boot) == 0;
  avrm_device_options_t options = options_over(*opening.transport, boot);
  options.connect = AVRM_CONNECT_EAGER;
  avrm_device_t *device = nullptr;
  const int descriptors = open_descriptors();
  if (victim) {
    opening.shot.arm();
  }
  const avrm_status_t status = avrm_device_open(&options, &device);
  if (victim) {
    disarm();
    opening.calls = faults().calls;
    opening.failed = faults().failed;
    opening.status = status;
    opening.lacking = faults().failed == 0 && means_lacking(status);
  }
  AVRM_MUST((status == AVRM_OK) == (device != nullptr));
  if (device != nullptr) {
    const avrm_status_t closed = avrm_device_close(device);
    AVRM_MUST(closed == AVRM_OK || closed == AVRM_ERR_PEER);
  }
  // Libraries keep some open.
  AVRM_MUST(has_network(*opening.transport) || open_descriptors() == descriptors);
  return 0;
}

void sweep_opening(const Transport &transport, unsigned families, const std::vector<Fault> &kinds,
                   std::size_t samples) {
  const Shared<Opening> opening;
  opening->transport = &transport;
  bool lacking = false;
  sweep(families, kinds,
        [&](const Shot &shot) {
          opening->shot = shot;
          const avrm_fork_options_t options{2, transport.per_node, job_timeout_ms(), 0};
          std::int32_t codes[2] = {-1, -1};
          ASSERT_EQ(avrm_boot_fork_run(&options, open_device, &*opening, codes), AVRM_OK);
          lacking = lacking || opening->lacking;
          EXPECT_EQ(codes[0], 0);
          EXPECT_TRUE(codes[1] == 0 || (codes[1] == 128 + SIGABRT && !survives_early_death(transport))) << codes[1];
          EXPECT_TRUE(opening->failed != 0 || opening->status == AVRM_OK || lacking)
              << avrm_status_name(opening->status);
          EXPECT_TRUE(opening->status == AVRM_OK || opening->status == AVRM_ERR_NO_MEMORY ||
                      opening->status == AVRM_ERR_UNSUPPORTED || opening->status == AVRM_ERR_SYSTEM ||
                      opening->status == AVRM_ERR_TRANSPORT || opening->status == AVRM_ERR_PEER || lacking)
              << avrm_status_name(opening->status);
          faults() = {};
          faults().calls = lacking ? 1 : opening->calls; // they were counted in the victim
        },
        {.samples = samples});
  if (lacking) {
    GTEST_SKIP() << lacks(transport);
  }
}

class OpenCalls : public testing::TestWithParam<Transport> {};

TEST_P(OpenCalls, ADeviceOpensOrSaysWhyNot) {
  if (has_network(GetParam())) {
    sweep_opening(GetParam(), kTransport | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory}, 5);
  } else {
    sweep_opening(GetParam(), kSystem | kMemory, {Fault::kHard, Fault::kNoMemory, Fault::kPeer}, 12);
  }
}

INSTANTIATE_TEST_SUITE_P(Over, OpenCalls, testing::ValuesIn(transports_of(Suites::kAll, has_one)), kByName);

#if AVRM_TEST_PMIX
TEST(BootCalls, WhatAPmixLauncherWillNotSpawnTheEmbeddedOneDoes) {
  in_process([] {
    const std::string file = testing::TempDir() + "avrm-spawned-" + std::to_string(getpid());
    const char *const arguments[] = {file.c_str(), nullptr};
    const detail::Program program{"touch", arguments, nullptr, "", 1, true};
    sweep(kBoot, {Fault::kHard}, [&](const Shot &shot) {
      detail::PmixLaunch launch{std::chrono::seconds(0)};
      shot.arm();
      ASSERT_EQ(launch.start(program), AVRM_OK);
      disarm();
      while (launch.look() == AVRM_OK) {
        usleep(1000);
      }
      EXPECT_EQ(launch.failure(), AVRM_ERR_PEER) << "it never contacts its parents";
      EXPECT_EQ(unlink(file.c_str()), 0) << "it did not run";
    });
  });
}

// With a launcher, which wrap_pmix.cc pretends: one process, and a server that always answers.
TEST(BootCalls, AnythingThatPmixRefusesIsAStatus) {
  in_process([] {
    setenv("PMIX_NAMESPACE", "test", 1);
    setenv("PMIX_RANK", "0", 1);
    sweep(kBoot | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory}, [](const Shot &shot) {
      avrm_boot_t *boot = nullptr;
      char card[8] = {};
      std::size_t bytes = sizeof card;
      shot.arm();
      avrm_status_t status = avrm_boot_open(&boot);
      if (status == AVRM_OK) {
        status = avrm_boot_publish(boot, 3, "card", 4);
      }
      if (status == AVRM_OK) {
        status = avrm_boot_fence(boot);
      }
      if (status == AVRM_OK) {
        status = avrm_boot_fetch(boot, 0, 3, card, &bytes);
      }
      disarm();
      if (status == AVRM_OK) {
        EXPECT_EQ(std::string(card, bytes), "card");
        EXPECT_STREQ(avrm_boot_kind(boot), "pmix");
      } else {
        EXPECT_TRUE(status == AVRM_ERR_BOOT || status == AVRM_ERR_NO_MEMORY) << avrm_status_name(status);
      }
      if (boot != nullptr && status != AVRM_OK) { // the second attempt works
        EXPECT_EQ(avrm_boot_publish(boot, 3, "card", 4), AVRM_OK);
        EXPECT_EQ(avrm_boot_fence(boot), AVRM_OK);
        bytes = sizeof card;
        EXPECT_EQ(avrm_boot_fetch(boot, 0, 3, card, &bytes), AVRM_OK);
      }
      avrm_boot_close(boot);
    });
  });
}

TEST(BootCalls, AFenceOfPmixWithoutMemoryIsNoRefusal) {
  in_process([] {
    setenv("PMIX_NAMESPACE", "test", 1);
    setenv("PMIX_RANK", "0", 1);
    avrm_boot_t *boot = nullptr;
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    arm(kMemory, Fault::kHard, 0);
    EXPECT_EQ(avrm_boot_fence_start(boot), AVRM_ERR_NO_MEMORY);
    disarm();
    EXPECT_EQ(avrm_boot_fence(boot), AVRM_OK);
    avrm_boot_close(boot);
  });
}

TEST(BootCalls, AFetchThatAPmixServerDoesNotAnswerEnds) {
  in_process([] {
    setenv("PMIX_NAMESPACE", "test", 1);
    setenv("PMIX_RANK", "0", 1);
    pmix_size = 2; // the other one is on another node
    delays_pmix_gets = true;
    avrm_boot_t *boot = nullptr;
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    char card[8] = {};
    std::size_t bytes = sizeof card;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(avrm_boot_fetch(boot, 1, 3, card, &bytes), AVRM_ERR_PEER);
    const auto time = std::chrono::steady_clock::now() - start;
    EXPECT_GT(time, std::chrono::seconds(5)) << "the limit that the server was given";
    EXPECT_LT(time, std::chrono::seconds(30));
    EXPECT_EQ(avrm_boot_failures(boot), 0U) << "its server may be slow";
    avrm_boot_close(boot);
  });
}

// PMIx's wildcards, and numbers that no process of the job has.
constexpr std::uint32_t kNobodysRanks[] = {UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2, INT32_MAX, 3};

TEST(BootCalls, DeadRanksThatAreNotOfAPmixJobAreIgnored) {
  in_process([] {
    setenv("PMIX_NAMESPACE", "test", 1);
    setenv("PMIX_RANK", "0", 1);
    setenv("AVRM_PMIX_PARENT_PORT", "port", 1); // as in a spawned job, which asks its server
    pmix_size = 3;
    for (const std::uint32_t rank : kNobodysRanks) {
      pmix_processes.push_back({rank, true});
    }
    pmix_processes.push_back({1, true});
    avrm_boot_t *boot = nullptr;
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    while (!avrm_boot_has_failed(boot, 1)) {
      usleep(1000);
    }
    EXPECT_EQ(avrm_boot_failures(boot), 1U);
    avrm_boot_close(boot);
  });
}

TEST(BootCalls, DeadRanksThatAreNotOfAPmixJobDoNotEndItsLaunch) {
  in_process([] {
    starts_pmix_jobs = true;
    pmix_processes = {{0, false}};
    for (const std::uint32_t rank : kNobodysRanks) {
      pmix_processes.push_back({rank, true});
    }
    detail::PmixLaunch launch{std::chrono::seconds(0)};
    ASSERT_EQ(launch.start({"true", nullptr, nullptr, "", 3, true}), AVRM_OK);
    EXPECT_EQ(launch.look(), AVRM_OK);
    pmix_processes.push_back({1, true});
    while (launch.look() == AVRM_OK) {
      usleep(1000);
    }
    EXPECT_EQ(launch.failed_rank(), 1);
    EXPECT_EQ(launch.failure(), AVRM_ERR_PEER);
    pmix_processes.clear(); // they have been killed
  });
}
#endif

} // namespace
} // namespace avrankmap::test
