// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"
#include "harness/text_table.h"

#include <fmt/format.h>

namespace avrankmap::bench {
namespace {

std::string count(const std::optional<std::uint64_t> &value) { return value ? std::to_string(*value) : "-"; }
std::string millions(const std::optional<double> &value) { return value ? fmt::format("{:.1f}", *value / 1e6) : "-"; }
std::string ratio(const std::optional<double> &value) { return value ? fmt::format("{:.2f}x", *value) : "-"; }

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
         table.text();
}

} // namespace avrankmap::bench
