// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/applications.h"

#include "device/fastpath/path_counts.h"
#include "support/require.h"
#include "support/shared_pages.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::size_t kMostProblems = 64;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Times advance(count) by build; `count` is a multiple of `cycle`. Process 0 keeps the time, and
/// tells the others how often.
template <class Advance>
BuildTimes time_builds(Mailbox &mailbox, Sum &sum, const Turns &turns, std::int64_t cycle, Advance advance) {
  const bool keeps_time = mailbox.process().rank() == 0;
  const auto told = [&](double value) { return sum(keeps_time ? value : 0); };
  const auto timed = [&](std::int64_t count) {
    (void)told(0); // all are here
    const double start = now();
    advance(count);
    return now() - start;
  };
  const auto fastest_of = [&](int trials, std::int64_t count) {
    double least = timed(count);
    for (int i = 1; i < trials; ++i) {
      least = std::min(least, timed(count));
    }
    return told(least);
  };
  constexpr int kTrials = 3;
  std::int64_t count = cycle;
  double taken = fastest_of(kTrials, count);
  while (taken < turns.seconds / 4) {
    count *= 2;
    taken = fastest_of(kTrials, count);
  }
  const double cycles = static_cast<double>(count) * turns.seconds / taken / static_cast<double>(cycle);
  count = cycle * (static_cast<std::int64_t>(cycles) + 1);

  // A single process sends nothing: all builds are one.
  const std::size_t builds = mailbox.process().size() == 1 ? 1 : kMessageBuildCount;
  BuildTimes result{};
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::array<std::array<double, 2>, kMessageBuildCount> fastest; // of even rounds and of odd ones
  fastest.fill({kNone, kNone});
  for (int round = 0; round < turns.rounds; ++round) {
    for (std::size_t b = 0; b < builds; ++b) {
      mailbox.use(kMessageBuilds[b]);
      advance(count / 8 + 1); // its code is in the caches
      double &least = fastest[b][static_cast<std::size_t>(round) % 2];
      least = std::min(least, timed(count) / static_cast<double>(count));
    }
    mailbox.use(kMessageBuilds[0]);
  }
  for (std::size_t b = 0; b < kMessageBuildCount; ++b) {
    const auto [less, more] = std::minmax(fastest[b < builds ? b : 0][0], fastest[b < builds ? b : 0][1]);
    result.seconds[b] = less;
    result.noise = more == kNone ? result.noise : std::max(result.noise, more / less - 1);
  }
  const std::int64_t messages = mailbox.messages();
  const std::int64_t doubles = mailbox.doubles();
  advance(count);
  const auto sent = static_cast<double>(mailbox.messages() - messages);
  result.messages = sent / static_cast<double>(count);
  result.bytes = sent == 0 ? 0 : static_cast<double>(mailbox.doubles() - doubles) * sizeof(double) / sent;
  return result;
}

MassRun run_mass_problem(Process &process, const MassProblem &problem, const Turns &turns, double converge) {
  MassInversion inversion(process, problem);
  MassRun run{};
  run.points = inversion.points();
  inversion.iterate(kCheckedIterations);
  run.square = inversion.square();
  if (run.points <= converge) {
    constexpr int kMostIterations = 2000;
    for (int i = 0; i < kMostIterations && inversion.residual() > 1e-13; i += 10) {
      inversion.iterate(10);
    }
    run.residual = inversion.residual();
    run.error = inversion.error();
  }
  std::int64_t since = 0;
  run.times = time_builds(inversion.mailbox(), inversion.sum(), turns, 1, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (since++ % 50 == 0) { // the residual must not vanish
        inversion.restart();
      }
      inversion.iterate(1);
    }
  });
  inversion.mailbox().finish();
  return run;
}

AtomsRun run_crystal(Process &process, const Box &cells, const Turns &turns) {
  LennardJones atoms(process, cells);
  AtomsRun run{};
  run.atoms = atoms.atoms_of_all();
  run.energy = atoms.energy() / static_cast<double>(run.atoms);
  atoms.run(kCheckedSteps);
  run.drift = atoms.energy() / static_cast<double>(run.atoms) - run.energy;
  run.times = time_builds(atoms.mailbox(), atoms.sum(), turns, LennardJones::kStepsPerList,
                          [&](std::int64_t count) { atoms.run(count); });
  atoms.mailbox().finish();
  return run;
}

/// Runs each problem in a job, and returns what process 0 has of it.
template <class Run, class Problem, class Solve>
std::vector<Run> run_in_job(const Transport &transport, std::int32_t processes, const std::vector<Problem> &problems,
                            Solve solve) {
  require(problems.size() <= kMostProblems, "too many problems");
  const SharedPages<std::array<Run, kMostProblems>> results;
  run_job(processes, transport, [&](Process &process) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const Run run = solve(process, problems[i]);
      if (process.rank() == 0) {
        (*results.get())[i] = run;
      }
    }
  });
  return {results.get()->begin(), results.get()->begin() + static_cast<std::ptrdiff_t>(problems.size())};
}

} // namespace

std::vector<MassRun> run_mass_problems(const Transport &transport, std::int32_t processes,
                                       const std::vector<MassProblem> &problems, const Turns &turns, double converge) {
  for (const MassProblem &problem : problems) {
    (void)divide(problem.elements, processes);
  }
  return run_in_job<MassRun>(transport, processes, problems, [&](Process &process, const MassProblem &problem) {
    return run_mass_problem(process, problem, turns, converge);
  });
}

std::vector<AtomsRun> run_atoms(const Transport &transport, std::int32_t processes, const std::vector<Box> &crystals,
                                const Turns &turns) {
  return run_in_job<AtomsRun>(transport, processes, crystals,
                              [&](Process &process, const Box &cells) { return run_crystal(process, cells, turns); });
}

std::array<std::uint64_t, kMessageBuildCount> count_message(const Transport &transport, std::int32_t doubles) {
  using Counts = std::array<std::uint64_t, kMessageBuildCount>;
  const SharedPages<Counts> results;
  run_job(2, transport, [&](Process &process) {
    Mailbox mailbox(process, Sum::kSlots, 1);
    Sum sum(mailbox, 0);
    (void)sum(1); // connects the processes
    if (process.rank() == 0) {
      avrm_netmod_t *const net = process.world()->net;
      const std::vector<double> data(static_cast<std::size_t>(doubles));
      for (const CountedNetwork &network : counted_networks()) {
        if (std::string_view(network.netmod) != transport.netmod || transport.netmod == std::string_view("null")) {
          continue;
        }
        for (std::size_t b = 0; b < kMessageBuildCount; ++b) {
          OutgoingMessage message{data.data(), doubles, 1, 1, nullptr};
          const PathCount counted = count_path(kMessageBuilds[b].issue, network.functions(net),
                                               [&] { kMessageBuilds[b].issue(&message, 1, process.world()); });
          (*results.get())[b] = counted.ok() ? counted->instructions : 0;
        }
      }
    }
    (void)sum(1); // nobody leaves before
    mailbox.finish();
  });
  return *results.get();
}

} // namespace avrankmap::bench
