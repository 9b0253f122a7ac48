// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The end of MPI 5 on the adapter, and sessions one after the other. The stand-in's process ends in
// MPII_Finalize's order and checks that MPL has all memory back.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <numeric>
#include <thread>

#include "tests/adapter/mpich5/standin.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich5 {

namespace {

std::map<std::string, std::uint64_t> reported;

// Asks for reports as long as it lives.
struct Reports {
  Reports() {
    reported.clear();
    MPIR_Avrm.report = [](const char *kind, std::uint64_t bytes, std::uint64_t blocks) {
      EXPECT_GT(blocks, 0U);
      reported[kind] = bytes;
    };
  }
  ~Reports() { MPIR_Avrm.report = nullptr; }
  Reports(const Reports &) = delete;
  Reports &operator=(const Reports &) = delete;
};

Lpids shuffled(int size) {
  Lpids lpids(static_cast<std::size_t>(size));
  std::iota(lpids.begin(), lpids.end(), 0);
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(lpids.begin(), lpids.end(), engine);
  return lpids;
}

class Mpich5Finalize : public testing::TestWithParam<avrm_codec_t> {};

INSTANTIATE_TEST_SUITE_P(Codecs, Mpich5Finalize, testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX),
                         [](const auto &param) { return param.param == AVRM_CODEC_OFI ? "Ofi" : "Ucx"; });

TEST_P(Mpich5Finalize, UnfreedHandlesDoNotMatter) {
  std::vector<MPIR_Group *> left;
  for (int session = 0; session < 3; ++session) {
    const Reports reports;
    Process process(GetParam());
    const int other = MPIR_add_world("other", 1000);
    left.push_back(group_of(shuffled(24)).release());
    left.push_back(group_of({MPIR_LPID_FROM(other, 3), 5}).release());
    left.push_back(group_of({1, 3, 5}).release());
    const Group freed = group_of({2, 4, 6});
    EXPECT_EQ(MPIDIU_get_grank(1, intracomm(freed).get()), 4);
    process.leave(3);
  }
  EXPECT_GT(reported["av"], 12U * 1024);
  EXPECT_GT(reported["lut"], 0U);
  EXPECT_GT(reported["mlut"], 0U);
  EXPECT_EQ(reported.size(), 3U);

  // In a later session, and when there is none.
  {
    const Process process(GetParam());
    const Group now = group_of(shuffled(24));
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(MPIR_Group_release(left[i]), MPI_SUCCESS);
    }
    Process::released_late(5);
    EXPECT_EQ(lpids_of(*now), shuffled(24));
  }
  for (std::size_t i = 5; i < left.size(); ++i) {
    EXPECT_EQ(MPIR_Group_release(left[i]), MPI_SUCCESS);
  }
  Process::released_late(4);
}

TEST_P(Mpich5Finalize, NothingIsReportedIfNothingIsLeft) {
  const Reports reports;
  {
    const Process process(GetParam());
    const int other = MPIR_add_world("other", 10); // no group is ever made of it
    EXPECT_EQ(MPIDIU_get_avt_size(other), 10);
  }
  EXPECT_TRUE(reported.empty());
}

TEST_P(Mpich5Finalize, SessionsBeginAfresh) {
  for (int session = 0; session < 3; ++session) {
    const Process process(GetParam(), 24 + session);
    EXPECT_EQ(MPIR_world_num_procs(0), 24 + session);
    EXPECT_EQ(MPIR_find_world("other"), -1);
    EXPECT_GT(MPIR_add_world("other", 3), 0);
    std::uint64_t address = 0;
    EXPECT_FALSE(MPIDIU_av_address(3, &address));
    EXPECT_EQ(MPIDIU_av_set_address(3, 64), MPI_SUCCESS);
    const Comm world = intracomm(group_of(shuffled(24 + session)));
    for (int rank = 0; rank < 24 + session; ++rank) {
      EXPECT_EQ(MPIDIU_comm_rank_to_av(world.get(), rank),
                MPIDIU_own_rank_to_av(static_cast<int>(shuffled(24 + session)[static_cast<std::size_t>(rank)])));
    }
  }
}

// PMI tells of a set before the address tables are there, and its group goes when they are gone.
TEST_P(Mpich5Finalize, ProcessSetsLiveLongerThanTheDevice) {
  for (const Lpids &lpids : {Lpids{2, 9, 5}, Lpids{0, 1, 2}, shuffled(24)}) {
    Process::announce_set(lpids);
    const Process process(GetParam());
    MPIR_Session session{0, 1};
    const Group group = made([&](MPIR_Group **to) { return MPIR_Group_dup(process.set(), &session, to); });
    EXPECT_EQ(lpids_of(*group), lpids);
    const Comm comm = intracomm(group);
    for (int rank = 0; rank < group->size; ++rank) {
      EXPECT_EQ(MPIDIU_comm_rank_to_av(comm.get(), rank), MPIDIU_lpid_to_av(lpids[static_cast<std::size_t>(rank)]));
    }
  }
}

TEST_P(Mpich5Finalize, ThreadsMakeAndReleaseGroups) {
  const Process process(GetParam());
  const Group all = group_of(shuffled(24));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&all, thread] {
      const std::array<int, 3> ranks = {thread, 7, 11};
      for (int round = 0; round < 100; ++round) {
        MPIR_Group *dup = nullptr;
        MPIR_Group *part = nullptr;
        ASSERT_EQ(MPIR_Group_dup(all.get(), nullptr, &dup), MPI_SUCCESS);
        ASSERT_EQ(MPIR_Group_incl_impl(dup, 3, ranks.data(), &part), MPI_SUCCESS);
        EXPECT_EQ(MPIR_Group_release(dup), MPI_SUCCESS);
        EXPECT_EQ(MPIR_Group_rank_to_lpid(part, 1), MPIR_Group_rank_to_lpid(all.get(), 7));
        EXPECT_EQ(MPIR_Group_release(part), MPI_SUCCESS);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

TEST_P(Mpich5Finalize, AThreadSetsTheNodeOfAProcessWhileAnotherSetsItsAddress) {
  const Process process(GetParam());
  constexpr MPIR_Lpid kPeer = 23;
  constexpr int kRounds = 100000;
  int lost_nodes = 0;
  std::atomic<bool> over{false};
  std::thread nodes([&] {
    for (int node = 0; !over; node = (node + 1) % kRounds) {
      lost_nodes +=
          MPIDIU_av_set_node_id(kPeer, node) != MPI_SUCCESS || MPIDIU_av_node_id(MPIDIU_lpid_to_av(kPeer)) != node;
    }
  });
  int lost_addresses = 0;
  for (std::uint64_t address = 64; address < 64 + 2 * kRounds; address += 2) {
    std::uint64_t found = 0;
    lost_addresses +=
        MPIDIU_av_set_address(kPeer, address) != MPI_SUCCESS || !MPIDIU_av_address(kPeer, &found) || found != address;
  }
  over = true;
  nodes.join();
  EXPECT_EQ(lost_nodes, 0);
  EXPECT_EQ(lost_addresses, 0);
}

// The bytes of a communicator are those of MPICH's: its object has nothing of ours.
TEST_P(Mpich5Finalize, ARegularGroupIsAnObjectAndNothingElse) {
  const Process process(GetParam());
  EXPECT_LE(sizeof(MPIR_Group), 48U) << "what it has in MPICH";
  group_of({2, 6, 10, 14}); // its creation leaves a chunk of places
  const std::int64_t blocks = mpl_blocks();
  const Group group = group_of({1, 5, 9, 13});
  EXPECT_EQ(mpl_blocks(), blocks + 1) << "the object, which MPICH takes from its pool";
  const Comm comm = intracomm(group);
  const Comm dup = intracomm(group);
  EXPECT_EQ(mpl_blocks(), blocks + 1);
}

TEST_P(Mpich5Finalize, DifferentGroupsShareChunksOfMapsAndTables) {
  const Process process(GetParam());
  Lpids order = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto next = [&order] {
    std::next_permutation(order.begin() + 1, order.end() - 1);
    return group_of(order);
  };
  const Group first = next();
  const std::int64_t blocks = mpl_blocks();
  std::vector<Group> groups;
  for (int i = 0; i < 16 * 10; ++i) {
    groups.push_back(next());
  }
  EXPECT_LE(mpl_blocks(), blocks + 16 * 10 + 22) << "their objects, chunks of maps and chunks of tables";
}

TEST_P(Mpich5Finalize, EqualGroupsShareTheirTableAndChunksOfMaps) {
  const Process process(GetParam());
  const Group first = group_of({1, 5, 9, 12});
  const std::int64_t blocks = mpl_blocks();
  std::vector<Group> groups;
  for (int i = 0; i < 16 * 10; ++i) {
    groups.push_back(group_of({1, 5, 9, 12}));
  }
  EXPECT_EQ(mpl_blocks(), blocks + 16 * 10 + 10) << "their objects, and 10 chunks";
  groups.clear();
  EXPECT_EQ(mpl_blocks(), blocks + 10);
  for (int i = 0; i < 16 * 10; ++i) {
    groups.push_back(group_of({1, 5, 9, 12}));
  }
  EXPECT_EQ(mpl_blocks(), blocks + 16 * 10 + 10) << "places are used again";
}

} // namespace

} // namespace avrankmap::test::mpich5
