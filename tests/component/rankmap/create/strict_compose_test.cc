// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Table II of the AV-Rankmap paper: its 20 cells, written down here a second time and in words,
// against the table of the library and against what a strict instance does.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "rankmap/patterns/strict_compose.h"
#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

struct Cell {
  const char *parent; // row
  const char *array;  // column
  const char *child;
  bool footnote_a;

  friend std::ostream &operator<<(std::ostream &out, const Cell &cell) {
    return out << "a " << cell.parent << " parent and a " << cell.array << " array give " << cell.child
               << (cell.footnote_a ? ", shared" : "");
  }
};

// clang-format off
constexpr Cell kCells[] = {
    {"direct", "direct", "direct", false},
    {"direct", "offset", "offset", false},
    {"direct", "stride", "stride", false},
    {"direct", "irregular", "lut", false},
    {"offset", "direct", "offset", false},
    {"offset", "offset", "offset", false},
    {"offset", "stride", "stride", false},
    {"offset", "irregular", "lut", false},
    {"stride", "direct", "stride", false},
    {"stride", "offset", "lut", false},
    {"stride", "stride", "lut", false},
    {"stride", "irregular", "lut", false},
    {"lut", "direct", "lut", true},
    {"lut", "offset", "lut", true},
    {"lut", "stride", "lut", false},
    {"lut", "irregular", "lut", false},
    {"mlut", "direct", "mlut", true},
    {"mlut", "offset", "mlut", true},
    {"mlut", "stride", "mlut", false},
    {"mlut", "irregular", "mlut", false},
};
// clang-format on

class RankmapTable2 : public testing::TestWithParam<Cell> {
protected:
  CountingAllocator memory;
  Instance instance{&memory, true}; // strict

  // A parent of 40 ranks of each model, of no simpler one, and without patterns in any part that
  // the arrays take. The paper's stride model has a block size, so for it there are two: of single
  // ranks and of blocks.
  MapPtr parent_of(const std::string &model, bool in_vector_loops) {
    if (model == "direct") {
      return make_direct(instance, 40);
    }
    if (model == "offset") {
      return make_offset(instance, 40, 1000);
    }
    if (model == "stride") {
      return in_vector_loops ? make_blocked(instance, 40, 1000, 100, 7) : make_stride(instance, 40, 1000, 100);
    }
    Table table;
    for (std::int32_t rank = 0; rank < 40; ++rank) {
      table.push_back({model == "mlut" ? rank / 2 % 2 : 0, rank * rank * 37 % 1009});
    }
    return make_gpids(instance, table);
  }

  // An array of parent ranks of each model; the stride model again single and in blocks.
  static Ranks array_of(const std::string &model, bool in_vector_loops) {
    if (model == "direct") {
      return regular_values(20, 0, 1);
    }
    if (model == "offset") {
      return regular_values(20, 3, 1);
    }
    if (model == "stride") {
      return in_vector_loops ? regular_values(14, 4, 9, 4) : regular_values(12, 4, 3);
    }
    return {5, 0, 17, 8, 9, 30, 2, 11, 39, 21};
  }

  // The word of the paper for a mode.
  static std::string model_of(const MapPtr &map) {
    const std::string label = avrm_mode_label(info_of(map.get()).mode);
    return label == "blocked" ? "stride" : label;
  }

  std::uint64_t tables_peak() const {
    return memory.usage(AVRM_MEM_LUT).peak_bytes + memory.usage(AVRM_MEM_MLUT).peak_bytes;
  }
};

TEST_P(RankmapTable2, LibraryHasTheCellAsPrinted) {
  const std::map<std::string, detail::Model> models = {{"direct", detail::Model::kDirect},
                                                       {"offset", detail::Model::kOffset},
                                                       {"stride", detail::Model::kStride},
                                                       {"lut", detail::Model::kLut},
                                                       {"mlut", detail::Model::kMlut}};
  const std::map<std::string, detail::ArrayModel> arrays = {{"direct", detail::ArrayModel::kDirect},
                                                            {"offset", detail::ArrayModel::kOffset},
                                                            {"stride", detail::ArrayModel::kStride},
                                                            {"irregular", detail::ArrayModel::kIrregular}};
  const detail::Outcome outcome = detail::child_model(models.at(GetParam().parent), arrays.at(GetParam().array));
  EXPECT_EQ(outcome.model, models.at(GetParam().child));
  EXPECT_EQ(outcome.shares_table, GetParam().footnote_a);
}

// Every way to get into the cell: single and blocked parents, single and blocked arrays.
TEST_P(RankmapTable2, StrictChildHasTheModelOrStepThreeReducedIt) {
  for (const bool parent_in_blocks : {false, true}) {
    for (const bool array_in_blocks : {false, true}) {
      const MapPtr parent = parent_of(GetParam().parent, parent_in_blocks);
      const Ranks ranks = array_of(GetParam().array, array_in_blocks);
      const MapPtr made = make_child(parent, ranks);
      const Table table = child_table(table_of(parent.get()), ranks);
      ASSERT_TRUE(agrees(made.get(), table));
      if (const std::string simplest = avrm_mode_label(simplest_shape(table).mode);
          simplest == "lut" || simplest == "mlut") {
        EXPECT_EQ(model_of(made), GetParam().child);
      }
    }
  }
}

class RankmapTable2RegularCell : public RankmapTable2 {};

TEST_P(RankmapTable2RegularCell, NeverTouchesATable) {
  for (const bool in_vector_loops : {false, true}) {
    const MapPtr parent = parent_of(GetParam().parent, in_vector_loops);
    EXPECT_EQ(model_of(make_child(parent, array_of(GetParam().array, in_vector_loops))), GetParam().child);
  }
  EXPECT_EQ(tables_peak(), 0U);
}

class RankmapTable2TableCell : public RankmapTable2 {};

// A cell that says lut makes a table, even where algebra would do, until step 3 has rescanned it.
TEST_P(RankmapTable2TableCell, MakesATableUnlessItSharesOne) {
  const MapPtr parent = parent_of(GetParam().parent, false);
  const std::uint64_t before = tables_peak();
  const MapPtr made = make_child(parent, array_of(GetParam().array, false));
  EXPECT_EQ(tables_peak() == before, GetParam().footnote_a);
}

TEST_P(RankmapTable2TableCell, FootnoteIsThatTheParentsTableIsShared) {
  const MapPtr parent = parent_of(GetParam().parent, false);
  const Ranks ranks = array_of(GetParam().array, false);
  const MapPtr made = make_child(parent, ranks);
  const bool shares = info_of(made.get()).table_sharers == 2 && info_of(parent.get()).table_sharers == 2;
  EXPECT_EQ(shares, GetParam().footnote_a);
  if (!GetParam().footnote_a) {
    return;
  }
  if (info_of(made.get()).mode == AVRM_MODE_LUT) {
    EXPECT_EQ(made->as.lut.lpids, parent->as.lut.lpids + ranks[0]);
  } else {
    EXPECT_EQ(made->as.mlut.pairs, parent->as.mlut.pairs + ranks[0]);
  }
}

// For example ParentStrideArrayOffset.
std::string name_of(const testing::TestParamInfo<Cell> &info) {
  std::string name = std::string("parent ") + info.param.parent + " array " + info.param.array;
  name[0] = 'P';
  for (std::size_t space = name.find(' '); space != std::string::npos; space = name.find(' ')) {
    name.erase(space, 1);
    name[space] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[space])));
  }
  return name;
}

std::vector<Cell> cells_with_a_table(bool wanted) {
  std::vector<Cell> cells;
  std::copy_if(std::begin(kCells), std::end(kCells), std::back_inserter(cells), [wanted](const Cell &cell) {
    return (std::string_view(cell.child) == "lut" || std::string_view(cell.child) == "mlut") == wanted;
  });
  return cells;
}

INSTANTIATE_TEST_SUITE_P(All, RankmapTable2, testing::ValuesIn(kCells), name_of);
INSTANTIATE_TEST_SUITE_P(All, RankmapTable2RegularCell, testing::ValuesIn(cells_with_a_table(false)), name_of);
INSTANTIATE_TEST_SUITE_P(All, RankmapTable2TableCell, testing::ValuesIn(cells_with_a_table(true)), name_of);

TEST(RankmapTable2Size, HasTwentyCells) { EXPECT_EQ(std::size(kCells), 5U * 4U); }

// ---- step 3, strict ----

class RankmapStepThree : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory, true};
};

TEST_F(RankmapStepThree, StrideOfStrideIsAStrideAfterTheRescan) {
  const MapPtr parent = make_stride(instance, 40, 1000, 100);
  const MapPtr made = make_child(parent, regular_values(10, 2, 3));
  EXPECT_EQ(shape_of(made.get()), (Shape{AVRM_MODE_STRIDE, 0, 1200, 300, 1}));
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).peak_bytes, 16 + 4 * 10U);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_bytes, 0U);
}

TEST_F(RankmapStepThree, OffsetOfStrideIsAStrideAfterTheRescan) {
  const MapPtr parent = make_stride(instance, 40, 1000, 100);
  EXPECT_EQ(shape_of(make_child(parent, regular_values(10, 2, 1)).get()), (Shape{AVRM_MODE_STRIDE, 0, 1200, 100, 1}));
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).peak_bytes, 16 + 4 * 10U);
}

TEST_F(RankmapStepThree, ReversedStrideIsAStrideAfterTheRescan) {
  const MapPtr parent = make_stride(instance, 40, 1000, 100);
  EXPECT_EQ(shape_of(make_child_regular(parent, 40, 39, -1).get()), (Shape{AVRM_MODE_STRIDE, 0, 4900, -100, 1}));
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).peak_bytes, 16 + 4 * 40U);
}

TEST_F(RankmapStepThree, BlocksOfAStrideAreBlockedWhenTheyAre) {
  const MapPtr parent = make_blocked(instance, 40, 1000, 100, 4);
  EXPECT_EQ(shape_of(make_child(parent, regular_values(10, 1, 8, 2)).get()),
            (Shape{AVRM_MODE_BLOCKED, 0, 1001, 200, 2}));
}

TEST_F(RankmapStepThree, IrregularArrayThatUndoesTheParentIsDirect) {
  const Ranks lpids = {2, 0, 3, 1};
  const MapPtr parent = make_lpids(instance, lpids);
  EXPECT_EQ(info_of(make_child(parent, {1, 3, 0, 2}).get()).mode, AVRM_MODE_DIRECT);
}

TEST_F(RankmapStepThree, RegularPartOfALutIsRegularAndSharesNothing) {
  const MapPtr parent = make_lpids(instance, {9, 4, 5, 6, 1});
  EXPECT_EQ(shape_of(make_child(parent, {1, 2, 3}).get()), (Shape{AVRM_MODE_OFFSET, 0, 4, 1, 1}));
  EXPECT_EQ(info_of(parent.get()).table_sharers, 1U);
}

TEST_F(RankmapStepThree, PartOfAnMlutInOneGroupIsALut) {
  const MapPtr parent = make_gpids(instance, {{0, 1}, {5, 9}, {5, 3}, {5, 4}, {0, 2}});
  const MapPtr made = make_child(parent, {1, 2, 3});
  EXPECT_EQ(shape_of(made.get()), (Shape{AVRM_MODE_LUT, 5, 0, 0, 0}));
  EXPECT_TRUE(agrees(made.get(), in_group(5, {9, 3, 4})));
}

TEST_F(RankmapStepThree, RegularPartOfAnMlutInOneGroupIsRegular) {
  const MapPtr parent = make_gpids(instance, {{0, 1}, {5, 9}, {5, 10}, {5, 11}, {0, 2}});
  EXPECT_EQ(shape_of(make_child(parent, {1, 2, 3}).get()), (Shape{AVRM_MODE_OFFSET, 5, 9, 1, 1}));
}

TEST_F(RankmapStepThree, MergedHalvesOfOneGroupAreRegular) {
  const MapPtr low = make_direct(instance, 10);
  const MapPtr high = make_offset(instance, 10, 10);
  EXPECT_EQ(shape_of(make_concat({low.get(), high.get()}).get()), (Shape{AVRM_MODE_DIRECT, 0, 0, 1, 1}));
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).peak_bytes, 16 + 4 * 20U);
}

} // namespace
} // namespace avrankmap::test
