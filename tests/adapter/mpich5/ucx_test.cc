// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The UCX netmod of MPICH 5 on the adapter.
#include <set>

#include "tests/adapter/mpich5/standin.h"

namespace avrankmap::test::mpich5 {

namespace {

constexpr int kSize = 24;

std::string worker_name(int lpid, int vci) { return "p" + std::to_string(lpid) + "v" + std::to_string(vci); }

void connect_roots() {
  for (int lpid = 0; lpid < kSize; ++lpid) {
    const std::string name = worker_name(lpid, 0);
    ASSERT_EQ(MPIDI_UCX_insert_upid(lpid, name.c_str(), static_cast<int>(name.size()) + 1), MPI_SUCCESS);
  }
}

// As ucx_vci.c does.
void connect_vcis(int num_vcis) {
  for (int local = 0; local < num_vcis; ++local) {
    for (int lpid = 0; lpid < kSize; ++lpid) {
      for (int remote = 0; remote < num_vcis; ++remote) {
        if (local == 0 && remote == 0) {
          continue;
        }
        const std::string name = worker_name(lpid, remote);
        ucp_ep_params_t params{UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                               reinterpret_cast<const ucp_address_t *>(name.c_str())};
        ucp_ep_h ep = nullptr;
        ASSERT_EQ(ucp_ep_create(MPIDI_UCX_global.ctx[local].worker, &params, &ep), UCS_OK);
        ASSERT_EQ(MPIDI_UCX_av_set_ep(lpid, local, remote, ep), MPI_SUCCESS);
      }
    }
  }
}

TEST(Mpich5Ucx, PairsOfVcisHaveWordsOfTheirOwn) {
  for (const int vcis : {1, 2, 5, 64}) {
    std::set<std::size_t> words;
    for (int src = 0; src < vcis; ++src) {
      for (int dst = 0; dst < vcis; ++dst) {
        words.insert(MPIDI_UCX_word_of(src, dst));
      }
    }
    EXPECT_EQ(words.size(), static_cast<std::size_t>(vcis * vcis));
    EXPECT_EQ(*words.rbegin(), static_cast<std::size_t>(vcis * vcis - 1));
  }
}

TEST(Mpich5Ucx, EveryEndpointIsTheRightOne) {
  constexpr int kVcis = 3;
  const Process process(AVRM_CODEC_UCX, kSize);
  Process::open_contexts(kVcis, 1);
  connect_roots();
  connect_vcis(kVcis);
  const Comm world = intracomm(world_group());
  for (int src = 0; src < kVcis; ++src) {
    for (int dst = 0; dst < kVcis; ++dst) {
      for (int lpid = 0; lpid < kSize; ++lpid) {
        const ucp_ep *const ep = MPIDI_UCX_COMM_TO_EP(world.get(), lpid, src, dst);
        ASSERT_NE(ep, nullptr);
        EXPECT_EQ(ep->address, worker_name(lpid, dst));
        EXPECT_EQ(ep->worker->vci, src);
        EXPECT_EQ(MPIDI_UCX_lpid_to_ep(lpid, src, dst), ep);
      }
    }
  }
  EXPECT_EQ(MPIDI_UCX_lpid_to_ep(3, kVcis, 0), nullptr) << "nobody opened it";
  for (int lpid = 0; lpid < kSize; ++lpid) {
    EXPECT_EQ(MPIDI_rank_is_local(lpid, world.get()), process.is_local(lpid));
  }
}

TEST(Mpich5Ucx, AnEndpointTakesBytesOnlyOnceItIsThere) {
  const Process process(AVRM_CODEC_UCX, 10000, 9);
  std::vector<ucp_ep> endpoints(10000);
  for (int lpid = 0; lpid < 10000; ++lpid) {
    ASSERT_EQ(MPIDI_UCX_av_set_ep(lpid, 0, 0, &endpoints[static_cast<std::size_t>(lpid)]), MPI_SUCCESS);
  }
  EXPECT_LT(avrm_av_bytes(MPIDI_global.avt_mgr.av_table0), 10000U * 13);
}

// Connects processes of another world, as MPID_Intercomm_exchange does, the leader first.
Comm connect_world(const std::string &world_name, int size) {
  MPIR_Lpid leader = MPIR_LPID_INVALID;
  const auto upid = [](int rank) { return "remote" + std::to_string(rank); };
  const auto length = [&](int rank) { return static_cast<int>(upid(rank).size()) + 1; };
  EXPECT_EQ(MPIDIU_insert_dynamic_upid(&leader, upid(0).c_str(), length(0)), MPI_SUCCESS);
  const ucp_ep *const leader_ep = MPIDI_UCX_AV_TO_EP(MPIDIU_lpid_to_av_slow(leader), 0, 0);
  EXPECT_EQ(leader_ep->address, upid(0));
  const int world = MPIR_add_world(world_name.c_str(), size);
  Lpids lpids;
  for (int rank = 0; rank < size; ++rank) {
    lpids.push_back(MPIR_LPID_FROM(world, rank));
    EXPECT_EQ(MPIDI_NM_insert_upid(lpids.back(), upid(rank).c_str(), length(rank)), MPI_SUCCESS);
    EXPECT_EQ(MPIDI_NM_insert_upid(lpids.back(), upid(rank).c_str(), length(rank)), MPI_SUCCESS) << "known now";
    int kept = 0;
    EXPECT_STREQ(static_cast<const char *>(MPIDIU_upid_get(lpids.back(), &kept)), upid(rank).c_str());
    EXPECT_EQ(kept, length(rank));
  }
  MPIDIU_endpoints_trim();
  Comm comm = intercomm(group_of({2}), group_of(lpids));
  EXPECT_EQ(MPIDIU_free_dynamic_lpid(leader), MPI_SUCCESS);
  EXPECT_EQ(MPIDI_UCX_COMM_TO_EP(comm.get(), 0, 0, 0), leader_ep) << "a process gets one endpoint";
  for (int rank = 0; rank < size; ++rank) {
    const ucp_ep *const ep = MPIDI_UCX_COMM_TO_EP(comm.get(), rank, 0, 0);
    EXPECT_EQ(ep->address, upid(rank));
    EXPECT_TRUE(ep->is_open);
  }
  return comm;
}

TEST(Mpich5Ucx, EndpointsGoWithTheirWorldAndAReconnectUsesThemAgain) {
  const Process process(AVRM_CODEC_UCX, 8, 2);
  Comm comm = connect_world("w", 24);
  const ucp_ep *const seventh = MPIDI_UCX_COMM_TO_EP(comm.get(), 7, 0, 0);
  EXPECT_EQ(open_endpoints(), 24);
  const std::int64_t blocks = mpl_blocks();
  for (int round = 0; round < 5; ++round) {
    comm.reset();
    EXPECT_EQ(MPIR_find_world("w"), -1);
    comm = connect_world("w", 24);
    EXPECT_EQ(MPIDI_UCX_COMM_TO_EP(comm.get(), 7, 0, 0), seventh);
    EXPECT_EQ(open_endpoints(), 24);
    EXPECT_LE(mpl_blocks(), blocks + 1) << "upids are kept once; one more for the table of worlds";
  }
  // A world that shares some of the processes keeps their endpoints.
  Comm few = connect_world("v", 3);
  comm.reset();
  MPIDIU_endpoints_trim();
  EXPECT_EQ(open_endpoints(), 3);
  few.reset();
  EXPECT_EQ(open_endpoints(), 3) << "they wait for a reconnect";
  MPIDIU_endpoints_trim();
  EXPECT_EQ(open_endpoints(), 0);
}

// Another thread may be in the critical section of any other VCI.
TEST(Mpich5Ucx, EndpointsAreClosedWithoutMemoryThroughTheirOwnVci) {
  const Process process(AVRM_CODEC_UCX, 8, 2);
  Process::open_contexts(3, 1);
  Comm comm = connect_world("w", 24);
  comm.reset();
  refuse_mpl_after(0);
  MPIDIU_endpoints_trim();
  EXPECT_TRUE(mpl_refused());
  EXPECT_EQ(open_endpoints(), 0);
  EXPECT_EQ(progressed_vcis(), std::set<int>{0});
}

TEST(Mpich5Ucx, AllEndpointsAreClosedAtTheEnd) {
  Process process(AVRM_CODEC_UCX, kSize);
  Process::open_contexts(2, 1);
  connect_roots();
  connect_vcis(2);
  const Comm comm = connect_world("w", 1000);
  EXPECT_EQ(open_endpoints(), kSize * 4 + 1000); // the process checks the rest
}

TEST(Mpich5Ucx, UpidsAreSentToOthers) {
  const Process process(AVRM_CODEC_UCX, kSize);
  connect_roots();
  const Comm world = intracomm(world_group());
  int *sizes = nullptr;
  char *upids = nullptr;
  ASSERT_EQ(MPIDI_UCX_get_local_upids(world.get(), &sizes, &upids), MPI_SUCCESS);
  const char *at = upids;
  for (int lpid = 0; lpid < kSize; ++lpid) {
    EXPECT_STREQ(at, worker_name(lpid, 0).c_str());
    at += sizes[lpid];
  }
  MPL_free(sizes);
  MPL_free(upids);
}

TEST(Mpich5Ucx, UpidsOfNoLengthOrLongerThanABusinessCardAreErrors) {
  const Process process(AVRM_CODEC_UCX, kSize);
  const std::string name(MPID_MAX_BC_SIZE + 1, 'p');
  for (const int length : {-1, 0, MPID_MAX_BC_SIZE + 1}) {
    EXPECT_NE(MPIDI_UCX_insert_upid(3, name.c_str(), length), MPI_SUCCESS) << length;
    EXPECT_EQ(MPIDI_UCX_lpid_to_ep(3, 0, 0), nullptr);
  }
}

TEST(Mpich5Ucx, InsertionFailsWithoutMemory) {
  const Process process(AVRM_CODEC_UCX, kSize);
  bool refused = true;
  for (std::uint64_t count = 0; refused; ++count) {
    refuse_mpl_after(count);
    const int error = MPIDI_UCX_insert_upid(3, "p3v0", 5);
    refused = mpl_refused();
    refuse_mpl_none();
    EXPECT_EQ(error == MPI_SUCCESS, MPIDI_UCX_lpid_to_ep(3, 0, 0) != nullptr);
    ASSERT_LT(count, 100U);
  }
}

TEST(Mpich5Ucx, AProcessWithoutUpidIsAnError) {
  const Process process(AVRM_CODEC_UCX, kSize);
  const Comm world = intracomm(world_group());
  int *sizes = nullptr;
  char *upids = nullptr;
  EXPECT_NE(MPIDI_UCX_get_local_upids(world.get(), &sizes, &upids), MPI_SUCCESS);
}

} // namespace

} // namespace avrankmap::test::mpich5
