// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Booting and opening when the system, memory or the PMIx library fails, call by call: a status, nothing left behind, and the next
// attempt works.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "avrankmap/boot.h"
#include "avrankmap/device.h"
#include "boot/launch.h"
#include "tests/fault/sweep.h"
#if AVRM_TEST_PMIX
#include "boot/pmix_launch.h"
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

// A launched program that ends at once is a failure, too; what counts is that it is told, and that nothing stays.
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
    const std::string script = "sleep 0.2; touch " + file;
    const char *const arguments[] = {"-c", script.c_str(), nullptr};
    detail::EmbeddedLaunch launch;
    ASSERT_EQ(launch.start({"sh", arguments, nullptr, "", 1, true}), AVRM_OK);
    arm(kSystem, Fault::kNoMemory, 0, 5);
    launch.let_go();
    disarm();
    EXPECT_EQ(faults().failed, 5u);
    while (!launch.is_over()) {
      usleep(1000);
    }
    EXPECT_EQ(unlink(file.c_str()), 0) << "it was ended";
  });
}

struct Opening {
  Shot shot{};
  const char *netmod = nullptr;
  const char *provider = nullptr;
  const char *shmmod = nullptr;
  // What the victim saw.
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  avrm_status_t status = AVRM_OK;
  bool lacks = false;
};

int open_device(avrm_boot_t *boot, void *user) {
  auto &opening = *static_cast<Opening *>(user);
  const bool victim = avrm_boot_rank(boot) == 0;
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = opening.netmod;
  options.provider = opening.provider;
  options.shmmod = opening.shmmod;
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
    opening.lacks = faults().failed == 0 && (status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_OPTION);
  }
  AVRM_MUST((status == AVRM_OK) == (device != nullptr));
  if (device != nullptr) {
    const avrm_status_t closed = avrm_device_close(device);
    AVRM_MUST(closed == AVRM_OK || closed == AVRM_ERR_PEER);
  }
  AVRM_MUST(opening.provider != nullptr || open_descriptors() == descriptors); // libraries keep some for good
  return 0;
}

// UCX 1.13 ends the process by an assertion of its own when a peer goes while the two are being connected (README, Limits).
bool may_abort(const Opening &opening) { return std::strcmp(opening.netmod, "ucx") == 0; }

void sweep_opening(Opening model, unsigned families, const std::vector<Fault> &kinds, std::size_t samples) {
  void *const page = mmap(nullptr, sizeof(Opening), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto *const opening = new (page) Opening(model);
  bool lacks = false;
  sweep(families, kinds,
        [&](const Shot &shot) {
          opening->shot = shot;
          const avrm_fork_options_t options{2, opening->provider == nullptr ? 0 : 1, kSanitized ? 240000 : 60000, 0};
          std::int32_t codes[2] = {-1, -1};
          ASSERT_EQ(avrm_boot_fork_run(&options, open_device, opening, codes), AVRM_OK);
          lacks = lacks || opening->lacks;
          EXPECT_EQ(codes[0], 0);
          EXPECT_TRUE(codes[1] == 0 || (codes[1] == 128 + SIGABRT && may_abort(*opening))) << codes[1];
          EXPECT_TRUE(opening->failed != 0 || opening->status == AVRM_OK || lacks) << avrm_status_name(opening->status);
          EXPECT_TRUE(opening->status == AVRM_OK || opening->status == AVRM_ERR_NO_MEMORY ||
                      opening->status == AVRM_ERR_UNSUPPORTED || opening->status == AVRM_ERR_SYSTEM ||
                      opening->status == AVRM_ERR_TRANSPORT || opening->status == AVRM_ERR_PEER)
              << avrm_status_name(opening->status);
          faults() = {};
          faults().calls = lacks ? 1 : opening->calls; // they were counted in the victim
        },
        {.samples = samples});
  munmap(page, sizeof(Opening));
  if (lacks) {
    GTEST_SKIP() << "this machine lacks the transport";
  }
}

TEST(OpenCalls, ADeviceOverSharedMemoryOpensOrSaysWhyNot) {
  Opening model;
  model.netmod = "null";
  model.shmmod = "posix";
  sweep_opening(model, kSystem | kMemory, {Fault::kHard, Fault::kNoMemory, Fault::kPeer}, 12);
}

TEST(OpenCalls, ADeviceOverLibfabricOpensOrSaysWhyNot) {
  Opening model;
  model.netmod = "ofi";
  model.provider = "tcp;ofi_rxm";
  model.shmmod = "none";
  sweep_opening(model, kTransport | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory}, 5);
}

TEST(OpenCalls, ADeviceOverUcxOpensOrSaysWhyNot) {
  Opening model;
  model.netmod = "ucx";
  model.provider = "tcp,self";
  model.shmmod = "none";
  sweep_opening(model, kTransport | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory}, 5);
}

#if AVRM_TEST_PMIX
TEST(BootCalls, WhatAPmixLauncherWillNotSpawnTheEmbeddedOneDoes) {
  in_process([] {
    const std::string file = testing::TempDir() + "avrm-spawned-" + std::to_string(getpid());
    const char *const arguments[] = {file.c_str(), nullptr};
    const detail::Program program{"touch", arguments, nullptr, "", 1, true};
    sweep(kBoot, {Fault::kHard}, [&](const Shot &shot) {
      detail::PmixLaunch launch;
      shot.arm();
      ASSERT_EQ(launch.start(program), AVRM_OK);
      disarm();
      while (launch.look() == AVRM_OK) {
        usleep(1000);
      }
      EXPECT_EQ(launch.failure(), AVRM_ERR_PEER) << "it asks for nobody";
      EXPECT_EQ(unlink(file.c_str()), 0) << "it did not run";
    });
  });
}

// Where there is a launcher, as wrap_pmix.cc has it: one process, and a server that always answers.
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
#endif

} // namespace
} // namespace avrankmap::test
