// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/patterns/multigrid.h"

#include "papers/patterns/owned_comm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

using Values = std::vector<double>;
using Place = std::array<std::int32_t, 3>;

constexpr std::int32_t kTag = 1;
constexpr double kDamping = 0.8;
constexpr int kCoarsestSweeps = 8;
constexpr int kMostIterations = 200;
constexpr double kResidual = 1e-10;
constexpr double kError = 1e-6;

/// Ranks count x fastest, the world z.
class Grid {
public:
  explicit Grid(const Place &extents) : extents_(extents) {}
  [[nodiscard]] std::int32_t size() const { return extents_[0] * extents_[1] * extents_[2]; }
  [[nodiscard]] std::int32_t rank(const Place &at) const { return at[0] + extents_[0] * (at[1] + extents_[1] * at[2]); }
  [[nodiscard]] std::int32_t world_rank(const Place &at) const {
    return at[2] + extents_[2] * (at[1] + extents_[1] * at[0]);
  }
  [[nodiscard]] Place place(std::int32_t rank) const {
    return {rank % extents_[0], rank / extents_[0] % extents_[1], rank / extents_[0] / extents_[1]};
  }
  [[nodiscard]] Place place_in_world(std::int32_t world_rank) const {
    return {world_rank / extents_[2] / extents_[1], world_rank / extents_[2] % extents_[1], world_rank % extents_[2]};
  }
  [[nodiscard]] bool has(const Place &at) const {
    return std::equal(at.begin(), at.end(), extents_.begin(),
                      [](std::int32_t i, std::int32_t extent) { return i >= 0 && i < extent; });
  }
  [[nodiscard]] std::vector<std::int32_t> world_ranks() const {
    std::vector<std::int32_t> ranks;
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      ranks.push_back(world_rank(place(rank)));
    }
    return ranks;
  }
  [[nodiscard]] Extents rectangle() const { return {extents_[2], extents_[1], extents_[0]}; }
  [[nodiscard]] const Place &extents() const { return extents_; }

private:
  Place extents_;
};

/// function(x, y, z) for all of first .. last.
template <class Function> void for_each(const Place &first, const Place &last, Function function) {
  for (std::int32_t z = first[2]; z <= last[2]; ++z) {
    for (std::int32_t y = first[1]; y <= last[1]; ++y) {
      for (std::int32_t x = first[0]; x <= last[0]; ++x) {
        function(x, y, z);
      }
    }
  }
}
template <class Function> void for_each_direction(Function function) {
  for_each({-1, -1, -1}, {1, 1, 1}, [&](std::int32_t x, std::int32_t y, std::int32_t z) {
    if (x != 0 || y != 0 || z != 0) {
      function(Place{x, y, z});
    }
  });
}

struct Neighbour {
  std::int32_t rank;
  std::vector<std::size_t> sent;     ///< places of own points
  std::vector<std::size_t> received; ///< places of the neighbour's
  Values out;
  Values in;
};

/// The share of one process in a level: `points` in each dimension, with a margin for those of its
/// neighbours, or none if it has no place among the processes with points.
struct Level {
  std::int32_t stride = 1; ///< from one process with points to the next one
  std::int32_t points = 0;
  bool is_mine = false;
  bool is_coarsest = false;
  double diagonal = 26;
  std::array<double, 3> weights = {1, 1, 1}; ///< of neighbours across a face, an edge, a corner
  std::vector<std::pair<std::ptrdiff_t, double>> stencil;
  std::vector<Neighbour> neighbours;
  /// If a process has one point: whose point of the next level it belongs to, and whose points
  /// belong to its own there.
  std::int32_t parent = -1;
  std::vector<std::int32_t> children;
  Values solution;
  Values right_side;
  Values residual;

  [[nodiscard]] std::size_t at(std::int32_t x, std::int32_t y, std::int32_t z) const {
    const auto row = static_cast<std::size_t>(points + 2);
    return static_cast<std::size_t>(x + 1) +
           row * (static_cast<std::size_t>(y + 1) + row * static_cast<std::size_t>(z + 1));
  }
  [[nodiscard]] std::size_t size() const { return is_mine ? at(points, points, points) + 1 : 0; }
  template <class Function> void each_point(Function function) const {
    if (is_mine) {
      for_each({0, 0, 0}, {points - 1, points - 1, points - 1},
               [&](std::int32_t x, std::int32_t y, std::int32_t z) { function(at(x, y, z)); });
    }
  }
};

/// The operator of the sums of 2 x 2 x 2 points: how many pairs of points lie across.
void coarsen_operator(const Level &fine, Level &coarse) {
  const auto &[face, edge, corner] = fine.weights;
  coarse.weights = {4 * face + 8 * edge + 4 * corner, 2 * edge + 2 * corner, corner};
  const double within = 8 * (3 * face + 3 * edge + corner); // each pair in both directions
  coarse.diagonal = 8 * fine.diagonal - within;
}

void list_neighbours(const Grid &grid, const Place &own, Level &level) {
  const auto row = static_cast<std::ptrdiff_t>(level.points + 2);
  for_each_direction([&](const Place &to) {
    const auto kind = static_cast<std::size_t>(std::abs(to[0]) + std::abs(to[1]) + std::abs(to[2]) - 1);
    level.stencil.emplace_back(to[0] + row * (to[1] + row * to[2]), level.weights[kind]);
    Place other = own;
    Place first{};
    Place last{};
    for (std::size_t k = 0; k < 3; ++k) {
      other[k] += to[k] * level.stride;
      first[k] = to[k] == 1 ? level.points - 1 : 0;
      last[k] = to[k] == -1 ? 0 : level.points - 1;
    }
    if (!grid.has(other)) {
      return; // zero outside
    }
    Neighbour &neighbour = level.neighbours.emplace_back();
    neighbour.rank = grid.rank(other);
    for_each(first, last, [&](std::int32_t x, std::int32_t y, std::int32_t z) {
      neighbour.sent.push_back(level.at(x, y, z));
      neighbour.received.push_back(level.at(x + to[0], y + to[1], z + to[2]));
    });
    neighbour.out.resize(neighbour.sent.size());
    neighbour.in.resize(neighbour.received.size());
  });
}

void list_family(const Grid &grid, const Place &own, Level &level) {
  const std::int32_t stride = 2 * level.stride;
  const auto down = [&](std::int32_t i) { return i - i % stride; };
  const Place parent = {down(own[0]), down(own[1]), down(own[2])};
  level.parent = grid.rank(parent);
  if (parent == own) {
    for_each({0, 0, 0}, {1, 1, 1}, [&](std::int32_t x, std::int32_t y, std::int32_t z) {
      if (x + y + z > 0) {
        level.children.push_back(
            grid.rank({own[0] + x * level.stride, own[1] + y * level.stride, own[2] + z * level.stride}));
      }
    });
  }
}

std::vector<Level> make_levels(const Grid &grid, const Place &own, std::int32_t points) {
  std::vector<Level> levels(1);
  levels[0].points = points;
  for (;;) {
    Level &level = levels.back();
    level.is_mine = std::all_of(own.begin(), own.end(), [&](std::int32_t i) { return i % level.stride == 0; });
    const std::int32_t extent =
        *std::min_element(grid.extents().begin(), grid.extents().end()) / level.stride * level.points;
    level.is_coarsest = extent == 1;
    if (level.is_mine) {
      list_neighbours(grid, own, level);
      if (level.points == 1 && !level.is_coarsest) {
        list_family(grid, own, level);
      }
    }
    for (Values *const values : {&level.solution, &level.right_side, &level.residual}) {
      values->assign(level.size(), 0);
    }
    if (level.is_coarsest) {
      return levels;
    }
    Level next;
    next.points = std::max(level.points / 2, 1);
    next.stride = level.points == 1 ? 2 * level.stride : level.stride;
    coarsen_operator(level, next);
    levels.push_back(std::move(next));
  }
}

class Multigrid final : public Workload {
public:
  Multigrid(avrm_comm_t *world, const MultigridOptions &options, std::shared_ptr<avrm_comm_t> comm, Lookup lookup)
      : comm_(std::move(comm)), grid_(options.grid), iterations_(options.iterations),
        peers_(world, comm_.get(), grid_.rectangle(), grid_.world_ranks(), lookup, kTag),
        levels_(make_levels(grid_, grid_.place_in_world(avrm_comm_rank(world)), options.points)),
        right_side_(levels_[0].size()), solution_(levels_[0].size()), direction_(levels_[0].size()),
        product_(levels_[0].size()) {
    // The right side of a known solution, without a message.
    const Place own = grid_.place_in_world(avrm_comm_rank(world));
    known_ = right_side_;
    for_each({-1, -1, -1}, {options.points, options.points, options.points},
             [&](std::int32_t x, std::int32_t y, std::int32_t z) {
               const Place at = {own[0] * options.points + x, own[1] * options.points + y, own[2] * options.points + z};
               known_[levels_[0].at(x, y, z)] = known_at(at, options);
             });
    levels_[0].each_point([&](std::size_t i) { right_side_[i] = product_at(levels_[0], known_, i); });
  }

  double verify() override {
    const int iterations = solve(kMostIterations, kResidual);
    levels_.front().each_point([&](std::size_t i) {
      if (!(std::abs(solution_[i] - known_[i]) <= kError)) {
        throw std::runtime_error("the multigrid solver's solution is wrong");
      }
    });
    return iterations;
  }
  void run(int /*part*/) override { (void)solve(iterations_, 0); }

private:
  /// The lists at work.
  void exchange(Level &level, Values &values) {
    for (Neighbour &neighbour : level.neighbours) {
      peers_.irecv(neighbour.in.data(), neighbour.in.size() * sizeof(double), neighbour.rank);
    }
    for (Neighbour &neighbour : level.neighbours) {
      std::transform(neighbour.sent.begin(), neighbour.sent.end(), neighbour.out.begin(),
                     [&](std::size_t i) { return values[i]; });
      peers_.isend(neighbour.out.data(), neighbour.out.size() * sizeof(double), neighbour.rank);
    }
    peers_.wait_all();
    for (const Neighbour &neighbour : level.neighbours) {
      for (std::size_t i = 0; i < neighbour.in.size(); ++i) {
        values[neighbour.received[i]] = neighbour.in[i];
      }
    }
  }

  /// Other numbers in each dimension; zero outside.
  static double known_at(const Place &at, const MultigridOptions &options) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (at[k] < 0 || at[k] >= options.grid[k] * options.points) {
        return 0;
      }
    }
    return std::cos(at[0]) + std::sin(2 * at[1]) * at[2] / (options.grid[2] * options.points);
  }

  static double product_at(const Level &level, const Values &values, std::size_t i) {
    double sum = level.diagonal * values[i];
    for (const auto &[offset, weight] : level.stencil) {
      sum -= weight * values[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + offset)];
    }
    return sum;
  }
  void update_residual(Level &level) {
    exchange(level, level.solution);
    level.each_point(
        [&](std::size_t i) { level.residual[i] = level.right_side[i] - product_at(level, level.solution, i); });
  }
  void smooth(Level &level) {
    update_residual(level);
    level.each_point([&](std::size_t i) { level.solution[i] += kDamping * level.residual[i] / level.diagonal; });
  }

  /// Sums of the residual, to the coarser level.
  void restrict_to(Level &fine, Level &coarse) {
    if (fine.points > 1) {
      coarse.each_point([&](std::size_t i) { coarse.right_side[i] = 0; });
      each_pair(fine, coarse, [&](std::size_t from, std::size_t to) { coarse.right_side[to] += fine.residual[from]; });
      return;
    }
    if (!fine.is_mine) {
      return;
    }
    double *const own = &fine.residual[fine.at(0, 0, 0)];
    if (!coarse.is_mine) {
      peers_.isend(own, sizeof *own, fine.parent);
      peers_.wait_all();
      return;
    }
    Values parts(fine.children.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      peers_.irecv(&parts[i], sizeof parts[i], fine.children[i]);
    }
    peers_.wait_all();
    double sum = *own;
    for (const double part : parts) {
      sum += part;
    }
    coarse.right_side[coarse.at(0, 0, 0)] = sum;
  }
  /// The coarser level's solution, to all points that belong to it.
  void prolong_from(Level &coarse, Level &fine) {
    if (fine.points > 1) {
      each_pair(fine, coarse, [&](std::size_t to, std::size_t from) { fine.solution[to] += coarse.solution[from]; });
      return;
    }
    if (!fine.is_mine) {
      return;
    }
    double correction = 0;
    if (coarse.is_mine) {
      correction = coarse.solution[coarse.at(0, 0, 0)];
      for (const std::int32_t child : fine.children) {
        peers_.isend(&correction, sizeof correction, child);
      }
    } else {
      peers_.irecv(&correction, sizeof correction, fine.parent);
    }
    peers_.wait_all();
    fine.solution[fine.at(0, 0, 0)] += correction;
  }
  /// function(place in the finer level, place in the coarser one), both of this process.
  template <class Function> static void each_pair(const Level &fine, const Level &coarse, Function function) {
    if (fine.is_mine) {
      for_each({0, 0, 0}, {fine.points - 1, fine.points - 1, fine.points - 1},
               [&](std::int32_t x, std::int32_t y, std::int32_t z) {
                 function(fine.at(x, y, z), coarse.at(x / 2, y / 2, z / 2));
               });
    }
  }

  void cycle(std::size_t at) {
    Level &level = levels_[at];
    if (level.is_coarsest) {
      level.each_point([&](std::size_t i) { level.solution[i] = level.right_side[i] / level.diagonal; });
      const auto &extents = grid_.extents();
      const bool is_alone = std::all_of(extents.begin(), extents.end(),
                                        [&](std::int32_t extent) { return extent / level.stride * level.points == 1; });
      for (int sweep = 0; !is_alone && sweep < kCoarsestSweeps; ++sweep) {
        smooth(level);
      }
      return;
    }
    level.each_point([&](std::size_t i) { level.solution[i] = kDamping * level.right_side[i] / level.diagonal; });
    update_residual(level);
    restrict_to(level, levels_[at + 1]);
    cycle(at + 1);
    prolong_from(levels_[at + 1], level);
    smooth(level);
  }

  double dot(const Values &a, const Values &b) {
    double own = 0;
    levels_.front().each_point([&](std::size_t i) { own += a[i] * b[i]; });
    return peers_.sum(own);
  }

  /// Conjugate gradients from zero; the residual is the right side of the finest level. Returns the
  /// number of iterations.
  int solve(int most, double wanted) {
    Level &finest = levels_.front();
    std::fill(solution_.begin(), solution_.end(), 0);
    std::fill(direction_.begin(), direction_.end(), 0);
    finest.right_side = right_side_;
    const double first = dot(right_side_, right_side_);
    double before = 1;
    int iteration = 0;
    while (iteration < most && dot(finest.right_side, finest.right_side) > wanted * wanted * first) {
      ++iteration;
      cycle(0);
      const double now = dot(finest.right_side, finest.solution);
      finest.each_point([&](std::size_t i) { direction_[i] = finest.solution[i] + now / before * direction_[i]; });
      before = now;
      exchange(finest, direction_);
      finest.each_point([&](std::size_t i) { product_[i] = product_at(finest, direction_, i); });
      const double step = now / dot(direction_, product_);
      finest.each_point([&](std::size_t i) {
        solution_[i] += step * direction_[i];
        finest.right_side[i] -= step * product_[i];
      });
    }
    return iteration;
  }

  std::shared_ptr<avrm_comm_t> comm_;
  Grid grid_;
  int iterations_;
  Peers peers_;
  std::vector<Level> levels_;
  Values known_;
  Values right_side_;
  Values solution_;
  Values direction_;
  Values product_;
};

bool is_power_of_two(std::int32_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint32_t>(number));
}

} // namespace

std::int64_t MultigridOptions::unknowns() const { return std::int64_t{processes()} * points * points * points; }

double figure_of_merit(const MultigridOptions &options, double seconds) {
  return static_cast<double>(options.unknowns()) * options.iterations / seconds;
}

std::vector<LookupTimes> measure_multigrid(const MultigridOptions &options, const std::vector<Lookup> &lookups) {
  if (!std::all_of(options.grid.begin(), options.grid.end(), is_power_of_two) || !is_power_of_two(options.points)) {
    throw std::runtime_error("multigrid: no such job");
  }
  WorkloadJob job;
  job.processes = options.processes();
  job.rounds = options.rounds;
  return compare_lookups(std::move(job), lookups,
                         [&, shared = std::weak_ptr<avrm_comm_t>()](avrm_comm_t *world, Lookup lookup) mutable {
                           std::shared_ptr<avrm_comm_t> comm = shared.lock();
                           if (comm == nullptr) {
                             const Grid grid(options.grid);
                             comm = split_comm(world, 0, grid.rank(grid.place_in_world(avrm_comm_rank(world))));
                             shared = comm;
                           }
                           return std::make_unique<Multigrid>(world, options, std::move(comm), lookup);
                         });
}

} // namespace avrankmap::bench
