// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The mini-applications: their numerics, on one process and on several over shared memory, with
// every build of the fast path.
#include "papers/applications/applications.h"
#include "support/require.h"
#include "support/shared_pages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace avrankmap::bench {
namespace {

const Transport &posix() { return transport_named("posix"); }
constexpr Turns kOnce{1, 1e-4};

TEST(ApplicationGrid, DividesABoxIntoParts) {
  EXPECT_EQ(divide({2, 2, 2}, 8), (Box{2, 2, 2}));
  EXPECT_EQ(divide({6, 4, 4}, 3), (Box{3, 1, 1}));
  EXPECT_EQ(divide({2, 8, 2}, 4), (Box{1, 4, 1}));
  EXPECT_THROW((void)divide({2, 2, 2}, 3), std::invalid_argument);
  EXPECT_EQ(box_of_power(7), (Box{8, 4, 4}));
}

TEST(ApplicationGrid, NeighboursEndAtAWallOrGoRound) {
  const Grid walls({2, 1, 1}, 1, false);
  EXPECT_EQ(walls.neighbour(0, 0), 0);
  EXPECT_EQ(walls.neighbour(0, 1), Grid::kNobody);
  const Grid round({2, 1, 1}, 1, true);
  EXPECT_EQ(round.neighbour(0, 1), 0);
  EXPECT_EQ(round.neighbour(1, 1), 1);
}

TEST(SpectralElement, LobattoNodesAreThoseOfTheBooks) {
  const std::vector<double> three = lobatto_nodes(3);
  ASSERT_EQ(three.size(), 4U);
  EXPECT_NEAR(three[1], -std::sqrt(0.2), 1e-14);
  EXPECT_NEAR(three[2], std::sqrt(0.2), 1e-14);
  EXPECT_NEAR(lobatto_nodes(7)[1], -0.871740148509606615, 1e-14);
}

TEST(SpectralElement, GaussPointsIntegratePolynomialsOfTwiceTheirNumber) {
  for (const int points : {5, 7, 9}) {
    const Quadrature quadrature = gauss(points);
    for (int power = 0; power < 2 * points; ++power) {
      double sum = 0;
      for (std::size_t i = 0; i < quadrature.nodes.size(); ++i) {
        sum += quadrature.weights[i] * std::pow(quadrature.nodes[i], power);
      }
      EXPECT_NEAR(sum, power % 2 == 1 ? 0 : 2.0 / (power + 1), 1e-13) << points << " points, power " << power;
    }
  }
}

// What a process of a job works out, which process 0 hands to the test.
template <class T> T of_job(std::int32_t processes, const std::function<T(Process &process)> &work) {
  const SharedPages<T> result;
  run_job(processes, posix(), [&](Process &process) {
    const T value = work(process);
    if (process.rank() == 0) {
      *result.get() = value;
    }
  });
  return *result.get();
}

TEST(ApplicationSum, IsTheSameInAllProcesses) {
  for (const std::int32_t processes : {1, 2, 3, 4, 5}) {
    for (const MessageBuild &build : kMessageBuilds) {
      run_job(processes, posix(), [&](Process &process) {
        Mailbox mailbox(process, Sum::kSlots, 1);
        mailbox.use(build);
        Sum sum(mailbox, 0);
        for (int i = 0; i < 20; ++i) { // some are ahead of others
          require(sum(process.rank() + i) == processes * (processes - 1) / 2 + processes * i, "a sum is wrong");
        }
        mailbox.finish();
      });
    }
  }
}

TEST(ApplicationJob, EndsWhenAProcessFails) {
  try {
    run_job(3, posix(), [](Process &process) {
      require(process.rank() != 1, "broken");
      Mailbox mailbox(process, Sum::kSlots, 1);
      (void)Sum(mailbox, 0)(1); // the others wait for it
    });
    FAIL() << "it ended well";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "an application, process 1: broken");
  }
}

// The integral of x squared over the cube, which the matrix has exactly.
TEST(MassMatrix, IntegratesPolynomials) {
  for (const int order : MassMatrix::kOrders) {
    for (const std::int32_t processes : {1, 2, 3, 6}) {
      const auto integral = of_job<double>(processes, [&](Process &process) {
        const Box elements{3, 2, 2};
        const Grid grid(divide(elements, process.size()), process.rank(), false);
        Mailbox mailbox(process, Halo::kSlots + Sum::kSlots, MassMatrix::longest_message(order, elements, grid));
        Halo halo(mailbox, grid);
        Sum sum(mailbox, Halo::kSlots);
        MassMatrix matrix(order, elements, grid, halo);
        const std::vector<double> x = matrix.sample([](double at, double, double) { return at; });
        std::vector<double> bx;
        matrix.apply(x, bx);
        const double all = sum(matrix.dot(x, bx));
        mailbox.finish();
        return all;
      });
      EXPECT_NEAR(integral, 1.0 / 3, 1e-13) << "order " << order << ", " << processes << " processes";
    }
  }
}

TEST(MassInversion, RecoversAKnownFieldAndDoesNotDependOnTheNumberOfProcesses) {
  std::vector<MassProblem> problems;
  for (const int order : MassMatrix::kOrders) {
    problems.push_back({order, {3, 2, 1}});
  }
  const std::vector<MassRun> one = run_mass_problems(posix(), 1, problems, kOnce, 1e6);
  for (const std::int32_t processes : {1, 2, 3}) {
    const std::vector<MassRun> runs = run_mass_problems(posix(), processes, problems, kOnce, 1e6);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      EXPECT_LT(runs[i].residual, 1e-12);
      EXPECT_LT(runs[i].error, 1e-9);
      EXPECT_NEAR(runs[i].square, one[i].square, 1e-12 * one[i].square) << processes << " processes";
      EXPECT_GT(runs[i].times.seconds[0], 0);
    }
  }
}

TEST(MassInversion, HasTheSameBitsWithEveryBuild) {
  for (const std::int32_t processes : {2, 3}) {
    const auto squares = of_job<std::array<double, kMessageBuildCount>>(processes, [](Process &process) {
      MassInversion inversion(process, {3, {3, 2, 2}});
      std::array<double, kMessageBuildCount> all{};
      for (std::size_t b = 0; b < kMessageBuildCount; ++b) {
        inversion.mailbox().use(kMessageBuilds[b]);
        inversion.restart();
        inversion.iterate(7);
        all[b] = inversion.square();
      }
      inversion.mailbox().finish();
      return all;
    });
    for (const double square : squares) {
      EXPECT_EQ(std::memcmp(&square, squares.data(), sizeof square), 0) << square << " and " << squares[0];
    }
  }
}

TEST(MassInversion, SendsOneFaceAndTwoSumsPerIterationBetweenTwo) {
  const std::vector<MassRun> runs = run_mass_problems(posix(), 2, {{3, {2, 1, 1}}}, {1, 0.01}, 0);
  EXPECT_NEAR(runs[0].times.messages, 3, 0.5); // and those of restarts
  EXPECT_GT(runs[0].times.bytes, 2 * sizeof(double));
}

// The crystal after some steps, in memory that the processes share.
struct Snapshot {
  static constexpr std::size_t kMost = 384;
  Vector positions[kMost];
  Vector forces[kMost];
  int seen[kMost];
};

Vector force_of_all(const Snapshot &all, std::size_t atom, const Vector &box) {
  Vector force{};
  for (std::size_t other = 0; other < Snapshot::kMost; ++other) {
    Vector way{};
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      way[d] = all.positions[atom][d] - all.positions[other][d];
      way[d] -= box[d] * std::round(way[d] / box[d]);
      square += way[d] * way[d];
    }
    if (other != atom && square < LennardJones::kCutoff * LennardJones::kCutoff) {
      for (std::size_t d = 0; d < 3; ++d) {
        force[d] += (48 * std::pow(square, -7) - 24 * std::pow(square, -4)) * way[d];
      }
    }
  }
  return force;
}

TEST(LennardJones, ForcesAreThoseOfASumOverAllPairs) {
  constexpr Box kCells{6, 4, 4};
  for (const std::int32_t processes : {1, 2, 3}) {
    const SharedPages<Snapshot> all;
    const SharedPages<Vector> sides;
    run_job(processes, posix(), [&](Process &process) {
      LennardJones atoms(process, kCells);
      atoms.run(27); // seven steps after lists were made
      for (const Atom &atom : atoms.atoms()) {
        const auto id = static_cast<std::size_t>(atom.id);
        all.get()->positions[id] = atom.position;
        all.get()->forces[id] = atom.force;
        ++all.get()->seen[id];
      }
      *sides.get() = atoms.box();
      atoms.mailbox().finish();
    });
    for (std::size_t atom = 0; atom < Snapshot::kMost; ++atom) {
      ASSERT_EQ(all.get()->seen[atom], 1) << "atom " << atom << " of " << processes << " processes";
      const Vector force = force_of_all(*all.get(), atom, *sides.get());
      for (std::size_t d = 0; d < 3; ++d) {
        ASSERT_NEAR(all.get()->forces[atom][d], force[d], 1e-9 * (1 + std::abs(force[d])))
            << "atom " << atom << " of " << processes << " processes";
      }
    }
  }
}

TEST(LennardJones, ConservesEnergyAndDoesNotDependOnTheNumberOfProcesses) {
  const std::vector<Box> crystals{{6, 4, 4}};
  const AtomsRun one = run_atoms(posix(), 1, crystals, kOnce).front();
  EXPECT_EQ(one.atoms, 384);
  EXPECT_LT(std::abs(one.drift), 2e-3);
  for (const std::int32_t processes : {2, 3}) {
    const AtomsRun run = run_atoms(posix(), processes, crystals, kOnce).front();
    EXPECT_NEAR(run.energy, one.energy, 1e-10);
    EXPECT_NEAR(run.drift, one.drift, 1e-9) << processes << " processes";
    EXPECT_GE(run.times.messages, 2);
  }
}

TEST(LennardJones, HasTheSameEnergyWithEveryBuild) {
  std::array<double, kMessageBuildCount> energies{};
  for (std::size_t b = 0; b < kMessageBuildCount; ++b) {
    energies[b] = of_job<double>(2, [&](Process &process) {
      LennardJones atoms(process, {4, 4, 4});
      atoms.mailbox().use(kMessageBuilds[b]);
      atoms.run(25);
      const double energy = atoms.energy();
      atoms.mailbox().finish();
      return energy;
    });
    EXPECT_EQ(energies[b], energies[0]) << kMessageBuilds[b].name;
  }
}

TEST(LennardJones, RefusesBoxesThatAreThinnerThanTheReachOfAForce) {
  try {
    run_job(1, posix(), [](Process &process) { LennardJones atoms(process, {3, 4, 4}); });
    FAIL() << "it was made";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "an application, process 0: too few atoms for so many processes");
  }
}

} // namespace
} // namespace avrankmap::bench
