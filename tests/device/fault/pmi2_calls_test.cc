// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Joining a job of PMI-2 while the system, memory or PMI-2 fail, call by call: the caller gets a
// status, nothing leaks, and the next attempt works. wrap_pmi2.cc pretends the launcher.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "avrankmap/device/boot.h"
#include "avrankmap/device/device.h"
#include "launch/boot.h"
#include "launch/pmi2/card_text.h"
#include "launch/pmi2/client.h"
#include "launch/pmi2/launch.h"
#include "launch/pmi2/nodes.h"
#include "tests/device/fault/pmi2_server.h"
#include "tests/device/fault/sweep.h"

namespace avrankmap::test {
namespace {

using detail::Pmi2Client;
using detail::Pmi2Launch;

constexpr std::chrono::seconds kNoLimit{0};

void pretend_launcher() {
  setenv("AVRM_LAUNCHER", "pmi2", 1);
  setenv("PMI_RANK", "0", 1);
  unsetenv("PMI_FD");
}

avrm_status_t use(avrm_boot_t *boot) {
  char card[8] = {};
  std::size_t bytes = sizeof card;
  avrm_status_t status = avrm_boot_publish(boot, 3, "card", 4);
  if (status == AVRM_OK) {
    status = avrm_boot_fence(boot);
  }
  if (status == AVRM_OK) {
    status = avrm_boot_fetch(boot, 0, 3, card, &bytes);
  }
  if (status == AVRM_OK) {
    EXPECT_EQ(std::string(card, bytes), "card");
  }
  return status;
}

// A process leaves its job for good, so each fault has a process of its own.
TEST(Pmi2Calls, AnythingThatFailsIsAStatus) {
  for (const Fault fault : {Fault::kHard, Fault::kNoMemory}) {
    for (int point = 0; point < 40; ++point) {
      in_process([fault, point] {
        pretend_launcher();
        const int descriptors = open_descriptors();
        avrm_boot_t *boot = nullptr;
        arm(kBoot | kMemory | kSystem, fault, point);
        avrm_status_t status = avrm_boot_open(&boot);
        if (status == AVRM_OK) {
          status = use(boot);
        }
        disarm();
        EXPECT_TRUE(point != 0 || faults().failed == 1U);
        EXPECT_TRUE(status == AVRM_OK || faults().failed != 0U) << "without a fault";
        EXPECT_TRUE(status == AVRM_OK || status == AVRM_ERR_BOOT || status == AVRM_ERR_NO_MEMORY ||
                    status == AVRM_ERR_SYSTEM)
            << avrm_status_name(status);
        if (boot == nullptr) {
          avrm_boot_open(&boot);
        }
        ASSERT_NE(boot, nullptr) << avrm_device_open_error() << " after " << faults().call;
        EXPECT_STREQ(avrm_boot_kind(boot), "pmi2");
        EXPECT_EQ(use(boot), AVRM_OK);
        avrm_boot_close(boot);
        EXPECT_EQ(pmi2_finalizes, 1);
        EXPECT_EQ(open_descriptors(), descriptors);
      });
    }
  }
}

TEST(Pmi2Calls, AFenceThatTheLauncherRefusesIsAStatus) {
  in_process([] {
    pretend_launcher();
    avrm_boot_t *boot = nullptr;
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    refused_pmi2_fences = 1;
    EXPECT_EQ(use(boot), AVRM_ERR_BOOT);
    EXPECT_EQ(use(boot), AVRM_OK);
    avrm_boot_close(boot);
  });
}

TEST(Pmi2Calls, AFenceWithoutMemoryIsNoRefusal) {
  in_process([] {
    pretend_launcher();
    avrm_boot_t *boot = nullptr;
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    ASSERT_EQ(avrm_boot_publish(boot, 3, "card", 4), AVRM_OK);
    arm(kMemory, Fault::kHard, 0);
    EXPECT_EQ(avrm_boot_fence_start(boot), AVRM_ERR_NO_MEMORY);
    disarm();
    EXPECT_EQ(avrm_boot_fence(boot), AVRM_OK);
    avrm_boot_close(boot);
  });
}

TEST(Pmi2Calls, AFetchThatAFenceHoldsUpIsATimeoutAndNoDeath) {
  in_process([] {
    pretend_launcher();
    pmi2_size = 2;
    pmi2_mapping = "(vector,(0,1,2))";
    avrm_boot_t *boot = nullptr;
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    holds_pmi2_fences = true;
    ASSERT_EQ(avrm_boot_fence_start(boot), AVRM_OK);
    while (!is_pmi2_fence_held) { // it has the connection then
      usleep(1000);
    }
    char card[8] = "";
    std::size_t bytes = sizeof card;
    EXPECT_EQ(avrm_boot_fetch(boot, 1, 3, card, &bytes), AVRM_ERR_TIMEOUT);
    EXPECT_EQ(avrm_boot_failures(boot), 0U);
    holds_pmi2_fences = false;
    bool done = false;
    while (!done) {
      ASSERT_EQ(avrm_boot_fence_test(boot, &done), AVRM_OK);
    }
    EXPECT_EQ(avrm_boot_fetch(boot, 1, 3, card, &bytes), AVRM_ERR_PEER) << "it has published nothing";
    avrm_boot_close(boot);
  });
}

// Others have not come, and their fence does not end.
avrm_boot_t *open_in_time(int size, const char *mapping, avrm_status_t status) {
  pretend_launcher();
  setenv("AVRM_OPEN_TIMEOUT", "1", 1);
  pmi2_size = size;
  pmi2_mapping = mapping;
  holds_pmi2_fences = true;
  avrm_boot_t *boot = nullptr;
  EXPECT_EQ(avrm_boot_open(&boot), status);
  return boot;
}

TEST(Pmi2Calls, ADeviceThatNotAllProcessesOpenIsATimeout) {
  in_process([] {
    avrm_boot_t *const boot = open_in_time(2, "(vector,(0,1,2))", AVRM_OK);
    const avrm_device_options_t options = options_over(kNull, boot);
    avrm_device_t *device = nullptr;
    ASSERT_EQ(avrm_device_open(&options, &device), AVRM_ERR_TIMEOUT);
    EXPECT_NE(std::strstr(avrm_device_open_error(), "AVRM_OPEN_TIMEOUT"), nullptr);
    EXPECT_EQ(avrm_boot_fence(boot), AVRM_ERR_PEER) << "no fence can complete any more";
    holds_pmi2_fences = false;
    avrm_boot_close(boot);
  });
}

TEST(Pmi2Calls, ABootWhoseProcessesDoNotTellTheirNodesIsATimeout) {
  in_process([] {
    EXPECT_EQ(open_in_time(2, nullptr, AVRM_ERR_TIMEOUT), nullptr);
    EXPECT_NE(std::strstr(avrm_device_open_error(), "AVRM_OPEN_TIMEOUT"), nullptr);
    holds_pmi2_fences = false;
  });
}

TEST(Pmi2Calls, ARefusedPutEndsAFence) {
  in_process([] {
    pretend_launcher();
    Pmi2Client &client = Pmi2Client::instance();
    ASSERT_EQ(client.join(), AVRM_OK);
    char value[16] = "";
    for (int point = 0; point < 2; ++point) { // the put, the fence
      arm(kBoot, Fault::kHard, point);
      EXPECT_FALSE(client.fence({{"key", "value"}}));
      disarm();
    }
    EXPECT_TRUE(client.fence({{"key", "value"}}));
    EXPECT_EQ(client.get(0, "other", value, sizeof value), Pmi2Client::Found::kNo);
    EXPECT_EQ(client.get(0, "key", value, 4), Pmi2Client::Found::kNo) << "it is too long";
    EXPECT_EQ(client.get(0, "key", value, sizeof value), Pmi2Client::Found::kYes);
    EXPECT_STREQ(value, "value");
    arm(kBoot, Fault::kHard, 0);
    client.leave(); // the launcher refuses
    disarm();
    EXPECT_EQ(client.join(), AVRM_ERR_BOOT);
  });
}

TEST(Pmi2Calls, TheSignalOfHydraIsHandledAsBeforeAfterwards) {
  in_process([] {
    pretend_launcher();
    const auto handler = [] {
      struct sigaction action = {};
      sigaction(SIGUSR1, nullptr, &action);
      return action.sa_handler;
    };
    arm(kBoot, Fault::kHard, 0);
    avrm_boot_t *boot = nullptr;
    EXPECT_EQ(avrm_boot_open(&boot), AVRM_ERR_BOOT);
    disarm();
    EXPECT_EQ(handler(), SIG_DFL);
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    EXPECT_EQ(handler(), SIG_IGN);
    avrm_boot_close(boot);
    EXPECT_EQ(handler(), SIG_DFL);
  });
}

// Runs `touch` with a name. Returns true if it ran, which the embedded launcher does.
bool touches(const std::string &name) {
  const char *const arguments[] = {name.c_str(), nullptr};
  const char *const environment[] = {"AVRM_TEST_ADDED=1", nullptr};
  Pmi2Launch launch{kNoLimit};
  if (launch.start({"touch", arguments, environment, "", 1, true}) != AVRM_OK) {
    return false;
  }
  while (launch.look() == AVRM_OK) {
    usleep(1000);
  }
  EXPECT_EQ(launch.failure(), AVRM_ERR_PEER) << "it never contacts its parents";
  return unlink(name.c_str()) == 0;
}

TEST(Pmi2Calls, WhatTheLauncherWillNotSpawnTheEmbeddedOneDoes) {
  in_process([] {
    pretend_launcher();
    ASSERT_EQ(Pmi2Client::instance().join(), AVRM_OK);
    const std::string file = testing::TempDir() + "avrm-spawned-" + std::to_string(getpid());
    EXPECT_TRUE(touches(file));
    EXPECT_EQ(pmi2_spawns, 1);
    EXPECT_TRUE(touches(file + ";semicolon"));
    EXPECT_EQ(pmi2_spawns, 1) << "PMI-2 cannot say it";
    Pmi2Client::instance().leave();
  });
}

TEST(Pmi2Calls, AStepThatWouldWaitForItsParentsCpusIsLeftToTheEmbeddedLauncher) {
  in_process([] {
    pretend_launcher();
    avrm_boot_t *boot = nullptr;
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
    const auto is_pmi2s = [boot] { return dynamic_cast<Pmi2Launch *>(boot->new_launch(false).get()) != nullptr; };
    EXPECT_TRUE(is_pmi2s());
    setenv("PMI_JOBID", "17.0", 1);
    EXPECT_FALSE(is_pmi2s());
    setenv("SLURM_OVERLAP", "1", 1);
    EXPECT_TRUE(is_pmi2s());
    avrm_boot_close(boot);
  });
}

TEST(Pmi2Calls, AProgramThatIsNotThereIsAStatus) {
  in_process([] {
    Pmi2Launch launch{kNoLimit};
    EXPECT_EQ(launch.start({"avrm-no-such-program", nullptr, nullptr, "", 1, true}), AVRM_OK);
    EXPECT_EQ(launch.look(), AVRM_ERR_BOOT);
    EXPECT_EQ(pmi2_spawns, 0);
  });
}

TEST(Pmi2Calls, ALaunchWithoutMemoryIsAStatus) {
  in_process([] {
    pretend_launcher();
    ASSERT_EQ(Pmi2Client::instance().join(), AVRM_OK);
    const char *const arguments[] = {"a", "b", nullptr};
    int failures = 0;
    for (int point = 0; point < 20; ++point) {
      Pmi2Launch launch{kNoLimit};
      arm(kMemory, Fault::kNoMemory, point);
      const avrm_status_t status = launch.start({"true", arguments, arguments, "port", 1, true});
      disarm();
      EXPECT_TRUE(status == AVRM_OK || status == AVRM_ERR_NO_MEMORY) << avrm_status_name(status);
      failures += status == AVRM_ERR_NO_MEMORY ? 1 : 0;
    }
    EXPECT_GT(failures, 5);
    Pmi2Client::instance().leave();
  });
}

TEST(Pmi2Calls, AnotherJobsChildrenLearnWhereItWaits) {
  in_process([] {
    pretend_launcher();
    std::vector<avrm_boot_t *> boots; // PMI-2 ends with the first that is closed
    const auto port = [&boots] {
      EXPECT_EQ(avrm_boot_open(&boots.emplace_back()), AVRM_OK);
      return std::string(boots.back()->parent_port());
    };
    pmi2_is_spawned = 1;
    EXPECT_EQ(port(), "") << "by another library";
    pmi2_values()["avrm.parent"] = "6:no text";
    EXPECT_EQ(port(), "");
    pmi2_values()["avrm.parent"] = detail::CardText::piece_of("avrm2/1/2/3", 0);
    EXPECT_EQ(port(), "avrm2/1/2/3");
    std::for_each(boots.begin(), boots.end(), avrm_boot_close);
  });
}

// What a process finds.
struct Found {
  avrm_status_t status;
  std::uint32_t node;
  int local_rank;
  int local_size;
  std::size_t runs;
  bool operator==(const Found &) const = default;
};

Found find_nodes(int size, const char *mapping) {
  pretend_launcher();
  pmi2_size = size;
  pmi2_mapping = mapping;
  avrm_boot_t *boot = nullptr;
  Found found{avrm_boot_open(&boot), 0, 0, 0, 0};
  if (found.status == AVRM_OK) {
    found = {AVRM_OK, avrm_boot_node(boot), avrm_boot_local_rank(boot), avrm_boot_local_size(boot),
             boot->node_runs().size()};
    avrm_boot_close(boot);
  }
  return found;
}

TEST(Pmi2Nodes, AJobWithoutAMappingFindsThemByItsKeyValues) {
  in_process([] {
    for (const int rank : {1, 4}) {
      pmi2_values()["avrm.host." + std::to_string(rank)] = "another";
    }
    for (const int rank : {2, 3}) {
      pmi2_values()["avrm.host." + std::to_string(rank)] = "a third";
    }
    EXPECT_EQ(find_nodes(5, nullptr), (Found{AVRM_OK, 0, 0, 1, 3}));
  });
}

// Every other process is on a node of its own, the others are on one.
std::string long_mapping(int size) {
  std::vector<std::int32_t> nodes;
  for (int rank = 0; rank < size; ++rank) {
    nodes.push_back(rank % 2 == 0 ? 0 : rank);
  }
  return detail::mapping_text(nodes);
}

TEST(Pmi2Nodes, AMappingOfMoreThanAThousandCharactersIsTakenAsItIs) {
  in_process([] {
    const std::string text = long_mapping(300);
    ASSERT_GT(text.size(), 2000U);
    EXPECT_EQ(find_nodes(300, text.c_str()), (Found{AVRM_OK, 0, 0, 150, 299}));
  });
}

TEST(Pmi2Nodes, AMappingThatIsCutOffIsReplacedByWhatProcessZeroPuts) {
  for (const std::size_t pieces : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    in_process([pieces] {
      constexpr std::size_t kPiece = detail::CardText::kPieceMax;
      pmi2_rank = 1;
      std::string text = long_mapping(300);
      ASSERT_GT(text.size(), 2 * kPiece);
      const std::string cut = text.substr(0, 1023);
      if (pieces != 3) { // an end that fills a piece
        text = "(vector,(0,1,3)" + std::string(pieces * kPiece - 16, ' ') + ")";
      }
      for (std::size_t piece = 0; piece * kPiece < text.size(); ++piece) {
        pmi2_values()["avrm.nodes." + std::to_string(piece)] = text.substr(piece * kPiece, kPiece);
      }
      EXPECT_EQ(find_nodes(pieces == 3 ? 300 : 3, cut.c_str()),
                (pieces == 3 ? Found{AVRM_OK, 1, 0, 1, 299} : Found{AVRM_OK, 0, 1, 3, 1}));
    });
  }
}

TEST(Pmi2Nodes, ProcessZeroPutsALongMappingInPieces) {
  in_process([] {
    constexpr int kSize = 300;
    for (int rank = 1; rank < kSize; ++rank) {
      pmi2_values()["avrm.host." + std::to_string(rank)] = rank % 2 == 0 ? "another" : std::to_string(rank);
    }
    const Found found = find_nodes(kSize, nullptr);
    EXPECT_EQ(found.status, AVRM_OK);
    EXPECT_EQ(found.local_size, 1);
    EXPECT_GT(found.runs, 200U);
    std::string text;
    for (int piece = 0; pmi2_values().contains("avrm.nodes." + std::to_string(piece)); ++piece) {
      const std::string &value = pmi2_values()["avrm.nodes." + std::to_string(piece)];
      EXPECT_LE(value.size(), detail::CardText::kPieceMax);
      text += value;
    }
    detail::ProcessMapping mapping;
    ASSERT_TRUE(mapping.parse(text, kSize)) << text;
    EXPECT_EQ(mapping.ranks_of(mapping.node_of(2)).size(), 149U);
  });
}

TEST(Pmi2Nodes, AProcessThatDoesNotTellItsHostIsAnError) {
  in_process([] {
    EXPECT_EQ(find_nodes(2, "(vector,(0,1,2),(1").status, AVRM_ERR_BOOT);
    EXPECT_NE(std::strstr(avrm_device_open_error(), "PMI_process_mapping"), nullptr);
  });
}

void pretend_slurm(const char *nodes, const char *rank) {
  setenv("PMI_JOBID", "17.0", 1);
  setenv("SLURM_PROCID", rank, 1);
  setenv("SLURM_STEP_NUM_TASKS", "5", 1);
  setenv("SLURM_STEP_NUM_NODES", nodes, 1);
  setenv("SLURM_NODEID", "1", 1);
  setenv("SLURM_GTIDS", "0,3", 1);
}

TEST(Pmi2Nodes, SlurmsEnvironmentNamesThemIfTheMappingHasTooMany) {
  in_process([] {
    pretend_slurm("2", "0");
    EXPECT_EQ(find_nodes(5, "(vector,(0,5,1))"), (Found{AVRM_OK, 1, 0, 2, 0}));
  });
}

TEST(Pmi2Nodes, SlurmsMappingIsTrustedIfItHasAllNodes) {
  in_process([] {
    pretend_slurm("2", "0");
    EXPECT_EQ(find_nodes(5, "(vector,(0,2,3))"), (Found{AVRM_OK, 0, 0, 3, 1}));
  });
}

TEST(Pmi2Nodes, TheEnvironmentOfAStepThatStartedTheLauncherIsIgnored) {
  in_process([] {
    pretend_slurm("2", "1");
    EXPECT_EQ(find_nodes(5, "(vector,(0,5,1))"), (Found{AVRM_OK, 0, 0, 1, 1}));
  });
}

} // namespace
} // namespace avrankmap::test
