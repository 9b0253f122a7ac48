// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The UCX netmod of MPICH 5 on the adapter.
#include <cstring>
#include <numeric>
#include <set>

#include "tests/adapter/mpich5/standin.h"

namespace avrankmap::test::mpich5 {

namespace {

constexpr int kSize = 24;

std::string worker_name(int lpid, int vci) { return "p" + std::to_string(lpid) + "v" + std::to_string(vci); }

Group world_group() {
  return made([](MPIR_Group **to) { return MPIR_Group_dup(MPIR_GROUP_WORLD_PTR, nullptr, to); });
}

void connect_roots() {
  for (int lpid = 0; lpid < kSize; ++lpid) {
    const std::string name = worker_name(lpid, 0);
    ASSERT_EQ(MPIDI_UCX_av_insert(lpid, name.c_str(), static_cast<int>(name.size()) + 1), MPI_SUCCESS);
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

TEST(Mpich5Ucx, ProcessesOfAnotherWorldAreReachedByTheirUpids) {
  std::vector<int> sizes;
  std::string bytes;
  {
    const Process process(AVRM_CODEC_UCX, kSize);
    connect_roots();
    const Comm world = intracomm(world_group());
    int *upid_sizes = nullptr;
    char *upids = nullptr;
    ASSERT_EQ(MPIDI_UCX_get_local_upids(world.get(), &upid_sizes, &upids), MPI_SUCCESS);
    sizes.assign(upid_sizes, upid_sizes + kSize);
    bytes.assign(upids, static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0)));
    MPL_free(upid_sizes);
    MPL_free(upids);
  }
  const Process process(AVRM_CODEC_UCX, 8, 2);
  MPIR_Lpid leader = MPIR_LPID_INVALID;
  ASSERT_EQ(MPIDIU_insert_dynamic_upid(&leader, bytes.data(), sizes[0]), MPI_SUCCESS);
  const ucp_ep *const leader_ep = MPIDI_UCX_AV_TO_EP(MPIDIU_lpid_to_av_slow(leader), 0, 0);
  ASSERT_NE(leader_ep, nullptr);
  EXPECT_EQ(leader_ep->address, worker_name(0, 0));
  const int world = MPIR_add_world("their world", kSize);
  std::vector<MPIR_Lpid> lpids;
  std::size_t at = 0;
  for (int rank = 0; rank < kSize; ++rank) {
    lpids.push_back(MPIR_LPID_FROM(world, rank));
    const int size = sizes[static_cast<std::size_t>(rank)];
    ASSERT_EQ(MPIDI_NM_insert_upid(lpids.back(), bytes.data() + at, size), MPI_SUCCESS);
    int kept = 0;
    EXPECT_EQ(std::strcmp(static_cast<const char *>(MPIDIU_upid_get(lpids.back(), &kept)), bytes.data() + at), 0);
    EXPECT_EQ(kept, size);
    at += static_cast<std::size_t>(size);
  }
  EXPECT_EQ(MPIDIU_free_dynamic_lpid(leader), MPI_SUCCESS);
  const Comm comm = intercomm(group_of({2}), group_of(lpids));
  EXPECT_EQ(MPIDI_UCX_COMM_TO_EP(comm.get(), 0, 0, 0), leader_ep) << "an address gets one endpoint";
  for (int rank = 0; rank < kSize; ++rank) {
    EXPECT_EQ(MPIDI_UCX_COMM_TO_EP(comm.get(), rank, 0, 0)->address, worker_name(rank, 0));
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
