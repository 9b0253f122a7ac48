// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Instructions from (rankmap, rank) to the address, by single-stepping. A diagnosis: the counts are
// those of the compilers whose code was looked at, with two to spare.

#include "tests/component/instructions/translation_probes.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "bench/counters/single_step.h"
#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/machine_code/send_model.h"
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

// Instructions of a form by gcc 12 and clang 14. Of forms whose instructions depend on the map,
// those of the longest.
struct Row {
  avrm_mode_t mode;
  Counts gcc;
  Counts clang;
};
constexpr Row kRows[] = {
    {AVRM_MODE_DIRECT, {7, 9, 13}, {7, 17, 21}},      {AVRM_MODE_OFFSET, {7, 9, 13}, {7, 17, 21}},
    {AVRM_MODE_STRIDE, {7, 9, 13}, {7, 17, 21}},      {AVRM_MODE_BLOCKED, {22, 31, 35}, {22, 36, 40}},
    {AVRM_MODE_LUT, {12, 15, 19}, {11, 22, 26}},      {AVRM_MODE_MLUT, {17, 20, 24}, {15, 26, 30}},
    {AVRM_MODE_SEGMENTS, {33, 42, 46}, {31, 45, 49}}, {AVRM_MODE_CART, {37, 46, 50}, {38, 52, 56}},
};
constexpr std::uint64_t kSpare = 2;

// The compiler of this file is that of the probes.
#if defined(__clang__)
constexpr bool kPinned = __clang_major__ == 14;
constexpr Counts Row::*kPins = &Row::clang;
#else
constexpr bool kPinned = __GNUC__ == 12;
constexpr Counts Row::*kPins = &Row::gcc;
#endif

// Of one call.
template <typename Probe> Result<StepCount> count(Probe *probe, const avrm_rankmap_t *map, std::int32_t rank) {
  return counters::count_call(probe, [=] { probe(map, rank); });
}

class RankmapInstructions : public RankmapOfEachKind {
protected:
  void SetUp() override {
    RankmapOfEachKind::SetUp();
    if (info_of(map.get()).mode == AVRM_MODE_LESS) {
      GTEST_SKIP() << "asks its AV, in a number of steps that depends on the rank";
    }
  }

  // Whether the segment of a rank is searched, in as many steps as there happen to be.
  bool searches() const { return map->mode == AVRM_MODE_SEGMENTS && map->as.segments.searched; }
  // Whether the translation is inline.
  bool is_inline() const { return map->klass <= AVRM_CLASS_MLUT; }

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
    const avrm_rankmap_info_t info = info_of(map.get());
    const Row *const row =
        std::find_if(std::begin(kRows), std::end(kRows), [&info](const Row &r) { return r.mode == info.mode; });
    ASSERT_NE(row, std::end(kRows));
    if (kPinned && !searches() && info.dimensions <= 3) {
      EXPECT_LE(counted.instructions, row->*kPins.*which + kSpare) << counted.listing();
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

TEST_P(RankmapInstructions, HaveOneCallAtMostNoDivisionAndNoLock) {
  const auto expect_none = [this](const Result<StepCount> &counted) {
    ASSERT_TRUE(counted.ok()) << counted.message();
    EXPECT_LE(counted->count(InstructionKind::call), is_inline() ? 0U : 1U) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::divide), 0U) << counted->listing();
    EXPECT_EQ(counted->count(InstructionKind::syscall), 0U) << counted->listing();
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

// A map over an implicit AV: one call, and no load but from the map, the line, and a lut's table.
TEST(RankmapInstructionsOfAnImplicitAv, AreFew) {
  constexpr std::uint64_t kMost = 40;
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 1000);
  fill(av.get());
  const MapPtr maps[] = {make_direct(instance, 1000), make_offset(instance, 100, 7),
                         make_stride(instance, 100, 999, -9), make_lpids(instance, scattered_lpids(500), 0)};
  for (const MapPtr &map : maps) {
    require(avrm_rankmap_bind(map.get()));
    const Result<StepCount> word = count(avrm_test_count_word, map.get(), 99);
    AVRM_ASSERT_COUNTED(word);
    EXPECT_LE(word->instructions, kMost) << word->listing();
    EXPECT_LE(word->count(InstructionKind::call), 1U) << word->listing();
    EXPECT_EQ(word->count(InstructionKind::divide), 0U) << word->listing();
  }
}

// The bytes of a translation: those by which a function grows that has one or two more. The first
// one has the function save registers, which takes four bytes more with frame pointers.
TEST(RankmapInstructionsText, IsShort) {
  const auto expect_at_most = [](std::size_t most, const avrm_test_model_t &model) {
    EXPECT_LE(model.text(1) - model.text(0), most) << model.name;
    EXPECT_LE(model.text(2) - model.text(1), most) << model.name;
  };
  expect_at_most(168, avrm_test_model);
  expect_at_most(172, avrm_test_model_framed);
}

// Else the counts would be of something that no MPI library contains.
TEST(RankmapInstructionsBuild, ProbesAreOptimisedAndPositionIndependent) {
  EXPECT_EQ(avrm_test_count_is_optimised(), 1);
  EXPECT_EQ(avrm_test_count_is_position_independent(), 1);
}

} // namespace
} // namespace avrankmap::test
