// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ofi netmod of MPICH 5 on the adapter: each address must stand for the right name in the table
// of the endpoint that uses it.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "tests/adapter/mpich5/standin.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich5 {

namespace {

constexpr int kSize = 24;
constexpr std::size_t kNameLen = 32;

std::string endpoint_name(int lpid, int vci, int nic) {
  return "p" + std::to_string(lpid) + "v" + std::to_string(vci) + "n" + std::to_string(nic);
}

const fid_av &table(int vci, int nic) { return *MPIDI_OFI_global.ctx[MPIDI_OFI_get_ctx_index(vci, nic)].av; }

// Processes are connected in an order, then all endpoints are exchanged.
class Mpich5Ofi : public testing::Test {
protected:
  void connect(const std::vector<int> &order) {
    for (const int lpid : order) {
      ASSERT_TRUE(MPIDI_OFI_av_is_unset(MPIDIU_lpid_to_av(lpid))) << lpid;
      ASSERT_EQ(MPIDI_OFI_av_insert(lpid, endpoint_name(lpid, 0, 0).c_str()), MPI_SUCCESS);
      ASSERT_FALSE(MPIDI_OFI_av_is_unset(MPIDIU_lpid_to_av(lpid))) << lpid;
    }
  }

  static std::vector<int> in_order() {
    std::vector<int> order(kSize);
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  static void exchange(const std::vector<int> &num_vcis) {
    const int max_vcis = *std::max_element(num_vcis.begin(), num_vcis.end());
    const int nics = MPIDI_OFI_global.num_nics;
    std::vector<MPIDI_num_vci_t> counts;
    std::vector<char> names(static_cast<std::size_t>(kSize * max_vcis * nics) * kNameLen);
    for (int lpid = 0; lpid < kSize; ++lpid) {
      const int count = num_vcis[static_cast<std::size_t>(lpid)];
      counts.push_back({count, count});
      for (int vci = 0; vci < count; ++vci) {
        for (int nic = 0; nic < nics; ++nic) {
          const std::size_t place = static_cast<std::size_t>((lpid * max_vcis + vci) * nics + nic);
          std::strcpy(&names[place * kNameLen], endpoint_name(lpid, vci, nic).c_str());
        }
      }
    }
    ASSERT_EQ(MPIDI_OFI_insert_all_ctx(kSize, max_vcis, counts.data(), names.data(), kNameLen), MPI_SUCCESS);
  }

  // Every endpoint of every process, from every endpoint of this one.
  static void expect_names(const std::vector<int> &num_vcis) {
    const auto &root_names = table(0, 0).names;
    EXPECT_EQ(std::count(root_names.begin(), root_names.end(), ""), 0) << "an endpoint that is not there";
    const Comm world = intracomm(world_group());
    for (int local_vci = 0; local_vci < MPIDI_OFI_global.num_vcis; ++local_vci) {
      for (int local_nic = 0; local_nic < MPIDI_OFI_global.num_nics; ++local_nic) {
        for (int lpid = 0; lpid < kSize; ++lpid) {
          for (int vci = 0; vci < num_vcis[static_cast<std::size_t>(lpid)]; ++vci) {
            for (int nic = 0; nic < MPIDI_OFI_global.num_nics; ++nic) {
              const fi_addr_t address =
                  MPIDI_OFI_av_to_phys(MPIDIU_comm_rank_to_av(world.get(), lpid), local_vci, local_nic, vci, nic);
              const auto &names = table(local_vci, local_nic).names;
              ASSERT_LT(address, names.size());
              ASSERT_EQ(names[address], endpoint_name(lpid, vci, nic)) << "from " << local_vci << ' ' << local_nic;
            }
          }
        }
      }
    }
  }

  static avrm_addresses_info_t further() {
    avrm_addresses_info_t info{};
    EXPECT_EQ(avrm_addresses_describe(MPIDI_global.avt_mgr.av_table0, &info), AVRM_OK);
    return info;
  }

  Process process_{AVRM_CODEC_OFI, kSize};
};

TEST_F(Mpich5Ofi, AddressZeroIsAnAddress) {
  connect({7, 3});
  EXPECT_EQ(MPIDI_OFI_av_to_phys_root(MPIDIU_lpid_to_av(7)), 0U);
  ASSERT_EQ(MPIDI_OFI_av_insert(7, "again"), MPI_SUCCESS);
  EXPECT_EQ(table(0, 0).names.size(), 2U) << "it is there already";
  EXPECT_EQ(MPIDI_OFI_av_to_phys_root(MPIDIU_lpid_to_av(5)), FI_ADDR_NOTAVAIL);
}

TEST_F(Mpich5Ofi, OneEndpointPerProcessNeedsNothingMore) {
  connect(in_order());
  const std::vector<int> vcis(kSize, 1);
  exchange(vcis);
  expect_names(vcis);
  EXPECT_EQ(further().count, 1);
}

TEST_F(Mpich5Ofi, SeveralNicsAndVcisTakeNoMemoryPerProcess) {
  Process::open_contexts(3, 2);
  connect(in_order());
  const std::vector<int> vcis(kSize, 3);
  exchange(vcis);
  expect_names(vcis);
  EXPECT_EQ(further().count, 6);
  EXPECT_EQ(further().plain, 6);
  EXPECT_EQ(further().kept, 0U);
  EXPECT_EQ(MPIDI_OFI_words_of_others, 0) << "all endpoints use the same addresses";
}

TEST_F(Mpich5Ofi, RootsMayBeInsertedInAnyOrder) {
  Process::open_contexts(2, 2);
  std::vector<int> order = in_order();
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(order.begin(), order.end(), engine);
  connect(order);
  const std::vector<int> vcis(kSize, 2);
  exchange(vcis);
  expect_names(vcis);
  EXPECT_EQ(further().kept, 0U);
}

TEST_F(Mpich5Ofi, ProcessesMayHaveDifferentNumbersOfVcis) {
  Process::open_contexts(2, 2);
  connect(in_order());
  std::vector<int> vcis(kSize, 1);
  for (int lpid = 0; lpid < kSize; lpid += 5) {
    vcis[static_cast<std::size_t>(lpid)] = 4;
  }
  vcis[9] = 2;
  exchange(vcis);
  expect_names(vcis);
}

TEST_F(Mpich5Ofi, ThisProcessMayHaveOneEndpointOnly) {
  connect(in_order());
  const std::vector<int> vcis(kSize, 4);
  exchange(vcis);
  expect_names(vcis);
  EXPECT_EQ(further().kept, 0U);
}

// What connecting to a world that is gone leaves in the root table.
TEST_F(Mpich5Ofi, TheRootEndpointMayHaveOtherAddresses) {
  Process::open_contexts(2, 2);
  connect(in_order());
  MPIDI_OFI_global.ctx[0].av->names.emplace_back("stranger");
  const std::vector<int> vcis(kSize, 2);
  exchange(vcis);
  expect_names(vcis);
  EXPECT_GT(MPIDI_OFI_words_of_others, 0);
}

TEST_F(Mpich5Ofi, OtherEndpointsMayHaveOtherAddresses) {
  Process::open_contexts(2, 2);
  connect(in_order());
  for (int ctx = 1; ctx < 4; ++ctx) {
    MPIDI_OFI_global.ctx[ctx].av->names.emplace_back("stranger");
  }
  const std::vector<int> vcis(kSize, 2);
  exchange(vcis);
  expect_names(vcis);
  EXPECT_GT(MPIDI_OFI_words_of_others, 0);
}

TEST_F(Mpich5Ofi, EndpointsThatDisagreeAreAnError) {
  Process::open_contexts(2, 1);
  MPIDI_OFI_global.num_nics = 2;
  fid_av third;
  fid_av fourth;
  third.names.emplace_back("stranger");
  MPIDI_OFI_global.ctx[2].av = &third;
  MPIDI_OFI_global.ctx[3].av = &fourth;
  connect(in_order());
  const std::vector<MPIDI_num_vci_t> counts(kSize, {1, 1});
  const std::vector<char> names(std::size_t{kSize} * 2 * kNameLen);
  EXPECT_NE(MPIDI_OFI_insert_all_ctx(kSize, 1, counts.data(), names.data(), kNameLen), MPI_SUCCESS);
  EXPECT_EQ(further().count, 1);
}

TEST_F(Mpich5Ofi, AProcessOfThisNodeIsReachedByTheNetworkToo) {
  connect(in_order());
  const Comm world = intracomm(world_group());
  for (const int lpid : {8, 9, 11}) {
    MPIDI_av_entry_t *const av = MPIDIU_comm_rank_to_av(world.get(), lpid);
    EXPECT_TRUE(MPIDI_av_is_local(av));
    EXPECT_EQ(MPIDI_OFI_av_to_phys_root(av), static_cast<fi_addr_t>(lpid));
  }
}

struct Upids {
  std::vector<int> sizes;
  std::string bytes;
};

Upids upids_of(const Comm &comm) {
  int *sizes = nullptr;
  char *bytes = nullptr;
  EXPECT_EQ(MPIDI_OFI_get_local_upids(comm.get(), &sizes, &bytes), MPI_SUCCESS);
  Upids result{{sizes, sizes + comm->local_size}, {}};
  result.bytes.assign(bytes, static_cast<std::size_t>(std::accumulate(sizes, sizes + comm->local_size, 0)));
  MPL_free(sizes);
  MPL_free(bytes);
  return result;
}

TEST(Mpich5OfiUpids, ProcessesOfAnotherWorldAreReachedByTheirUpids) {
  Upids upids;
  {
    const Process process(AVRM_CODEC_OFI, kSize);
    for (int lpid = 0; lpid < kSize; ++lpid) {
      ASSERT_EQ(MPIDI_OFI_av_insert(lpid, endpoint_name(lpid, 0, 0).c_str()), MPI_SUCCESS);
    }
    upids = upids_of(intracomm(world_group()));
  }
  const Process process(AVRM_CODEC_OFI, 8, 2);
  // The leader comes first, by its address alone.
  MPIR_Lpid leader = MPIR_LPID_INVALID;
  ASSERT_EQ(MPIDIU_insert_dynamic_upid(&leader, upids.bytes.data(), upids.sizes[0]), MPI_SUCCESS);
  EXPECT_TRUE(MPIDIU_lpid_is_dynamic(leader));
  EXPECT_FALSE(MPIDIU_lpid_is_dynamic(0));
  const Comm peer = intercomm(
      group_of({2}), made([&](MPIR_Group **to) { return MPIR_Group_create_stride(1, 0, nullptr, leader, 1, to); }));
  EXPECT_EQ(MPIDI_OFI_av_to_phys_root(MPIDIU_comm_rank_to_av(peer.get(), 0)), 0U);
  EXPECT_EQ(MPIDI_OFI_av_to_phys_root(MPIDIU_lpid_to_av_slow(leader)), 0U);

  const int world = MPIR_add_world("their world", kSize);
  Lpids lpids;
  std::size_t at = 0;
  for (int rank = 0; rank < kSize; ++rank) {
    lpids.push_back(MPIR_LPID_FROM(world, rank));
    const int size = upids.sizes[static_cast<std::size_t>(rank)];
    ASSERT_EQ(MPIDI_NM_insert_upid(lpids.back(), upids.bytes.data() + at, size), MPI_SUCCESS);
    ASSERT_EQ(MPIDI_NM_insert_upid(lpids.back(), upids.bytes.data() + at, size), MPI_SUCCESS) << "known now";
    at += static_cast<std::size_t>(size);
  }
  EXPECT_EQ(table(0, 0).names.size(), static_cast<std::size_t>(kSize)) << "each once, the leader included";
  EXPECT_EQ(MPIDIU_free_dynamic_lpid(leader), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_find_dynamic_av(upids.bytes.data(), upids.sizes[0]), nullptr);
  const Comm comm = intercomm(group_of({2}), group_of(lpids));
  for (int rank = 0; rank < kSize; ++rank) {
    const fi_addr_t address = MPIDI_OFI_av_to_phys_root(MPIDIU_comm_rank_to_av(comm.get(), rank));
    EXPECT_EQ(table(0, 0).names[address], endpoint_name(rank, 0, 0));
    int node = -1;
    EXPECT_EQ(MPIDIU_get_node_id(comm.get(), rank, &node), MPI_SUCCESS);
    EXPECT_EQ(node, rank / 4) << "by the host's name";
    EXPECT_FALSE(MPIDI_rank_is_local(rank, comm.get()));
  }
}

TEST(Mpich5OfiUpids, AProcessWithoutAddressIsAnError) {
  const Process process(AVRM_CODEC_OFI, kSize);
  int *sizes = nullptr;
  char *upids = nullptr;
  EXPECT_EQ(MPIDI_OFI_get_local_upids(intracomm(world_group()).get(), &sizes, &upids), MPI_ERR_OTHER);
  EXPECT_EQ(last_error().generic, "**avrm_address");
}

TEST(Mpich5OfiUpids, UpidsWithoutAHostOrANameAreErrors) {
  const Process process(AVRM_CODEC_OFI, 8, 2);
  const MPIR_Lpid lpid = MPIR_LPID_FROM(MPIR_add_world("their world", 1), 0);
  const std::array<char, 4> upid = {'h', 'o', 's', 't'};
  EXPECT_NE(MPIDI_OFI_insert_upid(lpid, upid.data(), 0), MPI_SUCCESS);
  EXPECT_NE(MPIDI_OFI_insert_upid(lpid, upid.data(), 4), MPI_SUCCESS);
  EXPECT_NE(MPIDI_OFI_insert_upid(lpid, "host", 5), MPI_SUCCESS);
}

TEST(Mpich5OfiUpids, PlacesOfUpidsAreUsedAgain) {
  const Process process(AVRM_CODEC_OFI, 8, 2);
  Lpids lpids;
  const auto upid = [](int i) { return std::string("host") + '\0' + "peer" + std::to_string(i) + '\0'; };
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(MPIDIU_insert_dynamic_upid(&lpids.emplace_back(), upid(i).data(), static_cast<int>(upid(i).size())),
              MPI_SUCCESS);
  }
  EXPECT_EQ(MPIDIU_find_dynamic_av(upid(250).data(), static_cast<int>(upid(250).size())),
            MPIDIU_lpid_to_av_slow(lpids[250]));
  EXPECT_EQ(MPIDIU_free_dynamic_lpid(lpids[100]), MPI_SUCCESS);
  MPIR_Lpid again = 0;
  ASSERT_EQ(MPIDIU_insert_dynamic_upid(&again, upid(999).data(), static_cast<int>(upid(999).size())), MPI_SUCCESS);
  EXPECT_EQ(again, lpids[100]);
  EXPECT_EQ(MPIDI_OFI_av_to_phys_root(MPIDIU_lpid_to_av_slow(again)), 300U);
}

} // namespace

} // namespace avrankmap::test::mpich5
