// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Merges the reports of a job's processes.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_JOB_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_JOB_H

#include "tools/survey/rebuilt_comms.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace avrankmap::survey {

/// Sums over all processes, or the maximum of one of them. Counts by kind and mode are those of the
/// first process among those that made most communicators.
struct Job {
  std::set<std::string> programs;
  std::string mpi;
  std::int64_t processes = 0; ///< of the largest world
  std::int64_t reports = 0;
  std::set<std::string> ended;
  std::set<std::string> stopped;
  std::int64_t fewest_made = 0;
  std::int64_t made = 0; ///< by one process
  std::int64_t null = 0;
  std::int64_t most_live = 0;
  std::map<std::string, std::int64_t> by_made;
  std::map<std::string, std::int64_t> by_strict_mode;
  std::map<std::string, std::int64_t> by_extended_mode;
  PerScheme world_bytes{};
  PerScheme peak_bytes{};
  std::int64_t projected_to = 0;
  PerScheme projected_peak_bytes{};
  std::uint64_t members_checked = 0; ///< by all processes
  std::uint64_t mismatched = 0;      ///< the same
};

/// Adds one report. Throws std::runtime_error if the text is no report, and leaves the job
/// unchanged.
void add_report(Job &job, const std::string &json);

std::string to_text(const Job &job);
std::string to_json(const Job &job);

/// Head and row of a table in Markdown.
std::string markdown_head(std::int64_t projected_to);
std::string markdown_row(const std::string &name, const Job &job);

} // namespace avrankmap::survey

#endif
