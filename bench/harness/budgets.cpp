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
        if (rate.peers == peers && (order.empty() || rate.order == order) && (rate.*ratio).has_value() &&
            is_table == has_table) {
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

} // namespace

std::vector<Budget> budgets(const Report &report) {
  std::vector<Budget> all;
  add_instructions(report, all);
  add_issue_rates(report, all);
  add_memory(report, all);

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
  return all;
}

} // namespace avrankmap::bench
