// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

namespace avrankmap::survey {
namespace {

const char *name_of(Family family) {
  switch (family) {
  case Family::kMpich: return "MPICH";
  case Family::kOpenMpi: return "Open MPI";
  case Family::kUnknown: break;
  }
  return "an unknown MPI";
}

/// The number that begins at the first digit from `from` on; 0 if there is none.
int number_after(std::string_view text, std::size_t from) {
  const std::size_t digit = std::min(text.find_first_of("0123456789", from), text.size());
  int number = 0;
  std::from_chars(text.data() + digit, text.data() + text.size(), number);
  return number;
}

} // namespace

Settings read_settings(const char *out, const char *project) {
  Settings settings;
  if (out != nullptr) {
    settings.out = out;
  }
  if (project != nullptr && *project != '\0') {
    const char *const end = project + std::strlen(project);
    const auto [parsed, error] = std::from_chars(project, end, settings.project);
    if (error != std::errc() || parsed != end || settings.project < 1) {
      settings.project = 0;
      settings.complaint = fmt::format(
          "AVRM_SURVEY_PROJECT is \"{}\", not a number of processes from 1 to 2147483647: no projection", project);
    }
  }
  return settings;
}

LibraryVersion parse_library_version(std::string_view text) {
  LibraryVersion version;
  version.title = text.substr(0, text.find_first_of("\n,"));
  // MPICH's title contains a tab.
  std::replace_if(
      version.title.begin(), version.title.end(), [](char c) { return std::iscntrl(static_cast<unsigned char>(c)); },
      ' ');
  if (text.starts_with("Open MPI v")) {
    version.family = Family::kOpenMpi;
    version.major = number_after(text, 0);
  } else if (text.starts_with("MPICH Version:")) {
    version.family = Family::kMpich;
    version.major = number_after(text, 0);
  }
  return version;
}

std::string why_not(Family built_for, int major, const LibraryVersion &runs_on) {
  const std::string both =
      fmt::format("this survey library was built for {} {}, the program runs on {}", name_of(built_for), major,
                  runs_on.title.empty() ? "an unknown MPI" : runs_on.title);
  if (runs_on.family != built_for) {
    return both;
  }
  // Open MPI 5 kept the binary interface of 4; MPICH has had one since 3.1.
  const bool fits = built_for == Family::kOpenMpi ? runs_on.major == major || (major == 4 && runs_on.major == 5) ||
                                                        (major == 5 && runs_on.major == 4)
                                                  : runs_on.major >= 3 && runs_on.major <= 5;
  return fits ? std::string() : both + ", whose binary interface may differ";
}

std::string write_file(const std::string &path, std::string_view text) {
  struct Close {
    void operator()(std::FILE *file) const { static_cast<void>(std::fclose(file)); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0) {
    return fmt::format("cannot write {}: {}", path, std::generic_category().message(errno));
  }
  return {};
}

} // namespace avrankmap::survey
