// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All that one run of the harness measured, and its two forms: JSON for tools, tables for people.
#ifndef AVRANKMAP_BENCH_HARNESS_REPORT_H
#define AVRANKMAP_BENCH_HARNESS_REPORT_H

#include "fastpath/fastpath.h"
#include "fastpath/networks.h"
#include "fastpath/threads.h"
#include "harness/budgets.h"
#include "harness/cache_misses.h"
#include "harness/creation.h"
#include "harness/forms.h"
#include "harness/group_operations.h"
#include "harness/implicit_scaling.h"
#include "harness/instruction_counts.h"
#include "harness/issue_rate.h"
#include "harness/machine.h"
#include "harness/memory_use.h"
#include "harness/survey_modes.h"
#include "harness/torus_split.h"
#include "harness/translation_cache_rates.h"
#include "noncollective/mcmc.h"
#include "simulator/creation_ops.h"
#include "transports/connection.h"
#include "transports/mode_rates.h"
#include "transports/transports.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A run. What was not measured is empty.
struct Report {
  Machine machine;
  int pinned_cpu = -1; ///< -1: the system refused to pin
  std::string commit;
  std::string options; ///< as given on the command line

  std::string instruction_source;
  std::vector<InstructionCount> instructions;
  std::vector<CacheMisses> cache_misses;
  std::int32_t processes = 0; ///< of the memory experiments
  int communicators = 0;      ///< of split and dup, the library's own aside
  std::vector<MemoryUse> split;
  std::vector<MemoryUse> dup;
  std::vector<MemoryUse> survey;
  std::vector<SurveyMode> survey_modes;
  std::vector<Comparison> detection;
  std::vector<Comparison> creation;
  std::vector<GroupTiming> group_operations;
  std::vector<IssueRate> issue_rates;
  std::vector<ImplicitScaling> implicit_scaling;
  std::string map_file;
  std::vector<IssueRate> map_rates;
  std::vector<Form> forms;
  std::vector<CacheRate> caches;
  std::vector<TorusSplit> torus_splits;
  Fastpath fastpath;
  std::vector<FastpathThreads> fastpath_threads;
  std::vector<FastpathNetworkRow> fastpath_networks;
  std::vector<TransportRate> transports;
  std::vector<ConnectionCost> connection;
  std::vector<ModeRate> mode_rates;
  std::vector<CreationOp> creation_ops;
  std::vector<SplitCrossover> split_crossover;
  std::vector<McmcRow> mcmc;

  std::vector<std::string> notes; ///< what was left out, and why
};

/// The report as JSON. Keys: see report.cpp, where they are written in order.
nlohmann::ordered_json to_json(const Report &report);

/// The report as text for a terminal, budgets last.
std::string to_text(const Report &report);

/// Its parts on forms of maps and on the n-D Cartesian compression paper; nothing of what was not measured.
std::string forms_text(const std::vector<Form> &forms);
std::string caches_text(const std::vector<CacheRate> &rates);
std::string torus_splits_text(const std::vector<TorusSplit> &splits);
std::string survey_modes_text(const std::vector<SurveyMode> &modes);

/// Its part on the fast path; nothing if it was not measured.
std::string fastpath_text(const Fastpath &fastpath);
std::string fastpath_threads_text(const std::vector<FastpathThreads> &rows);
std::string fastpath_networks_text(const std::vector<FastpathNetworkRow> &rows);

/// Its parts on real transports; nothing if none was measured.
std::string transports_text(const std::vector<TransportRate> &rates);
std::string connection_text(const std::vector<ConnectionCost> &costs);
std::string mode_rates_text(const std::vector<ModeRate> &rates);

/// Its parts on making communicators; nothing if that was not measured.
std::string creation_text(const std::vector<CreationOp> &ops);
std::string crossover_text(const std::vector<SplitCrossover> &rows);
std::string mcmc_text(const std::vector<McmcRow> &rows);

} // namespace avrankmap::bench

#endif
