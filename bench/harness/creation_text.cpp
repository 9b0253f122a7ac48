// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"
#include "harness/text_table.h"

#include <fmt/format.h>

namespace avrankmap::bench {
namespace {

std::string number(const std::optional<std::uint64_t> &value) { return value ? std::to_string(*value) : "-"; }

} // namespace

std::string creation_text(const std::vector<CreationOp> &ops) {
  if (ops.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"processes", "creation", "members", "ms", "messages", "of one process", "map bytes", "temporary bytes"});
  bool simulated = false;
  for (const CreationOp &op : ops) {
    if (op.simulated != simulated) {
      table.gap();
    }
    simulated = op.simulated;
    table.row({fmt::format("{} {}", op.processes, op.simulated ? "simulated" : "real"), op.op,
               std::to_string(op.members), fmt::format("{:.3f}", op.seconds * 1e3), number(op.messages),
               number(op.steps), std::to_string(op.map_bytes), std::to_string(op.peak_temporary_bytes)});
  }
  return "\nMaking communicators. Real: median, of the first process. Simulated: time of one core that does the work "
         "of all\n"
         "processes, messages of all of them and the most of one, temporary bytes of one, coroutines included\n" +
         table.text();
}

} // namespace avrankmap::bench
