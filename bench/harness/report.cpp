// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"

#include "fastpath/breakdown.h"
#include "harness/schemes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
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

/// A number, or null for what has no bare counterpart.
Json number_json(const std::optional<double> &value) { return value ? Json(*value) : Json(nullptr); }

Json transports_json(const std::vector<TransportRate> &rates) {
  Json rows = Json::array();
  for (const TransportRate &rate : rates) {
    rows.push_back({{"transport", rate.transport},
                    {"op", rate.op},
                    {"bytes", rate.bytes},
                    {"rate", rate.rate},
                    {"rate_bare", number_json(rate.rate_bare)},
                    {"latency_us", rate.latency_us},
                    {"latency_bare_us", number_json(rate.latency_bare_us)},
                    {"rate_ratio", number_json(rate.rate_ratio)},
                    {"latency_ratio", number_json(rate.latency_ratio)},
                    {"posix_rate_ratio", number_json(rate.posix_rate_ratio)},
                    {"posix_latency_ratio", number_json(rate.posix_latency_ratio)}});
  }
  return rows;
}

Json forms_json(const std::vector<Form> &forms) {
  Json rows = Json::object();
  for (const Form &form : forms) {
    rows[form.name] = {{"mode", form.mode},
                       {"ranks", form.ranks},
                       {"bytes", form.bytes},
                       {"bytes_lut", form.bytes_lut},
                       {"rate_vs_lut", form.rate_vs_lut},
                       {"chained_vs_lut", form.chained_vs_lut},
                       {"bulk_vs_lut", form.bulk_vs_lut}};
  }
  return rows;
}

Json caches_json(const std::vector<CacheRate> &rates) {
  Json rows = Json::array();
  for (const CacheRate &rate : rates) {
    rows.push_back({{"scheme", rate.scheme},
                    {"neighbours", rate.neighbours},
                    {"hops", rate.hops},
                    {"order", rate.order},
                    {"hits", rate.hits},
                    {"misses", rate.misses},
                    {"nanoseconds", rate.nanoseconds},
                    {"nanoseconds_ours", rate.nanoseconds_ours},
                    {"ours_over_theirs", rate.ours_over_theirs}});
  }
  return rows;
}

Json torus_splits_json(const std::vector<TorusSplit> &splits) {
  Json rows = Json::array();
  for (const TorusSplit &split : splits) {
    rows.push_back({{"extents", split.extents},
                    {"processes", split.processes},
                    {"communicators", split.communicators},
                    {"bytes", split.bytes},
                    {"bytes_table", split.bytes_table},
                    {"modes", split.modes},
                    {"checked", split.checked},
                    {"seconds", split.seconds}});
  }
  return rows;
}

Json survey_modes_json(const std::vector<SurveyMode> &modes) {
  Json rows = Json::array();
  for (const SurveyMode &mode : modes) {
    rows.push_back({{"application", mode.application},
                    {"communicator", mode.communicator},
                    {"part", mode.part},
                    {"copies", mode.copies},
                    {"ranks", mode.ranks},
                    {"strict", {{"mode", mode.strict.mode}, {"bytes", mode.strict.bytes}}},
                    {"extended", {{"mode", mode.extended.mode}, {"bytes", mode.extended.bytes}}}});
  }
  return rows;
}

Json fastpath_json(const Fastpath &fastpath) {
  Json rows = Json::object();
  for (const FastpathRow &row : fastpath.rows) {
    rows[row.name] = {
        {"put", row.put ? Json(*row.put) : Json(nullptr)}, {"isend", row.isend ? Json(*row.isend) : Json(nullptr)},
        {"rate_put", number_json(row.rate_put)},           {"rate_isend", number_json(row.rate_isend)},
        {"put_to_bare", number_json(row.put_to_bare)},     {"isend_to_bare", number_json(row.isend_to_bare)}};
  }
  return rows;
}

Json fastpath_breakdown_json(const Fastpath &fastpath) {
  const auto json_of = [](const std::optional<std::int64_t> &value) { return value ? Json(*value) : Json(nullptr); };
  Json rows = Json::array();
  for (const FastpathPart &part : break_down(fastpath)) {
    rows.push_back({{"section", part.section},
                    {"reason", part.reason},
                    {"put", json_of(part.put)},
                    {"put_paper", json_of(part.put_paper)},
                    {"isend", json_of(part.isend)},
                    {"isend_paper", json_of(part.isend_paper)}});
  }
  return rows;
}

Json fastpath_threads_json(const std::vector<FastpathThreads> &threads) {
  Json rows = Json::array();
  for (const FastpathThreads &row : threads) {
    rows.push_back({{"threads", row.threads},
                    {"rate_own", row.rate_own},
                    {"rate_shared", row.rate_shared},
                    {"scaling", row.scaling}});
  }
  return rows;
}

Json fastpath_networks_json(const std::vector<FastpathNetworkRow> &networks) {
  Json rows = Json::array();
  for (const FastpathNetworkRow &row : networks) {
    rows.push_back({{"network", row.network},
                    {"configuration", row.configuration},
                    {"rate_put", number_json(row.rate_put)},
                    {"rate_isend", number_json(row.rate_isend)},
                    {"bare_put", number_json(row.bare_put)},
                    {"bare_isend", number_json(row.bare_isend)},
                    {"put_to_bare", number_json(row.put_to_bare)},
                    {"isend_to_bare", number_json(row.isend_to_bare)}});
  }
  return rows;
}

Json connection_json(const std::vector<ConnectionCost> &costs) {
  Json rows = Json::array();
  for (const ConnectionCost &cost : costs) {
    rows.push_back({{"policy", cost.policy},
                    {"peers", cost.peers},
                    {"contacted", cost.contacted},
                    {"resident_bytes", cost.resident_bytes},
                    {"seconds", cost.seconds},
                    {"contact_seconds", cost.contact_seconds}});
  }
  return rows;
}

Json mode_rates_json(const std::vector<ModeRate> &rates) {
  Json rows = Json::array();
  for (const ModeRate &rate : rates) {
    rows.push_back({{"transport", rate.transport},
                    {"mode", rate.mode},
                    {"rate", rate.rate},
                    {"rate_raw", rate.rate_raw},
                    {"ratio", rate.ratio}});
  }
  return rows;
}

Json creation_ops_json(const std::vector<CreationOp> &ops) {
  Json rows = Json::array();
  for (const CreationOp &op : ops) {
    rows.push_back({{"op", op.op},
                    {"processes", op.processes},
                    {"members", op.members},
                    {"simulated", op.simulated},
                    {"seconds", op.seconds},
                    {"messages", op.messages ? Json(*op.messages) : Json(nullptr)},
                    {"steps", op.steps ? Json(*op.steps) : Json(nullptr)},
                    {"bytes", op.bytes ? Json(*op.bytes) : Json(nullptr)},
                    {"map_bytes", op.map_bytes},
                    {"peak_temporary_bytes", op.peak_temporary_bytes}});
  }
  return rows;
}

Json crossover_json(const std::vector<SplitCrossover> &crossover) {
  Json rows = Json::array();
  for (const SplitCrossover &row : crossover) {
    rows.push_back({{"processes", row.processes},
                    {"gather_seconds", row.gather_seconds},
                    {"sort_seconds", row.sort_seconds},
                    {"gather_temporary_bytes", row.gather_bytes},
                    {"sort_temporary_bytes", row.sort_bytes}});
  }
  return rows;
}

Json mcmc_json(const std::vector<McmcRow> &mcmc) {
  Json rows = Json::array();
  for (const McmcRow &row : mcmc) {
    rows.push_back({{"balancing", row.balancing},
                    {"interval", row.interval},
                    {"processes", row.processes},
                    {"simulated", row.simulated},
                    {"seconds", row.seconds},
                    {"ideal_seconds", row.ideal_seconds},
                    {"regroupings_mean", row.regroupings_mean},
                    {"regroupings_deviation", row.regroupings_deviation},
                    {"regroupings_min", row.regroupings_min},
                    {"regroupings_max", row.regroupings_max}});
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

Json group_operations_json(const Report &report) {
  Json rows = Json::array();
  for (const GroupTiming &timing : report.group_operations) {
    Json row{{"op", timing.op}, {"n", timing.n}, {"kind", timing.kind}, {"seconds", timing.seconds}};
    row["seconds_quadratic"] = timing.seconds_quadratic ? Json(*timing.seconds_quadratic) : Json(nullptr);
    row["seconds_mpich5"] = timing.seconds_mpich5 ? Json(*timing.seconds_mpich5) : Json(nullptr);
    row["seconds_mpich4"] = timing.seconds_mpich4 ? Json(*timing.seconds_mpich4) : Json(nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json implicit_scaling_json(const Report &report) {
  Json rows = Json::array();
  for (const ImplicitScaling &scaling : report.implicit_scaling) {
    rows.push_back({{"mode", scaling.mode},
                    {"op", scaling.op},
                    {"small", kScalingSmall},
                    {"large", kScalingLarge},
                    {"ratio", scaling.ratio},
                    {"ratio_with_tables", scaling.ratio_with_tables}});
  }
  return rows;
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
  // Random order, implicit address vectors: rate with `large` peers over rate with `small` ones.
  json["implicit_scaling"] = implicit_scaling_json(report);
  // Compressed forms beside the plain table.
  json["forms"] = forms_json(report.forms);
  // Our 3-D Cartesian translation beside the n-D Cartesian paper's mapping function and caches; its split experiment.
  json["caches"] = caches_json(report.caches);
  json["torus_splits"] = torus_splits_json(report.torus_splits);
  // Instructions from the call to the network and operations per second, null network, by build or proposal.
  json["fastpath"] = fastpath_json(report.fastpath);
  json["fastpath_bare_rate"] = {{"put", report.fastpath.bare_put}, {"isend", report.fastpath.bare_isend}};
  // What the instructions are for (section 2), and what a proposal saves of the mandatory ones (3.1 to 3.6).
  json["fastpath_breakdown"] = fastpath_breakdown_json(report.fastpath);
  // Isends per second of several threads together, a work queue for each or one for all.
  json["fastpath_threads"] = fastpath_threads_json(report.fastpath_threads);
  // Operations per second that one process hands to a real network, beside the network's own interface.
  json["fastpath_networks"] = fastpath_networks_json(report.fastpath_networks);
  // Two processes of this machine, over real transports. Ratios are ours over bare.
  json["transports"] = transports_json(report.transports);
  // Growth of a process by opening a device in a job of `peers` others (seconds), and by contacting some of them.
  json["connection"] = connection_json(report.connection);
  // 8-byte messages per second over a real network to the ranks of a communicator, and to their addresses.
  json["mode_rates"] = mode_rates_json(report.mode_rates);
  // Creation of communicators. Simulated: seconds of one core for all processes, messages of all, steps (messages) and bytes
  // of the busiest.
  json["creation_ops"] = creation_ops_json(report.creation_ops);
  // From how many processes on a split sorts rather than gathers: modelled seconds.
  json["split_crossover"] = crossover_json(report.split_crossover);
  // Load balancing by noncollective creation. interval: 0 where there is none.
  json["mcmc"] = mcmc_json(report.mcmc);
  json["detection"] = comparison_json(report.detection, "ratio_to_sum", false);
  json["creation"] = comparison_json(report.creation, "ratio_to_vcrt", true);
  // Group operations; seconds_quadratic and others are null where they would take too long.
  json["group_ops"] = group_operations_json(report);
  // How the numbers above came about, and what else was measured.
  json["processes"] = report.processes;
  json["communicators"] = report.communicators;
  json["bytes_per_process_dup"] = bytes_json(report.dup);
  json["survey"] = survey_json(report);
  // Mode and bytes of each communicator of the survey, with the paper's modes alone and with all of ours.
  json["survey_modes"] = survey_modes_json(report.survey_modes);
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
