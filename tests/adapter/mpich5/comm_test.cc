// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators, worlds and entries of MPICH 5 on the adapter.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/adapter/mpich5/standin.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich5 {

namespace {

avrm_mode_t mode_of(const Comm &comm) {
  avrm_rankmap_info_t info{};
  avrm_rankmap_t place;
  EXPECT_EQ(avrm_rankmap_describe(MPIR_Group_map(MPIDIU_comm_group(comm.get()), &place), &info), AVRM_OK);
  return info.mode;
}

// As MPIR_Intercomm_merge_impl does.
Group joined(const MPIR_Group &first, const MPIR_Group &second) {
  Lpids lpids = lpids_of(first);
  const Lpids more = lpids_of(second);
  lpids.insert(lpids.end(), more.begin(), more.end());
  return group_of(lpids);
}

int made_of(const Lpids &lpids, MPIR_Group **group) {
  auto *const map = static_cast<MPIR_Lpid *>(MPL_malloc(lpids.size() * sizeof(MPIR_Lpid), MPL_MEM_GROUP));
  std::copy(lpids.begin(), lpids.end(), map);
  return MPIR_Group_create_map(static_cast<int>(lpids.size()), MPI_UNDEFINED, nullptr, map, group);
}

// What a process knows of another, by lpid.
void expect_entries(const Process &process, const Comm &comm, const Lpids &lpids) {
  ASSERT_EQ(MPIDIU_comm_group(comm.get())->size, static_cast<int>(lpids.size()));
  for (int rank = 0; rank < static_cast<int>(lpids.size()); ++rank) {
    const MPIR_Lpid lpid = lpids[static_cast<std::size_t>(rank)];
    const bool own = MPIR_LPID_WORLD_INDEX(lpid) == 0;
    const int world_rank = MPIR_LPID_WORLD_RANK(lpid);
    MPIDI_av_entry_t *const av = MPIDIU_comm_rank_to_av(comm.get(), rank);
    EXPECT_EQ(av, MPIDIU_lpid_to_av(lpid)) << rank;
    EXPECT_EQ(MPIR_comm_rank_to_lpid(comm.get(), rank), lpid);
    EXPECT_EQ(MPIDIU_get_grank(rank, comm.get()), own ? world_rank : -1);
    EXPECT_EQ(MPIDI_rank_is_local(rank, comm.get()), own && process.is_local(world_rank));
    int node = 0;
    EXPECT_EQ(MPIDIU_get_node_id(comm.get(), rank, &node), MPI_SUCCESS);
    EXPECT_EQ(node, own ? process.node_of(world_rank) : -1) << "unknown until the process is met";
    if (MPIDI_av_is_local(av) != 0) {
      EXPECT_EQ(MPIR_Process.node_local_map[MPIDIU_av_local_rank(av)], world_rank);
    }
  }
}

class Mpich5Comms : public testing::TestWithParam<avrm_codec_t> {
protected:
  Process process_{GetParam()};
  std::mt19937_64 engine_ = seeded_engine();
};

INSTANTIATE_TEST_SUITE_P(Codecs, Mpich5Comms, testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX),
                         [](const auto &param) { return param.param == AVRM_CODEC_OFI ? "Ofi" : "Ucx"; });

TEST_P(Mpich5Comms, EveryRankOfRandomCommunicatorsIsRight) {
  const int other = MPIR_add_world("other", 24);
  const Group keeper = group_of({MPIR_LPID_FROM(other, 0)});
  for (int round = 0; round < 100; ++round) {
    Lpids lpids = ranks_of_world(0, 24);
    if (round % 2 == 1) {
      const Lpids more = ranks_of_world(other, 24);
      lpids.insert(lpids.end(), more.begin(), more.end());
    }
    if (round % 3 > 0) {
      std::shuffle(lpids.begin(), lpids.end(), engine_);
    }
    lpids.resize(1 + below(engine_, lpids.size()));
    expect_entries(process_, intracomm(group_of(lpids)), lpids);
  }
}

TEST_P(Mpich5Comms, RegularCommunicatorsHaveNoTable) {
  Lpids world = ranks_of_world(0, 24);
  EXPECT_EQ(mode_of(intracomm(group_of(world))), AVRM_MODE_DIRECT);
  EXPECT_EQ(mode_of(intracomm(group_of({1, 5, 9, 13}))), AVRM_MODE_STRIDE);
  EXPECT_EQ(mode_of(intracomm(group_of({9}))), AVRM_MODE_OFFSET);
}

TEST_P(Mpich5Comms, AnIntercommunicatorMayHaveAnEmptyGroup) {
  const Comm comm = intercomm(group_of({9}), group_of({}));
  EXPECT_EQ(MPIDIU_comm_group(comm.get())->size, 0);
  const Comm other = intercomm(group_of({}), group_of({1, 2}));
  expect_entries(process_, other, {1, 2});
}

TEST_P(Mpich5Comms, AnIntercommunicatorRefersToItsRemoteGroupAndMerges) {
  const Comm comm = intercomm(group_of({8, 9, 10}), group_of({0, 2, 4}));
  expect_entries(process_, comm, {0, 2, 4});
  const Group both = joined(*comm->remote_group, *comm->local_group);
  expect_entries(process_, intracomm(both), {0, 2, 4, 8, 9, 10});
}

TEST_P(Mpich5Comms, ADisconnectedWorldIsGoneAndItsNameIsMetAgain) {
  const int first = MPIR_add_world("child", 10);
  EXPECT_EQ(MPIR_find_world("child"), first);
  EXPECT_STREQ(MPIR_world_namespace(first), "child");
  EXPECT_EQ(MPIR_world_num_procs(first), 10);
  Comm comm = intercomm(group_of({9}), group_of(ranks_of_world(first, 10)));
  ASSERT_EQ(MPIDIU_av_set_address(MPIR_LPID_FROM(first, 3), 4242), MPI_SUCCESS);
  Group kept(nullptr);
  kept = made([&](MPIR_Group **to) { return MPIR_Group_dup(comm->remote_group, nullptr, to); });
  comm.reset();
  EXPECT_EQ(MPIR_find_world("child"), first) << "a group still refers to it";
  kept.reset();
  EXPECT_EQ(MPIR_find_world("child"), -1);
  EXPECT_EQ(MPIR_world_namespace(first), nullptr);
  EXPECT_EQ(MPIDIU_lpid_to_av_slow(MPIR_LPID_FROM(first, 3)), nullptr);

  const int again = MPIR_add_world("child", 10);
  EXPECT_NE(again, first);
  std::uint64_t address = 0;
  EXPECT_FALSE(MPIDIU_av_address(MPIR_LPID_FROM(again, 3), &address)) << "nothing is left of the first one";
}

TEST_P(Mpich5Comms, TheOldWorldIsNotTakenForTheNewOne) {
  const int first = MPIR_add_world("child", 10);
  { const Group met = group_of(ranks_of_world(first, 10)); }
  const int again = MPIR_add_world("child", 10);
  MPIR_Group *group = nullptr;
  EXPECT_EQ(made_of({MPIR_LPID_FROM(first, 0)}, &group), MPI_ERR_GROUP);
  EXPECT_EQ(MPIR_find_world("child"), again);
  Group keeper = group_of({MPIR_LPID_FROM(again, 1)});
  EXPECT_EQ(made_of({MPIR_LPID_FROM(again, 0), MPIR_LPID_FROM(first, 0)}, &group), MPI_ERR_GROUP);
  EXPECT_EQ(made_of({MPIR_LPID_FROM(first, 0), MPIR_LPID_FROM(again, 0)}, &group), MPI_ERR_GROUP);
  keeper.reset();
  EXPECT_EQ(MPIR_find_world("child"), -1) << "a group that could not be made holds no world";
}

TEST_P(Mpich5Comms, AWorldStaysWhileAnyCommunicatorHasOneOfItsProcesses) {
  const int world = MPIR_add_world("child", 10);
  Comm inter = intercomm(group_of({9}), group_of(ranks_of_world(world, 10)));
  const Group both = joined(*inter->local_group, *inter->remote_group);
  const Comm merged = intracomm(both);
  inter.reset();
  EXPECT_EQ(MPIR_find_world("child"), world);
  EXPECT_EQ(MPIDIU_get_avt_size(world), 10);
  EXPECT_EQ(MPIR_comm_rank_to_lpid(merged.get(), 10), MPIR_LPID_FROM(world, 9));
}

TEST_P(Mpich5Comms, WorldsComeAndGoWithoutLimit) {
  for (int i = 0; i < 3000; ++i) {
    const int world = MPIR_add_world(("w" + std::to_string(i)).c_str(), 5);
    ASSERT_GT(world, 0);
    const Comm comm = intercomm(group_of({9}), group_of(ranks_of_world(world, 5)));
    ASSERT_EQ(MPIDIU_get_grank(0, comm.get()), -1);
  }
  std::vector<Comm> comms;
  for (int i = 0; i < 1500; ++i) {
    const int world = MPIR_add_world(("v" + std::to_string(i)).c_str(), 1);
    comms.push_back(intercomm(group_of({9}), group_of({MPIR_LPID_FROM(world, 0)})));
  }
  EXPECT_NE(MPIR_find_world("v1499"), -1);
  const Group all = [&] {
    Lpids lpids;
    for (const Comm &comm : comms) {
      lpids.push_back(MPIR_comm_rank_to_lpid(comm.get(), 0));
    }
    return group_of(lpids);
  }();
  const Comm many = intracomm(all);
  comms.clear();
  EXPECT_NE(MPIR_find_world("v700"), -1);
}

TEST_P(Mpich5Comms, WorldWithoutMemoryIsNotAdded) {
  refuse_mpl_after(0);
  EXPECT_EQ(MPIR_add_world("child", 5), -1);
  refuse_mpl_none();
  EXPECT_EQ(MPIR_find_world("child"), -1);
  EXPECT_GT(MPIR_add_world("child", 5), 0);
}

TEST_P(Mpich5Comms, FreeingATableKeepsItsCommunicators) {
  const int world = MPIR_add_world("child", 4);
  Comm comm = intercomm(group_of({9}), group_of(ranks_of_world(world, 4)));
  ASSERT_EQ(MPIDIU_av_set_address(MPIR_LPID_FROM(world, 1), 64), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_free_avt(world), MPI_SUCCESS);
  const Comm dup = intercomm(group_of({9}), group_of(ranks_of_world(world, 4)));
  std::uint64_t address = 0;
  EXPECT_TRUE(MPIDIU_av_entry_address(MPIDIU_comm_rank_to_av(dup.get(), 1), &address));
  EXPECT_EQ(address, 64U);
}

TEST_P(Mpich5Comms, AddressesOfProcessesOfThisNodeStandBesideTheirEntries) {
  const Comm world = intracomm(group_of(ranks_of_world(0, 24)));
  for (int lpid = 0; lpid < 24; ++lpid) {
    std::uint64_t address = 0;
    EXPECT_FALSE(MPIDIU_av_address(lpid, &address));
    ASSERT_EQ(MPIDIU_av_set_address(lpid, 1000 + 2 * static_cast<std::uint64_t>(lpid)), MPI_SUCCESS);
  }
  expect_entries(process_, world, ranks_of_world(0, 24));
  for (int lpid = 0; lpid < 24; ++lpid) {
    std::uint64_t address = 0;
    EXPECT_TRUE(MPIDIU_av_address(lpid, &address));
    EXPECT_EQ(address, 1000 + 2 * static_cast<std::uint64_t>(lpid));
    EXPECT_TRUE(MPIDIU_av_entry_address(MPIDIU_comm_rank_to_av(world.get(), lpid), &address));
    EXPECT_EQ(address, 1000 + 2 * static_cast<std::uint64_t>(lpid));
  }
  avrm_far_t far{};
  const std::uint64_t self = avrm_ave_word(MPIDIU_comm_rank_to_av(world.get(), MPIR_Process.rank));
  EXPECT_EQ(avrm_word_unpack_far(GetParam(), self, &far), AVRM_OK);
  EXPECT_EQ(far.kind, AVRM_FAR_SELF) << "an address does not overwrite it";
}

TEST_P(Mpich5Comms, AnAddressThatLooksLikeAProcessOfThisNodeIsRefused) {
  const int lpid = 23;
  EXPECT_NE(MPIDIU_av_set_address(lpid, INT64_MAX), MPI_SUCCESS);
  std::uint64_t address = 0;
  EXPECT_FALSE(MPIDIU_av_address(lpid, &address));
  EXPECT_EQ(MPIDIU_av_set_address(lpid, INT64_MAX - 1), MPI_SUCCESS);
  EXPECT_FALSE(MPIDIU_av_is_local(MPIDIU_lpid_to_av(lpid)));
}

TEST_P(Mpich5Comms, ANodeIsSetBeforeAndAfterTheAddress) {
  const int world = MPIR_add_world("child", 2);
  const Comm comm = intercomm(group_of({9}), group_of(ranks_of_world(world, 2)));
  EXPECT_EQ(MPIDIU_av_set_node_id(MPIR_LPID_FROM(world, 0), 0), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_av_set_address(MPIR_LPID_FROM(world, 0), 8), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_av_set_address(MPIR_LPID_FROM(world, 1), 16), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_av_set_node_id(MPIR_LPID_FROM(world, 1), 7), MPI_SUCCESS);
  for (const int rank : {0, 1}) {
    int node = 0;
    EXPECT_EQ(MPIDIU_get_node_id(comm.get(), rank, &node), MPI_SUCCESS);
    EXPECT_EQ(node, 7 * rank);
    std::uint64_t address = 0;
    EXPECT_TRUE(MPIDIU_av_address(MPIR_LPID_FROM(world, rank), &address));
    EXPECT_EQ(address, rank == 0 ? 8U : 16U);
  }
}

TEST_P(Mpich5Comms, AProcessThatDoesNotExistIsAnError) {
  EXPECT_NE(MPIDIU_av_set_address(24, 8), MPI_SUCCESS);
  EXPECT_NE(MPIDIU_av_set_address(MPIR_LPID_FROM(77, 0), 8), MPI_SUCCESS);
  EXPECT_NE(MPIDIU_av_set_node_id(-1, 8), MPI_SUCCESS);
  EXPECT_NE(MPIDIU_free_avt(77), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_get_avt_size(77), 0);
  MPIR_Group *group = nullptr;
  EXPECT_EQ(made_of({30}, &group), MPI_ERR_GROUP);
  EXPECT_EQ(last_error().generic, "**group");
}

} // namespace

} // namespace avrankmap::test::mpich5
