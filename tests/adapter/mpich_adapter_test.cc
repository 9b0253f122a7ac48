// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/adapter/mpich_adapter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

MPIR_Process_s MPIR_Process;

namespace avrankmap::test {

namespace {

constexpr int kSize = 24;
constexpr int kRank = 9;
constexpr int kPerNode = 4;

// MPICH's communicator code around the device: one process of a world of 24, 4 on each node.
class MpichAdapter : public testing::Test {
protected:
  MpichAdapter() {
    std::vector<std::uint32_t> nodes;
    for (int lpid = 0; lpid < kSize; ++lpid) {
      nodes.push_back(static_cast<std::uint32_t>(lpid / kPerNode));
    }
    EXPECT_EQ(MPIDIU_avt_init(kSize, kRank, nodes.data()), MPI_SUCCESS);
    world_ = intracomm({});
    self_ = intracomm({});
    MPIR_Process = {world_.get(), self_.get()};
    EXPECT_EQ(MPIDI_Comm_create_rank_map(world_.get()), MPI_SUCCESS);
    EXPECT_EQ(MPIDI_Comm_create_rank_map(self_.get()), MPI_SUCCESS);
  }

  ~MpichAdapter() override {
    MPIDI_Comm_free_rank_map(self_.get());
    MPIDI_Comm_free_rank_map(world_.get());
    EXPECT_EQ(MPIDIU_avt_destroy(), MPI_SUCCESS) << "something is still alive";
  }

  struct Free {
    void operator()(MPIR_Comm *comm) const {
      if (comm != MPIR_Process.comm_world && comm != MPIR_Process.comm_self) {
        MPIDI_Comm_free_rank_map(comm);
      }
      delete comm;
    }
  };
  using Comm = std::unique_ptr<MPIR_Comm, Free>;

  // A piece of a communicator: all of a group, or some of its ranks.
  struct Piece {
    MPIR_Comm *source;
    MPIR_Comm_map_dir_t direction;
    std::vector<int> ranks;
    bool all = false;
  };

  static Comm bare(MPIR_Comm_kind_t kind) { return Comm(new MPIR_Comm{kind, 0, 0, 0, nullptr, {}}); }
  static Comm intracomm(std::vector<Piece> pieces) { return made(bare(MPIR_COMM_KIND__INTRACOMM), std::move(pieces)); }
  static Comm intercomm(std::vector<Piece> pieces) { return made(bare(MPIR_COMM_KIND__INTERCOMM), std::move(pieces)); }

  static Comm made(Comm comm, std::vector<Piece> pieces) {
    std::vector<MPIR_Comm_map_t> list(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      Piece &piece = pieces[i];
      list[i] = {piece.all ? MPIR_COMM_MAP_TYPE__DUP : MPIR_COMM_MAP_TYPE__IRREGULAR,
                 piece.source,
                 piece.direction,
                 static_cast<int>(piece.ranks.size()),
                 piece.ranks.data(),
                 i + 1 < pieces.size() ? &list[i + 1] : nullptr};
    }
    comm->mapper_head = list.data();
    if (!pieces.empty()) {
      EXPECT_EQ(MPIDI_Comm_create_rank_map(comm.get()), MPI_SUCCESS);
    }
    comm->mapper_head = nullptr; // as MPICH frees the pieces after the commit
    return comm;
  }

  static std::vector<int> lpids(const MPIR_Comm &comm) {
    std::vector<int> result;
    for (int rank = 0; rank < avrm_rankmap_size(&comm.dev.map); ++rank) {
      result.push_back(MPIDIU_rank_to_lpid(rank, &comm));
    }
    return result;
  }

  static avrm_mode_t mode(const avrm_rankmap_t &map) {
    avrm_rankmap_info_t info;
    EXPECT_EQ(avrm_rankmap_describe(&map, &info), AVRM_OK);
    return info.mode;
  }

  Comm world_;
  Comm self_;
};

TEST_F(MpichAdapter, WorldIsDirect) {
  EXPECT_EQ(mode(world_->dev.map), AVRM_MODE_DIRECT);
  EXPECT_EQ(avrm_rankmap_size(&world_->dev.map), kSize);
}

TEST_F(MpichAdapter, SelfIsTheProcessItself) {
  int network = 1;
  avrm_far_t far_side;
  MPIDI_OFI_comm_to_phys(self_.get(), 0, &network, &far_side);
  EXPECT_FALSE(network);
  EXPECT_EQ(far_side.kind, AVRM_FAR_SELF);
}

TEST_F(MpichAdapter, APeerIsNotConnectedUntilItsAddressIsSet) {
  int network = 1;
  avrm_far_t far_side;
  MPIDI_OFI_comm_to_phys(world_.get(), 20, &network, &far_side);
  EXPECT_FALSE(network);
  EXPECT_EQ(far_side.kind, AVRM_FAR_UNCONNECTED);
  ASSERT_EQ(MPIDI_OFI_av_set(0, 20, 4711, 5), MPI_SUCCESS);
  EXPECT_EQ(MPIDI_OFI_comm_to_phys(world_.get(), 20, &network, &far_side), 4711U);
  EXPECT_TRUE(network);
}

TEST_F(MpichAdapter, LocalityIsKnownBeforeConnection) {
  for (int rank = 0; rank < kSize; ++rank) {
    EXPECT_EQ(MPIDI_rank_is_local(rank, world_.get()), rank / kPerNode == kRank / kPerNode) << rank;
    EXPECT_EQ(MPIDIU_av_is_local(MPIDIU_comm_rank_to_av(world_.get(), rank)), rank / kPerNode == kRank / kPerNode);
    int node = -1;
    EXPECT_EQ(MPIDIU_get_node_id(world_.get(), rank, &node), MPI_SUCCESS);
    EXPECT_EQ(node, rank / kPerNode);
  }
}

TEST_F(MpichAdapter, ADupSharesAndKeepsTheMode) {
  const Comm dup = intracomm({{world_.get(), MPIR_COMM_MAP_DIR__L2L, {}, true}});
  EXPECT_EQ(mode(dup->dev.map), AVRM_MODE_DIRECT);
  EXPECT_EQ(lpids(*dup), lpids(*world_));
}

TEST_F(MpichAdapter, EveryFourthRankIsAStride) {
  const Comm roots = intracomm({{world_.get(), MPIR_COMM_MAP_DIR__L2L, {0, 4, 8, 12, 16, 20}}});
  EXPECT_EQ(mode(roots->dev.map), AVRM_MODE_STRIDE);
  EXPECT_EQ(lpids(*roots), (std::vector<int>{0, 4, 8, 12, 16, 20}));
}

TEST_F(MpichAdapter, AChildOfAChildIsAMapToTheWorld) {
  const Comm roots = intracomm({{world_.get(), MPIR_COMM_MAP_DIR__L2L, {0, 4, 8, 12, 16, 20}}});
  const Comm reversed = intracomm({{roots.get(), MPIR_COMM_MAP_DIR__L2L, {5, 4, 3, 2, 1, 0}}});
  EXPECT_EQ(lpids(*reversed), (std::vector<int>{20, 16, 12, 8, 4, 0}));
  EXPECT_EQ(mode(reversed->dev.map), AVRM_MODE_STRIDE);
}

TEST_F(MpichAdapter, AnIntercommunicatorRefersToItsRemoteGroup) {
  const Comm low = intracomm({{world_.get(), MPIR_COMM_MAP_DIR__L2L, {6, 7, 8, 9}}});
  const Comm inter =
      intercomm({{low.get(), MPIR_COMM_MAP_DIR__L2L, {}, true}, {world_.get(), MPIR_COMM_MAP_DIR__L2R, {0, 2, 4}}});
  EXPECT_EQ(lpids(*inter), (std::vector<int>{0, 2, 4}));
  int idx = -1;
  int avtid = -1;
  EXPECT_EQ(MPIDIU_comm_rank_to_pid_local(inter.get(), 3, &idx, &avtid), 9);
  EXPECT_EQ(avtid, 0);
}

TEST_F(MpichAdapter, AMergeIsBothGroupsOneAfterTheOther) {
  const Comm low = intracomm({{world_.get(), MPIR_COMM_MAP_DIR__L2L, {6, 7, 8, 9}}});
  const Comm inter =
      intercomm({{low.get(), MPIR_COMM_MAP_DIR__L2L, {}, true}, {world_.get(), MPIR_COMM_MAP_DIR__L2R, {0, 2, 4}}});
  const Comm merged =
      intracomm({{inter.get(), MPIR_COMM_MAP_DIR__L2L, {}, true}, {inter.get(), MPIR_COMM_MAP_DIR__R2L, {}, true}});
  EXPECT_EQ(lpids(*merged), (std::vector<int>{6, 7, 8, 9, 0, 2, 4}));
}

TEST_F(MpichAdapter, AnotherWorldIsReachedThroughItsOwnTable) {
  int avtid = 0;
  ASSERT_EQ(MPIDIU_new_avt(1000, &avtid), MPI_SUCCESS);
  EXPECT_NE(avtid, 0);
  EXPECT_EQ(MPIDIU_get_avt_size(avtid), 1000);
  std::vector<std::uint64_t> gpids;
  for (std::uint64_t lpid = 0; lpid < 1000; lpid += 10) {
    gpids.push_back(static_cast<std::uint64_t>(avtid) << 32 | lpid);
  }
  ASSERT_EQ(MPIDI_OFI_av_set(avtid, 990, 77, 123), MPI_SUCCESS);
  Comm inter = bare(MPIR_COMM_KIND__INTERCOMM);
  ASSERT_EQ(MPIDIU_Comm_set_remote_gpids(inter.get(), 100, gpids.data()), MPI_SUCCESS);
  inter = made(std::move(inter), {{world_.get(), MPIR_COMM_MAP_DIR__L2L, {}, true}});
  EXPECT_EQ(mode(inter->dev.map), AVRM_MODE_STRIDE);
  int network = 0;
  avrm_far_t far_side;
  EXPECT_EQ(MPIDI_OFI_comm_to_phys(inter.get(), 99, &network, &far_side), 77U);
  EXPECT_TRUE(network);
  EXPECT_EQ(MPIDIU_rank_to_lpid(99, inter.get()), -1) << "no lpid of the own world";
  EXPECT_EQ(MPIR_comm_rank_to_lpid(inter.get(), 99), static_cast<MPIR_Lpid>(avtid) << 32 | 990);
  EXPECT_EQ(MPIDIU_free_avt(avtid), MPI_SUCCESS);
  EXPECT_EQ(MPIDI_OFI_comm_to_phys(inter.get(), 99, &network, &far_side), 77U) << "the communicator keeps the table";
  inter.reset();
  int again = 0;
  EXPECT_EQ(MPIDIU_new_avt(5, &again), MPI_SUCCESS);
  EXPECT_NE(again, avtid) << "a number names one world only";
  EXPECT_EQ(MPIDIU_free_avt(again), MPI_SUCCESS);
}

TEST_F(MpichAdapter, RanksTranslateBetweenCommunicators) {
  const Comm odd = intracomm({{world_.get(), MPIR_COMM_MAP_DIR__L2L, {1, 3, 5, 7, 9, 11}}});
  const Comm some = intracomm({{world_.get(), MPIR_COMM_MAP_DIR__L2L, {9, 2, 5, 23}}});
  const std::vector<int> ranks = {0, 1, 2, 3, MPI_PROC_NULL};
  std::vector<int> translated(ranks.size(), 12345);
  ASSERT_EQ(MPIDI_Comm_translate_ranks(some.get(), 5, ranks.data(), odd.get(), translated.data()), MPI_SUCCESS);
  EXPECT_EQ(translated, (std::vector<int>{4, MPI_UNDEFINED, 2, MPI_UNDEFINED, MPI_PROC_NULL}));
}

TEST_F(MpichAdapter, ARankOutsideIsAnError) {
  const int rank = kSize;
  int translated = 0;
  EXPECT_EQ(MPIDI_Comm_translate_ranks(world_.get(), 1, &rank, world_.get(), &translated), MPI_ERR_ARG);
  EXPECT_EQ(MPIDIU_get_node_id(world_.get(), kSize, &translated), MPI_ERR_ARG);
}

TEST_F(MpichAdapter, AProcessThatDoesNotExistIsAnError) {
  Comm inter = bare(MPIR_COMM_KIND__INTERCOMM);
  const std::uint64_t outside = kSize;
  EXPECT_EQ(MPIDIU_Comm_set_remote_gpids(inter.get(), 1, &outside), MPI_ERR_ARG);
  EXPECT_EQ(avrm_rankmap_size(&inter->dev.map), 0);
  EXPECT_EQ(MPIDI_OFI_av_set(0, kSize, 1, 0), MPI_ERR_ARG);
}

} // namespace

} // namespace avrankmap::test
