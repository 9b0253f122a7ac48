// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Space Performance Tradeoffs in Compressing MPI Group Data Structures", figure 4: ping-pong with
// the caches. Needs the device.
#include "device/transports/cached_latency.h"
#include "papers/experiments/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace avrankmap::bench {
namespace {

// The paper's curves that are measured here, and what it says of them at 1 byte.
struct Scheme {
  const char *name;
  Value at_one_byte;
};
const std::array<Scheme, 5> kSchemes = {{{"plain table", {}},
                                         {"mapping function", "the highest"},
                                         {"linear 8", "little over the table"},
                                         {"128 x 8", {}},
                                         {"ours", {}}}};

/// The plot of a transport, made when it is first asked for.
Plot &plot_of(std::vector<Plot> &plots, const std::string &transport) {
  const std::string name = transport.substr(0, 3);
  auto plot = std::find_if(plots.begin(), plots.end(), [&](const Plot &p) { return p.name == name; });
  if (plot == plots.end()) {
    plot = plots.insert(plot, {name,
                               "Ping-pong over " + transport,
                               "bytes",
                               "microseconds, on a logarithmic axis as in the paper",
                               true,
                               true,
                               {},
                               {}});
    for (const Scheme &scheme : kSchemes) {
      plot->series.push_back({scheme.name, {}, scheme.name == std::string("ours")});
    }
  }
  return *plot;
}

} // namespace

Result run_ping_pong(Context &context) {
  Result result;
  result.note = "Measured: latency between two processes of this machine; the paper's is between two nodes of a Blue "
                "Gene/Q. The lower rows are over the plain table in the same rounds.";
  if (context.effort() == Effort::kTiny) {
    result.omissions.emplace_back("Nothing was measured: the effort is tiny");
    return result;
  }
  const CachedLatencyOptions options = context.choose<CachedLatencyOptions>(
      {}, {{1, 128, 4096}, 31, 0.001}, {{1, 16, 128, 512, 2048, 8192, 32768}, 101, 0.003});
  const std::vector<CachedLatency> all = measure_cached_latency(
      options, context.progress(), [&](const std::string &note) { result.omissions.push_back(note); });
  result.table = {"microseconds", {}, {}};
  for (const Scheme &scheme : kSchemes) {
    result.table.columns.emplace_back(scheme.name);
  }
  std::vector<Row> ratios;
  for (const CachedLatency &latency : all) {
    const auto scheme =
        std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme &s) { return s.name == latency.scheme; });
    if (scheme == kSchemes.end()) {
      continue;
    }
    const auto column = static_cast<std::size_t>(scheme - kSchemes.begin());
    plot_of(result.plots, latency.transport)
        .series[column]
        .points.emplace_back(static_cast<double>(latency.bytes), latency.microseconds);
    if (latency.bytes != 1) {
      continue;
    }
    const std::string label = fmt::format("{}, 1 byte", latency.transport);
    if (result.table.rows.empty() || result.table.rows.back().label != label) {
      result.table.rows.push_back({label, std::vector<Cell>(kSchemes.size())});
      ratios.push_back({label + ", over the plain table", std::vector<Cell>(kSchemes.size())});
    }
    result.table.rows.back().cells[column] = {latency.microseconds, scheme->at_one_byte};
    ratios.back().cells[column].here = latency.ratio;
  }
  result.table.rows.insert(result.table.rows.end(), ratios.begin(), ratios.end());
  return result;
}

} // namespace avrankmap::bench
