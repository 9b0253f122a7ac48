// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All that one run of the harness measured, and its two forms: JSON for tools, tables for people.
#ifndef AVRANKMAP_BENCH_HARNESS_REPORT_H
#define AVRANKMAP_BENCH_HARNESS_REPORT_H

#include "harness/budgets.h"
#include "harness/cache_misses.h"
#include "harness/creation.h"
#include "harness/instruction_counts.h"
#include "harness/issue_rate.h"
#include "harness/machine.h"
#include "harness/memory_use.h"

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
  std::vector<Comparison> detection;
  std::vector<Comparison> creation;
  std::vector<IssueRate> issue_rates;
  std::string map_file;
  std::vector<IssueRate> map_rates;

  std::vector<std::string> notes; ///< what was left out, and why
};

/// The report as JSON. Keys: see report.cpp, where they are written in order.
nlohmann::ordered_json to_json(const Report &report);

/// The report as text for a terminal, budgets last.
std::string to_text(const Report &report);

} // namespace avrankmap::bench

#endif
