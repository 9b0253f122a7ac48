// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atoms with a Lennard-Jones potential, the system of "Why Is MPI So Slow?", section 4.4: a
// face-centred cubic crystal that melts, as in the benchmark of LAMMPS (reduced units: density
// 0.8442, temperature 1.44, cutoff 2.5, time step 0.005). Each process owns a box of space. It
// exchanges the positions of atoms near its faces with its six neighbours in every step; in every
// tenth one atoms that have left the box move, and lists of neighbours are made anew.
//
// The potential is shifted to be 0 at the cutoff, so that energy is conserved. Each process
// computes the forces on its own atoms, those of a pair on both sides of a face twice.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_LENNARD_JONES_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_LENNARD_JONES_H

#include "papers/applications/exchange.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace avrankmap::bench {

using Vector = std::array<double, 3>;

struct Atom {
  std::int64_t id;
  Vector position;
  Vector velocity;
  Vector force;
};

class LennardJones {
public:
  static constexpr double kCutoff = 2.5;
  static constexpr double kSkin = 0.4; ///< lists hold pairs that are so much further apart
  static constexpr double kStep = 0.005;
  static constexpr int kStepsPerList = 10;

  /// @param cells  of the crystal, with 4 atoms each, which the grid of processes divides evenly.
  ///               Throws std::invalid_argument if a process's box is thinner than cutoff and skin,
  ///               or the whole thinner than twice that.
  LennardJones(Process &process, const Box &cells);
  LennardJones(const LennardJones &) = delete;
  LennardJones &operator=(const LennardJones &) = delete;

  [[nodiscard]] Mailbox &mailbox() { return mailbox_; }
  [[nodiscard]] Sum &sum() { return sum_; }
  [[nodiscard]] std::int64_t atoms_of_all() const { return all_; }
  [[nodiscard]] const Vector &box() const { return box_; } ///< sides of the whole
  /// Of this process; the last force computed is of these positions.
  [[nodiscard]] std::span<const Atom> atoms() const { return atoms_; }
  /// Collective, as the energy: does so many steps.
  void run(std::int64_t steps);
  /// Kinetic and potential energy of all atoms.
  [[nodiscard]] double energy();

private:
  void create_atoms(const Box &cells);
  void move_atoms();
  void find_borders();
  void update_borders();
  template <class MakeRoom> void tell_borders(std::size_t dimension, MakeRoom make_room);
  void list_neighbours();
  void compute_forces();
  void step();

  Grid grid_;
  Vector box_{};
  Vector low_{}; ///< of this process's box
  Vector high_{};
  std::int64_t all_;
  Mailbox mailbox_;
  Halo halo_;
  Sum sum_;
  std::vector<Atom> atoms_;
  std::vector<Vector> positions_;          ///< of own atoms, then of others near the box
  std::vector<std::size_t> borders_[3][2]; ///< places of atoms that the neighbour is told of
  std::array<std::size_t, 2> first_[3]{};  ///< place of the first one it tells of
  std::vector<std::uint32_t> neighbours_;  ///< of one atom after the other
  std::vector<std::size_t> ends_;          ///< of an atom's neighbours
  double potential_ = 0;                   ///< of own atoms
  std::int64_t steps_ = 0;
};

} // namespace avrankmap::bench

#endif
