// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Instructions from (rankmap, rank) to the address, by single-stepping: exact, and the same on
// every machine. The budgets hold for any compiler; for those whose code was looked at, the counts
// are pinned to the instruction.

#include "tests/component/instructions/translation_probes.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "bench/counters/single_step.h"
#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/support/counted.h"
#include "tests/support/seed.h"

extern "C" uint64_t avrm_test_count_far(const avrm_rankmap_t * /*map*/, int32_t /*rank*/) { return 0; }

namespace avrankmap::test {
namespace {

using counters::InstructionKind;
using counters::Result;
using counters::StepCount;

struct Counts {
  std::uint64_t word; // to the address word
  std::uint64_t ofi;  // to the libfabric address: the word, the test for one, the decoding
  std::uint64_t ucx;  // to the UCX endpoint
};

// Instructions of a form by gcc 12 and clang 14, and the most by any compiler to the word. The test
// of the word and its decoding take 2 more for libfabric and 3 for UCX, and a jump where a compiler
// shares them between forms; clang 14 saves and restores two registers, because of the search of
// segments. A form that no row has is not counted.
struct Row {
  avrm_mode_t mode;
  Counts gcc;
  Counts clang;
  std::uint64_t most;
};
constexpr Row kRows[] = {
    {AVRM_MODE_DIRECT, {6, 8, 9}, {6, 12, 13}, 6},
    {AVRM_MODE_OFFSET, {6, 8, 9}, {6, 12, 13}, 6},
    {AVRM_MODE_STRIDE, {6, 8, 9}, {6, 12, 13}, 6},
    {AVRM_MODE_LUT, {9, 12, 13}, {9, 16, 17}, 9},
    {AVRM_MODE_BLOCKED, {12, 15, 16}, {12, 19, 20}, 12},
    {AVRM_MODE_MLUT, {12, 15, 16}, {12, 19, 20}, 12},
    {AVRM_MODE_CART, {}, {}, 14},                         // of three dimensions
    {AVRM_MODE_SEGMENTS, {34, 38, 39}, {33, 41, 42}, 34}, // of like lengths
};

// The compiler of this file is that of the probes.
#if defined(__clang__)
constexpr bool kPinned = __clang_major__ == 14;
constexpr Counts Row::*kPins = &Row::clang;
constexpr std::uint64_t kSaved = 4;
#else
constexpr bool kPinned = __GNUC__ == 12;
constexpr Counts Row::*kPins = &Row::gcc;
constexpr std::uint64_t kSaved = 0;
#endif

// Of one call.
template <typename Probe> Result<StepCount> count(Probe *probe, const avrm_rankmap_t *map, std::int32_t rank) {
  return counters::count_call(probe, [=] { probe(map, rank); });
}

class RankmapInstructions : public RankmapOfEachKind {
protected:
  void SetUp() override {
#if defined(AVRM_NO_ASM)
    GTEST_SKIP() << "built with AVRM_NO_ASM, without the dispatch that the counts are of";
#endif
    RankmapOfEachKind::SetUp();
    if (info_of(map.get()).mode == AVRM_MODE_LESS) {
      GTEST_SKIP() << "asks its AV by a call";
    }
  }

  // Whether the segment of a rank is searched, in as many steps as there happen to be.
  bool searches() const { return info_of(map.get()).mode == AVRM_MODE_SEGMENTS && map->stride < 0; }

  // Of one call for the last rank.
  template <typename Probe> Result<StepCount> count_last(Probe *probe) { return count(probe, map.get(), size() - 1); }

  // Gives the last rank an endpoint instead of a libfabric address.
  void connect_by_ucx() {
    alignas(16) static char endpoint[16];
    avrm_ave_t ave{};
    require(avrm_ucx_pack(endpoint, 3, &ave));
    require(avrm_av_set(worlds.avs[table.back().pgid].get(), table.back().lpid, &ave));
  }

  void expect_count(const StepCount &counted, std::uint64_t Counts::*which) const {
    const avrm_mode_t mode = info_of(map.get()).mode;
    const Row *const row =
        std::find_if(std::begin(kRows), std::end(kRows), [mode](const Row &r) { return r.mode == mode; });
    if (row == std::end(kRows) || map->klass == AVRM_CLASS_CART || searches()) {
      return;
    }
    const Counts most{row->most, row->most + 4 + kSaved, row->most + 5 + kSaved};
    EXPECT_LE(counted.instructions, most.*which) << counted.listing();
    const std::uint64_t pinned = row->*kPins.*which;
    if (kPinned && pinned != 0) {
      EXPECT_EQ(counted.instructions, pinned) << counted.listing();
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, RankmapInstructions, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapInstructions, ToTheWord) {
  const Result<StepCount> counted = count_last(avrm_test_count_word);
  AVRM_ASSERT_COUNTED(counted);
  expect_count(*counted, &Counts::word);
}

TEST_P(RankmapInstructions, ToTheLibfabricAddress) {
  const Result<StepCount> counted = count_last(avrm_test_count_ofi);
  AVRM_ASSERT_COUNTED(counted);
  expect_count(*counted, &Counts::ofi);
}

TEST_P(RankmapInstructions, ToTheUcxEndpoint) {
  connect_by_ucx();
  const Result<StepCount> counted = count_last(avrm_test_count_ucx);
  AVRM_ASSERT_COUNTED(counted);
  expect_count(*counted, &Counts::ucx);
}

TEST_P(RankmapInstructions, AreTheSameForEveryRank) {
  if (searches()) {
    GTEST_SKIP() << "a directory leaves more or fewer segments to be searched";
  }
  const Result<StepCount> last = count_last(avrm_test_count_word);
  AVRM_ASSERT_COUNTED(last);
  for (const std::int32_t rank : {0, size() / 3, size() / 2}) {
    const Result<StepCount> counted = count(avrm_test_count_word, map.get(), rank);
    ASSERT_TRUE(counted.ok()) << counted.message();
    EXPECT_EQ(counted->instructions, last->instructions) << "rank " << rank << '\n' << counted->listing();
  }
}

TEST_P(RankmapInstructions, HaveNoCallNoDivisionAndNoLock) {
  const auto expect_none = [](const Result<StepCount> &counted) {
    ASSERT_TRUE(counted.ok()) << counted.message();
    EXPECT_EQ(counted->count(InstructionKind::call), 0U) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::divide), 0U) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::syscall), 0U) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::ret), 1U) << counted->listing();
    EXPECT_EQ(counted->locked(), 0U) << counted->listing();
  };
  const Result<StepCount> word = count_last(avrm_test_count_word);
  AVRM_ASSERT_COUNTED(word);
  expect_none(word);
  expect_none(count_last(avrm_test_count_ave));
  expect_none(count_last(avrm_test_count_node));
  expect_none(count_last(avrm_test_count_gpid));
  expect_none(count_last(avrm_test_count_ofi));
  connect_by_ucx();
  expect_none(count_last(avrm_test_count_ucx));
}

// For the affine modes one branch, for each other mode one more than for the one before; no jump
// table.
TEST_P(RankmapInstructions, HaveOneDispatch) {
  const avrm_mode_t mode = info_of(map.get()).mode;
  if (mode > AVRM_MODE_MLUT && map->klass != AVRM_CLASS_CART_3D) {
    GTEST_SKIP() << "the search has a second comparison, and loops";
  }
  const Result<StepCount> counted = count_last(avrm_test_count_word);
  AVRM_ASSERT_COUNTED(counted);
  const std::uint64_t jumps = counted->count(InstructionKind::branch) + counted->count(InstructionKind::jump);
  EXPECT_LE(jumps, map->klass == AVRM_CLASS_AFFINE ? 1U : 5U) << counted->listing();
}

TEST_P(RankmapInstructions, OfAHundredthDuplicateAreThoseOfTheFirst) {
  const Result<StepCount> first = count_last(avrm_test_count_word);
  AVRM_ASSERT_COUNTED(first);
  MapPtr descendant = make_dup(map);
  for (int generation = 1; generation < 100; ++generation) {
    descendant = make_child_regular(descendant, size(), 0, 1);
  }
  require(avrm_rankmap_bind(descendant.get()));
  const Result<StepCount> counted = count(avrm_test_count_word, descendant.get(), size() - 1);
  ASSERT_TRUE(counted.ok()) << counted.message();
  EXPECT_EQ(counted->instructions, first->instructions) << counted->listing();
}

TEST(RankmapInstructionsOfAChain, OfAHundredthPermutationAreThoseOfTheFirst) {
  const ThreeWorlds worlds;
  std::mt19937_64 engine = seeded_engine();
  Ranks ranks = regular_values(200, 0, 1);
  const MapPtr first = make_lpids(worlds.instance, scattered_lpids(200));
  MapPtr last = make_dup(first);
  for (int generation = 1; generation < 100; ++generation) {
    std::shuffle(ranks.begin(), ranks.end(), engine);
    last = make_child(last, ranks);
  }
  require(avrm_rankmap_bind(first.get()));
  require(avrm_rankmap_bind(last.get()));
  const Result<StepCount> of_first = count(avrm_test_count_word, first.get(), 199);
  AVRM_ASSERT_COUNTED(of_first);
  const Result<StepCount> of_last = count(avrm_test_count_word, last.get(), 199);
  ASSERT_TRUE(of_last.ok()) << of_last.message();
  EXPECT_EQ(of_last->instructions, of_first->instructions) << of_last->listing();
}

// A map over an implicit AV: no call, and no load but from the map, the line, and a lut's table.
// The budget is ours: the dispatch reaches these cases late, so that no other one is reached later
// than before.
TEST(RankmapInstructionsOfAnImplicitAv, AreFew) {
#if defined(AVRM_NO_ASM)
  GTEST_SKIP() << "built with AVRM_NO_ASM, without the dispatch that the counts are of";
#endif
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 1000);
  fill(av.get());
  struct {
    MapPtr map;
    std::uint64_t most;
  } const cases[] = {{make_direct(instance, 1000), 24},
                     {make_offset(instance, 100, 7), 24},
                     {make_stride(instance, 100, 999, -9), 24},
                     {make_lpids(instance, scattered_lpids(500), 0), 30}};
  for (const auto &c : cases) {
    require(avrm_rankmap_bind(c.map.get()));
    const Result<StepCount> word = count(avrm_test_count_word, c.map.get(), 99);
    AVRM_ASSERT_COUNTED(word);
    EXPECT_LE(word->instructions, c.most) << word->listing();
    EXPECT_EQ(word->count(InstructionKind::call), 0U) << word->listing();
    EXPECT_EQ(word->count(InstructionKind::divide), 0U) << word->listing();
    const Result<StepCount> ofi = count(avrm_test_count_ofi, c.map.get(), 99);
    AVRM_ASSERT_COUNTED(ofi);
    EXPECT_LE(ofi->instructions, c.most + 4U + kSaved) << ofi->listing();
  }
}

// Else the counts would be of something that no MPI library contains.
TEST(RankmapInstructionsBuild, ProbesAreOptimisedAndPositionIndependent) {
  EXPECT_EQ(avrm_test_count_is_optimised(), 1);
  EXPECT_EQ(avrm_test_count_is_position_independent(), 1);
}

} // namespace
} // namespace avrankmap::test
