// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a process of a surveyed program reports: a table for people, JSON for tools.
#ifndef AVRANKMAP_BENCH_SURVEY_REPORT_H
#define AVRANKMAP_BENCH_SURVEY_REPORT_H

#include "survey/books.h"

#include <cstdint>
#include <string>

namespace avrankmap::survey {

/// Version of the JSON; to be raised when its meaning changes.
inline constexpr int kSchema = 1;

/// What the report is about.
struct About {
  std::string program;
  std::string mpi; ///< first line of MPI_Get_library_version
  std::int32_t rank = 0;
  std::string ended;   ///< "MPI_Finalize", "MPI_Abort", "exit without MPI_Finalize"
  std::string stopped; ///< why the survey ended before the program; empty if it did not
};

/// A dozen lines or more, each beginning with "survey: ".
std::string to_text(const About &about, const Summary &summary);

std::string to_json(const About &about, const Summary &summary);

/// One line for each mismatch that was kept, each beginning with "survey: ".
std::string mismatches_text(const About &about, const Summary &summary);

} // namespace avrankmap::survey

#endif
