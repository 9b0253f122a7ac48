// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fastpath/breakdown.h"
#include "harness/report.h"
#include "harness/text_table.h"

#include <fmt/format.h>

namespace avrankmap::bench {
namespace {

std::string count(const std::optional<std::uint64_t> &value) { return value ? std::to_string(*value) : "-"; }
std::string millions(const std::optional<double> &value) { return value ? fmt::format("{:.1f}", *value / 1e6) : "-"; }
std::string ratio(const std::optional<double> &value) { return value ? fmt::format("{:.2f}x", *value) : "-"; }

std::string part(const std::optional<std::int64_t> &value) { return value ? std::to_string(*value) : "-"; }

/// Where the instructions go, and what each proposal saves of them.
std::string breakdown_text(const Fastpath &fastpath) {
  const std::vector<FastpathPart> parts = break_down(fastpath);
  if (parts.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"section", "", "put", "paper", "isend", "paper"});
  std::string notes;
  for (const FastpathPart &p : parts) {
    table.row({p.section, p.reason, part(p.put), part(p.put_paper), part(p.isend), part(p.isend_paper)});
    if (!p.note.empty()) {
      notes += fmt::format("  {} {}: {}\n", p.section, p.reason, p.note);
    }
  }
  return "\nWhat these instructions are for (2), and what each proposal saves of the mandatory ones (3), beside the "
         "paper's\n" +
         table.text() + notes;
}

} // namespace

std::string fastpath_text(const Fastpath &fastpath) {
  if (fastpath.rows.empty()) {
    return {};
  }
  TextTable table(1);
  table.row({"", "put: instr.", "M/s", "of bare", "isend: instr.", "M/s", "of bare"});
  for (const FastpathRow &row : fastpath.rows) {
    table.row({row.name, count(row.put), millions(row.rate_put), ratio(row.put_to_bare), count(row.isend),
               millions(row.rate_isend), ratio(row.isend_to_bare)});
  }
  table.row({"bare", "-", millions(fastpath.bare_put), "-", "-", millions(fastpath.bare_isend), "-"});
  return "\nFast path of the device, strided communicator, null network, 1 byte: instructions from the call to the\n"
         "network, issue rate, and the rate over that of a loop that writes the same descriptors\n" +
         table.text() + breakdown_text(fastpath);
}

std::string fastpath_threads_text(const std::vector<FastpathThreads> &rows) {
  if (rows.empty()) {
    return {};
  }
  TextTable table(1);
  table.row({"threads", "own queues: M/s", "over one thread", "one queue: M/s"});
  for (const FastpathThreads &row : rows) {
    table.row({std::to_string(row.threads), millions(row.rate_own), ratio(row.scaling), millions(row.rate_shared)});
  }
  return "\nFast path by several threads on as many communicators, default build, null network: isends of all "
         "together, by\n"
         "CPU time\n" +
         table.text();
}

std::string fastpath_networks_text(const std::vector<FastpathNetworkRow> &rows) {
  if (rows.empty()) {
    return {};
  }
  const auto precise = [](const std::optional<double> &value) {
    return value ? fmt::format("{:.3f}", *value / 1e6) : "-";
  };
  TextTable table(2);
  table.row({"network", "", "put: M/s", "bare", "of bare", "isend: M/s", "bare", "of bare"});
  std::string last;
  for (const FastpathNetworkRow &row : rows) {
    if (row.network != last) {
      table.gap();
    }
    table.row({row.network == last ? "" : row.network, row.configuration, precise(row.rate_put), precise(row.bare_put),
               ratio(row.put_to_bare), precise(row.rate_isend), precise(row.bare_isend), ratio(row.isend_to_bare)});
    last = row.network;
  }
  return "\nFast path between two processes, 1 byte: operations per second of CPU time that one of them hands to the "
         "network,\n"
         "against a loop over the network's own interface in the same run\n" +
         table.text();
}

} // namespace avrankmap::bench
