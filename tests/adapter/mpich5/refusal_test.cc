// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every allocation of every function on groups is refused once: the answer is then right, or it is
// an error, and nothing is left.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "tests/adapter/mpich5/standin.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich5 {

namespace {

constexpr int kSize = 600;

Lpids shuffled(int size) {
  Lpids lpids = ranks_of_world(0, size);
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(lpids.begin(), lpids.end(), engine);
  return lpids;
}

// Calls `attempt` once for each of its allocations, which is refused. Nothing that an earlier
// call has built remains.
void refuse_each(const std::function<int()> &attempt) {
  bool refused = true;
  for (std::uint64_t count = 0; refused; ++count) {
    EXPECT_EQ(avrm_instance_drop_caches(MPIR_Avrm.instance), AVRM_OK);
    const int groups = MPIR_Group_mem.live;
    const std::int64_t blocks = mpl_blocks();
    refuse_mpl_after(count);
    const int error = attempt();
    refused = mpl_refused();
    refuse_mpl_none();
    EXPECT_TRUE(error == MPI_SUCCESS || (refused && last_error().generic == "**nomem")) << count;
    EXPECT_EQ(MPIR_Group_mem.live, groups) << count;
    EXPECT_EQ(avrm_instance_drop_caches(MPIR_Avrm.instance), AVRM_OK);
    EXPECT_LE(mpl_blocks(), blocks + 1) << count; // a chunk of small blocks is kept
    ASSERT_LT(count, 1000U);
  }
}

class Mpich5Refusal : public testing::Test {
protected:
  Mpich5Refusal() {
    Lpids lpids = shuffled(kSize);
    left_ = group_of({lpids.begin(), lpids.begin() + 400});
    right_ = group_of({lpids.begin() + 200, lpids.end()});
    comm_ = intracomm(right_);
  }

  // The same for an operation that makes a group; the group must be the one that it makes with
  // memory.
  static void refuse_each_making(const std::function<int(MPIR_Group **)> &make) {
    const Group made_with_memory = made(make);
    const Lpids expected = lpids_of(*made_with_memory);
    refuse_each([&] {
      MPIR_Group *group = nullptr;
      const int error = make(&group);
      EXPECT_EQ(error == MPI_SUCCESS, group != nullptr);
      if (error == MPI_SUCCESS) {
        EXPECT_EQ(lpids_of(*group), expected);
        EXPECT_EQ(group->rank, made_with_memory->rank);
        MPIR_Group_release(group);
      }
      return error;
    });
  }

  Process process_{AVRM_CODEC_OFI, kSize};
  Group left_;
  Group right_;
  Comm comm_;
};

TEST_F(Mpich5Refusal, ALookUpOfARankIsNeverWrong) {
  const Lpids lpids = lpids_of(*left_);
  for (const int rank : {0, 1, 399}) {
    const MPIR_Lpid lpid = lpids[static_cast<std::size_t>(rank)];
    refuse_each([&] {
      EXPECT_EQ(MPIR_Group_lpid_to_rank(left_.get(), lpid), rank);
      return MPI_SUCCESS;
    });
  }
  const MPIR_Lpid outside = shuffled(kSize)[500];
  refuse_each([&] {
    EXPECT_EQ(MPIR_Group_lpid_to_rank(left_.get(), outside), MPI_UNDEFINED);
    return MPI_SUCCESS;
  });
}

// A context id is computed from the hash, and must be the same in all processes.
TEST_F(Mpich5Refusal, AHashDoesNotDependOnMemory) {
  const unsigned hash = MPIR_Group_hash(left_.get());
  refuse_each([&] {
    EXPECT_EQ(MPIR_Group_hash(left_.get()), hash);
    return MPI_SUCCESS;
  });
}

TEST_F(Mpich5Refusal, ASubsetIsFoundOrAnError) {
  const Lpids part = lpids_of(*right_);
  const Group inside = group_of({part[7], part[3], part[99]});
  refuse_each([&] { return MPIR_Group_check_subset(inside.get(), comm_.get()); });
  refuse_each([&] { return MPIR_Group_check_subset(right_.get(), comm_.get()); });
  refuse_each([&] {
    const int error = MPIR_Group_check_subset(left_.get(), comm_.get());
    EXPECT_NE(error, MPI_SUCCESS);
    if (error == MPI_ERR_GROUP) {
      EXPECT_EQ(last_error().specific, "**groupnotincomm 0");
      return static_cast<int>(MPI_SUCCESS);
    }
    return error;
  });
}

TEST_F(Mpich5Refusal, AComparisonIsRightOrAnError) {
  const Group other_order = group_of([&] {
    Lpids lpids = lpids_of(*left_);
    std::reverse(lpids.begin(), lpids.end());
    return lpids;
  }());
  refuse_each([&] {
    int result = -1;
    const int error = MPIR_Group_compare_impl(left_.get(), other_order.get(), &result);
    EXPECT_EQ(result, error == MPI_SUCCESS ? MPI_SIMILAR : -1);
    return error;
  });
}

TEST_F(Mpich5Refusal, RanksTranslateOrNothingIsWritten) {
  std::array<int, 400> ranks{};
  std::iota(ranks.begin(), ranks.end(), 0);
  refuse_each([&] {
    std::array<int, 400> translated{};
    const int error = MPIR_Group_translate_ranks_impl(left_.get(), 400, ranks.data(), right_.get(), translated.data());
    for (int rank = 0; rank < 400; ++rank) {
      const int there = rank < 200 ? MPI_UNDEFINED : rank - 200;
      EXPECT_EQ(translated[static_cast<std::size_t>(rank)], error == MPI_SUCCESS ? there : 0);
    }
    return error;
  });
}

TEST_F(Mpich5Refusal, ANewGroupIsRightOrAnError) {
  const std::array<int, 5> ranks = {3, 1, 4, 15, 9};
  int ranges[][3] = {{300, 20, -7}, {1, 9, 4}};
  MPIR_Group *const left = left_.get();
  MPIR_Group *const right = right_.get();
  using To = MPIR_Group **;
  refuse_each_making([&](To to) { return MPIR_Group_dup(left, nullptr, to); });
  refuse_each_making([&](To to) { return MPIR_Group_incl_impl(left, 5, ranks.data(), to); });
  refuse_each_making([&](To to) { return MPIR_Group_excl_impl(left, 5, ranks.data(), to); });
  refuse_each_making([&](To to) { return MPIR_Group_range_incl_impl(left, 2, ranges, to); });
  refuse_each_making([&](To to) { return MPIR_Group_range_excl_impl(left, 2, ranges, to); });
  refuse_each_making([&](To to) { return MPIR_Group_union_impl(left, right, to); });
  refuse_each_making([&](To to) { return MPIR_Group_intersection_impl(left, right, to); });
  refuse_each_making([&](To to) { return MPIR_Group_difference_impl(left, right, to); });
  refuse_each_making([&](To to) { return MPIR_Group_difference_impl(right, left, to); });
  refuse_each_making([&](To to) { return MPIR_Group_create_stride(5, MPI_UNDEFINED, nullptr, 7, 3, to); });
}

class Mpich5RefusalOfTables : public testing::TestWithParam<avrm_codec_t> {
protected:
  // A name as a process sends it.
  static std::string upid(const std::string &name) {
    return (GetParam() == AVRM_CODEC_OFI ? std::string("host") + '\0' : std::string()) + name + '\0';
  }
  static int insert(MPIR_Lpid lpid, const std::string &name) {
    return MPIDI_NM_insert_upid(lpid, upid(name).data(), static_cast<int>(upid(name).size()));
  }

  Process process_{GetParam(), kSize};
};

INSTANTIATE_TEST_SUITE_P(Codecs, Mpich5RefusalOfTables, testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX),
                         [](const auto &param) { return param.param == AVRM_CODEC_OFI ? "Ofi" : "Ucx"; });

TEST_P(Mpich5RefusalOfTables, AMessageIsWholeOrAnError) {
  for (int lpid = 0; lpid < kSize; ++lpid) {
    ASSERT_EQ(insert(lpid, "p" + std::to_string(lpid)), MPI_SUCCESS);
  }
  const Comm comm = intracomm(group_of(shuffled(kSize)));
  std::vector<char> expected;
  for (const bool refusing : {false, true}) {
    const auto attempt = [&] {
      int size = 0;
      void *data = nullptr;
      const int error = MPIDIU_intercomm_pack(comm.get(), 7, &size, &data);
      EXPECT_EQ(error == MPI_SUCCESS, data != nullptr);
      if (error == MPI_SUCCESS) {
        const std::vector<char> bytes(static_cast<char *>(data), static_cast<char *>(data) + size);
        EXPECT_TRUE(!refusing || bytes == expected);
        expected = bytes;
        MPL_free(data);
      }
      return error;
    };
    if (refusing) {
      refuse_each(attempt);
    } else {
      ASSERT_EQ(attempt(), MPI_SUCCESS);
    }
  }
}

TEST_P(Mpich5RefusalOfTables, APeerIsConnectedOrAnError) {
  const auto attempt = [] {
    MPIR_Lpid lpid = MPIR_LPID_INVALID;
    const std::string peer = upid("peer");
    const int error = MPIDIU_insert_dynamic_upid(&lpid, peer.data(), static_cast<int>(peer.size()));
    EXPECT_EQ(error == MPI_SUCCESS, lpid != MPIR_LPID_INVALID);
    EXPECT_EQ(error == MPI_SUCCESS, MPIDIU_find_dynamic_av(peer.data(), static_cast<int>(peer.size())) != nullptr);
    if (error == MPI_SUCCESS) {
      EXPECT_EQ(MPIDIU_free_dynamic_lpid(lpid), MPI_SUCCESS);
    }
    MPIDIU_endpoints_trim();
    return error;
  };
  ASSERT_EQ(attempt(), MPI_SUCCESS); // allocates tables that are kept
  refuse_each(attempt);
}

TEST_P(Mpich5RefusalOfTables, AWorldIsWholeOrNotAdded) {
  int tried = 0;
  bool refused = true;
  for (std::uint64_t count = 0; refused; ++count) {
    const std::string name = "w" + std::to_string(tried++);
    refuse_mpl_after(count);
    const int world = MPIR_add_world(name.c_str(), 1000);
    refused = mpl_refused();
    refuse_mpl_none();
    EXPECT_TRUE(world > 0 || refused);
    EXPECT_EQ(MPIR_find_world(name.c_str()), world);
    EXPECT_EQ(MPIDIU_get_avt_size(world), world > 0 ? 1000 : 0);
  }
  EXPECT_GT(tried, 2);
}

// MPI_Session_init may be called again after it has failed.
TEST(Mpich5RefusalAtInit, TablesAreWholeOrAnErrorAndNothingIsLeft) {
  int node = 0;
  int self = 0;
  MPIR_Process = {0, 1, 0, 1, &node, &self, nullptr};
  const std::int64_t blocks = mpl_blocks();
  bool refused = true;
  std::uint64_t count = 0;
  for (; refused; ++count) {
    refuse_mpl_after(count);
    const bool added = MPIR_add_world("own", 1) == 0;
    EXPECT_EQ(MPIR_Group_init(), MPI_SUCCESS);
    MPIDI_global.avt_mgr.codec = AVRM_CODEC_OFI;
    const int error = added ? MPIDIU_avt_init() : MPI_ERR_OTHER;
    refused = mpl_refused();
    refuse_mpl_none();
    EXPECT_EQ(error, refused ? MPI_ERR_OTHER : MPI_SUCCESS) << count;
    if (error == MPI_SUCCESS) {
      EXPECT_TRUE(MPIDIU_av_is_local(MPIDIU_own_rank_to_av(0)));
      EXPECT_EQ(MPIDIU_avt_finalize(), MPI_SUCCESS);
    }
    MPIR_Group_finalize();
    EXPECT_EQ(mpl_blocks(), blocks) << count;
    ASSERT_LT(count, 100U);
  }
  EXPECT_GT(count, 2U);
}

} // namespace

} // namespace avrankmap::test::mpich5
