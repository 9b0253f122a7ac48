// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/counts.h"

#include "device/fastpath/path_counts.h"

#include <fmt/format.h>

namespace avrankmap::bench {
namespace {

/// Writes a count to its two fields, or tells why there is none.
void fill(const std::optional<PathCount> &count, std::optional<std::uint64_t> &before,
          std::optional<std::uint64_t> &all, const std::string &what, const Log &note) {
  if (!count) {
    return;
  }
  if (!count->ok()) {
    note(fmt::format("instructions of {} were not counted: {}", what, count->message()));
    return;
  }
  before = (*count)->before;
  all = (*count)->instructions;
}

} // namespace

std::vector<FastpathCountRow> count_fastpath(std::string_view network, const Log &note) {
  std::vector<FastpathCountRow> rows;
  for (const CountedNetwork &counted : counted_networks()) {
    if (!network.empty() && network != counted.name) {
      continue;
    }
    const auto world = LoopbackWorld::open(counted.netmod, counted.provider);
    if (world == nullptr) {
      note(fmt::format("the fast path on {} was not counted: this machine lacks it", counted.name));
      continue;
    }
    for (const CountedPath &path : count_paths(counted, *world)) {
      FastpathCountRow row{counted.name, path.name, {}, {}, {}, {}};
      const std::string what = fmt::format("{} on {}", path.name, counted.name);
      fill(path.put, row.put_before, row.put, "a put, " + what, note);
      fill(path.isend, row.isend_before, row.isend, "an isend, " + what, note);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string both_counts(const std::optional<std::uint64_t> &before, const std::optional<std::uint64_t> &all) {
  return before && all ? fmt::format("{} / {}", *before, *all) : "-";
}

namespace {

Json run(Session &session) { return count_fastpath("", session.note); }

std::vector<TextTable> tables(const Json &json) {
  const auto rows = rows_of<FastpathCountRow>(json);
  std::vector<std::string> networks;
  std::vector<std::string> names;
  const auto add = [](std::vector<std::string> &list, const std::string &name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) {
      list.push_back(name);
    }
  };
  for (const FastpathCountRow &row : rows) {
    add(networks, row.network);
    add(names, row.name);
  }
  TextTable table(1,
                  "Our instructions in an operation of the fast path, strided communicator, a window whose parts are "
                  "alike, 1 byte: before the network's function / from entry to return without that function");
  std::vector<std::string> head{""};
  for (const std::string &network : networks) {
    head.push_back("put, " + network);
    head.push_back("isend, " + network);
  }
  table.row(head);
  for (const std::string &name : names) {
    std::vector<std::string> line{name};
    for (const std::string &network : networks) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const FastpathCountRow &candidate) {
        return candidate.network == network && candidate.name == name;
      });
      line.push_back(row == rows.end() ? "-" : both_counts(row->put_before, row->put));
      line.push_back(row == rows.end() ? "-" : both_counts(row->isend_before, row->isend));
    }
    table.row(line);
  }
  return {table};
}

/// Most instructions of one path to the null network's function, put and isend.
struct Limit {
  const char *path;
  const char *what;
  double most;
};
constexpr Limit kLimits[] = {
    {kMandatoryPath, "inlined", 40},
    {kAllOfConstantCount, "all six proposals, constant count", 20},
    {kDefaultPath, "default build", 110},
};

void judge(const Json &json, Budgets &budgets) {
  const auto rows = rows_of<FastpathCountRow>(json);
  for (const Limit &limit : kLimits) {
    Budgets::Values &put = budgets.at_most(limit.most, fmt::format("instructions, put to null, {}", limit.what));
    Budgets::Values &isend = budgets.at_most(limit.most, fmt::format("instructions, isend to null, {}", limit.what));
    for (const FastpathCountRow &row : rows) {
      if (row.network == "null" && row.name == limit.path && row.put_before && row.isend_before) {
        put.add(static_cast<double>(*row.put_before));
        isend.add(static_cast<double>(*row.isend_before));
      }
    }
  }
}

} // namespace

const Measurement kFastpathCounts = {"fastpath_counts", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
