// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the environment says, and where reports go.
#ifndef AVRANKMAP_BENCH_SURVEY_SETTINGS_H
#define AVRANKMAP_BENCH_SURVEY_SETTINGS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace avrankmap::survey {

struct Settings {
  /// AVRM_SURVEY_OUT: each process writes <out>.<rank>.<pid>.txt and .json. Empty: process 0 writes its table to stderr.
  std::string out;
  /// AVRM_SURVEY_PROJECT: number of processes to project to; 0 for none.
  std::int32_t project = 0;
  /// What of it cannot be used; empty if nothing.
  std::string complaint;
};

/// @param out      value of the variable; null if it is not set
/// @param project  the same
Settings read_settings(const char *out, const char *project);

/// What MPI libraries call themselves in MPI_Get_library_version.
enum class Family { kUnknown, kMpich, kOpenMpi };

struct LibraryVersion {
  Family family = Family::kUnknown;
  int major = 0;     ///< 0 if it cannot be told
  std::string title; ///< for people, on one line
};

LibraryVersion parse_library_version(std::string_view text);

/// Why a survey library that was built for one MPI cannot watch a program that runs on another; empty if it can.
/// @param major  of the MPI that the survey library was built for
std::string why_not(Family built_for, int major, const LibraryVersion &runs_on);

/// Writes a file. @return what went wrong, or an empty text
std::string write_file(const std::string &path, std::string_view text);

} // namespace avrankmap::survey

#endif
