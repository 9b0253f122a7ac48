// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which creations are measured, at which sizes.
#include "device/creation/groups.h"

#include <fmt/format.h>

#include <iterator>
#include <regex>
#include <string>

namespace avrankmap::bench {
namespace {

Json run(Session &session) {
  const std::regex filter(session.filter);
  const auto wanted = [&](const char *kind, std::int32_t processes) {
    const bool matches = std::regex_search(fmt::format("BM_Creation/{}/{}", kind, processes), filter);
    if (matches) {
      session.progress(fmt::format("creation of communicators, {}, {} processes", kind, processes));
    }
    return matches;
  };
  std::vector<CreationOp> all;
  const auto add = [&all](std::vector<CreationOp> ops) { std::move(ops.begin(), ops.end(), std::back_inserter(all)); };
  for (const std::int32_t processes : {2, 4, 8, 16}) {
    if (wanted("real", processes)) {
      add(measure_creation(processes, session.choose(31, 201), processes < 16));
    }
  }
  for (const std::int32_t processes : {2, 4, 8}) {
    if ((!session.quick || processes == 4) && wanted("dynamic", processes)) {
      add(measure_dynamic(processes, session.choose(11, 51)));
    }
  }
  constexpr std::int32_t kReal = 16;
  if (wanted("groups", kReal)) {
    add(measure_groups(kReal, session.choose(11, 51)));
  }
  for (const std::int32_t processes : {1024, session.choose(4096, 1048576)}) {
    if (wanted("split", processes)) {
      add(simulate_creation(processes));
    }
  }
  constexpr std::int32_t kParent = 8192; // of the paper's figure 1
  if (wanted("groups", kParent)) {
    add(simulate_groups(kParent));
  }
  return all;
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(2,
                  "Creation of communicators. Real: median, of the first process; of groups, from the last beginning "
                  "to the last end. Simulated: time of one core that "
                  "does the work of all processes, messages of all of them, the most of one and their bytes, the most "
                  "that follow one another, temporary bytes of one, coroutines included");
  table.row({"processes", "creation", "members", "ms", "messages", "of one process", "one after another", "bytes",
             "map bytes", "temporary bytes"});
  bool simulated = false;
  for (const CreationOp &op : rows_of<CreationOp>(rows)) {
    if (op.simulated != simulated) {
      table.gap();
    }
    simulated = op.simulated;
    table.row({fmt::format("{} {}", op.processes, op.simulated ? "simulated" : "real"), op.op,
               std::to_string(op.members), fmt::format("{:.3f}", op.seconds * 1e3), optional_text(op.messages),
               optional_text(op.steps), optional_text(op.depth), optional_text(op.bytes), std::to_string(op.map_bytes),
               std::to_string(op.peak_temporary_bytes)});
  }
  return {table};
}

} // namespace

const Measurement kCreationOps = {"creation_ops", "BM_Creation/<real|dynamic|split|groups>/<processes>", false, run,
                                  tables};

} // namespace avrankmap::bench
