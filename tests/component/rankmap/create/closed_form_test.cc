// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Composition and concatenation by algebra: every form that they return is right, they return one
// wherever the header promises it, and then no array is read or written.

#include "rankmap/patterns/closed_form.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "rankmap/patterns/regular.h"
#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::detail {

static void PrintTo(const Regular &form, std::ostream *out) {
  *out << "size " << form.size << " offset " << form.offset << " stride " << form.stride << " block " << form.block;
}

} // namespace avrankmap::detail

namespace avrankmap::test {
namespace {

using detail::Regular;

// All simplified forms of sizes to `max_size` with small parameters. Offsets are added by the
// caller.
std::vector<Regular> small_forms(std::int32_t max_size, std::int32_t max_stride, std::int32_t max_block) {
  std::vector<Regular> forms;
  for (std::int32_t size = 1; size <= max_size; ++size) {
    for (std::int32_t stride = -max_stride; stride <= max_stride; ++stride) {
      for (std::int32_t block = 1; stride != 0 && block <= max_block; ++block) {
        const Regular form{size, 0, stride, block};
        // One rank has one form; of what else is not simple there is another form in the list.
        if (detail::simplified(form) == form && (size > 1 || stride == 1)) {
          forms.push_back(form);
        }
      }
    }
  }
  return forms;
}

std::int64_t at(const Regular &form, std::int64_t rank) { return formula(form.offset, form.stride, form.block, rank); }

// The least and the greatest value, by looking at all of them.
std::pair<std::int64_t, std::int64_t> bounds(const Regular &form) {
  std::pair<std::int64_t, std::int64_t> found{at(form, 0), at(form, 0)};
  for (std::int32_t rank = 1; rank < form.size; ++rank) {
    found.first = std::min(found.first, at(form, rank));
    found.second = std::max(found.second, at(form, rank));
  }
  return found;
}

TEST(RankmapRegular, RangeIsThatOfBruteForce) {
  for (Regular form : small_forms(14, 9, 8)) {
    form.offset = 50;
    const detail::Range range = detail::range_of(form);
    ASSERT_EQ((std::pair{range.min, range.max}), bounds(form)) << testing::PrintToString(form);
  }
}

TEST(RankmapRegular, RangeIsThatOfBruteForceBeforeSimplification) {
  for (std::int32_t size = 1; size <= 9; ++size) {
    for (std::int32_t stride = -5; stride <= 5; ++stride) {
      for (std::int32_t block = 1; block <= 12; ++block) {
        const Regular form{size, 50, stride, block};
        const detail::Range range = detail::range_of(form);
        ASSERT_EQ((std::pair{range.min, range.max}), bounds(form)) << testing::PrintToString(form);
      }
    }
  }
}

TEST(RankmapRegular, SimplifiedFormIsTheSameFunction) {
  for (std::int32_t size = 1; size <= 9; ++size) {
    for (std::int32_t stride = -9; stride <= 9; ++stride) {
      for (std::int32_t block = 1; stride != 0 && block <= 12; ++block) {
        const Regular form{size, 50, stride, block};
        const Regular simple = detail::simplified(form);
        for (std::int32_t rank = 0; rank < size; ++rank) {
          ASSERT_EQ(at(simple, rank), at(form, rank)) << testing::PrintToString(form);
        }
      }
    }
  }
}

// ---- composed ----

// Calls check(outer, inner) for each pair of small forms in which the values of `inner` are ranks
// of `outer`.
template <typename Check> void for_each_composition(Check check) {
  const std::vector<Regular> inners = small_forms(8, 11, 7);
  for (Regular outer : small_forms(12, 5, 6)) {
    outer.offset = 100;
    for (Regular inner : inners) {
      const auto [min, max] = bounds(inner);
      for (std::int64_t offset = -min; offset + max < outer.size; ++offset) {
        inner.offset = static_cast<std::int32_t>(offset);
        check(outer, inner);
        if (testing::Test::HasFatalFailure()) {
          return;
        }
      }
    }
  }
}

TEST(RankmapComposed, EveryFormAgreesWithBruteForceAndIsSimplified) {
  std::uint64_t pairs = 0;
  std::uint64_t forms = 0;
  for_each_composition([&](const Regular &outer, const Regular &inner) {
    ++pairs;
    const std::optional<Regular> form = detail::composed(outer, inner);
    if (!form) {
      return;
    }
    ++forms;
    ASSERT_EQ(form->size, inner.size);
    ASSERT_EQ(*form, detail::simplified(*form));
    for (std::int32_t rank = 0; rank < inner.size; ++rank) {
      ASSERT_EQ(at(*form, rank), at(outer, at(inner, rank)))
          << testing::PrintToString(outer) << " of " << testing::PrintToString(inner) << ", rank " << rank;
    }
  });
  std::cout << forms << " closed forms of " << pairs << " pairs\n";
  EXPECT_GT(forms, 50000U);
  EXPECT_LT(forms, pairs);
}

// The identities that closed_form.h lists; where one of them applies there must be a form.
TEST(RankmapComposed, EveryListedIdentityGivesAForm) {
  for_each_composition([](const Regular &outer, const Regular &inner) {
    const auto [min, max] = bounds(inner);
    const bool affine = inner.block == 1;
    const bool identities[] = {
        outer.block == 1 && affine,
        outer.block == 1 && outer.stride == 1,
        min / outer.block == max / outer.block,
        affine && inner.stride % outer.block == 0,
        affine && inner.stride == 1 && inner.offset % outer.block == 0,
        inner.stride % outer.block == 0 && inner.offset % outer.block + inner.block <= outer.block,
    };
    for (const bool applies : identities) {
      ASSERT_TRUE(!applies || detail::composed(outer, inner))
          << testing::PrintToString(outer) << " of " << testing::PrintToString(inner);
    }
  });
}

TEST(RankmapComposed, OneRankAlwaysHasAForm) {
  EXPECT_EQ(detail::composed({100, 7, 9, 4}, {1, 13, 1, 1}), (Regular{1, 7 + 3 * 9 + 1, 1, 1}));
}

TEST(RankmapComposed, ProductsOf64BitsAreExact) {
  // 46,340^2 is the largest square below 2^31.
  EXPECT_EQ(detail::composed({46341, 0, 46340, 1}, {2, 0, 46340, 1}), (Regular{2, 0, 46340 * 46340, 1}));
}

// ---- concatenated ----

TEST(RankmapConcatenated, EveryFormAgreesWithBruteForceAndIsSimplified) {
  const std::vector<Regular> parts = small_forms(7, 8, 6);
  std::uint64_t forms = 0;
  for (Regular first : parts) {
    first.offset = 100;
    for (Regular second : parts) {
      for (second.offset = 60; second.offset <= 140; ++second.offset) {
        const std::optional<Regular> form = detail::concatenated(first, second);
        if (!form) {
          continue;
        }
        ++forms;
        ASSERT_EQ(form->size, first.size + second.size);
        ASSERT_EQ(*form, detail::simplified(*form));
        for (std::int32_t rank = 0; rank < form->size; ++rank) {
          ASSERT_EQ(at(*form, rank), rank < first.size ? at(first, rank) : at(second, rank - first.size))
              << testing::PrintToString(first) << " then " << testing::PrintToString(second) << ", rank " << rank;
        }
      }
    }
  }
  std::cout << forms << " closed forms\n";
  EXPECT_GT(forms, 1000U);
}

// A regular map cut in two anywhere (affine), or between blocks, is put together again.
TEST(RankmapConcatenated, WhatWasCutIsPutTogether) {
  for (Regular whole : small_forms(12, 8, 4)) {
    whole.offset = 100;
    for (std::int32_t cut = whole.block; cut < whole.size; cut += whole.block) {
      const Regular first = detail::simplified({cut, whole.offset, whole.stride, whole.block});
      Regular second{whole.size - cut, static_cast<std::int32_t>(at(whole, cut)), whole.stride, whole.block};
      second = detail::simplified(second);
      const Regular head = first.size == 1 ? Regular{1, first.offset, 1, 1} : first;
      const Regular tail = second.size == 1 ? Regular{1, second.offset, 1, 1} : second;
      ASSERT_EQ(detail::concatenated(head, tail), whole) << testing::PrintToString(whole) << " cut at " << cut;
    }
  }
}

TEST(RankmapConcatenated, SizesBeyond32BitsHaveNoForm) {
  EXPECT_EQ(detail::concatenated({kMaxSize, 0, 1, 1}, {1, 5, 1, 1}), std::nullopt);
}

TEST(RankmapConcatenated, EqualPartsHaveNoForm) {
  EXPECT_EQ(detail::concatenated({4, 5, 1, 1}, {4, 5, 1, 1}), std::nullopt);
}

// ---- no array is read or written ----

struct NoTable {
  const char *fact;
  Regular parent;
  Regular child;
};

class RankmapWithoutTable : public testing::TestWithParam<NoTable> {
protected:
  CountingAllocator memory;
  Instance instance{&memory};
  MapPtr parent = make_blocked(instance, GetParam().parent.size, GetParam().parent.offset, GetParam().parent.stride,
                               GetParam().parent.block);

  Table expected() const {
    const Regular &form = GetParam().child;
    return child_table(regular_table(0, GetParam().parent.size, GetParam().parent.offset, GetParam().parent.stride,
                                     GetParam().parent.block),
                       regular_values(form.size, form.offset, form.stride, form.block));
  }
};

TEST_P(RankmapWithoutTable, ChildByPatternAllocatesNothing) {
  const Regular &form = GetParam().child;
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_child_regular(parent, form.size, form.offset, form.stride, form.block);
  EXPECT_EQ(memory.calls(), calls);
  EXPECT_TRUE(agrees(map.get(), expected()));
}

TEST_P(RankmapWithoutTable, ChildByArrayAllocatesNothing) {
  const Regular &form = GetParam().child;
  const Ranks ranks = regular_values(form.size, form.offset, form.stride, form.block);
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_child(parent, ranks);
  EXPECT_EQ(memory.calls(), calls);
  EXPECT_TRUE(agrees(map.get(), expected()));
}

TEST_P(RankmapWithoutTable, UniqueChildAllocatesNothing) {
  const Regular &form = GetParam().child;
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_child_regular(parent, form.size, form.offset, form.stride, form.block, AVRM_RANKMAP_UNIQUE);
  EXPECT_EQ(memory.calls(), calls);
}

INSTANTIATE_TEST_SUITE_P(All, RankmapWithoutTable,
                         testing::Values(NoTable{"StrideOfStride", {1000, 50, 7, 1}, {100, 3, 9, 1}},
                                         NoTable{"OffsetOfStride", {1000, 50, 7, 1}, {100, 3, 1, 1}},
                                         NoTable{"NegativeStrideOfStride", {1000, 50, 7, 1}, {100, 999, -9, 1}},
                                         NoTable{
                                             "NegativeStrideOfNegativeStride", {1000, 9000, -7, 1}, {100, 999, -9, 1}},
                                         NoTable{"ReversalOfDirect", {1000, 0, 1, 1}, {1000, 999, -1, 1}},
                                         NoTable{"ReversalOfOffset", {1000, 50, 1, 1}, {1000, 999, -1, 1}},
                                         NoTable{"ReversalOfStride", {1000, 50, 7, 1}, {1000, 999, -1, 1}},
                                         NoTable{"ReversalOfAReversal", {1000, 999, -1, 1}, {1000, 999, -1, 1}},
                                         NoTable{"SubRangeOfReversal", {1000, 999, -1, 1}, {500, 250, 1, 1}},
                                         NoTable{"DuplicateOfDirect", {1000, 0, 1, 1}, {1000, 0, 1, 1}},
                                         NoTable{"SubRangeOfOffset", {1000, 50, 1, 1}, {500, 250, 1, 1}},
                                         NoTable{"BlocksOfDirect", {1000, 0, 1, 1}, {100, 3, 40, 4}},
                                         NoTable{"BlocksOfOffset", {1000, 50, 1, 1}, {100, 3, 40, 4}},
                                         NoTable{"DuplicateOfBlocks", {1000, 50, 40, 4}, {1000, 0, 1, 1}},
                                         NoTable{"WholeBlocksOfBlocks", {1000, 50, 40, 4}, {500, 8, 1, 1}},
                                         NoTable{"InsideOfOneBlock", {1000, 50, 400, 40}, {20, 45, 1, 1}},
                                         NoTable{"ReversalInsideOfOneBlock", {1000, 50, 400, 40}, {20, 70, -1, 1}},
                                         NoTable{"FirstOfEachBlock", {1000, 50, 40, 4}, {250, 0, 4, 1}},
                                         NoTable{"ThirdOfEverySecondBlock", {1000, 50, 40, 4}, {100, 2, 8, 1}},
                                         NoTable{"LastOfEachBlockBackwards", {1000, 50, 40, 4}, {250, 999, -4, 1}},
                                         NoTable{"MiddleOfEachBlock", {1000, 50, 40, 4}, {500, 1, 4, 2}},
                                         NoTable{"OneRankOfBlocks", {1000, 50, 40, 4}, {1, 777, 1, 1}}),
                         [](const auto &param) { return std::string(param.param.fact); });

TEST(RankmapWithoutTable, SplitByColourOfASplitByColourHasNone) {
  CountingAllocator memory;
  const Instance instance(&memory);
  MapPtr map = make_direct(instance, 1 << 20);
  for (int level = 0; level < 20; ++level) {
    map = make_child_regular(map, avrm_rankmap_size(map.get()) / 2, level % 2, 2);
  }
  EXPECT_EQ(avrm_rankmap_size(map.get()), 1);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).peak_bytes, 0U);
}

TEST(RankmapWithoutTable, PutTogetherOfItsPartsAllocatesNothing) {
  CountingAllocator memory;
  const Instance instance(&memory);
  std::vector<MapPtr> parts;
  std::vector<const avrm_rankmap_t *> parents;
  for (std::int32_t part = 0; part < 10; ++part) {
    parts.push_back(make_blocked(instance, 40, 5 + part * 300, 30, 4));
    parents.push_back(parts.back().get());
  }
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_concat(parents);
  EXPECT_EQ(memory.calls(), calls);
  EXPECT_TRUE(agrees(map.get(), regular_table(0, 400, 5, 30, 4)));
}

// Where algebra has no form the result can still be regular: it goes through a table, which step 3
// gives back.
TEST(RankmapWithoutClosedForm, RegularResultKeepsNoTable) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const MapPtr parent = make_blocked(instance, 8, 10, 4, 3); // 10 11 12 14 15 16 18 19
  const MapPtr map = make_child(parent, {2, 3, 5, 6});       // 12 14 16 18
  EXPECT_TRUE(agrees(map.get(), regular_table(0, 4, 12, 2)));
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_blocks, 0U);
}

TEST(RankmapWithoutClosedForm, ReversalOfBlocksIsALut) {
  const Instance instance;
  const MapPtr parent = make_blocked(instance, 12, 10, 40, 4);
  const Table whole = regular_table(0, 12, 10, 40, 4);
  EXPECT_TRUE(agrees(make_child_regular(parent, 12, 11, -1).get(), Table(whole.rbegin(), whole.rend())));
}

} // namespace
} // namespace avrankmap::test
