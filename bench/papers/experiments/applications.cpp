// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Why Is MPI So Slow?", its applications as two mini-applications of ours: conjugate gradients on
// spectral elements for Nek5000 (figure 7), Lennard-Jones atoms for LAMMPS (figure 8). Needs the
// device.
#include "papers/applications/applications.h"
#include "device/transports/device_channel.h"
#include "papers/conclusions/conclusions.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "support/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr double kMillion = 1e6;
constexpr std::size_t kAll = kMessageBuildCount - 1; ///< the build with all proposals

constexpr const char *kNoise = "noise, %";
constexpr double kMostNoise = 0.05; ///< above, a ratio of builds says nothing
constexpr const char *kBytes = "bytes per message";
constexpr const char *kTime = "us per iteration";
constexpr std::int32_t kDoublesCounted = 8; ///< of a message: kInstructionsOfMessage

constexpr const char *kRounds =
    "Times are those of the fastest of short rounds in which the builds take turns; noise is by how much the fastest "
    "even and the fastest odd round differ, and above 5 % no ratio of builds is shown. All proposals: no message is "
    "matched, so that each names its place itself, and all are completed at once.";

/// The networks of an application: one that the fast path leads to, and our shared memory.
std::vector<const Transport *> transports(Context &context, Result &result) {
  std::vector<const Transport *> found;
  if (context.effort() != Effort::kTiny) {
    const Transport &transport = transport_named("ucx:posix,cma");
    try {
      run_job(2, transport, [](Process &) {});
      found.push_back(&transport);
    } catch (const TransportMissing &) {
      result.omissions.push_back(fmt::format("{}: left out, this machine lacks it", transport.name));
    }
  }
  found.push_back(&transport_named("posix"));
  return found;
}

/// Columns of the builds, and the further ones.
std::vector<std::string> columns_of(const std::string &size, const std::vector<std::string> &checks) {
  std::vector<std::string> columns{size};
  for (const MessageBuild &build : kMessageBuilds) {
    columns.emplace_back(build.name);
  }
  columns.insert(columns.end(), {kTime, kNoise, kGain, kTheirGain, kMessagesSent, kBytes, kEfficiency});
  columns.insert(columns.end(), checks.begin(), checks.end());
  return columns;
}

/// Builds differ in their messages: without any there is one time.
void put_times(Table &table, const std::string &label, const BuildTimes &times, double work_per_processor) {
  for (std::size_t b = 0; b < (times.messages > 0 ? kMessageBuildCount : 1); ++b) {
    cell_of(table, label, kMessageBuilds[b].name).here = work_per_processor / times.seconds[b];
  }
  if (times.messages > 0) {
    cell_of(table, label, kGain).here = times.noise > kMostNoise ? Value("noise") : Value(times.gain(kAll));
    cell_of(table, label, kBytes).here = times.bytes;
  }
  cell_of(table, label, kNoise).here = 100 * times.noise;
  cell_of(table, label, kTime).here = kMillion * times.seconds[0];
  cell_of(table, label, kMessagesSent).here = times.messages;
}

void put_instructions(Table &table, const Transport &transport) {
  if (transport.netmod == std::string("null")) {
    return;
  }
  const auto counts = count_message(transport, kDoublesCounted);
  for (std::size_t b = 0; b < kMessageBuildCount; ++b) {
    if (counts[b] != 0) {
      cell_of(table, kInstructionsOfMessage, kMessageBuilds[b].name).here = static_cast<double>(counts[b]);
    }
  }
}

/// 1, 2, 4 and 8: as far as the problem goes, whatever the machine has.
constexpr std::int32_t kProcesses[] = {1, 2, 4, 8};

std::int32_t processes_at_once() {
  return std::min<std::int32_t>(8, static_cast<std::int32_t>(std::bit_floor(static_cast<unsigned>(cpu_count()))));
}

std::string machine_note() {
  return fmt::format("This machine has {} processors; more processes share them, and yield while they wait, so that "
                     "their times contain the scheduler's.",
                     cpu_count());
}

} // namespace

namespace {

struct MassPoint {
  int order;
  double per_process; ///< points
  MassRun run;
  double seconds_alone; ///< of one process with as many elements
};

/// Figure 7 as printed: from 1 to 128 elements per process, for each order.
std::vector<MassPoint> vary_elements(Context &context, const Transport &transport, std::int32_t processes,
                                     const Turns &turns) {
  std::vector<MassProblem> together;
  std::vector<MassProblem> alone;
  std::vector<MassPoint> points;
  const int doubling = std::bit_width(static_cast<unsigned>(processes)) - 1;
  for (const int order : MassMatrix::kOrders) {
    for (int power = 0; power <= context.choose(0, 7, 7); ++power) {
      together.push_back({order, box_of_power(power + doubling)});
      alone.push_back({order, box_of_power(power)});
      points.push_back({order, std::pow(order, 3) * std::pow(2, power), {}, 0});
    }
  }
  context.progress()(fmt::format("conjugate gradients, {} processes over {}", processes, transport.name));
  const std::vector<MassRun> runs = run_mass_problems(transport, processes, together, turns, 0);
  const std::vector<MassRun> of_one = run_mass_problems(transport, 1, alone, turns, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].run = runs[i];
    points[i].seconds_alone = of_one[i].times.seconds[0];
  }
  return points;
}

/// The three parts of figure 7.
std::vector<Plot> plots_of(const std::vector<MassPoint> &points, std::int32_t processes) {
  Plot rates{
      "a", "Points x iterations per second and process", "n/P", "million per second and process", true, false, {}, {}};
  Plot ratio{"b", "Rate with all proposals over that of the default build", "n/P", "ratio", true, false, {}, {}};
  Plot efficiency{"c", "Parallel efficiency, measured and of the model O + W/P", "n/P", "%", true, false, {}, {}};
  for (const int order : MassMatrix::kOrders) {
    std::optional<double> overhead; // of the smallest problem
    double work = 0;                // per point, of the largest one
    for (const MassPoint &point : points) {
      if (point.order == order) {
        overhead = overhead.value_or(std::max(0.0, point.run.times.seconds[0] - point.seconds_alone));
        work = point.seconds_alone / point.per_process;
      }
    }
    for (const MassPoint &point : points) {
      if (point.order != order) {
        continue;
      }
      const auto add = [&](Plot &plot, const std::string &name, bool ours, double value) {
        series_of(plot, fmt::format("N = {}{}", order, name), ours).points.emplace_back(point.per_process, value);
      };
      const BuildTimes &times = point.run.times;
      add(rates, ", default", false, point.per_process / times.seconds[0] / kMillion);
      add(rates, ", all proposals", true, point.per_process / times.seconds[kAll] / kMillion);
      if (processes > 1) {
        if (times.noise <= kMostNoise) {
          add(ratio, "", true, times.gain(kAll));
        }
        if (order != MassMatrix::kOrders.front()) {
          const double own = work * point.per_process;
          add(efficiency, ", measured", true, 100 * point.seconds_alone / times.seconds[0]);
          add(efficiency, ", model", false, 100 * own / (overhead.value_or(0) + own));
        }
      }
    }
  }
  std::vector<Plot> plots;
  for (Plot *const plot : {&rates, &ratio, &efficiency}) {
    if (!plot->series.empty()) {
      plots.push_back(std::move(*plot));
    }
  }
  return plots;
}

/// The smallest problem that eight processes divide, an element each.
void scale_mass_inversion(Context &context, const std::vector<const Transport *> &over, const Turns &turns,
                          Result &result) {
  const int order = context.choose(3, 7, 7);
  constexpr Box kElements{2, 2, 2};
  constexpr double kConverge = 1e9;
  for (const Transport *const transport : over) {
    std::optional<MassRun> one;
    for (const std::int32_t processes : kProcesses) {
      if (processes > context.choose(2, 8, 8)) {
        break;
      }
      context.progress()(fmt::format("8 elements, {} processes over {}", processes, transport->name));
      const MassRun run = run_mass_problems(*transport, processes, {{order, kElements}}, turns, kConverge).front();
      one = one.value_or(run);
      const std::string label = fmt::format("8 elements, N = {}, {}: P = {}", order, transport->name, processes);
      cell_of(result.table, label, "n/P").here = run.points / processes;
      // Processes that share a processor share its seconds.
      const std::int32_t processors = std::min(processes, cpu_count());
      put_times(result.table, label, run.times, run.points / processors / kMillion);
      cell_of(result.table, label, kEfficiency).here = 100 * one->times.seconds[0] / run.times.seconds[0] / processors;
      cell_of(result.table, label, kToOneProcess).here = std::abs(run.square / one->square - 1);
      cell_of(result.table, label, "error").here = run.error;
    }
  }
}

} // namespace

Result run_mass_inversion(Context &context) {
  Result result;
  result.table = {"million points x iterations per CPU-second", columns_of("n/P", {kToOneProcess, "error"}), {}};
  const std::vector<const Transport *> over = transports(context, result);
  const Turns turns{context.choose(1, 12, 30), context.choose(1e-5, 0.001, 0.002)};
  const std::int32_t processes = context.effort() == Effort::kTiny ? 2 : processes_at_once();
  const std::vector<MassPoint> points = vary_elements(context, *over.front(), processes, turns);
  for (const MassPoint &point : points) {
    const std::string label =
        fmt::format("N = {}, E/P = {}", point.order, std::lround(point.per_process / std::pow(point.order, 3)));
    cell_of(result.table, label, "n/P").here = point.per_process;
    put_times(result.table, label, point.run.times, point.per_process / kMillion);
    cell_of(result.table, label, kEfficiency).here = 100 * point.seconds_alone / point.run.times.seconds[0];
    if (point.per_process >= 100 && point.per_process <= 1000) {
      cell_of(result.table, label, kTheirGain).paper = "1.2 to 1.25";
    } else if (point.per_process > 40000) {
      cell_of(result.table, label, kTheirGain).paper = "equal";
    }
  }
  scale_mass_inversion(context, over, turns, result);
  put_instructions(result.table, *over.front());
  result.plots = plots_of(points, processes);
  result.note = fmt::format(
      "Measured with a mini-application of ours, not with Nek5000: conjugate gradients for the mass matrix of spectral "
      "elements on the unit cube, as the paper describes its model problem, with sums over faces in three steps and "
      "two sums over all processes per iteration. The upper rows: {} processes over {}, 1 to 128 elements per process, "
      "so that n/P is the paper's, 27 to 43,904, which had 2^14 to 2^21 elements on 16,384 processes, on 512 nodes of "
      "Cetus. Efficiency is over one process with as many elements. "
      "The other rows divide 8 elements among more and more processes; efficiency is over P = 1; u.Bu after {} "
      "iterations differs from that of one process as shown, and the error is the distance from the known field after "
      "convergence. MPICH/Original is not measured here: the builds of our fast path stand side by side. {} {}",
      processes, over.front()->name, kCheckedIterations, kRounds, machine_note());
  return result;
}

Result run_lennard_jones(Context &context) {
  Result result;
  result.table = {"time steps per second", columns_of("atoms per process", {kToOneProcess, kDrift}), {}};
  const std::vector<const Transport *> over = transports(context, result);
  const Turns turns{context.choose(1, 12, 16), context.choose(1e-5, 0.004, 0.01)};
  const std::vector<std::int32_t> cells = context.choose<std::vector<std::int32_t>>({4}, {4, 8}, {4, 8, 16});
  std::vector<Box> crystals;
  for (const std::int32_t side : cells) {
    crystals.push_back({side, side, side});
  }
  Plot speeds{"a",         "Time steps per second of Lennard-Jones atoms, times their number",
              "processes", "million atoms x steps per second",
              true,        false,
              {},          {}};
  Plot ratio{"b",         "Time steps per second with all proposals over those of the default build",
             "processes", "ratio",
             true,        false,
             {},          {}};
  for (const Transport *const transport : over) {
    std::vector<AtomsRun> one;
    for (const std::int32_t processes : kProcesses) {
      if (processes > context.choose(2, 8, 8)) {
        break;
      }
      context.progress()(fmt::format("Lennard-Jones, {} processes over {}", processes, transport->name));
      const std::vector<AtomsRun> runs = run_atoms(*transport, processes, crystals, turns);
      one = one.empty() ? runs : one;
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const AtomsRun &run = runs[i];
        const std::string system =
            fmt::format("{} atoms, {}", number_text(static_cast<double>(run.atoms)), transport->name);
        const std::string label = fmt::format("{}: P = {}", system, processes);
        cell_of(result.table, label, "atoms per process").here = static_cast<double>(run.atoms) / processes;
        put_times(result.table, label, run.times, 1);
        cell_of(result.table, label, kEfficiency).here =
            100 * one[i].times.seconds[0] / run.times.seconds[0] / std::min(processes, cpu_count());
        cell_of(result.table, label, kToOneProcess).here =
            std::abs((run.energy + run.drift) / (one[i].energy + one[i].drift) - 1);
        cell_of(result.table, label, kDrift).here = run.drift / std::abs(run.energy);
        series_of(speeds, system, transport == over.back())
            .points.emplace_back(processes, static_cast<double>(run.atoms) / run.times.seconds[0] / kMillion);
        if (processes > 1 && run.times.noise <= kMostNoise) {
          series_of(ratio, system, transport == over.back()).points.emplace_back(processes, run.times.gain(kAll));
        }
      }
    }
  }
  put_instructions(result.table, *over.front());
  result.plots = {std::move(speeds)};
  if (!ratio.series.empty()) {
    result.plots.push_back(std::move(ratio));
  }
  result.note = fmt::format(
      "Measured with a mini-application of ours, not with LAMMPS: a face-centred cubic crystal with a Lennard-Jones "
      "potential in the units and with the settings of LAMMPS's benchmark, without threads. The paper's: 3 million "
      "atoms, 10,000 steps, up to 8,192 nodes of Mira with 16 processes of 4 threads each, which are 23 atoms per "
      "process at the end; its text states no time, but that CH4 is faster throughout, the more so at scale, and that "
      "MPICH/Original stops scaling at 8,192 nodes. Here the smallest system has 32 atoms per process at P = 8. "
      "Efficiency is over P = 1. The total energy after {} steps differs from that of one process as shown, and has "
      "drifted by that part of itself. MPICH/Original is not measured here: the builds of our fast path stand side by "
      "side. {} {}",
      kCheckedSteps, kRounds, machine_note());
  return result;
}

} // namespace avrankmap::bench
