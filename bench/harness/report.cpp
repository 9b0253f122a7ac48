// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"

#include "harness/schemes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace avrankmap::bench {
namespace {

using Json = nlohmann::ordered_json;

Json machine_json(const Report &report) {
  const Machine &m = report.machine;
  Json json{{"processor", m.processor},
            {"cpus", m.cpus},
            {"caches", m.caches},
            {"memory", m.memory},
            {"virtual_machine", m.virtual_machine},
            {"huge_pages", m.huge_pages},
            {"kernel", m.kernel},
            {"compiler", m.compiler}};
  json["pinned_cpu"] = report.pinned_cpu >= 0 ? Json(report.pinned_cpu) : Json(nullptr);
  return json;
}

/// mode -> count, ours.
Json instructions_json(const Report &report) {
  Json json = Json::object();
  for (const InstructionCount &count : report.instructions) {
    if (count.path == AvrankmapScheme::kName) {
      json[count.mode] = count.instructions;
    }
  }
  return json;
}

Json instruction_study_json(const Report &report) {
  Json rows = Json::array();
  for (const InstructionCount &count : report.instructions) {
    Json row{{"path", count.path}, {"mode", count.mode}, {"instructions", count.instructions}};
    if (count.paper) {
      row["paper"] = *count.paper;
    }
    rows.push_back(std::move(row));
  }
  return {{"source", report.instruction_source}, {"counts", std::move(rows)}};
}

Json cache_misses_json(const Report &report) {
  Json rows = Json::array();
  for (const CacheMisses &misses : report.cache_misses) {
    Json row{{"peers", misses.peers}, {"scheme", misses.scheme}, {"source", misses.source}};
    for (const auto &[level, value] :
         {std::pair{"l1d", misses.l1d}, std::pair{"l2", misses.l2}, std::pair{"last_level", misses.last_level}}) {
      if (value) {
        row[level] = *value;
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// scheme -> bytes.
Json bytes_json(const std::vector<MemoryUse> &uses) {
  Json json = Json::object();
  for (const MemoryUse &use : uses) {
    json[use.scheme] = use.bytes;
  }
  return json;
}

Json survey_json(const Report &report) {
  Json rows = Json::array();
  for (const MemoryUse &use : report.survey) {
    Json row{{"application", use.application},
             {"scheme", use.scheme},
             {"communicators", use.communicators},
             {"bytes", use.bytes},
             {"world_bytes", use.world_bytes}};
    if (!use.modes.empty()) {
      row["modes"] = use.modes;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json issue_rates_json(const std::vector<IssueRate> &rates) {
  Json rows = Json::array();
  for (const IssueRate &rate : rates) {
    Json row{{"peers", rate.peers},   {"order", rate.order}, {"op", rate.op},
             {"scheme", rate.scheme}, {"mode", rate.mode},   {"rate", rate.rate}};
    if (rate.ratio_to_vc_vcrt) {
      row["ratio_to_vc_vcrt"] = *rate.ratio_to_vc_vcrt;
    }
    if (rate.ratio_to_vc_lean) {
      row["ratio_to_vc_lean"] = *rate.ratio_to_vc_lean;
    }
    if (rate.ratio_to_raw) {
      row["ratio_to_raw"] = *rate.ratio_to_raw;
    }
    row["rounds"] = rate.rounds;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The worst ratio over the regular patterns, and all of them.
Json comparison_json(const std::vector<Comparison> &comparisons, const char *key, bool worst_is_largest) {
  if (comparisons.empty()) {
    return Json::object();
  }
  double worst = 0;
  bool found = false;
  Json patterns = Json::array();
  for (const Comparison &c : comparisons) {
    if (c.regular) {
      worst = !found ? c.ratio : worst_is_largest ? std::max(worst, c.ratio) : std::min(worst, c.ratio);
      found = true;
    }
    patterns.push_back(
        {{"pattern", c.pattern}, {key, c.ratio}, {"seconds", c.ours}, {"yardstick_seconds", c.yardstick}});
  }
  return {{key, worst}, {"patterns", std::move(patterns)}};
}

Json budgets_json(const Report &report) {
  Json rows = Json::array();
  for (const Budget &budget : budgets(report)) {
    rows.push_back({{"what", budget.what},
                    {"value", budget.value},
                    {budget.at_most ? "at_most" : "at_least", budget.limit},
                    {"where", budget.where},
                    {"met", budget.met()}});
  }
  return rows;
}

} // namespace

nlohmann::ordered_json to_json(const Report &report) {
  Json json;
  json["commit"] = report.commit;
  json["options"] = report.options;
  json["machine"] = machine_json(report);
  // Exact counts from (rankmap, rank) to the address word, by mode.
  json["instructions"] = instructions_json(report);
  // Bytes that one process holds: `communicators` odd/even splits of a world of `processes`, by scheme.
  json["bytes_per_process"] = bytes_json(report.split);
  // Operations per second of one core, null network. `scheme` is a mode's label for ours, `mode` that of the communicator.
  json["issue_rate"] = issue_rates_json(report.issue_rates);
  json["detection"] = comparison_json(report.detection, "ratio_to_sum", false);
  json["creation"] = comparison_json(report.creation, "ratio_to_vcrt", true);
  // How the numbers above came about, and what else was measured.
  json["processes"] = report.processes;
  json["communicators"] = report.communicators;
  json["bytes_per_process_dup"] = bytes_json(report.dup);
  json["survey"] = survey_json(report);
  json["instruction_study"] = instruction_study_json(report);
  json["cache_misses_per_put"] = cache_misses_json(report);
  if (!report.map_file.empty()) {
    json["map"] = {{"file", report.map_file}, {"issue_rate", issue_rates_json(report.map_rates)}};
  }
  json["budgets"] = budgets_json(report);
  json["notes"] = report.notes;
  return json;
}

} // namespace avrankmap::bench
