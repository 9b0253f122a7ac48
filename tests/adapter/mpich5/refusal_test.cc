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

class Mpich5Refusal : public testing::Test {
protected:
  Mpich5Refusal() {
    Lpids lpids = shuffled(kSize);
    left_ = group_of({lpids.begin(), lpids.begin() + 400});
    right_ = group_of({lpids.begin() + 200, lpids.end()});
    comm_ = intracomm(right_);
  }

  // Calls `attempt` once for each of its allocations, which is refused. Nothing that an earlier
  // call has built remains.
  static void refuse_each(const std::function<int()> &attempt) {
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

} // namespace

} // namespace avrankmap::test::mpich5
