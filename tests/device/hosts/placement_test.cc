// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes on several hosts, wherever the launcher is asked to put them. The processes run
// placement_job.cc, which has the checks.
#include <gtest/gtest.h>

#include "tests/device/hosts/launchers.h"
#include "tests/support/settings.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

struct Order {
  const char *name;
  Placement placement;
};
const Order kOrders[] = {
    {"block", block(2, 3)},
    {"cyclic", cyclic(2, 3)},
    {"irregular", {1, 2, 2, 1, 2}},
    {"three_hosts", {2, 1, 3, 3, 1, 2, 3}},
};

struct Network {
  const char *name;
  Words options;
  bool is_ipv6;
};
const Network kNetworks[] = {
    {"plain", {}, false},
    {"docker0", {"--docker0"}, false},
    {"ipv6", {"--ipv6"}, true},
};

std::ostream &operator<<(std::ostream &out, const Order &order) { return out << order.name; }
std::ostream &operator<<(std::ostream &out, const Network &network) { return out << network.name; }

using Cell = std::tuple<Launcher, Order, Network, Transport>;

// In short one cell per launcher.
std::vector<Cell> cells() {
  std::vector<Cell> cells;
  const std::vector<Transport> transports = transports_of(Suites::kAll, has_both);
  std::size_t turn = 0;
  for (const Launcher &launcher : kLaunchers) {
    if (!is_long()) { // Slurm's PMIx is left to the long form
      if (launcher.words == srun_pmix_placed) {
        continue;
      }
      const Order &order = launcher.tells(kOrders[2].placement) ? kOrders[2] : kOrders[1];
      cells.emplace_back(launcher, order, kNetworks[1], transports[turn % transports.size()]);
      ++turn;
      continue;
    }
    for (const Order &order : kOrders) {
      for (const Network &network : kNetworks) {
        for (const Transport &transport : transports) {
          cells.emplace_back(launcher, order, network, transport);
        }
      }
    }
  }
  return cells;
}

std::string name_of(const testing::TestParamInfo<Cell> &info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name + "_" +
         std::get<2>(info.param).name + "_" + std::get<3>(info.param).name;
}

class Placed : public testing::TestWithParam<Cell> {};

TEST_P(Placed, NodesAreThoseThatTheLauncherWasAskedFor) {
  const auto &[launcher, order, network, transport] = GetParam();
  if (const std::string reason = lacks_for(launcher); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  if (!launcher.tells(order.placement)) {
    GTEST_SKIP() << launcher.name << " does not tell processes such placements";
  }
  if (network.is_ipv6 && !launcher.knows_ipv6) {
    GTEST_SKIP() << launcher.name << " does not know IPv6";
  }
  const int code = run_placed(launcher, order.placement, network.options,
                              {AVRM_PLACEMENT_JOB, transport.name, launcher.kind, host_of_each(order.placement, ',')});
  if (code == kSkipped) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(code, 0);
}

// UCX must not take hosts for one where they have the machine's boot id, as containers do.
TEST(HostsOfOneBootId, AreApartForUcxWithAllTransports) {
  if (const std::string reason = lacks_for(kLaunchers[0]); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  const Placement placement = block(2, 2);
  const int code = run_placed(kLaunchers[0], placement, {"--same-boot-id"},
                              {AVRM_PLACEMENT_JOB, "ucx_as_shipped_and_posix", "pmix", host_of_each(placement, ',')});
  if (code == kSkipped) {
    GTEST_SKIP() << "this build lacks UCX";
  }
  EXPECT_EQ(code, 0);
}

// hydra takes each mention of a host for another node, but here its processes find the nodes.
class HostsOfALongMapping : public testing::TestWithParam<bool> {};

TEST_P(HostsOfALongMapping, AreFoundByTheProcesses) {
  const Launcher &hydra = kLaunchers[1];
  if (const std::string reason = lacks_for(hydra); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  const Placement placement = {1, 2, 2, 1, 3, 3};
  const std::string list = "h1:1,h2:2,h1:1,h3:2";
  Words words = on_hosts(3, GetParam() ? Words{"--same-boot-id"} : Words{}, 150);
  words.insert(words.end(), {AVRM_HYDRA, "-hosts", list, "-iface", "eth0", "-n", std::to_string(placement.size())});
  const Transport transport = transports_of(Suites::kAll, has_both).front();
  const int code =
      launch(words, {AVRM_PLACEMENT_JOB, transport.name, "pmi2", host_of_each(placement, ','), "unmapped"}).front();
  if (code == kSkipped) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(code, 0);
}

INSTANTIATE_TEST_SUITE_P(OfBootIds, HostsOfALongMapping, testing::Bool(),
                         [](const auto &info) { return info.param ? "Same" : "Different"; });
INSTANTIATE_TEST_SUITE_P(Every, Placed, testing::ValuesIn(cells()), name_of);

} // namespace
} // namespace avrankmap::test
