// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/report.h"

#include "tools/survey/format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace avrankmap::survey {
namespace {

Json processes_of(const std::vector<avrm_gpid_t> &processes) {
  Json list = Json::array();
  for (const avrm_gpid_t &process : processes) {
    list.push_back(process.pgid == 0 ? Json(process.lpid) : Json(fmt::format("{}:{}", process.pgid, process.lpid)));
  }
  return list;
}

std::string size_text(const Alike &alike) {
  return alike.remote_size == 0 ? fmt::to_string(alike.size) : fmt::format("{} + {}", alike.size, alike.remote_size);
}

/// The text with "survey: " before each line.
std::string prefixed(const std::string &text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += "survey: " + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return result;
}

} // namespace

std::string to_text(const About &about, const Summary &summary) {
  std::string text = fmt::format("{}, rank {} of {}, {}, ended by {}\n", about.program, about.rank, summary.processes,
                                 about.mpi, about.ended);
  if (!about.stopped.empty()) {
    text += fmt::format("the survey stopped early: {}; later communicators are missing\n", about.stopped);
  }
  text += fmt::format("communicators made: {} ({}); at most {} at once; MPI_COMM_NULL returned: {}\n", summary.made,
                      counts_text(summary.by_made), summary.most_live, summary.null);

  bench::TextTable alike(1);
  alike.row({"made by", "count", "size", "strict", "bytes", "extended", "bytes", "vc-vcrt", "mpich5"});
  for (const auto &[what, total] : summary.alike) {
    alike.row({what.call, fmt::to_string(total.count), size_text(what), avrm_mode_label(what.strict),
               fmt::to_string(total.bytes[0]), avrm_mode_label(what.extended), fmt::to_string(total.bytes[1]),
               fmt::to_string(total.bytes[2]), fmt::to_string(total.bytes[3])});
  }
  text += alike.text();

  std::vector<std::pair<std::string, PerScheme>> totals{{"addresses", summary.world_bytes},
                                                        {"with communicators, at most", summary.peak_bytes}};
  if (summary.target != 0) {
    totals.emplace_back(projected_title(summary.target), summary.projected_peak_bytes);
  }
  text += bytes_table("bytes of this process", totals);
  if (summary.target != 0) {
    text += "projected: regular maps keep their size, tables grow with their share of the world, the number of "
            "communicators stays\n";
  }
  text += fmt::format("members compared with the MPI library's groups: {}; different: {}\n",
                      bench::grouped(summary.members_checked), summary.mismatched);
  return prefixed(text) + mismatches_text(about, summary);
}

std::string mismatches_text(const About &about, const Summary &summary) {
  std::string text;
  for (const Mismatch &mismatch : summary.mismatches) {
    text += fmt::format("MISMATCH in process {} of {}, communicator {}, map {}: rank {} is {}:{} in the MPI library, "
                        "{}:{} in the map\n",
                        about.rank, about.program, mismatch.number, mismatch.map, mismatch.rank, mismatch.expected.pgid,
                        mismatch.expected.lpid, mismatch.found.pgid, mismatch.found.lpid);
  }
  return prefixed(text);
}

std::string to_json(const About &about, const Summary &summary) {
  Json json;
  json["schema"] = kSchema;
  json["program"] = about.program;
  json["mpi"] = about.mpi;
  json["rank"] = about.rank;
  json["processes"] = summary.processes;
  json["ended"] = about.ended;
  json["stopped"] = about.stopped;
  json["made"] = summary.made;
  json["null"] = summary.null;
  json["most_live"] = summary.most_live;
  json["process_groups"] = summary.process_groups;
  json["members_checked"] = summary.members_checked;
  json["mismatched"] = summary.mismatched;
  json["by_made"] = Json(summary.by_made);
  json["by_strict_mode"] = Json(summary.by_strict_mode);
  json["by_extended_mode"] = Json(summary.by_extended_mode);
  json["world_bytes"] = by_scheme(summary.world_bytes);
  json["peak_bytes"] = by_scheme(summary.peak_bytes);
  json["projected_to"] = summary.target;
  json["projected_peak_bytes"] = by_scheme(summary.projected_peak_bytes);
  Json &rows = json["communicators"] = Json::array();
  for (const Row &row : summary.rows) {
    rows.push_back({{"number", row.number},
                    {"parent", row.parent},
                    {"made", label(row.made)},
                    {"call", row.call},
                    {"size", row.size},
                    {"remote_size", row.remote_size},
                    {"strict", avrm_mode_label(row.strict)},
                    {"extended", avrm_mode_label(row.extended)},
                    {"composed", row.composed},
                    {"bytes", by_scheme(row.bytes)},
                    {"projected_bytes", by_scheme(row.projected)}});
  }
  Json &mismatches = json["mismatches"] = Json::array();
  for (const Mismatch &mismatch : summary.mismatches) {
    mismatches.push_back({{"communicator", mismatch.number},
                          {"map", mismatch.map},
                          {"rank", mismatch.rank},
                          {"expected", {mismatch.expected.pgid, mismatch.expected.lpid}},
                          {"found", {mismatch.found.pgid, mismatch.found.lpid}},
                          {"processes", processes_of(mismatch.processes)}});
  }
  return dumped(json);
}

} // namespace avrankmap::survey
