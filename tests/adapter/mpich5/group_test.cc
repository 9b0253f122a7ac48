// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of MPICH 5 on the adapter, beside plain vectors of process numbers.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/adapter/mpich5/standin.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich5 {

namespace {

int place_of(const Lpids &lpids, MPIR_Lpid lpid) {
  const auto found = std::find(lpids.begin(), lpids.end(), lpid);
  return found == lpids.end() ? MPI_UNDEFINED : static_cast<int>(found - lpids.begin());
}

bool contains(const Lpids &lpids, MPIR_Lpid lpid) { return place_of(lpids, lpid) != MPI_UNDEFINED; }

void expect_group(const Group &group, const Lpids &lpids) {
  EXPECT_EQ(lpids_of(*group), lpids);
  EXPECT_EQ(group->size, static_cast<int>(lpids.size()));
  EXPECT_EQ(group->rank, place_of(lpids, MPIR_Process.rank));
  EXPECT_EQ(group.get() == MPIR_Group_empty, lpids.empty());
  EXPECT_EQ(MPIR_Group_hash(group.get()), MPIR_Group_hash(group_of(lpids).get())) << "however it was made";
}

// Processes of up to three worlds, sometimes regular.
Lpids random_lpids(std::mt19937_64 &engine, const std::array<int, 3> &worlds, int size) {
  Lpids all;
  for (const int world : worlds) {
    if (below(engine, 2) == 0) {
      for (int rank = 0; rank < size; ++rank) {
        all.push_back(MPIR_LPID_FROM(world, rank));
      }
    }
  }
  if (below(engine, 3) > 0) {
    std::shuffle(all.begin(), all.end(), engine);
  }
  all.resize(below(engine, all.size() + 1));
  return all;
}

class Mpich5Groups : public testing::Test {
protected:
  Mpich5Groups() : worlds_{0, MPIR_add_world("b", 24), MPIR_add_world("c", 24)} {}

  Process process_{AVRM_CODEC_OFI};
  std::array<int, 3> worlds_;
  // A world ends with its last group.
  Group keeper_ = group_of({MPIR_LPID_FROM(worlds_[1], 0), MPIR_LPID_FROM(worlds_[2], 0)});
  std::mt19937_64 engine_ = seeded_engine();
};

TEST_F(Mpich5Groups, PredefinedGroupsAreThere) {
  EXPECT_EQ(lpids_of(*MPIR_Group_empty), Lpids{});
  EXPECT_EQ(MPIR_GROUP_WORLD_PTR->size, 24);
  EXPECT_EQ(MPIR_GROUP_WORLD_PTR->rank, 9);
  EXPECT_EQ(MPIR_Group_rank_to_lpid(MPIR_GROUP_WORLD_PTR, 23), 23);
  EXPECT_EQ(lpids_of(*MPIR_GROUP_SELF_PTR), Lpids{9});
  EXPECT_EQ(MPIR_Group_rank_to_lpid(MPIR_GROUP_WORLD_PTR, 24), MPI_UNDEFINED);
  EXPECT_EQ(MPIR_Group_rank_to_lpid(MPIR_GROUP_WORLD_PTR, -1), MPI_UNDEFINED);
}

TEST_F(Mpich5Groups, CreationsAgreeWithTheirArguments) {
  for (int round = 0; round < 100; ++round) {
    const Lpids a = random_lpids(engine_, worlds_, 24);
    const Group group = group_of(a);
    expect_group(group, a);
    const Group dup = made([&](MPIR_Group **to) { return MPIR_Group_dup(group.get(), nullptr, to); });
    expect_group(dup, a);
    for (const int world : worlds_) {
      const MPIR_Lpid lpid = MPIR_LPID_FROM(world, below(engine_, 24));
      EXPECT_EQ(MPIR_Group_lpid_to_rank(group.get(), lpid), place_of(a, lpid));
    }
  }
  const Group down =
      made([&](MPIR_Group **to) { return MPIR_Group_create_stride(6, 4, nullptr, MPIR_LPID_FROM(0, 21), -3, to); });
  expect_group(down, {21, 18, 15, 12, 9, 6});
  EXPECT_EQ(made([](MPIR_Group **to) { return MPIR_Group_create_stride(0, 0, nullptr, 5, 1, to); }).get(),
            MPIR_Group_empty);
}

TEST_F(Mpich5Groups, SetOperationsAgreeWithBruteForce) {
  for (int round = 0; round < 200; ++round) {
    const Lpids a = random_lpids(engine_, worlds_, 24);
    const Lpids b = random_lpids(engine_, worlds_, 24);
    const Group left = group_of(a);
    const Group right = group_of(b);
    Lpids all = a;
    Lpids common;
    Lpids rest;
    for (const MPIR_Lpid lpid : b) {
      if (!contains(a, lpid)) {
        all.push_back(lpid);
      }
    }
    for (const MPIR_Lpid lpid : a) {
      (contains(b, lpid) ? common : rest).push_back(lpid);
    }
    const auto result = [&](auto operation) {
      return made([&](MPIR_Group **to) { return operation(left.get(), right.get(), to); });
    };
    expect_group(result(MPIR_Group_union_impl), all);
    expect_group(result(MPIR_Group_intersection_impl), common);
    expect_group(result(MPIR_Group_difference_impl), rest);
  }
}

TEST_F(Mpich5Groups, AllRanksInTheirOrderAreTheGroupItself) {
  const Group group = group_of({3, 9, 4});
  const std::array<int, 3> ranks = {0, 1, 2};
  const Group same = made([&](MPIR_Group **to) { return MPIR_Group_incl_impl(group.get(), 3, ranks.data(), to); });
  EXPECT_EQ(same.get(), group.get());
  const Group part = made([&](MPIR_Group **to) { return MPIR_Group_incl_impl(group.get(), 2, ranks.data(), to); });
  expect_group(part, {3, 9});
}

TEST_F(Mpich5Groups, ComparisonAgreesWithBruteForce) {
  for (int round = 0; round < 100; ++round) {
    const Lpids a = random_lpids(engine_, worlds_, 4);
    Lpids b = a;
    if (below(engine_, 2) == 0) {
      std::shuffle(b.begin(), b.end(), engine_);
    }
    if (!b.empty() && below(engine_, 3) == 0) {
      b.pop_back();
    }
    const int expected = a == b ? MPI_IDENT : a.size() == b.size() ? MPI_SIMILAR : MPI_UNEQUAL;
    int result = -1;
    EXPECT_EQ(MPIR_Group_compare_impl(group_of(a).get(), group_of(b).get(), &result), MPI_SUCCESS);
    EXPECT_EQ(result, expected);
  }
}

TEST_F(Mpich5Groups, RanksTranslateAsInBruteForce) {
  for (int round = 0; round < 100; ++round) {
    const Lpids a = random_lpids(engine_, worlds_, 24);
    const Lpids b = random_lpids(engine_, worlds_, 24);
    std::vector<int> ranks(a.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::shuffle(ranks.begin(), ranks.end(), engine_);
    ranks.push_back(MPI_PROC_NULL);
    std::vector<int> translated(ranks.size(), 12345);
    ASSERT_EQ(MPIR_Group_translate_ranks_impl(group_of(a).get(), static_cast<int>(ranks.size()), ranks.data(),
                                              group_of(b).get(), translated.data()),
              MPI_SUCCESS);
    for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
      EXPECT_EQ(translated[i], place_of(b, a[static_cast<std::size_t>(ranks[i])]));
    }
    EXPECT_EQ(translated.back(), MPI_PROC_NULL);
  }
}

TEST_F(Mpich5Groups, PartsAgreeWithBruteForce) {
  for (int round = 0; round < 100; ++round) {
    const Lpids a = random_lpids(engine_, worlds_, 24);
    const Group group = group_of(a);
    std::vector<int> ranks(a.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::shuffle(ranks.begin(), ranks.end(), engine_);
    ranks.resize(below(engine_, ranks.size() + 1));
    Lpids in;
    Lpids out;
    for (const int rank : ranks) {
      in.push_back(a[static_cast<std::size_t>(rank)]);
    }
    std::copy_if(a.begin(), a.end(), std::back_inserter(out), [&](MPIR_Lpid lpid) { return !contains(in, lpid); });
    const int count = static_cast<int>(ranks.size());
    expect_group(made([&](MPIR_Group **to) { return MPIR_Group_incl_impl(group.get(), count, ranks.data(), to); }), in);
    expect_group(made([&](MPIR_Group **to) { return MPIR_Group_excl_impl(group.get(), count, ranks.data(), to); }),
                 out);
    // Each rank as a range of its own.
    std::vector<std::array<int, 3>> single;
    for (const int rank : ranks) {
      single.push_back({rank, rank, 1});
    }
    auto *const ranges = reinterpret_cast<int(*)[3]>(single.data());
    expect_group(made([&](MPIR_Group **to) { return MPIR_Group_range_incl_impl(group.get(), count, ranges, to); }), in);
    expect_group(made([&](MPIR_Group **to) { return MPIR_Group_range_excl_impl(group.get(), count, ranges, to); }),
                 out);
  }
}

TEST_F(Mpich5Groups, RangesCountUpAndDown) {
  int ranges[][3] = {{20, 2, -6}, {1, 9, 4}};
  expect_group(made([&](MPIR_Group **to) { return MPIR_Group_range_incl_impl(MPIR_GROUP_WORLD_PTR, 2, ranges, to); }),
               {20, 14, 8, 2, 1, 5, 9});
}

TEST_F(Mpich5Groups, OperationsCheckTheirArguments) {
  MPIR_Group *group = nullptr;
  const std::array<int, 2> outside = {3, 24};
  EXPECT_EQ(MPIR_Group_incl_impl(MPIR_GROUP_WORLD_PTR, 2, outside.data(), &group), MPI_ERR_RANK);
  const std::array<int, 2> twice = {3, 3};
  EXPECT_EQ(MPIR_Group_excl_impl(MPIR_GROUP_WORLD_PTR, 2, twice.data(), &group), MPI_ERR_RANK);
  int still[][3] = {{0, 5, 0}};
  EXPECT_EQ(MPIR_Group_range_incl_impl(MPIR_GROUP_WORLD_PTR, 1, still, &group), MPI_ERR_ARG);
  int away[][3] = {{0, 5, -1}};
  EXPECT_EQ(last_error().generic, "**stridezero");
  EXPECT_EQ(MPIR_Group_range_excl_impl(MPIR_GROUP_WORLD_PTR, 1, away, &group), MPI_ERR_ARG);
  EXPECT_EQ(last_error().generic, "**stride");
  EXPECT_EQ(group, nullptr);
  EXPECT_EQ(MPIR_Group_translate_ranks_impl(MPIR_GROUP_WORLD_PTR, -1, nullptr, MPIR_GROUP_WORLD_PTR, nullptr),
            MPI_ERR_ARG);
}

TEST_F(Mpich5Groups, ASubsetIsOfTheLocalGroup) {
  const Comm comm = intracomm(group_of({9, 3, 5, 7}));
  EXPECT_EQ(MPIR_Group_check_subset(group_of({5, 9}).get(), comm.get()), MPI_SUCCESS);
  EXPECT_EQ(MPIR_Group_check_subset(MPIR_Group_empty, comm.get()), MPI_SUCCESS);
  EXPECT_EQ(MPIR_Group_check_subset(group_of({5, 4, 6}).get(), comm.get()), MPI_ERR_GROUP);
  EXPECT_EQ(last_error().generic, "**groupnotincomm");
  EXPECT_EQ(last_error().specific, "**groupnotincomm 1") << "the rank in the group";
  EXPECT_EQ(MPIR_Group_check_subset(MPIR_GROUP_WORLD_PTR, comm.get()), MPI_ERR_GROUP);
}

TEST_F(Mpich5Groups, EqualGroupsHaveEqualHashes) {
  const auto hash = [](const Lpids &lpids) { return MPIR_Group_hash(group_of(lpids).get()); };
  EXPECT_EQ(hash({2, 4, 6, 7}), hash({2, 4, 6, 7}));
  EXPECT_NE(hash({2, 4, 6, 7}), hash({2, 4, 7, 6}));
  EXPECT_NE(hash({2}), hash({3}));
}

TEST_F(Mpich5Groups, ResultsKeepTheSession) {
  MPIR_Session session{0, 1};
  {
    const Group group = made([&](MPIR_Group **to) { return MPIR_Group_dup(MPIR_GROUP_WORLD_PTR, &session, to); });
    EXPECT_EQ(session.ref_count, 2);
    const std::array<int, 2> ranks = {1, 2};
    const Group part = made([&](MPIR_Group **to) { return MPIR_Group_incl_impl(group.get(), 2, ranks.data(), to); });
    EXPECT_EQ(part->session_ptr, &session);
    EXPECT_EQ(session.ref_count, 3);
  }
  EXPECT_EQ(session.ref_count, 1);
}

TEST_F(Mpich5Groups, TheEmptyGroupGoesWithAnySession) {
  MPIR_Session session{0, 1};
  {
    const Group group = made([&](MPIR_Group **to) { return MPIR_Group_dup(MPIR_GROUP_WORLD_PTR, &session, to); });
    const auto result = [&](auto operation, MPIR_Group *left, MPIR_Group *right) {
      return made([&](MPIR_Group **to) { return operation(left, right, to); });
    };
    for (MPIR_Group *const left : {MPIR_Group_empty, group.get()}) {
      MPIR_Group *const right = left == group.get() ? MPIR_Group_empty : group.get();
      const Group all = result(MPIR_Group_union_impl, left, right);
      expect_group(all, lpids_of(*group));
      EXPECT_EQ(all->session_ptr, &session);
      expect_group(result(MPIR_Group_intersection_impl, left, right), {});
      expect_group(result(MPIR_Group_difference_impl, left, right), lpids_of(*left));
    }
  }
  EXPECT_EQ(session.ref_count, 1);
}

TEST_F(Mpich5Groups, GroupsOfTwoSessionsAreAnError) {
  std::array<MPIR_Session, 2> sessions{MPIR_Session{0, 1}, MPIR_Session{0, 1}};
  const auto group_in = [](MPIR_Session *session) {
    return made([&](MPIR_Group **to) { return MPIR_Group_dup(MPIR_GROUP_WORLD_PTR, session, to); });
  };
  const Group left = group_in(&sessions[0]);
  for (MPIR_Session *const other : {&sessions[1], static_cast<MPIR_Session *>(nullptr)}) {
    const Group right = group_in(other);
    MPIR_Group *group = nullptr;
    for (const auto operation : {MPIR_Group_union_impl, MPIR_Group_intersection_impl, MPIR_Group_difference_impl}) {
      EXPECT_EQ(operation(left.get(), right.get(), &group), MPI_ERR_OTHER);
      EXPECT_EQ(last_error().generic, "**session_mixed");
    }
    EXPECT_EQ(group, nullptr);
  }
}

TEST(Mpich5GroupsWithoutMemory, FailAndLeaveNothing) {
  const Process process(AVRM_CODEC_OFI);
  const int world = MPIR_add_world("b", 24);
  const Lpids a = {3, 9, 4, MPIR_LPID_FROM(world, 7)};
  const Lpids b = {MPIR_LPID_FROM(world, 7), 4, 12, 17};
  const auto attempt = [&]() {
    auto *const map = static_cast<MPIR_Lpid *>(MPL_malloc(a.size() * sizeof(MPIR_Lpid), MPL_MEM_GROUP));
    std::copy(a.begin(), a.end(), map);
    MPIR_Group *left = nullptr;
    int error = MPIR_Group_create_map(4, 1, nullptr, map, &left);
    if (error != MPI_SUCCESS) {
      return error;
    }
    MPIR_Group *result = nullptr;
    error = MPIR_Group_union_impl(left, MPIR_GROUP_WORLD_PTR, &result);
    if (error == MPI_SUCCESS) {
      MPIR_Group_release(result);
    }
    MPIR_Group_release(left);
    return error;
  };
  // Another group keeps the second world, which would go with the first one that is released.
  const Group keeper = group_of(b);
  const std::int64_t blocks = mpl_blocks();
  bool refused = true;
  for (std::uint64_t count = 1; refused; ++count) { // the first is that of the argument
    refuse_mpl_after(count);
    const int error = attempt();
    refused = mpl_refused();
    refuse_mpl_none();
    EXPECT_TRUE(error == MPI_SUCCESS || refused) << error;
    EXPECT_EQ(error == MPI_SUCCESS ? "" : last_error().generic, error == MPI_SUCCESS ? "" : "**nomem");
    EXPECT_EQ(MPIR_Group_mem.live, 1);
    EXPECT_EQ(mpl_blocks(), blocks);
    ASSERT_LT(count, 1000U);
  }
}

} // namespace

} // namespace avrankmap::test::mpich5
