// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/budgets.h"

#include "harness/avrankmap_scheme.h"
#include "harness/report.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kSmall = 16;
constexpr std::int32_t kLarge = 786432;

/// Collects the worst of several values for one budget.
class Worst {
public:
  Worst(std::string what, double limit, bool at_most) : budget_{std::move(what), 0, limit, at_most, {}} {}

  void add(double value, std::string where) {
    if (found_ && (budget_.at_most ? value <= budget_.value : value >= budget_.value)) {
      return;
    }
    found_ = true;
    budget_.value = value;
    budget_.where = std::move(where);
  }

  void move_into(std::vector<Budget> &budgets) && {
    if (found_) {
      budgets.push_back(std::move(budget_));
    }
  }

private:
  Budget budget_;
  bool found_ = false;
};

void add_instructions(const Report &report, std::vector<Budget> &budgets) {
  constexpr std::pair<std::string_view, int> kLimits[] = {{"direct", 6}, {"offset", 6},   {"stride", 6},
                                                          {"lut", 9},    {"blocked", 12}, {"mlut", 12}};
  for (const auto &[mode, limit] : kLimits) {
    Worst worst(fmt::format("instructions, rank to address: {}", mode), limit, true);
    for (const InstructionCount &count : report.instructions) {
      if (count.path == AvrankmapScheme::kName && count.mode == mode) {
        worst.add(static_cast<double>(count.instructions), "");
      }
    }
    std::move(worst).move_into(budgets);
  }
}

void add_issue_rates(const Report &report, std::vector<Budget> &budgets) {
  // Modes that look a rank up in a table are judged apart: what the table costs is then seen for what it is.
  constexpr std::pair<std::string_view, bool> kModes[] = {{"regular modes", false}, {"lut, mlut", true}};
  const auto add = [&](std::string_view what, double limit, std::int32_t peers, std::string_view order,
                       std::optional<double> IssueRate::*ratio) {
    for (const auto &[modes, has_table] : kModes) {
      Worst worst(fmt::format("issue rate {}, {}", what, modes), limit, false);
      for (const IssueRate &rate : report.issue_rates) {
        const bool is_table = rate.mode == "lut" || rate.mode == "mlut";
        if (rate.scheme == rate.mode && rate.peers == peers && (order.empty() || rate.order == order) &&
            (rate.*ratio).has_value() && is_table == has_table) {
          worst.add(*(rate.*ratio), fmt::format("{}, {}, {}", rate.mode, rate.op, rate.order));
        }
      }
      std::move(worst).move_into(budgets);
    }
  };
  add("over VC-VCRT, 16 peers", 1.0, kSmall, "", &IssueRate::ratio_to_vc_vcrt);
  add("over VC-VCRT, 786,432 peers, round robin", 7.0, kLarge, "rr", &IssueRate::ratio_to_vc_vcrt);
  add("over VC-VCRT, 786,432 peers, random", 10.0, kLarge, "random", &IssueRate::ratio_to_vc_vcrt);
  // The same limits against the lean twin: without them, what is gained by not making a call would pass for translation.
  add("over VC-lean, 16 peers", 1.0, kSmall, "", &IssueRate::ratio_to_vc_lean);
  add("over VC-lean, 786,432 peers, round robin", 7.0, kLarge, "rr", &IssueRate::ratio_to_vc_lean);
  add("over VC-lean, 786,432 peers, random", 10.0, kLarge, "random", &IssueRate::ratio_to_vc_lean);
  add("over translated beforehand, 16 peers", 0.85, kSmall, "", &IssueRate::ratio_to_raw);
  add("over translated beforehand, 786,432 peers, round robin", 0.85, kLarge, "rr", &IssueRate::ratio_to_raw);
  add("over translated beforehand, 786,432 peers, random", 0.85, kLarge, "random", &IssueRate::ratio_to_raw);
}

void add_memory(const Report &report, std::vector<Budget> &budgets) {
  // Whatever is not 12 bytes per process is shared out among the rankmaps.
  Worst worst(fmt::format("bytes per rankmap, beside 12 per process, {} communicators", report.communicators), 64,
              true);
  for (const std::vector<MemoryUse> *uses : {&report.split, &report.dup}) {
    for (const MemoryUse &use : *uses) {
      if (use.scheme == AvrankmapScheme::kName) {
        const double beside = static_cast<double>(use.bytes) - 12.0 * report.processes;
        worst.add(beside / use.communicators, use.application);
      }
    }
  }
  std::move(worst).move_into(budgets);
}

void add_implicit(const Report &report, std::vector<Budget> &budgets) {
  Worst bytes(fmt::format("bytes per process, implicit address vector, {} communicators", report.communicators), 65536,
              true);
  for (const std::vector<MemoryUse> *uses : {&report.split, &report.dup}) {
    for (const MemoryUse &use : *uses) {
      if (use.scheme == AvrankmapImplicit::kName) {
        bytes.add(static_cast<double>(use.bytes), use.application);
      }
    }
  }
  std::move(bytes).move_into(budgets);
  Worst ratio("random issue rate, implicit address vector, 786,432 peers over 16, affine modes", 0.9, false);
  for (const ImplicitScaling &scaling : report.implicit_scaling) {
    if (scaling.affine) {
      ratio.add(scaling.ratio, fmt::format("{}, {}", scaling.mode, scaling.op));
    }
  }
  std::move(ratio).move_into(budgets);
}

void add_forms(const Report &report, std::vector<Budget> &budgets) {
  constexpr std::pair<std::string_view, double> kBytes[] = {
      {"LSMS", 128}, {"two merged", 128}, {"786,432 minus", 2048}, {"random permutation", 786432 * 20 / 8 + 128}};
  for (const auto &[name, limit] : kBytes) {
    for (const Form &form : report.forms) {
      if (form.name.starts_with(name)) {
        Worst bytes("bytes of " + form.name, limit, true);
        bytes.add(static_cast<double>(form.bytes), form.mode);
        std::move(bytes).move_into(budgets);
      }
      if (form.name.starts_with(name) && name == "random permutation") {
        for (const auto &[how, rate] : {std::pair{"one by one", form.rate_vs_lut},
                                        {"each waiting for the one before", form.chained_vs_lut},
                                        {"in bulk", form.bulk_vs_lut}}) {
          Worst worst(fmt::format("translation of a packed permutation over the plain lut, {}", how), 0.9, false);
          worst.add(rate, form.mode);
          std::move(worst).move_into(budgets);
        }
      }
    }
  }
}

void add_cartesian(const Report &report, std::vector<Budget> &budgets) {
  Worst cache("3-D Cartesian translation, time over the 128 x 8 cache at 100 % hits", 0.8, true);
  for (const CacheRate &rate : report.caches) {
    if (rate.scheme == kPaperCache && rate.misses == 0) {
      cache.add(rate.ours_over_theirs, fmt::format("{} neighbours, {}", rate.neighbours, rate.order));
    }
  }
  std::move(cache).move_into(budgets);
  Worst bytes("bytes of all maps of a torus split along each dimension", 32768, true);
  for (const TorusSplit &split : report.torus_splits) {
    bytes.add(static_cast<double>(split.bytes), fmt::format("{} communicators", split.communicators));
  }
  std::move(bytes).move_into(budgets);
}

void add_fastpath(const Report &report, std::vector<Budget> &budgets) {
  Worst put("instructions of a put, mandatory configuration", 30, true);
  Worst isend("instructions of an isend, mandatory configuration", 40, true);
  Worst all("instructions with all proposals", 10, true);
  Worst standard("instructions of the default configuration", 120, true);
  Worst rate("issue rate with all proposals over a bare loop", 0.9, false);
  for (const FastpathRow &row : report.fastpath.rows) {
    if (row.put && row.name == "no-err-single-ipo") {
      put.add(static_cast<double>(*row.put), "put");
    }
    if (row.isend && row.name == "no-err-single-ipo") {
      isend.add(static_cast<double>(*row.isend), "isend");
    }
    Worst *const both = row.name == "all" ? &all : row.name == "default" ? &standard : nullptr;
    if (both != nullptr && row.put && row.isend) {
      both->add(static_cast<double>(*row.put), "put");
      both->add(static_cast<double>(*row.isend), "isend");
    }
    if (row.name == "all" && row.put_to_bare && row.isend_to_bare) {
      rate.add(*row.put_to_bare, "put");
      rate.add(*row.isend_to_bare, "isend");
    }
  }
  for (Worst *const worst : {&put, &isend, &all, &standard, &rate}) {
    std::move(*worst).move_into(budgets);
  }
}

constexpr std::size_t kSmallMessage = 256; // bytes

void add_transports(const Report &report, std::vector<Budget> &budgets) {
  // Networks and the providers' shared memory apart: what is a percent there is a tenth here.
  for (const bool shared_memory : {false, true}) {
    const char *const what = shared_memory ? "shared-memory providers" : "libfabric and UCX";
    Worst rate(fmt::format("message rate over the bare interface, {}", what), 0.95, false);
    Worst latency(fmt::format("small-message latency over the bare interface, {}", what), 1.05, true);
    Worst posix_rate(fmt::format("message rate of posix over the bare {}", what), 1.0, false);
    Worst posix_latency(fmt::format("message latency of posix over the bare {}", what), 1.0, true);
    for (const TransportRate &row : report.transports) {
      if (row.op != "isend" || row.posix_rate_ratio.has_value() != shared_memory) {
        continue;
      }
      const std::string where = fmt::format("{}, {} bytes", row.transport, row.bytes);
      if (row.rate_ratio && row.latency_ratio && row.bytes <= kSmallMessage) {
        rate.add(*row.rate_ratio, where);
        latency.add(*row.latency_ratio, where);
      }
      if (row.posix_rate_ratio && row.posix_latency_ratio) { // of all sizes
        posix_rate.add(*row.posix_rate_ratio, where);
        posix_latency.add(*row.posix_latency_ratio, where);
      }
    }
    std::move(rate).move_into(budgets);
    std::move(latency).move_into(budgets);
    std::move(posix_rate).move_into(budgets);
    std::move(posix_latency).move_into(budgets);
  }
}

void add_connection(const Report &report, std::vector<Budget> &budgets) {
  Worst resident("resident bytes beyond one peer, on demand", 1 << 20, true);
  Worst seconds("time to open the largest job over that of the smallest, on demand", 1.5, true);
  const ConnectionCost *smallest = nullptr;
  const ConnectionCost *largest = nullptr;
  for (const ConnectionCost &cost : report.connection) {
    if (cost.policy == "on-demand") {
      smallest = smallest == nullptr || cost.peers < smallest->peers ? &cost : smallest;
      largest = largest == nullptr || cost.peers > largest->peers ? &cost : largest;
    }
  }
  if (smallest == largest) {
    return;
  }
  for (const ConnectionCost &cost : report.connection) {
    if (cost.policy == "on-demand" && &cost != smallest) {
      resident.add(static_cast<double>(cost.resident_bytes) - static_cast<double>(smallest->resident_bytes),
                   fmt::format("{} peers", cost.peers));
    }
  }
  seconds.add(largest->seconds / smallest->seconds, fmt::format("{} peers", largest->peers));
  std::move(resident).move_into(budgets);
  std::move(seconds).move_into(budgets);
}

/// Ratio of two creations of the same job and size; steps of the busiest process where they are simulated.
void add_noncollective(const Report &report, std::vector<Budget> &all) {
  Worst real("group of 4 by its members, time over by the parent, 16 processes", 1.0, true);
  Worst simulated("groups of up to 32 by their members, messages over by the parent, 8,192 simulated", 1.0, true);
  for (const CreationOp &own : report.creation_ops) {
    for (const CreationOp &parent : report.creation_ops) {
      if (own.op != "group, by its members" || parent.op != "group, by the parent" || own.members != parent.members ||
          own.processes != parent.processes || own.simulated != parent.simulated) {
        continue;
      }
      if (!own.simulated && own.processes == 16) {
        real.add(own.seconds / parent.seconds, fmt::format("{} members", own.members));
      } else if (own.simulated && own.processes == 8192 && own.members <= 32) {
        simulated.add(static_cast<double>(own.steps.value_or(0)) / static_cast<double>(parent.steps.value_or(1)),
                      fmt::format("{} members", own.members));
      }
    }
  }
  std::move(real).move_into(all);
  std::move(simulated).move_into(all);

  Worst maps("map bytes, 1,048,576 simulated processes into rows and columns", 56, true);
  Worst temporary("temporary bytes, 1,048,576 simulated processes into rows and columns", 4096, true);
  for (const CreationOp &op : report.creation_ops) {
    if (op.simulated && op.processes == 1048576) {
      maps.add(static_cast<double>(op.map_bytes), op.op);
      temporary.add(static_cast<double>(op.peak_temporary_bytes), op.op);
    }
  }
  std::move(maps).move_into(all);
  std::move(temporary).move_into(all);

  Worst chains("Markov chains, asynchronous balancing over none, time, 8,192 simulated", 0.6, true);
  for (const McmcRow &row : report.mcmc) {
    for (const McmcRow &none : report.mcmc) {
      if (row.simulated && none.simulated && row.processes == 8192 && none.processes == 8192 &&
          row.balancing == "asynchronous" && none.balancing == "none") {
        chains.add(row.seconds / none.seconds, "");
      }
    }
  }
  std::move(chains).move_into(all);
}

} // namespace

std::vector<Budget> budgets(const Report &report) {
  std::vector<Budget> all;
  add_instructions(report, all);
  add_issue_rates(report, all);
  add_memory(report, all);
  add_implicit(report, all);

  Worst detection("pattern detection, speed over a summing pass", 0.75, false);
  for (const Comparison &comparison : report.detection) {
    detection.add(comparison.ratio, comparison.pattern);
  }
  std::move(detection).move_into(all);

  Worst creation("creation of a regular map, time over building a VCRT", 0.25, true);
  for (const Comparison &comparison : report.creation) {
    if (comparison.regular) {
      creation.add(comparison.ratio, comparison.pattern);
    }
  }
  std::move(creation).move_into(all);
  Worst differences("60 differences of a regular group, milliseconds", 1, true);
  for (const GroupTiming &timing : report.group_operations) {
    if (timing.op == kSixtyDifferences && timing.kind == "regular") {
      differences.add(timing.seconds * 1e3, fmt::format("{} processes", timing.n));
    }
  }
  std::move(differences).move_into(all);
  add_forms(report, all);
  add_cartesian(report, all);
  add_fastpath(report, all);
  add_connection(report, all);
  add_noncollective(report, all);
  add_transports(report, all);
  return all;
}

} // namespace avrankmap::bench
