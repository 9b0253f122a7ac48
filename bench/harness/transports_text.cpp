// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"
#include "harness/text_table.h"

#include <fmt/format.h>

namespace avrankmap::bench {
namespace {

std::string number(const std::optional<double> &value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string bandwidth(double rate, std::size_t bytes) {
  return fmt::format("{:.1f}", rate * static_cast<double>(bytes) / 1e6);
}

} // namespace

std::string transports_text(const std::vector<TransportRate> &rates) {
  if (rates.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"transport", "op", "bytes", "M/s", "bare", "ours/bare", "MB/s", "us", "bare", "ours/bare",
             "posix/bare: rate", "latency"});
  std::string last;
  for (const TransportRate &rate : rates) {
    if (rate.transport != last) {
      table.gap();
    }
    table.row({rate.transport == last ? "" : rate.transport, rate.op, std::to_string(rate.bytes),
               fmt::format("{:.4f}", rate.rate / 1e6),
               number(rate.rate_bare ? std::optional(*rate.rate_bare / 1e6) : std::nullopt, 4),
               number(rate.rate_ratio, 3), bandwidth(rate.rate, rate.bytes), fmt::format("{:.3f}", rate.latency_us),
               number(rate.latency_bare_us, 3), number(rate.latency_ratio, 3), number(rate.posix_rate_ratio, 3),
               number(rate.posix_latency_ratio, 3)});
    last = rate.transport;
  }
  return "\nReal transports between two processes of this machine, against the bare interface of each: rate in "
         "windows,\n"
         "bandwidth, latency (isend: half a round trip; put: with its flush)\n" +
         table.text();
}

std::string connection_text(const std::vector<ConnectionCost> &costs) {
  if (costs.empty()) {
    return {};
  }
  TextTable table(1);
  table.row({"policy", "peers", "contacted", "resident KiB", "open ms", "contacts ms"});
  for (const ConnectionCost &cost : costs) {
    table.row({cost.policy, std::to_string(cost.peers), std::to_string(cost.contacted),
               std::to_string(cost.resident_bytes / 1024), fmt::format("{:.2f}", cost.seconds * 1e3),
               fmt::format("{:.2f}", cost.contact_seconds * 1e3)});
  }
  return "\nConnection: growth of a process of a job of synthetic peers, the provider's memory included\n" +
         table.text();
}

std::string mode_rates_text(const std::vector<ModeRate> &rates) {
  if (rates.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"transport", "mode", "M/s", "raw M/s", "ours/raw"});
  for (const ModeRate &rate : rates) {
    table.row({rate.transport, rate.mode, fmt::format("{:.4f}", rate.rate / 1e6),
               fmt::format("{:.4f}", rate.rate_raw / 1e6), fmt::format("{:.3f}", rate.ratio)});
  }
  return "\nRate of 8-byte messages by mode over real networks, through the bare interface: ranks against raw "
         "addresses\n(the paper's Table V, top)\n" +
         table.text();
}

} // namespace avrankmap::bench
