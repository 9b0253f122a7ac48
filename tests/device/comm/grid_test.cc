// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grids, and the ranks that reordering gives.
#include <bit>
#include <optional>
#include <string>

#include "bench/synthetic/simulator.h"
#include "comm_algorithms/create/reorder.h"
#include "tests/device/comm/comm_job.h"

namespace avrankmap::test {
namespace {

class CommGrids : public CommJob {};
INSTANTIATE_TEST_SUITE_P(Over, CommGrids, testing::ValuesIn(transports_of(Suites::kAll, has_shared_memory)), kByName);

TEST_P(CommGrids, GridsHaveCoordinatesAndParts) {
  in(8, [](Process &process) {
    const std::int32_t dims[] = {2, 1, 3};
    const std::int32_t periods[] = {0, 1, 1};
    avrm_comm_t *grid = nullptr;
    AVRM_MUST(avrm_cart_create(process.world, 3, dims, periods, false, &grid) == AVRM_OK);
    check(process, grid, {0, 1, 2, 3, 4, 5});
    if (grid == nullptr) {
      return;
    }
    AVRM_MUST(avrm_cart_dimensions(grid) == 3);
    std::int32_t coords[3];
    std::int32_t rank = -1;
    AVRM_MUST(avrm_cart_coords(grid, process.rank, coords) == AVRM_OK);
    AVRM_MUST(coords[0] == process.rank / 3 && coords[1] == 0 && coords[2] == process.rank % 3);
    coords[2] -= 3; // wraps around
    AVRM_MUST(avrm_cart_rank(grid, coords, &rank) == AVRM_OK && rank == process.rank);
    coords[0] = 2; // does not
    AVRM_MUST(avrm_cart_rank(grid, coords, &rank) == AVRM_ERR_RANGE);
    const std::int32_t columns[] = {1, 0, 0};
    avrm_comm_t *column = nullptr;
    AVRM_MUST(avrm_cart_sub(grid, columns, &column) == AVRM_OK);
    check(process, column, {process.rank % 3, process.rank % 3 + 3});
    AVRM_MUST(avrm_cart_dimensions(column) == 1);
    const std::int32_t rows[] = {0, 1, 1};
    avrm_comm_t *row = nullptr;
    AVRM_MUST(avrm_cart_sub(grid, rows, &row) == AVRM_OK);
    const int first = process.rank / 3 * 3;
    check(process, row, {first, first + 1, first + 2});
    release(row);
    release(column);
    release(grid);
  });
}

TEST_P(CommGrids, AGridMayHaveNoDimensions) {
  in(3, [](Process &process) {
    std::int32_t none = 0;
    AVRM_MUST(avrm_cart_get(process.world, &none, &none) == AVRM_ERR_OPTION);
    for (const bool reorder : {false, true}) {
      avrm_comm_t *point = nullptr;
      AVRM_MUST(avrm_cart_create(process.world, 0, nullptr, nullptr, reorder, &point) == AVRM_OK);
      check(process, point, {0});
      if (point == nullptr) {
        continue;
      }
      std::int32_t rank = -1;
      AVRM_MUST(avrm_cart_dimensions(point) == 0);
      AVRM_MUST(avrm_cart_get(point, nullptr, nullptr) == AVRM_OK);
      AVRM_MUST(avrm_cart_coords(point, 0, nullptr) == AVRM_OK);
      AVRM_MUST(avrm_cart_coords(point, 1, nullptr) == AVRM_ERR_RANK);
      AVRM_MUST(avrm_cart_rank(point, nullptr, &rank) == AVRM_OK && rank == 0);
      AVRM_MUST(avrm_cart_shift(point, 0, 1, &rank, &rank) == AVRM_ERR_RANGE);
      avrm_comm_t *part = nullptr;
      AVRM_MUST(avrm_cart_sub(point, nullptr, &part) == AVRM_OK);
      check(process, part, {0});
      AVRM_MUST(avrm_cart_get(part, nullptr, nullptr) == AVRM_OK);
      release(part);
      release(point);
    }
    // Nor may a part of one.
    const std::int32_t dims[] = {3};
    const std::int32_t periods[] = {0};
    avrm_comm_t *line = nullptr;
    avrm_comm_t *part = nullptr;
    AVRM_MUST(avrm_cart_create(process.world, 1, dims, periods, false, &line) == AVRM_OK);
    AVRM_MUST(avrm_cart_sub(line, periods, &part) == AVRM_OK);
    check(process, part, {process.rank});
    AVRM_MUST(avrm_cart_get(part, nullptr, nullptr) == AVRM_OK && avrm_cart_dimensions(part) == 0);
    release(part);
    release(line);
  });
}

// Against the ranks of coordinates.
TEST_P(CommGrids, ShiftsFindNeighbours) {
  in(6, [](Process &process) {
    const std::int32_t dims[] = {2, 3};
    const std::int32_t periods[] = {0, 1};
    avrm_comm_t *grid = nullptr;
    AVRM_MUST(avrm_cart_create(process.world, 2, dims, periods, false, &grid) == AVRM_OK);
    std::int32_t source = 0;
    std::int32_t dest = 0;
    for (std::int32_t dimension = 0; dimension < 2; ++dimension) {
      for (std::int32_t displacement = -7; displacement <= 7; ++displacement) {
        const auto neighbour = [&](std::int32_t distance) {
          std::int32_t coords[2];
          std::int32_t rank = AVRM_PROC_NULL;
          AVRM_MUST(avrm_cart_coords(grid, process.rank, coords) == AVRM_OK);
          coords[dimension] += distance;
          const avrm_status_t status = avrm_cart_rank(grid, coords, &rank);
          AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_RANGE);
          return rank;
        };
        AVRM_MUST(avrm_cart_shift(grid, dimension, displacement, &source, &dest) == AVRM_OK);
        AVRM_MUST(source == neighbour(-displacement) && dest == neighbour(displacement));
      }
    }
    for (const std::int32_t extreme : {INT32_MIN, INT32_MAX}) {
      AVRM_MUST(avrm_cart_shift(grid, 0, extreme, &source, &dest) == AVRM_OK);
      AVRM_MUST(source == AVRM_PROC_NULL && dest == AVRM_PROC_NULL);
      AVRM_MUST(avrm_cart_shift(grid, 1, extreme, &source, &dest) == AVRM_OK);
      AVRM_MUST(source / 3 == process.rank / 3 && dest / 3 == process.rank / 3);
    }
    AVRM_MUST(avrm_cart_shift(grid, 2, 1, &source, &dest) == AVRM_ERR_RANGE);
    AVRM_MUST(avrm_cart_shift(grid, -1, 1, &source, &dest) == AVRM_ERR_RANGE);
    AVRM_MUST(avrm_cart_shift(process.world, 0, 1, &source, &dest) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_cart_shift(grid, 0, 1, nullptr, &dest) == AVRM_ERR_NULL);
    release(grid);
  });
}

// With two processes per node, each node gets a column.
TEST_P(CommGrids, ReorderedRanksShareNodesWithTheirNeighbours) {
  in(6, [](Process &process) {
    const std::int32_t dims[] = {2, 3};
    const std::int32_t periods[] = {0, 0};
    const bool has_nodes = avrm_boot_local_size(process.boot) != process.size;
    const Members places = has_nodes ? Members{0, 2, 4, 1, 3, 5} : everyone(process);
    avrm_comm_t *grid = nullptr;
    AVRM_MUST(avrm_cart_create(process.world, 2, dims, periods, true, &grid) == AVRM_OK);
    check(process, grid, places);
    AVRM_MUST(avrm_comm_map(grid)->mode == (has_nodes ? AVRM_MODE_LUT : AVRM_MODE_DIRECT));
    std::int32_t coords[2] = {};
    AVRM_MUST(avrm_cart_coords(grid, avrm_comm_rank(grid), coords) == AVRM_OK);
    AVRM_MUST(places[static_cast<std::size_t>(coords[0] * 3 + coords[1])] == process.rank);
    const std::int32_t remain[] = {1, 0};
    avrm_comm_t *column = nullptr;
    AVRM_MUST(avrm_cart_sub(grid, remain, &column) == AVRM_OK);
    check(process, column,
          {places[static_cast<std::size_t>(coords[1])], places[static_cast<std::size_t>(coords[1] + 3)]});
    release(column);
    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(grid, &dup) == AVRM_OK);
    check(process, dup, places);
    release(dup);
    release(grid);
  });
}

// With nodes of unequal sizes processes keep their ranks, and those beyond the grid get none.
TEST_P(CommGrids, NodesOfUnequalSizesAreLeftAsTheyAre) {
  in(5, [](Process &process) {
    const std::int32_t dims[] = {3, 1};
    const std::int32_t periods[] = {1, 1};
    avrm_comm_t *grid = nullptr;
    AVRM_MUST(avrm_cart_create(process.world, 2, dims, periods, true, &grid) == AVRM_OK);
    check(process, grid, {0, 1, 2});
    release(grid);
  });
}

TEST_P(CommGrids, MembersWhoMeanDifferentGridsAreToldSo) {
  in(4, [](Process &process) {
    const std::int32_t dims[] = {process.rank == 2 ? 4 : 2, process.rank == 2 ? 1 : 2};
    const std::int32_t periods[] = {0, 0};
    avrm_comm_t *grid = nullptr;
    AVRM_MUST(avrm_cart_create(process.world, 2, dims, periods, true, &grid) == AVRM_ERR_MISMATCH);
    AVRM_MUST(grid == nullptr);
  });
}

using detail::Grid;
using detail::NodeLayout;
using detail::Reordering;

// All grids of up to three dimensions of 1 to 6, with all periods.
template <typename Visit> void for_each_grid(Visit visit) {
  for (std::int32_t code = 0; code < 6 * 6 * 6 * 8; ++code) {
    Grid grid;
    grid.dimensions = 3;
    std::int32_t rest = code;
    for (int k = 0; k < 3; ++k) {
      grid.dims[k] = 1 + rest % 6;
      rest /= 6;
    }
    for (int k = 0; k < 3; ++k) {
      grid.periods[k] = (rest >> k & 1) != 0;
    }
    visit(grid);
  }
}

// Calls visit(layout) for every size of nodes that fills a grid.
template <typename Visit> void for_each_layout(const Grid &grid, Visit visit) {
  const std::int32_t places = places_of(grid);
  for (std::int32_t per_node = 1; per_node <= places; ++per_node) {
    if (places % per_node == 0) {
      visit(NodeLayout{NodeLayout::kBlocks, per_node});
      visit(NodeLayout{NodeLayout::kRounds, per_node});
    }
  }
}

std::int32_t node_of(const NodeLayout &layout, std::int32_t places, std::int32_t parent_rank) {
  return layout.kind == NodeLayout::kBlocks ? parent_rank / layout.per_node : parent_rank % (places / layout.per_node);
}

// The oracle: visits every pair of neighbours. parent_of(rank) is the parent's rank.
template <typename ParentOf> std::uint64_t count_links(const Grid &grid, const NodeLayout &layout, ParentOf parent_of) {
  const std::int32_t places = places_of(grid);
  std::uint64_t links = 0;
  for (std::int32_t rank = 0; rank < places; ++rank) {
    std::int32_t stride = 1;
    for (std::int32_t k = grid.dimensions - 1; k >= 0; stride *= grid.dims[k], --k) {
      const std::int32_t coordinate = rank / stride % grid.dims[k];
      const bool last = coordinate == grid.dims[k] - 1;
      if (last && !grid.periods[k]) {
        continue;
      }
      const std::int32_t next = last ? rank - coordinate * stride : rank + stride;
      links += node_of(layout, places, parent_of(rank)) != node_of(layout, places, parent_of(next)) ? 1 : 0;
    }
  }
  return links;
}

TEST(Reorder, LinksBetweenNodesAreThoseThatCountingFinds) {
  for_each_grid([](const Grid &grid) {
    for_each_layout(grid, [&](const NodeLayout &layout) {
      ASSERT_EQ(links_between_nodes(grid, layout), count_links(grid, layout, [](std::int32_t rank) { return rank; }))
          << grid.dims[0] << " x " << grid.dims[1] << " x " << grid.dims[2] << ", nodes of " << layout.per_node;
    });
  });
}

TEST(Reorder, AnOrderIsAPermutationThatTakesFewerLinksThanRowMajor) {
  int found = 0;
  for_each_grid([&](const Grid &grid) {
    for_each_layout(grid, [&](const NodeLayout &layout) {
      const std::optional<Reordering> order = Reordering::find(grid, layout);
      if (!order) {
        return;
      }
      ++found;
      const auto parent_of = [&](std::int32_t rank) { return static_cast<std::int32_t>(order->ranks().at(rank)); };
      for (std::int32_t rank = 0; rank < places_of(grid); ++rank) {
        ASSERT_EQ(order->rank_of(parent_of(rank)), rank);
      }
      const std::uint64_t links = count_links(grid, layout, parent_of);
      ASSERT_EQ(links, links_between_tiles(grid, order->tile()));
      ASSERT_LT(links, links_between_nodes(grid, layout));
    });
  });
  EXPECT_GT(found, 1000);
}

TEST(Reorder, NothingIsGainedOnOneNodeOrWithOneProcessEach) {
  const Grid grid{2, {4, 4}, {false, false}};
  EXPECT_FALSE(Reordering::find(grid, {NodeLayout::kBlocks, 16}));
  EXPECT_FALSE(Reordering::find(grid, {NodeLayout::kBlocks, 1}));
  EXPECT_FALSE(Reordering::find(grid, {NodeLayout::kUnknown, 4}));
  EXPECT_FALSE(Reordering::find(grid, {NodeLayout::kBlocks, 3}));
}

// Two of the node's processes in each of five dimensions would be the best tile, and ten digits.
TEST(Reorder, WhatDoesNotFitIntoACartIsNotTaken) {
  const Grid grid{8, {4, 4, 4, 4, 4, 4, 4, 4}, {}};
  const std::optional<Reordering> order = Reordering::find(grid, {NodeLayout::kBlocks, 32});
  ASSERT_TRUE(order);
  EXPECT_LE(order->ranks().dimensions, detail::kMostDimensions);
  const std::int32_t best[] = {2, 2, 2, 2, 2, 1, 1, 1};
  EXPECT_EQ(links_between_tiles(grid, best), 14u * 16384);
  EXPECT_EQ(links_between_tiles(grid, order->tile()), 15u * 16384);
}

TEST(Reorder, TheGreatestGridIsCountedWithoutOverflow) {
  const Grid grid{2, {1 << 15, 1 << 15}, {true, true}};
  const std::optional<Reordering> order = Reordering::find(grid, {NodeLayout::kBlocks, 64});
  ASSERT_TRUE(order);
  EXPECT_EQ(order->tile()[0], 8);
  EXPECT_EQ(links_between_tiles(grid, order->tile()), std::uint64_t{1} << 28);
  EXPECT_EQ(links_between_nodes(grid, {NodeLayout::kBlocks, 64}), (std::uint64_t{1} << 30) + (std::uint64_t{1} << 24));
}

// Creates a grid in a simulated job with the given layout of processes on nodes. Every process must
// be at its coordinates, on maps that all agree on. Returns the map's mode.
avrm_mode_t check_simulated(const Grid &grid, const NodeLayout &layout, std::int32_t processes, int slack) {
  bench::Simulator job(processes);
  const detail::Parent parent{job.world(), nullptr, 0};
  const std::int32_t places = places_of(grid);
  const auto make = [&](bool reorder) {
    const std::vector<avrm_status_t> statuses = job.run([&](bench::SimProcess &process) {
      const std::int32_t node = process.rank() < places ? node_of(layout, places, process.rank()) : 99;
      return make_cart(process, process, parent, grid, reorder, node, AVRM_OK, &process.made);
    });
    for (const avrm_status_t status : statuses) {
      EXPECT_EQ(status, AVRM_OK);
    }
  };
  make(false);
  const std::uint64_t steps = job.cost().steps;
  job.forget();
  make(true);
  const auto doublings = static_cast<std::uint64_t>(std::countr_zero(std::bit_ceil(static_cast<unsigned>(processes))));
  // A broadcast, two reductions, two messages.
  EXPECT_LE(job.cost().steps, steps + 3 * (doublings + 1) + 2);
  const std::optional<Reordering> order = Reordering::find(grid, layout);
  for (std::int32_t rank = 0; rank < processes; ++rank) {
    const detail::CreationResult &made = job.process(rank).made;
    EXPECT_EQ(made.map != nullptr, rank < places);
    if (rank >= places) {
      continue;
    }
    EXPECT_EQ(made.rank, order ? order->rank_of(rank) : rank);
    EXPECT_EQ(avrm_rankmap_gpid(made.map.get(), made.rank).lpid, rank);
    const char *reason = nullptr;
    EXPECT_TRUE(avrm_rankmap_validate(made.map.get(), &reason)) << reason;
    for (std::int32_t place = 0; place < places && order; place += 1 + slack) {
      EXPECT_EQ(avrm_rankmap_gpid(made.map.get(), place).lpid, order->ranks().at(place));
    }
  }
  const auto mode = static_cast<avrm_mode_t>(job.process(0).made.map->mode);
  avrm_rankmap_info_t info{};
  EXPECT_EQ(avrm_rankmap_describe(job.process(0).made.map.get(), &info), AVRM_OK);
  EXPECT_LE(info.own_bytes + info.table_bytes, 56u + 7 * 16);
  job.forget();
  return mode;
}

TEST(Reorder, TilesOfKnownLayoutsAreCarts) {
  const Grid square{2, {8, 8}, {false, false}};
  EXPECT_EQ(check_simulated(square, {NodeLayout::kBlocks, 16}, 64, 0), AVRM_MODE_CART);
  EXPECT_EQ(check_simulated(square, {NodeLayout::kRounds, 16}, 64, 0), AVRM_MODE_CART);
  // Some processes are left over.
  EXPECT_EQ(check_simulated(square, {NodeLayout::kBlocks, 16}, 71, 0), AVRM_MODE_CART);
  const Grid torus{3, {8, 8, 8}, {true, true, true}};
  EXPECT_EQ(check_simulated(torus, {NodeLayout::kBlocks, 8}, 512, 30), AVRM_MODE_CART);
  EXPECT_EQ(links_between_nodes(square, {NodeLayout::kBlocks, 16}), 24u);
  EXPECT_EQ(links_between_tiles(square, Reordering::find(square, {NodeLayout::kBlocks, 16})->tile()), 16u);
  const Grid small{2, {4, 4}, {false, false}};
  EXPECT_EQ(links_between_nodes(small, {NodeLayout::kBlocks, 4}), 12u);
  EXPECT_EQ(links_between_tiles(small, Reordering::find(small, {NodeLayout::kBlocks, 4})->tile()), 8u);
}

TEST(Reorder, LayoutsThatAreNoneKeepRowMajorOrder) {
  const Grid square{2, {4, 4}, {false, false}};
  for (const auto &node_of_rank :
       {+[](std::int32_t rank) { return rank < 5 ? 0 : rank / 4; }, +[](std::int32_t rank) { return rank * rank % 7; },
        +[](std::int32_t rank) { return rank == 15 ? 0 : rank % 4; }, +[](std::int32_t) { return 3; },
        +[](std::int32_t rank) { return rank; }}) {
    bench::Simulator job(16);
    const detail::Parent parent{job.world(), nullptr, 0};
    const std::vector<avrm_status_t> statuses = job.run([&](bench::SimProcess &process) {
      return make_cart(process, process, parent, square, true, node_of_rank(process.rank()), AVRM_OK, &process.made);
    });
    for (std::int32_t rank = 0; rank < 16; ++rank) {
      EXPECT_EQ(statuses[static_cast<std::size_t>(rank)], AVRM_OK);
      EXPECT_EQ(job.process(rank).made.rank, rank);
      EXPECT_EQ(job.process(rank).made.map->mode, AVRM_MODE_DIRECT);
    }
    job.forget();
  }
}

} // namespace
} // namespace avrankmap::test
