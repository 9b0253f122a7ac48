// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/lennard_jones.h"

#include "support/require.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr double kDensity = 0.8442;
constexpr double kTemperature = 1.44;
constexpr double kReach = LennardJones::kCutoff + LennardJones::kSkin;
constexpr std::size_t kDoublesPerAtom = 7; // of one that moves

double square_of_distance(const Vector &a, const Vector &b) {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    sum += (a[d] - b[d]) * (a[d] - b[d]);
  }
  return sum;
}

/// Atoms of the crystal, in the order of their ids.
std::vector<Atom> crystal(const Box &cells, double side) {
  constexpr double kInCell[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  std::vector<Atom> atoms;
  for (std::int32_t z = 0; z < cells[2]; ++z) {
    for (std::int32_t y = 0; y < cells[1]; ++y) {
      for (std::int32_t x = 0; x < cells[0]; ++x) {
        for (const auto &at : kInCell) {
          const Vector position{side * (x + at[0] + 0.25), side * (y + at[1] + 0.25), side * (z + at[2] + 0.25)};
          atoms.push_back({static_cast<std::int64_t>(atoms.size()), position, {}, {}});
        }
      }
    }
  }
  std::mt19937 random(87287); // the same in all processes
  Vector mean{};
  for (Atom &atom : atoms) {
    for (std::size_t d = 0; d < 3; ++d) {
      atom.velocity[d] = static_cast<double>(random()) / 4294967296.0 - 0.5;
      mean[d] += atom.velocity[d] / static_cast<double>(atoms.size());
    }
  }
  double squares = 0;
  for (Atom &atom : atoms) {
    for (std::size_t d = 0; d < 3; ++d) {
      atom.velocity[d] -= mean[d];
      squares += atom.velocity[d] * atom.velocity[d];
    }
  }
  const double factor = std::sqrt(3 * kTemperature * static_cast<double>(atoms.size()) / squares);
  for (Atom &atom : atoms) {
    for (double &component : atom.velocity) {
      component *= factor;
    }
  }
  return atoms;
}

/// Room for the positions of twice as many atoms near a face as there are on average.
std::size_t longest_message(const Box &cells, const Grid &grid) {
  double volume = kReach;
  double thinnest = 1e300;
  for (std::size_t d = 0; d < 3; ++d) {
    const double wide = std::cbrt(4 / kDensity) * cells[d] / grid.sides()[d] + 2 * kReach;
    volume *= wide;
    thinnest = std::min(thinnest, wide);
  }
  return static_cast<std::size_t>(2 * 3 * kDensity * volume / thinnest) + 100;
}

std::int64_t count_of(const Box &cells) { return std::int64_t{4} * cells[0] * cells[1] * cells[2]; }

} // namespace

LennardJones::LennardJones(Process &process, const Box &cells)
    : grid_(divide(cells, process.size()), process.rank(), true), all_(count_of(cells)),
      mailbox_(process, Halo::kSlots + Sum::kSlots, longest_message(cells, grid_)), halo_(mailbox_, grid_),
      sum_(mailbox_, Halo::kSlots) {
  create_atoms(cells);
  move_atoms();
  find_borders();
  list_neighbours();
  compute_forces();
}

void LennardJones::create_atoms(const Box &cells) {
  const double side = std::cbrt(4 / kDensity);
  for (std::size_t d = 0; d < 3; ++d) {
    const double part = side * cells[d] / grid_.sides()[d];
    box_[d] = side * cells[d];
    low_[d] = part * grid_.place()[d];
    high_[d] = part * (grid_.place()[d] + 1);
    if (part < kReach || box_[d] < 2 * kReach) {
      throw std::invalid_argument("too few atoms for so many processes");
    }
  }
  for (const Atom &atom : crystal(cells, side)) {
    const auto is_inside = [&](std::size_t d) { return atom.position[d] >= low_[d] && atom.position[d] < high_[d]; };
    if (is_inside(0) && is_inside(1) && is_inside(2)) {
      atoms_.push_back(atom);
    }
  }
}

/// To the process in whose box they are now: not further than to the next one per dimension.
void LennardJones::move_atoms() {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto pack = [&](int side, std::span<double> room) {
      std::size_t count = 0;
      const auto leaves = [&](const Atom &atom) {
        return side == 0 ? atom.position[d] < low_[d] : atom.position[d] >= high_[d];
      };
      for (const Atom &atom : atoms_) {
        if (leaves(atom)) {
          require(count + kDoublesPerAtom <= room.size(), "too many atoms leave a box");
          room[count++] = static_cast<double>(atom.id);
          for (std::size_t k = 0; k < 3; ++k) {
            room[count++] = atom.position[k];
            room[count++] = atom.velocity[k];
          }
        }
      }
      atoms_.erase(std::remove_if(atoms_.begin(), atoms_.end(), leaves), atoms_.end());
      return count;
    };
    const auto unpack = [&](int, std::span<const double> message) {
      for (std::size_t i = 0; i < message.size(); i += kDoublesPerAtom) {
        Atom atom{static_cast<std::int64_t>(message[i]), {}, {}, {}};
        for (std::size_t k = 0; k < 3; ++k) {
          atom.position[k] = message[i + 1 + 2 * k];
          atom.velocity[k] = message[i + 2 + 2 * k];
        }
        atom.position[d] -= box_[d] * std::floor(atom.position[d] / box_[d]);
        atoms_.push_back(atom);
      }
    };
    halo_.swap(static_cast<int>(d), pack, unpack);
  }
}

/// Tells both neighbours in a dimension where the atoms near the face are. make_room(side, count)
/// comes before the positions that a neighbour tells.
template <class MakeRoom> void LennardJones::tell_borders(std::size_t d, MakeRoom make_room) {
  const auto pack = [&](int side, std::span<double> room) {
    // In the neighbour's coordinates, beyond the end of a periodic dimension.
    const bool at_end = side == 0 ? grid_.place()[d] == 0 : grid_.place()[d] == grid_.sides()[d] - 1;
    const double shift = !at_end ? 0 : side == 0 ? box_[d] : -box_[d];
    require(3 * borders_[d][side].size() <= room.size(), "too many atoms near a face");
    std::size_t count = 0;
    for (const std::size_t i : borders_[d][side]) {
      for (std::size_t k = 0; k < 3; ++k) {
        room[count++] = positions_[i][k] + (k == d ? shift : 0);
      }
    }
    return count;
  };
  const auto unpack = [&](int side, std::span<const double> message) {
    make_room(side, message.size() / 3);
    Vector *to = positions_.data() + first_[d][static_cast<std::size_t>(side)];
    for (std::size_t i = 0; i < message.size(); i += 3, ++to) {
      *to = {message[i], message[i + 1], message[i + 2]};
    }
  };
  halo_.swap(static_cast<int>(d), pack, unpack);
}

/// Chooses the atoms that each neighbour is told of, and tells it.
void LennardJones::find_borders() {
  positions_.clear();
  for (const Atom &atom : atoms_) {
    positions_.push_back(atom.position);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    for (int side = 0; side < 2; ++side) {
      std::vector<std::size_t> &border = borders_[d][side];
      border.clear();
      for (std::size_t i = 0; i < positions_.size(); ++i) {
        if (side == 0 ? positions_[i][d] < low_[d] + kReach : positions_[i][d] >= high_[d] - kReach) {
          border.push_back(i);
        }
      }
    }
    const std::size_t before = positions_.size();
    first_[d] = {before, before};
    tell_borders(d, [&](int side, std::size_t count) {
      first_[d][static_cast<std::size_t>(side)] = positions_.size();
      positions_.resize(positions_.size() + count);
    });
  }
}

void LennardJones::update_borders() {
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    positions_[i] = atoms_[i].position;
  }
  for (std::size_t d = 0; d < 3; ++d) {
    tell_borders(d, [](int, std::size_t) {});
  }
}

/// Of own atoms, by cells that are as wide as the reach.
void LennardJones::list_neighbours() {
  std::array<std::size_t, 3> cells{};
  for (std::size_t d = 0; d < 3; ++d) {
    cells[d] = static_cast<std::size_t>((high_[d] - low_[d]) / kReach) + 2;
  }
  const auto cell_of = [&](const Vector &position) {
    std::array<std::size_t, 3> cell{};
    for (std::size_t d = 0; d < 3; ++d) {
      const double width = (high_[d] - low_[d]) / static_cast<double>(cells[d] - 2);
      const double place = std::floor((position[d] - low_[d]) / width) + 1;
      cell[d] = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(cells[d] - 1)));
    }
    return cell;
  };
  const auto number_of = [&](const std::array<std::size_t, 3> &cell) {
    return cell[0] + cells[0] * (cell[1] + cells[1] * cell[2]);
  };
  std::vector<std::vector<std::uint32_t>> members(cells[0] * cells[1] * cells[2]);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    members[number_of(cell_of(positions_[i]))].push_back(static_cast<std::uint32_t>(i));
  }
  neighbours_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const std::array<std::size_t, 3> own = cell_of(positions_[i]);
    for (std::size_t at = 0; at < 27; ++at) {
      const std::array<std::size_t, 3> cell{own[0] + at % 3 - 1, own[1] + at / 3 % 3 - 1, own[2] + at / 9 - 1};
      if (cell[0] >= cells[0] || cell[1] >= cells[1] || cell[2] >= cells[2]) { // below 0 wraps
        continue;
      }
      for (const std::uint32_t other : members[number_of(cell)]) {
        if (other != i && square_of_distance(positions_[i], positions_[other]) < kReach * kReach) {
          neighbours_.push_back(other);
        }
      }
    }
    ends_.push_back(neighbours_.size());
  }
}

void LennardJones::compute_forces() {
  static const double at_cutoff = 4 * (std::pow(kCutoff, -12) - std::pow(kCutoff, -6));
  potential_ = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    Vector force{};
    for (; next < ends_[i]; ++next) {
      const Vector &other = positions_[neighbours_[next]];
      const double square = square_of_distance(positions_[i], other);
      if (square >= kCutoff * kCutoff) {
        continue;
      }
      const double inverse = 1 / square;
      const double sixth = inverse * inverse * inverse;
      const double strength = 24 * inverse * sixth * (2 * sixth - 1);
      for (std::size_t d = 0; d < 3; ++d) {
        force[d] += strength * (positions_[i][d] - other[d]);
      }
      potential_ += (4 * sixth * (sixth - 1) - at_cutoff) / 2; // the other half is the other atom's
    }
    atoms_[i].force = force;
  }
}

void LennardJones::step() {
  const auto accelerate = [&] {
    for (Atom &atom : atoms_) {
      for (std::size_t d = 0; d < 3; ++d) {
        atom.velocity[d] += kStep / 2 * atom.force[d];
      }
    }
  };
  accelerate();
  for (Atom &atom : atoms_) {
    for (std::size_t d = 0; d < 3; ++d) {
      atom.position[d] += kStep * atom.velocity[d];
    }
  }
  if (++steps_ % kStepsPerList == 0) {
    move_atoms();
    find_borders();
    list_neighbours();
  } else {
    update_borders();
  }
  compute_forces();
  accelerate();
}

void LennardJones::run(std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) {
    step();
  }
}

double LennardJones::energy() {
  double own = potential_;
  for (const Atom &atom : atoms_) {
    for (const double component : atom.velocity) {
      own += component * component / 2;
    }
  }
  return sum_(own);
}

} // namespace avrankmap::bench
