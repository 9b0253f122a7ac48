// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a process exchanges with its launcher from launch to first contact, in jobs of up to
// 1,048,576 processes that wrap_pmi2.cc and wrap_pmix.cc pretend: process 0, whose cards they keep.
// bench/README.md has the figures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "avrankmap/device/boot.h"
#include "avrankmap/device/device.h"
#include "tests/device/fault/launcher_traffic.h"
#include "tests/device/fault/sweep.h"
#if AVRM_TEST_PMI2
#include "tests/device/fault/pmi2_server.h"
#endif
#if AVRM_TEST_PMIX
#include "tests/device/fault/pmix_server.h"
#endif

namespace avrankmap::test {
namespace {

constexpr int kPerNode = 64;
constexpr int kSizes[] = {2, 1024, 1048576};

struct Cost {
  std::size_t calls;
  std::size_t out; // bytes
  std::size_t in;
  bool operator==(const Cost &) const = default;
  friend std::ostream &operator<<(std::ostream &out, const Cost &cost) {
    return out << cost.calls << " calls, " << cost.out << " bytes out, " << cost.in << " bytes in";
  }
};

// Since the last call.
Cost take_cost() {
  LauncherTraffic &traffic = launcher_traffic;
  return {traffic.calls.exchange(0), traffic.out.exchange(0), traffic.in.exchange(0)};
}

// Ends a process whose device is still open, which is no leak.
[[noreturn]] void leave() { _exit(testing::Test::HasFailure() ? 1 : 0); }

// Joins the job, opens a device, and fetches the card of process 1, which is as that of process 0.
// The device stays open, since the others do not close theirs.
std::vector<Cost> costs_of_start(void (*have_card)()) {
  std::vector<Cost> costs;
  avrm_boot_t *boot = nullptr;
  EXPECT_EQ(avrm_boot_open(&boot), AVRM_OK) << avrm_device_open_error();
  costs.push_back(take_cost());
  static avrm_device_t *device;
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = "null";
  options.shmmod = "none";
  EXPECT_EQ(avrm_device_open(&options, &device), AVRM_OK);
  costs.push_back(take_cost());
  have_card();
  char card[AVRM_BOOT_CARD_MAX];
  std::size_t bytes = sizeof card;
  EXPECT_EQ(avrm_boot_fetch(boot, 1, 0, card, &bytes), AVRM_OK);
  costs.push_back(take_cost());
  return costs;
}

#if AVRM_TEST_PMI2
TEST(StartCost, IsTheSameForAnySizeUnderPmi2) {
  for (const int size : kSizes) {
    in_process([size] {
      setenv("AVRM_LAUNCHER", "pmi2", 1);
      setenv("PMI_RANK", "0", 1);
      unsetenv("PMI_FD");
      pmi2_size = size;
      pmi2_mapping = "(vector,(0,16384,64))";
      const std::vector<Cost> costs =
          costs_of_start([] { pmi2_values()["avrm.1.0.0.0"] = pmi2_values()["avrm.0.0.0.0"]; });
      EXPECT_EQ(costs, (std::vector<Cost>{{3, 19, 25}, {5, 401, 0}, {1, 12, 67}})) << size;
      leave();
    });
  }
}

// A number per process, and one mapping: process 0 reads all, the others the mapping.
TEST(StartCost, OfUntoldNodesIsAReadPerProcessInProcess0) {
  for (const int size : {64, 1024, 65536}) {
    in_process([size] {
      setenv("AVRM_LAUNCHER", "pmi2", 1);
      setenv("PMI_RANK", "0", 1);
      unsetenv("PMI_FD");
      pmi2_size = size;
      pmi2_mapping = nullptr;
      for (int rank = 1; rank < size; ++rank) {
        pmi2_values()["avrm.host." + std::to_string(rank)] = std::to_string(rank / kPerNode);
      }
      avrm_boot_t *boot = nullptr;
      ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK) << avrm_device_open_error();
      std::size_t pieces = 0;
      while (pmi2_values().contains("avrm.nodes." + std::to_string(pieces))) {
        ++pieces;
      }
      EXPECT_EQ(take_cost().calls, static_cast<std::size_t>(size) + 8 + pieces) << size;
      avrm_boot_close(boot);
    });
  }
}
#endif

#if AVRM_TEST_PMIX
TEST(StartCost, GrowsByTheListOfLocalRanksUnderPmix) {
  for (const int size : kSizes) {
    in_process([size] {
      setenv("AVRM_LAUNCHER", "pmix", 1);
      setenv("PMIX_NAMESPACE", "test", 1);
      setenv("PMIX_RANK", "0", 1);
      pmix_size = static_cast<std::uint32_t>(size);
      for (int rank = 1; rank < std::min(size, kPerNode); ++rank) {
        pmix_local_peers += "," + std::to_string(rank);
      }
      const std::size_t list = pmix_local_peers.size();
      const std::vector<Cost> costs = costs_of_start([] {});
      EXPECT_EQ(costs, (std::vector<Cost>{{4, 48, 8 + list}, {4, 281, 0}, {1, 6, 49}})) << size;
      leave();
    });
  }
}
#endif

} // namespace
} // namespace avrankmap::test
