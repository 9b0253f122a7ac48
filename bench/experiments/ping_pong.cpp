// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Space Performance Tradeoffs in Compressing MPI Group Data Structures", figure 4: ping-pong with the caches. Needs the device.
#include "experiments/catalogue.h"
#include "transports/cached_latency.h"

#include <fmt/format.h>

#include <algorithm>

namespace avrankmap::bench {

Result run_ping_pong(Context &context) {
  Result result;
  if (context.effort() == Effort::kTiny) {
    result.notes.emplace_back("not measured: tiny");
    return result;
  }
  const CachedLatencyOptions options = context.choose<CachedLatencyOptions>(
      {}, {{1, 128, 4096}, 31, 0.001}, {{1, 16, 128, 512, 2048, 8192, 32768}, 101, 0.003});
  const std::vector<CachedLatency> all = measure_cached_latency(
      options, context.progress(), [&](const std::string &note) { result.notes.push_back(note); });
  double function = 0;
  double ours = 0;
  for (const CachedLatency &latency : all) {
    const bool is_ours = latency.scheme == "ours";
    Value paper;
    if (latency.bytes == 1) {
      paper = latency.scheme == "linear 8"           ? Value("little over the table")
              : latency.scheme == "mapping function" ? Value("the highest")
                                                     : Value();
    }
    result.rows.push_back({fmt::format("{}, {} bytes, {}", latency.transport, latency.bytes, latency.scheme), "us",
                           paper, latency.microseconds,
                           fmt::format("measured: two processes of this machine, {:.3f} of the plain table in the same "
                                       "rounds; the paper's: two nodes "
                                       "of a Blue Gene/Q",
                                       latency.ratio)});
    const std::string name = latency.transport.substr(0, 3);
    auto plot = std::find_if(result.plots.begin(), result.plots.end(), [&](const Plot &p) { return p.name == name; });
    if (plot == result.plots.end()) {
      plot = result.plots.insert(
          plot, {name, "Ping-pong over " + latency.transport, "bytes", "microseconds", true, true, {}, {}});
    }
    auto line = std::find_if(plot->series.begin(), plot->series.end(),
                             [&](const Series &s) { return s.name == latency.scheme; });
    if (line == plot->series.end()) {
      line = plot->series.insert(line, {latency.scheme, {}, is_ours});
    }
    line->points.emplace_back(static_cast<double>(latency.bytes), latency.microseconds);
    if (latency.bytes == 1) {
      function = latency.scheme == "mapping function" ? std::max(function, latency.ratio) : function;
      ours = is_ours ? std::max(ours, latency.ratio) : ours;
    }
  }
  if (!all.empty()) {
    result.reading.push_back(fmt::format("With 1 byte the mapping function takes up to {:.3f} times the plain table's "
                                         "latency, ours up to {:.3f}. Three divisions are some ten "
                                         "nanoseconds on this processor, and a round trip takes hundreds to thousands; "
                                         "on the in-order cores of the paper "
                                         "they show.",
                                         function, ours));
  }
  return result;
}

} // namespace avrankmap::bench
