// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The netmods of MPICH 4.0.2 on the adapter: each address must stand for the right name in the
// table of every endpoint of this process, each endpoint must be the right one.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/adapter/mpich4/standin.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich4 {

namespace {

constexpr int kSize = 24;
constexpr std::size_t kNameLen = 32;

std::string endpoint_name(int lpid, int vni, int nic) {
  return "p" + std::to_string(lpid) + "v" + std::to_string(vni) + "n" + std::to_string(nic);
}

std::vector<int> in_order() {
  std::vector<int> order(kSize);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void connect(const std::vector<int> &order) {
  for (const int lpid : order) {
    fi_addr_t address = 0;
    fi_av_insert(MPIDI_OFI_global.ctx[0].av, endpoint_name(lpid, 0, 0).c_str(), 1, &address, 0, nullptr);
    ASSERT_EQ(MPIDI_OFI_av_set(0, lpid, address), MPI_SUCCESS);
  }
}

int exchange(int num_vnis) {
  const int nics = MPIDI_OFI_global.num_nics;
  std::vector<char> names(static_cast<std::size_t>(kSize * num_vnis * nics) * kNameLen);
  for (int lpid = 0; lpid < kSize; ++lpid) {
    for (int vni = 0; vni < num_vnis; ++vni) {
      for (int nic = 0; nic < nics; ++nic) {
        const std::size_t place = static_cast<std::size_t>((lpid * num_vnis + vni) * nics + nic);
        std::strcpy(&names[place * kNameLen], endpoint_name(lpid, vni, nic).c_str());
      }
    }
  }
  return MPIDI_OFI_insert_all_ctx(kSize, num_vnis, names.data(), kNameLen);
}

void expect_names(const Process &process, int num_vnis) {
  const int nics = MPIDI_OFI_global.num_nics;
  for (int local = 0; local < num_vnis; ++local) {
    for (int lpid = 0; lpid < kSize; ++lpid) {
      for (int vni = 0; vni < num_vnis; ++vni) {
        for (int nic = 0; nic < nics; ++nic) {
          const fi_addr_t address = MPIDI_OFI_comm_to_phys(process.world(), lpid, nic, local, vni);
          fid_av *const table = MPIDI_OFI_global.ctx[MPIDI_OFI_get_ctx_index(nullptr, local, nic)].av;
          char name[FI_NAME_MAX];
          std::size_t len = sizeof name;
          ASSERT_EQ(fi_av_lookup(table, address, name, &len), 0) << address;
          ASSERT_EQ(name, endpoint_name(lpid, vni, nic));
        }
      }
    }
  }
}

avrm_addresses_info_t further() {
  avrm_addresses_info_t info{};
  EXPECT_EQ(avrm_addresses_describe(MPIDI_global.avt_mgr.av_table0, &info), AVRM_OK);
  return info;
}

TEST(Mpich4Ofi, RootAddressesIncludeZeroAndThisNode) {
  const Process process(AVRM_CODEC_OFI, kSize);
  EXPECT_EQ(MPIDI_OFI_comm_to_phys(process.world(), 3, 0, 0, 0), FI_ADDR_NOTAVAIL);
  EXPECT_EQ(MPIDI_OFI_comm_to_phys(process.world(), 9, 0, 0, 0), FI_ADDR_NOTAVAIL);
  connect(in_order());
  ASSERT_EQ(exchange(1), MPI_SUCCESS);
  expect_names(process, 1);
  EXPECT_EQ(further().count, 1);
}

TEST(Mpich4Ofi, SeveralNicsAndVnisTakeNoMemoryPerProcess) {
  const Process process(AVRM_CODEC_OFI, kSize);
  Process::open_contexts(3, 2);
  std::vector<int> order = in_order();
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(order.begin(), order.end(), engine);
  connect(order);
  ASSERT_EQ(exchange(3), MPI_SUCCESS);
  expect_names(process, 3);
  EXPECT_EQ(further().count, 6);
  EXPECT_EQ(further().kept, 0U);
}

TEST(Mpich4Ofi, AddressesMayFollowNoRule) {
  const Process process(AVRM_CODEC_OFI, kSize);
  Process::open_contexts(2, 2);
  for (int ctx = 0; ctx < 4; ++ctx) {
    MPIDI_OFI_global.ctx[ctx].av->squares = true;
  }
  connect(in_order());
  ASSERT_EQ(exchange(2), MPI_SUCCESS);
  expect_names(process, 2);
  EXPECT_GT(further().kept, 0U);
}

TEST(Mpich4Ofi, EndpointsThatDisagreeAreAnError) {
  const Process process(AVRM_CODEC_OFI, kSize);
  Process::open_contexts(2, 2);
  std::vector<int> order = in_order();
  connect({order.begin(), order.begin() + 5});
  for (int ctx = 0; ctx < 4; ++ctx) { // a gap
    MPIDI_OFI_global.ctx[ctx].av->names.emplace_back("stranger");
  }
  connect({order.begin() + 5, order.end()});
  // The other tables must have it at the same place, so they cannot be equal.
  EXPECT_NE(exchange(2), MPI_SUCCESS);
  EXPECT_EQ(further().count, 1) << "nothing is half done";
}

struct Upids {
  std::vector<int> sizes;
  std::string bytes;
};

Upids upids_of(MPIR_Comm *comm) {
  int *sizes = nullptr;
  char *bytes = nullptr;
  EXPECT_EQ(MPIDI_OFI_get_local_upids(comm, &sizes, &bytes), MPI_SUCCESS);
  Upids result{{sizes, sizes + comm->local_size}, {}};
  result.bytes.assign(bytes, static_cast<std::size_t>(std::accumulate(sizes, sizes + comm->local_size, 0)));
  MPL_free(sizes);
  MPL_free(bytes);
  return result;
}

TEST(Mpich4Ofi, KnownAndUnknownProcessesGetGpids) {
  Upids theirs;
  {
    const Process process(AVRM_CODEC_OFI, kSize);
    connect(in_order());
    theirs = upids_of(process.world());
  }
  const Process process(AVRM_CODEC_OFI, 8, 2);
  fi_addr_t address = 0;
  for (int lpid = 0; lpid < 8; ++lpid) { // our names
    fi_av_insert(MPIDI_OFI_global.ctx[0].av, ("own" + std::to_string(lpid)).c_str(), 1, &address, 0, nullptr);
    ASSERT_EQ(MPIDI_OFI_av_set(0, lpid, address), MPI_SUCCESS);
  }
  const Upids ours = upids_of(process.world());
  // Theirs, one of them twice, and among them some of ours, this node's too.
  std::vector<int> sizes = theirs.sizes;
  std::string bytes = theirs.bytes;
  sizes.push_back(theirs.sizes[0]);
  bytes += theirs.bytes.substr(0, static_cast<std::size_t>(theirs.sizes[0]));
  sizes.insert(sizes.end(), ours.sizes.begin(), ours.sizes.end());
  bytes += ours.bytes;
  std::vector<std::uint64_t> gpids(sizes.size());
  const int count = static_cast<int>(sizes.size());
  ASSERT_EQ(MPIDI_OFI_upids_to_gpids(count, sizes.data(), bytes.data(), gpids.data()), MPI_SUCCESS);
  const int avtid = MPIDIU_GPID_GET_AVTID(gpids[0]);
  EXPECT_NE(avtid, 0);
  EXPECT_EQ(MPIDIU_get_avt_size(avtid), kSize);
  for (int i = 0; i < kSize; ++i) {
    EXPECT_EQ(gpids[static_cast<std::size_t>(i)], MPIDIU_GPID_CREATE(avtid, i));
  }
  EXPECT_EQ(gpids[kSize], gpids[0]);
  for (int lpid = 0; lpid < 8; ++lpid) {
    EXPECT_EQ(gpids[static_cast<std::size_t>(kSize + 1 + lpid)], static_cast<std::uint64_t>(lpid));
  }
  // Now all are known, in any order.
  std::vector<std::uint64_t> again(gpids.size());
  ASSERT_EQ(MPIDI_OFI_upids_to_gpids(count, sizes.data(), bytes.data(), again.data()), MPI_SUCCESS);
  EXPECT_EQ(again, gpids);
  EXPECT_EQ(MPIDI_OFI_global.ctx[0].av->names.size(), 8U + kSize);

  const Comm inter = [&] {
    Comm comm = bare(MPIR_COMM_KIND__INTERCOMM);
    EXPECT_EQ(MPID_Create_intercomm_from_lpids(comm.get(), kSize, gpids.data()), MPI_SUCCESS);
    EXPECT_EQ(commit(comm, {{process.self(), MPIR_COMM_MAP_DIR__L2L, {}, true}}), MPI_SUCCESS);
    return comm;
  }();
  for (int rank = 0; rank < kSize; ++rank) {
    const fi_addr_t found = MPIDI_OFI_comm_to_phys(inter.get(), rank, 0, 0, 0);
    EXPECT_EQ(MPIDI_OFI_global.ctx[0].av->names[found], endpoint_name(rank, 0, 0));
  }
}

TEST(Mpich4Ofi, NoUpidsAreNoProcesses) {
  const Process process(AVRM_CODEC_OFI, 8, 2);
  EXPECT_EQ(MPIDI_OFI_upids_to_gpids(0, nullptr, nullptr, nullptr), MPI_SUCCESS);
}

TEST(Mpich4Ucx, EveryEndpointIsTheRightOne) {
  constexpr int kVnis = 3;
  const Process process(AVRM_CODEC_UCX, kSize);
  std::vector<ucp_ep> endpoints(kSize * kVnis * kVnis);
  const auto endpoint = [&](int lpid, int src, int dst) {
    return &endpoints[static_cast<std::size_t>((lpid * kVnis + src) * kVnis + dst)];
  };
  EXPECT_EQ(MPIDI_UCX_COMM_TO_EP(process.world(), 3, 0, 0), nullptr);
  for (int src = 0; src < kVnis; ++src) {
    for (int lpid = 0; lpid < kSize; ++lpid) {
      for (int dst = 0; dst < kVnis; ++dst) {
        ASSERT_EQ(MPIDI_UCX_set_ep(0, lpid, src, dst, endpoint(lpid, src, dst)), MPI_SUCCESS);
      }
    }
  }
  for (int src = 0; src < kVnis; ++src) {
    for (int lpid = 0; lpid < kSize; ++lpid) {
      for (int dst = 0; dst < kVnis; ++dst) {
        EXPECT_EQ(MPIDI_UCX_COMM_TO_EP(process.world(), lpid, src, dst), endpoint(lpid, src, dst));
        EXPECT_EQ(MPIDI_UCX_get_ep(0, lpid, src, dst), endpoint(lpid, src, dst));
      }
    }
  }
  EXPECT_EQ(MPIDI_UCX_get_ep(0, 3, kVnis, kVnis), nullptr);
  EXPECT_EQ(MPIDI_UCX_get_ep(9, 3, 0, 0), nullptr);
  for (int lpid = 0; lpid < kSize; ++lpid) {
    EXPECT_EQ(MPIDI_rank_is_local(lpid, process.world()), process.is_local(lpid));
  }
}

} // namespace

} // namespace avrankmap::test::mpich4
