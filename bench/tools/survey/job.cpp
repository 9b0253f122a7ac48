// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/job.h"

#include "tools/survey/format.h"
#include "tools/survey/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace avrankmap::survey {
namespace {

using bench::grouped;
using Counts = std::map<std::string, std::int64_t>;

PerScheme scheme_bytes(const Json &json) {
  PerScheme bytes;
  for (std::size_t i = 0; i < kSchemes; ++i) {
    bytes[i] = json.at(kSchemeNames[i]).get<std::uint64_t>();
  }
  return bytes;
}

void add(Job &job, const Json &json) {
  if (json.at("schema").get<int>() != kSchema) {
    throw std::runtime_error(
        fmt::format("a report of schema {}, which this program does not know", json.at("schema").dump()));
  }
  job.programs.insert(json.at("program").get<std::string>());
  job.mpi = json.at("mpi").get<std::string>();
  job.processes = std::max(job.processes, json.at("processes").get<std::int64_t>());
  job.ended.insert(json.at("ended").get<std::string>());
  if (const auto stopped = json.at("stopped").get<std::string>(); !stopped.empty()) {
    job.stopped.insert(stopped);
  }
  const auto made = json.at("made").get<std::int64_t>();
  if (job.reports == 0 || made > job.made) {
    job.made = made;
    job.by_made = json.at("by_made").get<Counts>();
    job.by_strict_mode = json.at("by_strict_mode").get<Counts>();
    job.by_extended_mode = json.at("by_extended_mode").get<Counts>();
  }
  job.fewest_made = job.reports == 0 ? made : std::min(job.fewest_made, made);
  job.null = std::max(job.null, json.at("null").get<std::int64_t>());
  job.most_live = std::max(job.most_live, json.at("most_live").get<std::int64_t>());
  raise(job.world_bytes, scheme_bytes(json.at("world_bytes")));
  raise(job.peak_bytes, scheme_bytes(json.at("peak_bytes")));
  raise(job.projected_peak_bytes, scheme_bytes(json.at("projected_peak_bytes")));
  job.projected_to = json.at("projected_to").get<std::int64_t>();
  job.members_checked += json.at("members_checked").get<std::uint64_t>();
  job.mismatched += json.at("mismatched").get<std::uint64_t>();
  ++job.reports;
}

} // namespace

void add_report(Job &job, const std::string &json) {
  Job sum = job;
  try {
    add(sum, Json::parse(json));
  } catch (const Json::exception &error) {
    throw std::runtime_error(fmt::format("this is no report of the survey: {}", error.what()));
  }
  job = std::move(sum);
}

std::string to_text(const Job &job) {
  std::string text = fmt::format("{}, {} processes, {}; {} reports, ended by {}\n", fmt::join(job.programs, ", "),
                                 job.processes, job.mpi, job.reports, fmt::join(job.ended, ", "));
  for (const std::string &reason : job.stopped) {
    text += fmt::format("the survey of a process stopped early: {}\n", reason);
  }
  text += fmt::format(
      "communicators made by a process: {} to {} ({}); at most {} at once; MPI_COMM_NULL returned: at most {}\n",
      job.fewest_made, job.made, counts_text(job.by_made), job.most_live, job.null);
  text += fmt::format("modes, strict: {}\nmodes, extended: {}\n", counts_text(job.by_strict_mode),
                      counts_text(job.by_extended_mode));
  std::vector<std::pair<std::string, PerScheme>> bytes{{"addresses", job.world_bytes},
                                                       {"with communicators", job.peak_bytes}};
  if (job.projected_to != 0) {
    bytes.emplace_back(projected_title(job.projected_to), job.projected_peak_bytes);
  }
  text += bytes_table("most bytes of a process", bytes);
  return text + fmt::format("members compared with the MPI library's groups: {}; different: {}\n",
                            grouped(job.members_checked), job.mismatched);
}

std::string to_json(const Job &job) {
  Json json;
  json["schema"] = kSchema;
  json["programs"] = Json(job.programs);
  json["mpi"] = job.mpi;
  json["processes"] = job.processes;
  json["reports"] = job.reports;
  json["ended"] = Json(job.ended);
  json["stopped"] = Json(job.stopped);
  json["fewest_made"] = job.fewest_made;
  json["made"] = job.made;
  json["null"] = job.null;
  json["most_live"] = job.most_live;
  json["by_made"] = Json(job.by_made);
  json["by_strict_mode"] = Json(job.by_strict_mode);
  json["by_extended_mode"] = Json(job.by_extended_mode);
  json["world_bytes"] = by_scheme(job.world_bytes);
  json["peak_bytes"] = by_scheme(job.peak_bytes);
  json["projected_to"] = job.projected_to;
  json["projected_peak_bytes"] = by_scheme(job.projected_peak_bytes);
  json["members_checked"] = job.members_checked;
  json["mismatched"] = job.mismatched;
  return dumped(json);
}

std::string markdown_head(std::int64_t projected_to) {
  const std::string target = projected_to == 0 ? "not projected" : projected_title(projected_to);
  return fmt::format(
      "| application | MPI | processes | made (at once) | by call | strict modes | extended modes | strict | "
      "extended | vc-vcrt | mpich5 | {}: strict | extended | vc-vcrt | mpich5 | compared | different |\n"
      "|---|---|--:|--:|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
      target);
}

std::string markdown_row(const std::string &name, const Job &job) {
  std::string row = fmt::format("| {} | {} | {} | {} ({}) | {} | {} | {} |", name, job.mpi, job.processes,
                                grouped(static_cast<std::uint64_t>(job.made)), job.most_live, counts_text(job.by_made),
                                counts_text(job.by_strict_mode), counts_text(job.by_extended_mode));
  for (const PerScheme &bytes : {job.peak_bytes, job.projected_peak_bytes}) {
    for (const std::uint64_t value : bytes) {
      row += fmt::format(" {} |", grouped(value));
    }
  }
  return row + fmt::format(" {} | {} |\n", grouped(job.members_checked), job.mismatched);
}

} // namespace avrankmap::survey
