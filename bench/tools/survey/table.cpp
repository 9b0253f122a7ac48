// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Merges the reports of a job's processes: avrm_survey_table [OPTION]... REPORT.json...
#include "tools/survey/job.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace avrankmap::survey;

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw std::runtime_error("cannot be read");
  }
  return text.str();
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Merges the reports of a surveyed job.");
  std::vector<std::string> files;
  std::string name;
  bool json = false;
  std::int64_t head = -1;
  app.add_option("files", files, "reports that processes wrote because of AVRM_SURVEY_OUT: <out>.<rank>.<pid>.json");
  CLI::Option *const row =
      app.add_option("--row", name, "print a row of a Markdown table with this text in its first cell");
  app.add_flag("--json", json, "print JSON")->excludes(row);
  app.add_option("--head", head,
                 "print the head of a Markdown table for this number of processes projected to, 0 for none")
      ->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);

  if (head >= 0) {
    fmt::print("{}", markdown_head(head));
    return 0;
  }
  if (files.empty()) {
    fmt::print(stderr, "avrm_survey_table: no reports\n");
    return 2;
  }
  Job job;
  for (const std::string &file : files) {
    try {
      add_report(job, read(file));
    } catch (const std::exception &error) {
      fmt::print(stderr, "avrm_survey_table: {}: {}\n", file, error.what());
      return 2;
    }
  }
  fmt::print("{}", *row ? markdown_row(name, job) : json ? to_json(job) : to_text(job));
  return job.mismatched == 0 ? 0 : 1;
}
