// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of Open MPI in tables of experiments, and words of titles and cells.
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiments/catalogue.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::bench {
namespace {

Result run_tiny(const std::string &id) {
  Context context(Effort::kTiny, "", [](const std::string &) {});
  return find_experiment(id)->run(context);
}

class GrowthFigure : public testing::TestWithParam<const char *> {};

TEST_P(GrowthFigure, HasOpenMpiAsShippedAndWithSparseGroups) {
  const Table table = run_tiny(GetParam()).table;
  const auto shipped = number_here(table, kOpenMpiAsShipped, "100 communicators, MiB");
  const auto sparse = number_here(table, kOpenMpiSparse, "100 communicators, MiB");
  ASSERT_TRUE(shipped);
  ASSERT_TRUE(sparse);
  EXPECT_GT(*sparse, 0);
  EXPECT_LE(*sparse, *shipped);
}
TEST_P(GrowthFigure, CountsTheObjectsOfConnectedProcessesAsAddressesOfOpenMpi) {
  const Table table = run_tiny(GetParam()).table;
  const bool connects = std::string_view(GetParam()) == "000/figure14";
  for (const char *const row : {kOpenMpiAsShipped, kOpenMpiSparse}) {
    EXPECT_EQ(number_here(table, row, "addresses, MiB").value() > 0, connects) << row;
  }
}
INSTANTIATE_TEST_SUITE_P(Of, GrowthFigure,
                         testing::Values("000/figure9", "000/figure10", "000/figure11", "000/figure12", "000/figure13",
                                         "000/figure14"),
                         [](const auto &info) { return std::string(info.param).substr(4); });

TEST(Rivals, InstructionsOfOpenMpiAsShippedAreTheSameForEachModel) {
  const Result result = run_tiny("000/table3");
  if (result.table.rows.empty()) {
    GTEST_SKIP() << "this machine does not let us count";
  }
  const std::vector<double> shipped = numbers_of_row(result.table, kOpenMpiAsShipped);
  ASSERT_EQ(shipped.size(), result.table.columns.size());
  EXPECT_EQ(shipped, std::vector<double>(shipped.size(), shipped.front()));
  EXPECT_LT(shipped.front(), *number_here(result.table, "Open MPI, sparse", "lut"));
}

TEST(Rivals, LossesOfSparseGroupsAreInThePapersWords) {
  const Result result = run_tiny("000/figure19");
  const Cell *const cell = find_cell(result.table, kOpenMpiSparse, "1");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->paper, Value("loses around 10 %"));
}

TEST(Rivals, TitlesOfTheDevicesExperimentsTellTheAddressVector) {
  for (const Experiment &experiment : catalogue()) {
    if (experiment.id.starts_with("003/") && experiment.run != nullptr) {
      EXPECT_TRUE(experiment.title.ends_with(" (table AV)")) << experiment.id;
    }
  }
}

} // namespace
} // namespace avrankmap::bench
