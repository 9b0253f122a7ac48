// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicators/survey.h"
#include "component/memory/memory_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

using Ranks = std::vector<std::int32_t>;

constexpr std::int32_t kSizes[] = {1024, 3072, 6144};

const SurveyApplication &find(const std::vector<SurveyApplication> &all, const std::string &name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const SurveyApplication &a) { return a.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? all.front() : *found;
}

const SurveyComm &find(const SurveyApplication &application, SurveyKind kind) {
  const auto found = std::find_if(application.comms.begin(), application.comms.end(),
                                  [&](const SurveyComm &c) { return c.kind == kind; });
  EXPECT_NE(found, application.comms.end()) << application.name;
  return found == application.comms.end() ? application.comms.front() : *found;
}

/// What MPI_Comm_split gives the process `viewer` when each process passes color(rank), and its
/// rank as the key.
Ranks split(std::int32_t processes, std::int32_t viewer, const std::function<std::int32_t(std::int32_t)> &color) {
  Ranks members;
  for (std::int32_t rank = 0; rank < processes; ++rank) {
    if (color(rank) == color(viewer)) {
      members.push_back(rank);
    }
  }
  return members;
}

TEST(Survey, HasEveryRowOfTableOne) {
  const std::set<std::string> expected{"Nek5000", "QMCPACK", "NWChem",  "HACC",  "QBOX", "CAM-SE",
                                       "NAMD",    "LSMS",    "SP",      "BT",    "FT",   "Graph500",
                                       "Nekbone", "SNAP",    "MCB",     "cian2", "MCCK", "mocfe_bone",
                                       "pynamic", "MACSio",  "AMG2013", "CNS",   "SMC",  "AMR"};
  std::set<std::string> names;
  for (const SurveyApplication &application : survey(1024)) {
    names.insert(application.name.substr(0, application.name.find(',')));
  }
  EXPECT_EQ(names, expected);
}

TEST(Survey, KindsAreThoseOfTableOne) {
  using enum SurveyKind;
  const std::map<std::string, std::set<SurveyKind>> expected{
      {"Nek5000, large", {kDup}},
      {"QMCPACK", {kOffset, kStride}},
      {"NWChem", {kDup, kOffset, kStride, kIntercomm}},
      {"HACC", {kTopology}},
      {"QBOX", {kDup, kOffset}},
      {"BT", {kDup, kOffset, kStride}},
      {"SNAP", {kDup, kTopology}},
      {"cian2", {kOffset}},
      {"pynamic", {kDup, kOffset, kStride}},
      {"AMR", {kDup}},
  };
  const std::vector<SurveyApplication> all = survey(1024);
  for (const auto &[name, kinds] : expected) {
    std::set<SurveyKind> found;
    for (const SurveyComm &comm : find(all, name).comms) {
      found.insert(comm.kind);
    }
    EXPECT_EQ(found, kinds) << name;
  }
}

TEST(Survey, NumbersThatThePaperGivesAreKept) {
  const std::vector<SurveyApplication> all = survey(1024);
  EXPECT_EQ(find(find(all, "Nek5000, large"), SurveyKind::kDup).copies, 86);
  EXPECT_EQ(find(find(all, "Nek5000, medium"), SurveyKind::kDup).copies, 24);
  EXPECT_EQ(find(find(all, "NWChem"), SurveyKind::kDup).copies, 64);
  EXPECT_EQ(find(find(all, "HACC"), SurveyKind::kTopology).copies, 3);
  EXPECT_EQ(find(find(all, "Nekbone"), SurveyKind::kDup).copies, 7);
}

TEST(Survey, EveryCommunicatorHoldsItsViewer) {
  for (const std::int32_t processes : kSizes) {
    for (const SurveyApplication &application : survey(processes)) {
      EXPECT_LT(application.viewer, processes);
      for (const SurveyComm &comm : application.comms) {
        const Ranks members = comm.members.list();
        EXPECT_EQ(std::count(members.begin(), members.end(), application.viewer), 1) << application.name;
        EXPECT_LT(members.back(), processes) << application.name;
      }
    }
  }
}

TEST(Survey, RowsAndColumnsAreSplitsByRowAndColumn) {
  for (const std::int32_t processes : kSizes) {
    const std::vector<SurveyApplication> all = survey(processes);
    const SurveyApplication &nwchem = find(all, "NWChem");
    const Members row = find(nwchem, SurveyKind::kOffset).members;
    const std::int32_t columns = row.size;
    EXPECT_EQ(processes % columns, 0);
    EXPECT_EQ(row.list(), split(processes, nwchem.viewer, [&](std::int32_t rank) { return rank / columns; }));
    EXPECT_EQ(find(nwchem, SurveyKind::kStride).members.list(),
              split(processes, nwchem.viewer, [&](std::int32_t rank) { return rank % columns; }));
  }
}

TEST(Survey, GridOfTheWholeMachineHasThePapersShape) {
  const std::vector<SurveyApplication> all = survey(786432);
  EXPECT_EQ(find(find(all, "NWChem"), SurveyKind::kOffset).members.size, 768);
  EXPECT_EQ(find(find(all, "NWChem"), SurveyKind::kStride).members.size, 1024);
}

TEST(Survey, WalkersAreSplitsAfterTheMaster) {
  for (const std::int32_t processes : kSizes) {
    const std::vector<SurveyApplication> all = survey(processes);
    for (const char *name : {"LSMS, Figure 1", "LSMS, 16 walkers"}) {
      const SurveyApplication &lsms = find(all, name);
      const Members walker = find(lsms, SurveyKind::kOffset).members;
      const auto color = [&](std::int32_t rank) { return rank == 0 ? -1 : (rank - 1) / walker.size; };
      EXPECT_EQ(walker.list(), split(processes, lsms.viewer, color)) << name;
    }
  }
}

TEST(Survey, NodeRootsOfAWalkerAreOneFourEightTwelve) {
  const std::vector<SurveyApplication> all = survey(1024);
  const SurveyApplication &lsms = find(all, "LSMS, Figure 1");
  const Members walker = find(lsms, SurveyKind::kOffset).members;
  Ranks roots = node_root_ranks(walker, lsms.processes_per_node);
  std::transform(roots.begin(), roots.end(), roots.begin(), [&](std::int32_t rank) { return walker.at(rank); });
  EXPECT_EQ(roots, (Ranks{1, 4, 8, 12}));
}

TEST(Survey, InternalCommunicatorsAgreeWithBruteForce) {
  for (const std::int32_t processes : kSizes) {
    for (const SurveyApplication &application : survey(processes)) {
      const std::int32_t per_node = application.processes_per_node;
      for (const SurveyComm &comm : application.comms) {
        const Ranks members = comm.members.list();
        Ranks node;
        Ranks roots;
        std::set<std::int32_t> nodes;
        for (std::int32_t rank = 0; rank < comm.members.size; ++rank) {
          const std::int32_t process = members[static_cast<std::size_t>(rank)];
          if (process / per_node == application.viewer / per_node) {
            node.push_back(rank);
          }
          if (nodes.insert(process / per_node).second) {
            roots.push_back(rank);
          }
        }
        EXPECT_EQ(node_ranks(comm.members, per_node, application.viewer), node) << application.name;
        EXPECT_EQ(node_root_ranks(comm.members, per_node), roots) << application.name;
      }
    }
  }
}

TEST(Members, BlockedMembersFollowTheFormula) {
  const Members members{7, 5, 10, 3};
  EXPECT_EQ(members.list(), (Ranks{5, 6, 7, 15, 16, 17, 25}));
}

TEST(MemoryUse, EveryCommunicatorCountsWithTheTwoOfTheLibrary) {
  const std::vector<SurveyApplication> all = survey(1024);
  for (const MemoryUse &use : measure_memory(1024, {find(all, "Nek5000, large"), find(all, "NWChem")})) {
    // Open MPI makes no communicators of a node and of node roots.
    const int each = use.scheme.starts_with("ompi") ? 1 : 3;
    EXPECT_EQ(use.communicators, use.application == "NWChem" ? each * (1 + 67) : each * (1 + 86)) << use.scheme;
  }
}

TEST(MemoryUse, RegularRankmapsTakeSixtyFourBytesAtMost) {
  for (const SurveyApplication &application : {split_experiment(3072, 100), dup_experiment(3072, 100)}) {
    for (const MemoryUse &use : measure_memory(3072, {application})) {
      if (use.scheme == "avrankmap") {
        EXPECT_LE(use.bytes - use.world_bytes, 64u * static_cast<unsigned>(use.communicators)) << application.name;
        EXPECT_LE(use.world_bytes, 12u * 3072 + 4096) << application.name;
      }
    }
  }
}

TEST(MemoryUse, OnlyLsmsNeedsATable) {
  for (const MemoryUse &use : measure_memory(3072, survey(3072))) {
    if (use.scheme == "avrankmap") {
      EXPECT_EQ(use.modes.contains("lut"), use.application.starts_with("LSMS")) << use.application;
      EXPECT_FALSE(use.modes.contains("mlut")) << use.application;
    }
  }
}

TEST(MemoryUse, PointerTablesOfDuplicatesAreShared) {
  for (const MemoryUse &use : measure_memory(1024, {dup_experiment(1024, 10)})) {
    if (use.scheme == "vc-vcrt") {
      // The world's table, and 11 node communicators of 16 and 11 node-roots of 64; a header and a
      // pointer for each.
      const std::uint64_t tables = 1024 + 11 * (16 + 64);
      EXPECT_EQ(use.bytes - use.world_bytes, 8 * tables + (1 + 2 * 11) * 8 + 33 * 8);
    }
  }
}

} // namespace
} // namespace avrankmap::bench
