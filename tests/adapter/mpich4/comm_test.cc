// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators and address tables of MPICH 4.0.2 on the adapter, beside plain vectors of gpids.
#include <algorithm>
#include <numeric>

#include "tests/adapter/mpich4/standin.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich4 {

namespace {

using Gpids = std::vector<std::uint64_t>;

constexpr auto L2L = MPIR_COMM_MAP_DIR__L2L;
constexpr auto L2R = MPIR_COMM_MAP_DIR__L2R;
constexpr auto R2L = MPIR_COMM_MAP_DIR__R2L;
constexpr auto R2R = MPIR_COMM_MAP_DIR__R2R;

avrm_mode_t mode_of(const avrm_rankmap_t &map) {
  avrm_rankmap_info_t info{};
  EXPECT_EQ(avrm_rankmap_describe(&map, &info), AVRM_OK);
  return info.mode;
}

Gpids world_of(int avtid, int size) {
  Gpids gpids;
  for (int lpid = 0; lpid < size; ++lpid) {
    gpids.push_back(MPIDIU_GPID_CREATE(avtid, lpid));
  }
  return gpids;
}

// What a process knows of another, by gpid.
void expect_entries(const Process &process, MPIR_Comm *comm, const Gpids &gpids) {
  ASSERT_EQ(gpids_of(comm), gpids);
  for (int rank = 0; rank < static_cast<int>(gpids.size()); ++rank) {
    const int avtid = MPIDIU_GPID_GET_AVTID(gpids[static_cast<std::size_t>(rank)]);
    const int lpid = MPIDIU_GPID_GET_LPID(gpids[static_cast<std::size_t>(rank)]);
    MPIDI_av_entry_t *const av = MPIDIU_comm_rank_to_av(comm, rank);
    EXPECT_EQ(av, MPIDIU_get_av(avtid, lpid));
    EXPECT_EQ(MPIDIU_rank_to_lpid(rank, comm), avtid == 0 ? lpid : -1);
    EXPECT_EQ(MPIDI_rank_is_local(rank, comm), avtid == 0 && process.is_local(lpid));
    EXPECT_EQ(MPIDIU_rank_is_local(rank, comm), MPIDI_av_is_local(av));
    int node = 0;
    EXPECT_EQ(MPIDIU_get_node_id(comm, rank, &node), MPI_SUCCESS);
    EXPECT_EQ(node, avtid == 0 ? process.node_of(lpid) : -1);
    if (MPIDIU_av_is_local(av) != 0) {
      EXPECT_EQ(MPIR_Process.node_local_map[MPIDIU_av_local_rank(av)], lpid);
    }
  }
}

std::vector<int> random_ranks(std::mt19937_64 &engine, int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (below(engine, 2) == 0) {
    std::shuffle(ranks.begin(), ranks.end(), engine);
  }
  ranks.resize(below(engine, ranks.size() + 1));
  return ranks;
}

Gpids some_of(const Gpids &gpids, const std::vector<int> &ranks) {
  Gpids result;
  for (const int rank : ranks) {
    result.push_back(gpids[static_cast<std::size_t>(rank)]);
  }
  return result;
}

Gpids both(Gpids a, const Gpids &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Mpich4Comms : public testing::TestWithParam<avrm_codec_t> {
protected:
  Process process_{GetParam()};
  std::mt19937_64 engine_ = seeded_engine();
};

INSTANTIATE_TEST_SUITE_P(Codecs, Mpich4Comms, testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX),
                         [](const auto &param) { return param.param == AVRM_CODEC_OFI ? "Ofi" : "Ucx"; });

TEST_P(Mpich4Comms, WorldAndSelfAreThere) {
  EXPECT_EQ(mode_of(process_.world()->dev.ch4.map), AVRM_MODE_DIRECT);
  expect_entries(process_, process_.world(), world_of(0, 24));
  expect_entries(process_, process_.self(), {9});
  EXPECT_TRUE(MPIDIU_comm_is_of_own_world(process_.world()));
}

TEST_P(Mpich4Comms, EveryRankOfRandomCommunicatorsIsRight) {
  for (int round = 0; round < 100; ++round) {
    const std::vector<int> ranks = random_ranks(engine_, 24);
    const Gpids gpids = some_of(world_of(0, 24), ranks);
    const Comm comm = intracomm({{process_.world(), L2L, ranks}});
    expect_entries(process_, comm.get(), gpids);
    const std::vector<int> some = random_ranks(engine_, static_cast<int>(ranks.size()));
    expect_entries(process_, intracomm({{comm.get(), L2L, some}}).get(), some_of(gpids, some));
    expect_entries(process_, intracomm({{comm.get(), L2L, {}, true}}).get(), gpids);
  }
}

TEST_P(Mpich4Comms, GroupsOfRandomIntercommunicatorsAreRight) {
  for (int round = 0; round < 100; ++round) {
    const int avtid = [] {
      int id = -1;
      EXPECT_EQ(MPIDIU_new_avt(30, &id), MPI_SUCCESS);
      return id;
    }();
    const std::vector<int> local = random_ranks(engine_, 24);
    Gpids remote = world_of(avtid, 30);
    std::shuffle(remote.begin(), remote.end(), engine_);
    remote.resize(1 + below(engine_, 30));
    const Gpids local_gpids = some_of(world_of(0, 24), local);
    const Comm inter = intercomm({{process_.world(), L2L, local}}, remote);
    expect_entries(process_, inter.get(), remote);
    EXPECT_EQ(local_gpids_of(inter.get()), local_gpids);
    EXPECT_FALSE(MPIDIU_comm_is_of_own_world(inter.get()));

    const Comm merged = intracomm({{inter.get(), L2L, {}, true}, {inter.get(), R2L, {}, true}});
    expect_entries(process_, merged.get(), both(local_gpids, remote));
    const Comm high = intracomm({{inter.get(), R2L, {}, true}, {inter.get(), L2L, {}, true}});
    expect_entries(process_, high.get(), both(remote, local_gpids));

    const std::vector<int> some_local = random_ranks(engine_, static_cast<int>(local.size()));
    const std::vector<int> some_remote = random_ranks(engine_, static_cast<int>(remote.size()));
    const Comm part = intercomm({{inter.get(), L2L, some_local}, {inter.get(), R2R, some_remote}});
    expect_entries(process_, part.get(), some_of(remote, some_remote));
    EXPECT_EQ(local_gpids_of(part.get()), some_of(local_gpids, some_local));
    const Comm swapped = intercomm({{inter.get(), R2L, {}, true}, {inter.get(), L2R, {}, true}});
    expect_entries(process_, swapped.get(), local_gpids);
    EXPECT_EQ(local_gpids_of(swapped.get()), remote);
    const Comm local_comm = intracomm({{inter.get(), L2L, {}, true}});
    expect_entries(process_, local_comm.get(), local_gpids);
  }
}

TEST_P(Mpich4Comms, AnIntercommunicatorMayHaveAnEmptyGroup) {
  const Comm inter = intercomm({{process_.world(), L2L, {8, 9}}, {process_.world(), L2R, {0, 1}}});
  const Comm no_remote = intercomm({{inter.get(), L2L, {1}}, {inter.get(), R2R, {}}});
  expect_entries(process_, no_remote.get(), {});
  EXPECT_EQ(local_gpids_of(no_remote.get()), Gpids{9});
  const Comm no_local = intercomm({{inter.get(), L2L, {}}, {inter.get(), R2R, {1}}});
  expect_entries(process_, no_local.get(), {1});
  EXPECT_TRUE(MPIDIU_comm_is_of_own_world(no_local.get()));
  const Comm no_piece = intercomm({}, {5, 7});
  expect_entries(process_, no_piece.get(), {5, 7});
  EXPECT_EQ(no_piece->local_size, 0);
}

TEST_P(Mpich4Comms, RegularCommunicatorsHaveNoTable) {
  const Comm roots = intracomm({{process_.world(), L2L, {0, 4, 8, 12, 16, 20}}});
  EXPECT_EQ(mode_of(roots->dev.ch4.map), AVRM_MODE_STRIDE);
  const Comm reversed = intracomm({{roots.get(), L2L, {5, 4, 3, 2, 1, 0}}});
  EXPECT_EQ(mode_of(reversed->dev.ch4.map), AVRM_MODE_STRIDE);
  const Comm two = intracomm({{process_.world(), L2L, {0, 1, 2}}, {process_.world(), L2L, {3, 4, 5}}});
  EXPECT_EQ(mode_of(two->dev.ch4.map), AVRM_MODE_DIRECT);
}

TEST_P(Mpich4Comms, ATableGoesWithItsLastCommunicator) {
  int avtid = -1;
  ASSERT_EQ(MPIDIU_new_avt(10, &avtid), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_get_avt_size(avtid), 10) << "it stays until it is used";
  Comm inter = intercomm({{process_.self(), L2L, {}, true}}, world_of(avtid, 10));
  Comm dup = intercomm({{inter.get(), L2L, {}, true}, {inter.get(), R2R, {}, true}});
  inter.reset();
  expect_entries(process_, dup.get(), world_of(avtid, 10));
  ASSERT_EQ(MPIDIU_avt_add_ref(avtid), MPI_SUCCESS);
  dup.reset();
  EXPECT_EQ(MPIDIU_get_avt_size(avtid), 10) << "a reference keeps it";
  ASSERT_EQ(MPIDIU_avt_release_ref(avtid), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_get_avt_size(avtid), 0);
  EXPECT_EQ(MPIDIU_get_av(avtid, 0), nullptr);
  int again = -1;
  ASSERT_EQ(MPIDIU_new_avt(10, &again), MPI_SUCCESS);
  EXPECT_NE(again, avtid) << "a number names one world only";
  const Comm bad = bare(MPIR_COMM_KIND__INTERCOMM);
  const Gpids old = world_of(avtid, 3);
  ASSERT_EQ(MPID_Create_intercomm_from_lpids(bad.get(), 3, old.data()), MPI_SUCCESS);
  EXPECT_EQ(commit(bad, {{process_.self(), L2L, {}, true}}), MPI_ERR_ARG);
}

TEST_P(Mpich4Comms, FreeingATableKeepsItsCommunicators) {
  int avtid = -1;
  ASSERT_EQ(MPIDIU_new_avt(10, &avtid), MPI_SUCCESS);
  const Comm inter = intercomm({{process_.self(), L2L, {}, true}}, world_of(avtid, 10));
  ASSERT_EQ(MPIDIU_free_avt(avtid), MPI_SUCCESS);
  const Comm dup = intercomm({{inter.get(), L2L, {}, true}, {inter.get(), R2R, {}, true}});
  expect_entries(process_, dup.get(), world_of(avtid, 10));
}

TEST_P(Mpich4Comms, WorldsComeAndGo) {
  for (int i = 0; i < 2000; ++i) {
    int avtid = -1;
    ASSERT_EQ(MPIDIU_new_avt(3, &avtid), MPI_SUCCESS);
    Comm inter = intercomm({{process_.self(), L2L, {}, true}}, world_of(avtid, 3));
    ASSERT_EQ(MPIDIU_rank_to_lpid(2, inter.get()), -1);
    inter.reset();
    ASSERT_EQ(MPIDIU_get_avt_size(avtid), 0);
  }
  Gpids all;
  for (int i = 0; i < 200; ++i) {
    int avtid = -1;
    ASSERT_EQ(MPIDIU_new_avt(1, &avtid), MPI_SUCCESS);
    all.push_back(MPIDIU_GPID_CREATE(avtid, 0));
  }
  Comm many = intercomm({{process_.self(), L2L, {}, true}}, all);
  Comm dup = intercomm({{many.get(), L2L, {}, true}, {many.get(), R2R, {}, true}});
  many.reset();
  expect_entries(process_, dup.get(), all);
  dup.reset();
  for (const std::uint64_t gpid : all) {
    EXPECT_EQ(MPIDIU_get_avt_size(MPIDIU_GPID_GET_AVTID(gpid)), 0);
  }
}

TEST_P(Mpich4Comms, AnAddressLeavesProcessesOfThisNodeWhereTheyAre) {
  for (int lpid = 0; lpid < 24; ++lpid) {
    ASSERT_EQ(MPIDIU_av_set_address(0, lpid, 1000 + 2 * static_cast<std::uint64_t>(lpid)), MPI_SUCCESS);
  }
  expect_entries(process_, process_.world(), world_of(0, 24));
  avrm_far_t far{};
  const std::uint64_t self = avrm_rankmap_word(&process_.self()->dev.ch4.map, 0);
  EXPECT_EQ(avrm_word_unpack_far(GetParam(), self, &far), AVRM_OK);
  EXPECT_EQ(far.kind, AVRM_FAR_SELF);
  for (int lpid = 0; lpid < 24; ++lpid) {
    std::uint64_t address = 0;
    EXPECT_EQ(avrm_addresses_get(MPIDIU_get_av_table(0), lpid, 0, &address), AVRM_OK);
    EXPECT_EQ(address, 1000 + 2 * static_cast<std::uint64_t>(lpid));
  }
}

TEST_P(Mpich4Comms, ProcessesThatDoNotExistAreErrors) {
  EXPECT_EQ(MPIDIU_av_set_address(0, 24, 8), MPI_ERR_ARG);
  EXPECT_EQ(MPIDIU_av_set_address(5, 0, 8), MPI_ERR_ARG);
  EXPECT_EQ(MPIDIU_free_avt(5), MPI_ERR_ARG);
  EXPECT_EQ(MPIDIU_avt_add_ref(5), MPI_ERR_ARG);
  EXPECT_EQ(MPIDIU_avt_release_ref(5), MPI_ERR_ARG);
  const Comm comm = bare(MPIR_COMM_KIND__INTRACOMM);
  EXPECT_EQ(commit(comm, {{process_.world(), L2L, {0, 24}}}), MPI_ERR_RANK);
  const Comm inter = bare(MPIR_COMM_KIND__INTERCOMM);
  EXPECT_EQ(commit(inter, {{process_.world(), L2L, {24}}, {process_.world(), L2R, {0}}}), MPI_ERR_RANK);
}

TEST_P(Mpich4Comms, OverlappingGroupsAreFound) {
  Gpids a = {1, 2, MPIDIU_GPID_CREATE(7, 3)};
  Gpids b = {3, MPIDIU_GPID_CREATE(7, 4), MPIDIU_GPID_CREATE(1 << 30, 1)};
  EXPECT_EQ(MPIDI_check_disjoint_gpids(a.data(), 3, b.data(), 3), MPI_SUCCESS);
  b[0] = 2;
  EXPECT_EQ(MPIDI_check_disjoint_gpids(a.data(), 3, b.data(), 3), MPI_ERR_COMM);
  b[0] = b[1];
  EXPECT_EQ(MPIDI_check_disjoint_gpids(a.data(), 3, b.data(), 3), MPI_ERR_COMM) << "twice in one group";
}

TEST(Mpich4CommsWithoutMemory, FailAndLeaveNothing) {
  CountingAllocator memory;
  const avrm_allocator_t hooks = memory.hooks();
  avrm_instance_options_t options{};
  options.allocator = &hooks;
  const Process process(AVRM_CODEC_OFI, 24, 9, 4, &options);
  int avtid = -1;
  ASSERT_EQ(MPIDIU_new_avt(9, &avtid), MPI_SUCCESS);
  const Comm inter = intercomm({{process.world(), L2L, {9, 2, 4, 1}}}, {MPIDIU_GPID_CREATE(avtid, 4), 5, 3});
  const auto attempt = [&](MPIR_Comm_kind_t kind, const std::vector<Piece> &pieces) {
    for (const bool ours : {true, false}) {
      bool refused = true;
      for (std::uint64_t count = 0; refused; ++count) {
        const std::uint64_t bytes = memory.live_bytes();
        ours ? memory.refuse_after(count) : refuse_mpl_after(count);
        {
          const Comm comm = bare(kind);
          const int error = commit(comm, pieces);
          refused = ours ? memory.refused() : mpl_refused();
          memory.refuse_none();
          refuse_mpl_none();
          EXPECT_EQ(error, refused ? MPI_ERR_NO_MEM : MPI_SUCCESS);
          EXPECT_TRUE(!refused || memory.live_bytes() == bytes) << "before the object is freed";
        }
        EXPECT_EQ(memory.live_bytes(), bytes);
        ASSERT_LT(count, 1000U);
      }
    }
  };
  attempt(MPIR_COMM_KIND__INTRACOMM, {{inter.get(), L2L, {3, 1, 0}}, {inter.get(), R2L, {}, true}});
  attempt(MPIR_COMM_KIND__INTERCOMM, {{process.world(), L2L, {7, 1, 3}}, {process.world(), L2R, {6, 0, 4}}});
}

} // namespace

} // namespace avrankmap::test::mpich4
