// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicators/survey.h"

#include <cmath>

namespace avrankmap::bench {
namespace {

/// A grid of processes, row after row, as square as it gets with no fewer rows than columns: 1024 x
/// 768 of 786,432.
struct Grid {
  std::int32_t rows;
  std::int32_t columns;
  std::int32_t processes;

  explicit Grid(std::int32_t count) : processes(count) {
    columns = static_cast<std::int32_t>(std::sqrt(static_cast<double>(count)));
    while (count % columns != 0) {
      --columns;
    }
    rows = count / columns;
  }

  /// The row and the column of the first process in row `row`.
  [[nodiscard]] SurveyComm row(std::int32_t row) const { return {SurveyKind::kOffset, {columns, row * columns}}; }
  [[nodiscard]] SurveyComm column() const { return {SurveyKind::kStride, {rows, 0, columns}}; }
};

class Survey {
public:
  explicit Survey(std::int32_t processes) : processes_(processes), grid_(processes), middle_(grid_.rows / 2) {}

  std::vector<SurveyApplication> take() {
    // In a row of the middle, so that rows are an offset and not direct; every row starts on a
    // node of its own.
    const std::int32_t viewer = middle_ * grid_.columns;
    const SurveyComm row = grid_.row(middle_);
    SurveyComm column = grid_.column();
    const std::int32_t half = processes_ / 2;
    const std::int32_t eighth = processes_ / 8;
    const SurveyComm second_half{SurveyKind::kOffset, {half, half}};
    const SurveyComm group{SurveyKind::kOffset, {eighth, viewer / eighth * eighth}};

    add("Nek5000, large", "86 duplicates of the world, one per refinement level", viewer, {dups(86)});
    add("Nek5000, medium", "24 duplicates of the world", viewer, {dups(24)});
    add("QMCPACK", "8 groups of walkers, each a contiguous part; the first of each group together",
        viewer / eighth * eighth, {group, {SurveyKind::kStride, {8, 0, eighth}}});
    add("NWChem",
        "rows and columns of the grid; 4 windows, 16 duplicates each (Casper, 16 cores); the result of one "
        "noncollective creation, first half of a row",
        viewer, {row, column, dups(64), {SurveyKind::kIntercomm, {grid_.columns / 2, row.members.offset}}});
    add("HACC", "Cartesian grids of 3, 2 and 1 dimensions, not reordered", viewer, {topologies(3)});
    add("QBOX", "1 duplicate; rows of the grid", viewer, {dups(1), row});
    add("CAM-SE", "2 duplicates; the second half for one component", viewer, {dups(2), second_half});
    add("NAMD", "1 duplicate; 8 replicas, each a contiguous part", viewer, {dups(1), group});
    add_lsms("LSMS, Figure 1", "walkers of 12 processes after one master, 4 processes per node; walker 0", 12);
    add_lsms("LSMS, 16 walkers", "16 walkers after one master, 4 processes per node; walker 0", (processes_ - 1) / 16);
    const std::int32_t side = static_cast<std::int32_t>(std::sqrt(static_cast<double>(processes_)));
    const SurveyComm square{SurveyKind::kOffset, {side * side, 0}};
    add("SP", "1 duplicate; the largest square number of processes", 0, {dups(1), square});
    add("BT", "1 duplicate; the largest square number of processes; columns of the square", 0,
        {dups(1), square, {SurveyKind::kStride, {side, 0, side}}});
    add("FT", "1 duplicate; rows of the grid", viewer, {dups(1), row});
    add("Graph500", "1 duplicate; rows and columns of the grid", viewer, {dups(1), row, column});
    add("Nekbone", "7 duplicates of the world", viewer, {dups(7)});
    add("SNAP", "1 duplicate; a Cartesian grid of 2 dimensions, not reordered", viewer, {dups(1), topologies(1)});
    add("MCB", "1 duplicate", viewer, {dups(1)});
    add("cian2", "the second half, for the analysis", viewer, {second_half});
    add("MCCK", "rows and columns of the grid", viewer, {row, column});
    add("mocfe_bone", "rows and columns of the grid", viewer, {row, column});
    add("pynamic", "1 duplicate; rows and columns of the grid", viewer, {dups(1), row, column});
    add("MACSio", "1 duplicate", viewer, {dups(1)});
    add("AMG2013", "1 duplicate", viewer, {dups(1)});
    add("CNS", "1 duplicate", viewer, {dups(1)});
    add("SMC", "1 duplicate", viewer, {dups(1)});
    add("AMR", "1 duplicate", viewer, {dups(1)});
    return std::move(applications_);
  }

private:
  [[nodiscard]] SurveyComm dups(int copies) const { return {SurveyKind::kDup, {processes_}, copies}; }
  [[nodiscard]] SurveyComm topologies(int copies) const { return {SurveyKind::kTopology, {processes_}, copies}; }

  void add(const char *name, const char *shape, std::int32_t viewer, std::vector<SurveyComm> comms) {
    applications_.push_back({name, shape, 16, viewer, std::move(comms)});
  }

  /// One master, world rank 0, and walkers of `size` processes after it. The view is that of
  /// process 1: the first of walker 0, and as process 0 is in none, the root of walker 0's part of
  /// node 0. The node roots of walker 0 are the world ranks 1, 4, 8, 12, ...: no pattern.
  void add_lsms(const char *name, const char *shape, std::int32_t size) {
    applications_.push_back({name, shape, 4, 1, {{SurveyKind::kOffset, {size, 1}}}});
  }

  std::int32_t processes_;
  Grid grid_;
  std::int32_t middle_;
  std::vector<SurveyApplication> applications_;
};

} // namespace

std::vector<std::int32_t> Members::list() const {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size));
  for (std::int32_t rank = 0; rank < size; ++rank) {
    ranks[static_cast<std::size_t>(rank)] = at(rank);
  }
  return ranks;
}

std::vector<SurveyApplication> survey(std::int32_t processes) { return Survey(processes).take(); }

std::vector<std::int32_t> node_ranks(const Members &members, std::int32_t processes_per_node, std::int32_t viewer) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 0; rank < members.size; ++rank) {
    if (members.at(rank) / processes_per_node == viewer / processes_per_node) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

std::vector<std::int32_t> node_root_ranks(const Members &members, std::int32_t processes_per_node) {
  // World ranks ascend with ranks, so a node's processes follow one another.
  std::vector<std::int32_t> ranks;
  std::int32_t last_node = -1;
  for (std::int32_t rank = 0; rank < members.size; ++rank) {
    const std::int32_t node = members.at(rank) / processes_per_node;
    if (node != last_node) {
      ranks.push_back(rank);
      last_node = node;
    }
  }
  return ranks;
}

} // namespace avrankmap::bench
