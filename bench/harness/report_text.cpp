// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"
#include "harness/schemes.h"
#include "harness/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr const char *kNothing = "-";

template <class Rows, class Key> auto distinct(const Rows &rows, Key key) {
  std::vector<decltype(key(*rows.begin()))> keys;
  for (const auto &row : rows) {
    if (std::find(keys.begin(), keys.end(), key(row)) == keys.end()) {
      keys.push_back(key(row));
    }
  }
  return keys;
}

std::string machine_text(const Report &report) {
  const Machine &m = report.machine;
  std::string text = fmt::format("{}{}, {} CPUs, {:.0f} GB", m.processor.empty() ? "unknown processor" : m.processor,
                                 m.virtual_machine ? " (virtual)" : "", m.cpus, static_cast<double>(m.memory) / 1e9);
  text += fmt::format("; {}; {}; {}\n", fmt::join(m.caches, ", "), m.kernel, m.compiler);
  text += report.pinned_cpu >= 0 ? fmt::format("pinned to CPU {}", report.pinned_cpu) : "not pinned to a CPU";
  text += fmt::format("; transparent huge pages: {}; commit {}\n", m.huge_pages,
                      report.commit.empty() ? "unknown" : report.commit);
  return text;
}

std::string instructions_text(const Report &report) {
  if (report.instructions.empty()) {
    return {};
  }
  const auto modes = distinct(report.instructions, [](const InstructionCount &c) { return c.mode; });
  TextTable table(1);
  std::vector<std::string> header{""};
  header.insert(header.end(), modes.begin(), modes.end());
  table.row(std::move(header));
  for (const std::string &path : distinct(report.instructions, [](const InstructionCount &c) { return c.path; })) {
    std::vector<std::string> cells{path};
    for (const std::string &mode : modes) {
      const auto count = std::find_if(report.instructions.begin(), report.instructions.end(),
                                      [&](const InstructionCount &c) { return c.path == path && c.mode == mode; });
      cells.push_back(count == report.instructions.end() ? kNothing
                      : count->paper                     ? fmt::format("{} [{}]", count->instructions, *count->paper)
                                                         : std::to_string(count->instructions));
    }
    table.row(std::move(cells));
  }
  return fmt::format(
      "\nInstructions, (communicator, rank) to address word, {}; in brackets: Table III of the paper\n{}",
      report.instruction_source, table.text());
}

std::string cache_misses_text(const Report &report) {
  if (report.cache_misses.empty()) {
    return {};
  }
  TextTable table(1);
  table.row({"", "peers", "L1D", "L2", "last level"});
  const auto cell = [](const std::optional<double> &value) {
    return value ? fmt::format("{:.4f}", *value) : std::string(kNothing);
  };
  for (const CacheMisses &misses : report.cache_misses) {
    table.row({misses.scheme, grouped(misses.peers), cell(misses.l1d), cell(misses.l2), cell(misses.last_level)});
  }
  return fmt::format("\nCache misses per put, round robin (Table IV), {}\n{}", report.cache_misses.front().source,
                     table.text());
}

std::string memory_text(const Report &report) {
  std::string text;
  if (!report.split.empty()) {
    TextTable table(1);
    table.row({"", "split", "dup"});
    for (const MemoryUse &split : report.split) {
      const auto dup = std::find_if(report.dup.begin(), report.dup.end(),
                                    [&](const MemoryUse &use) { return use.scheme == split.scheme; });
      table.row({split.scheme, grouped(split.bytes), dup == report.dup.end() ? kNothing : grouped(dup->bytes)});
    }
    text += fmt::format("\nBytes per process, {} processes, {} communicators, each with node and node-roots\n{}",
                        grouped(report.processes), report.communicators, table.text());
  }
  if (report.survey.empty()) {
    return text;
  }
  const auto schemes = distinct(report.survey, [](const MemoryUse &use) { return use.scheme; });
  TextTable table(2);
  std::vector<std::string> header{"", "modes, ours", "communicators"};
  header.insert(header.end(), schemes.begin(), schemes.end());
  table.row(std::move(header));
  for (const std::string &name : distinct(report.survey, [](const MemoryUse &use) { return use.application; })) {
    std::vector<std::string> cells{name, "", ""};
    for (const std::string &scheme : schemes) {
      const auto use = std::find_if(report.survey.begin(), report.survey.end(),
                                    [&](const MemoryUse &u) { return u.application == name && u.scheme == scheme; });
      if (use == report.survey.end()) {
        cells.emplace_back(kNothing);
        continue;
      }
      cells.push_back(grouped(use->bytes - use->world_bytes));
      if (!use->modes.empty()) {
        std::vector<std::string> modes;
        for (const auto &[mode, count] : use->modes) {
          modes.push_back(fmt::format("{} {}", count, mode));
        }
        cells[1] = fmt::format("{}", fmt::join(modes, ", "));
        cells[2] = std::to_string(use->communicators);
      }
    }
    table.row(std::move(cells));
  }
  return text +
         fmt::format("\nSurvey (Table I): bytes per process of all communicators, without addresses, {} processes\n{}",
                     grouped(report.processes), table.text());
}

std::string comparisons_text(const std::vector<Comparison> &comparisons, const char *title, const char *ours,
                             const char *yardstick) {
  if (comparisons.empty()) {
    return {};
  }
  TextTable table(1);
  table.row({"", ours, yardstick, "ratio"});
  for (const Comparison &c : comparisons) {
    table.row({c.pattern, fmt::format("{:.1f} us", c.ours * 1e6), fmt::format("{:.1f} us", c.yardstick * 1e6),
               fmt::format("{:.3f}", c.ratio)});
  }
  return fmt::format("\n{}\n{}", title, table.text());
}

std::string issue_rates_text(const std::vector<IssueRate> &rates, const std::string &title) {
  if (rates.empty()) {
    return {};
  }
  using Column = std::pair<std::int32_t, std::string>;
  const auto columns = distinct(rates, [](const IssueRate &r) { return Column(r.peers, r.order); });
  std::string text;
  for (const std::string &op : distinct(rates, [](const IssueRate &r) { return r.op; })) {
    TextTable table(2);
    std::vector<std::string> peers{"mode", "scheme"};
    std::vector<std::string> orders{"", ""};
    for (const auto &[count, order] : columns) {
      peers.push_back(grouped(count));
      orders.push_back(order);
    }
    table.row(std::move(peers));
    table.row(std::move(orders));

    const auto add_row = [&](std::string mode, std::string name, auto &&belongs, auto &&cell) {
      std::vector<std::string> cells{std::move(mode), std::move(name)};
      for (const auto &[count, order] : columns) {
        const auto rate = std::find_if(rates.begin(), rates.end(), [&, c = count, o = order](const IssueRate &r) {
          return r.op == op && r.peers == c && r.order == o && belongs(r);
        });
        cells.push_back(rate == rates.end() ? kNothing : cell(*rate));
      }
      table.row(std::move(cells));
    };
    const auto ratio = [](const std::optional<double> &value) {
      return value ? fmt::format("{:.2f}x", *value) : std::string(kNothing);
    };
    for (const std::string &mode : distinct(rates, [](const IssueRate &r) { return r.mode; })) {
      table.gap();
      std::string label = mode;
      std::vector<IssueRate> of_mode;
      std::copy_if(rates.begin(), rates.end(), std::back_inserter(of_mode),
                   [&](const IssueRate &r) { return r.mode == mode; });
      for (const std::string &scheme : distinct(of_mode, [](const IssueRate &r) { return r.scheme; })) {
        add_row(
            std::exchange(label, ""), scheme == mode ? AvrankmapScheme::kName : scheme,
            [&](const IssueRate &r) { return r.mode == mode && r.scheme == scheme; },
            [](const IssueRate &r) { return fmt::format("{:.1f}", r.rate / 1e6); });
      }
      const auto ours = [&](const IssueRate &r) { return r.mode == mode && r.scheme == mode; };
      add_row("", "ours / vc-vcrt", ours, [&](const IssueRate &r) { return ratio(r.ratio_to_vc_vcrt); });
      add_row("", "ours / vc-lean", ours, [&](const IssueRate &r) { return ratio(r.ratio_to_vc_lean); });
      add_row("", "ours / raw", ours, [&](const IssueRate &r) { return ratio(r.ratio_to_raw); });
    }
    text += fmt::format("\n{}: {}, million operations per second, null network\n{}", title, op, table.text());
  }
  // What the two rows on the same structures stand for has to be where they are read.
  return text + "\n  vc-vcrt calls the function in the VC (MPICH 3.2); vc-lean is inlined like all others: translation "
                "against translation.\n";
}

std::string implicit_scaling_text(const Report &report) {
  if (report.implicit_scaling.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"mode", "op", "implicit", "table"});
  for (const ImplicitScaling &scaling : report.implicit_scaling) {
    table.row({scaling.mode, scaling.op, fmt::format("{:.2f}x", scaling.ratio),
               fmt::format("{:.2f}x", scaling.ratio_with_tables)});
  }
  return fmt::format("\nIssue rate in random order, {} peers over {}, by kind of address vector\n{}",
                     grouped(kScalingLarge), kScalingSmall, table.text());
}

std::string group_operations_text(const Report &report) {
  if (report.group_operations.empty()) {
    return {};
  }
  TextTable table(3);
  table.row({"operation", "groups", "processes", "ours", "quadratic", "mpich5", "mpich4"});
  const auto microseconds = [](const std::optional<double> &time) {
    return time ? fmt::format("{:.1f}", *time * 1e6) : kNothing;
  };
  for (const GroupTiming &timing : report.group_operations) {
    table.row({timing.op, timing.kind, grouped(timing.n), microseconds(timing.seconds),
               microseconds(timing.seconds_quadratic), microseconds(timing.seconds_mpich5),
               microseconds(timing.seconds_mpich4)});
  }
  return "\nGroup operations, microseconds\n" + table.text();
}

std::string budgets_text(const Report &report) {
  const std::vector<Budget> all = budgets(report);
  if (all.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"", "budget", "worst", "limit", "where"});
  for (const Budget &budget : all) {
    table.row({budget.met() ? "PASS" : "FAIL", budget.what, fmt::format("{:.4g}", budget.value),
               fmt::format("{} {:g}", budget.at_most ? "<=" : ">=", budget.limit), budget.where});
  }
  return "\nBudgets\n" + table.text();
}

} // namespace

std::string to_text(const Report &report) {
  std::string text = machine_text(report);
  text += instructions_text(report);
  text += cache_misses_text(report);
  text += memory_text(report);
  text += survey_modes_text(report.survey_modes);
  text += comparisons_text(
      report.detection, "Pattern detection against one summing pass, 786,432 ranks (ratio: sum / ours)", "ours", "sum");
  text += comparisons_text(
      report.creation, "Creation of a map against building a VCRT, 786,432 ranks (ratio: ours / VCRT)", "ours", "VCRT");
  text += group_operations_text(report);
  text += issue_rates_text(report.issue_rates, "Issue rate");
  text += issue_rates_text(report.map_rates, "Issue rate on " + report.map_file);
  text += implicit_scaling_text(report);
  text += forms_text(report.forms);
  text += caches_text(report.caches);
  text += torus_splits_text(report.torus_splits);
  text += fastpath_text(report.fastpath);
  text += fastpath_threads_text(report.fastpath_threads);
  text += fastpath_networks_text(report.fastpath_networks);
  text += creation_text(report.creation_ops);
  text += crossover_text(report.split_crossover);
  text += mcmc_text(report.mcmc);
  text += connection_text(report.connection);
  text += transports_text(report.transports);
  text += mode_rates_text(report.mode_rates);
  if (!report.notes.empty()) {
    text += "\nNotes\n";
    for (const std::string &note : report.notes) {
      text += "  " + note + '\n';
    }
  }
  return text + budgets_text(report);
}

} // namespace avrankmap::bench
