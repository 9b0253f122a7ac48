// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators of real applications, as bench/tools/survey_applications.sh recorded them while
// they ran: the table in bench/tools/survey/RESULTS.md.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_RECORDED_SURVEY_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_RECORDED_SURVEY_H

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::bench {

/// Counts by name: of calls ("dup", "split"), or of maps by mode ("direct", "lut").
using Counts = std::map<std::string, int>;

/// One run.
struct RecordedRun {
  std::string application;
  std::string mpi;
  int processes = 0;
  Counts calls; ///< that made communicators, of the process that made most
  Counts strict_modes;
  Counts extended_modes;
};

/// The page as it was when this program was built.
std::string_view recorded_page();

/// The runs in a page of that form. Throws std::invalid_argument if a row is of another form.
std::vector<RecordedRun> recorded_runs(std::string_view page);

} // namespace avrankmap::bench

#endif
