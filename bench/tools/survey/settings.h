// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Settings from environment variables, and the files of reports.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_SETTINGS_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_SETTINGS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace avrankmap::survey {

struct Settings {
  /// AVRM_SURVEY_OUT: each process writes <out>.<rank>.<pid>.txt and .json. If it is empty, process
  /// 0 writes its table to standard error.
  std::string out;
  /// AVRM_SURVEY_PROJECT: number of processes to project to; 0 for none.
  std::int32_t project = 0;
  /// Message about a value that cannot be used; else empty.
  std::string complaint;
};

/// @param out      value of the variable; null if it is not set
/// @param project  the same
Settings read_settings(const char *out, const char *project);

/// MPI libraries by the text that MPI_Get_library_version returns.
enum class Family { kUnknown, kMpich, kOpenMpi };

struct LibraryVersion {
  Family family = Family::kUnknown;
  int major = 0;     ///< 0 if it is unknown
  std::string title; ///< one line
};

LibraryVersion parse_library_version(std::string_view text);

/// Returns why a survey library that was built for one MPI cannot watch a program that runs on
/// another; an empty string if it can.
/// @param major  of the MPI that the survey library was built for
std::string why_not(Family built_for, int major, const LibraryVersion &runs_on);

/// Writes a file. @return an error message, or an empty string
std::string write_file(const std::string &path, std::string_view text);

} // namespace avrankmap::survey

#endif
