// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The report of one process of a surveyed program: a table as text, and JSON.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_REPORT_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_REPORT_H

#include "tools/survey/rebuilt_comms.h"

#include <cstdint>
#include <string>

namespace avrankmap::survey {

/// Version of the JSON; raise it when the meaning of a member changes.
inline constexpr int kSchema = 1;

/// The process, and how its survey ended.
struct About {
  std::string program;
  std::string mpi; ///< first line of MPI_Get_library_version
  std::int32_t rank = 0;
  std::string ended;   ///< "MPI_Finalize", "MPI_Abort", "exit without MPI_Finalize"
  std::string stopped; ///< why the survey ended before the program did; else empty
};

/// Some dozen lines, each beginning with "survey: ".
std::string to_text(const About &about, const Summary &summary);

std::string to_json(const About &about, const Summary &summary);

/// One line for each mismatch in the summary, each beginning with "survey: ".
std::string mismatches_text(const About &about, const Summary &summary);

} // namespace avrankmap::survey

#endif
