// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.h"

#include "report/registry.h"
#include "support/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <regex>
#include <utility>

namespace avrankmap::bench {

AVRM_BENCH_ROW(Machine, processor, cpus, caches, memory, virtual_machine, huge_pages, kernel, compiler);

namespace {

bool is_wanted(const Measurement &measurement, const Session &session) {
  return measurement.benchmarks != nullptr || std::regex_search(measurement.name, std::regex(session.filter));
}

Json budgets_json(const Json &results) {
  Json rows = Json::array();
  for (const Budget &budget : budgets_of(results)) {
    rows.push_back({{"what", budget.what},
                    {"value", budget.value},
                    {budget.at_most ? "at_most" : "at_least", budget.limit},
                    {"where", budget.where},
                    {"met", budget.met()}});
  }
  return rows;
}

} // namespace

Json measure(Session session) {
  std::vector<std::string> notes;
  session.note = [&notes](const std::string &text) { notes.push_back(text); };
  Json machine = describe_machine();
  std::map<std::string, Json> rows;
  const auto run_all = [&](bool pinned) {
    for (const Measurement *const measurement : all_measurements()) {
      if (measurement->pinned == pinned && is_wanted(*measurement, session)) {
        if (measurement->benchmarks == nullptr) { // others tell of each of theirs
          session.progress(measurement->name);
        }
        rows[measurement->name] = measurement->run(session);
      }
    }
  };
  run_all(false);
  const std::optional<int> cpu = pin_to_one_cpu();
  machine["pinned_cpu"] = cpu;
  run_all(true);
  session.progress("");
#if !AVRM_HAVE_DEVICE
  session.note("the device was not built (AVRM_BUILD_DEVICE): its measurements are left out");
#endif

  Json results{{"machine", std::move(machine)}};
  for (const Measurement *const measurement : all_measurements()) {
    Json &own = rows[measurement->name];
    results[measurement->name] = own.is_null() ? Json::array() : std::move(own);
  }
  results["budgets"] = budgets_json(results);
  results["notes"] = notes;
  return results;
}

const Json &rows_in(const Json &results, const char *measurement) {
  static const Json nothing = Json::array();
  const auto found = results.find(measurement);
  return found == results.end() ? nothing : *found;
}

std::vector<Budget> budgets_of(const Json &results) {
  Budgets budgets;
  for (const Measurement *const measurement : all_measurements()) {
    const Json &rows = rows_in(results, measurement->name);
    if (measurement->judge != nullptr && !rows.empty()) {
      measurement->judge(rows, budgets);
    }
  }
  return budgets.all();
}

TextTable budgets_table(const std::vector<Budget> &budgets) {
  TextTable table(2, "Budgets");
  table.row({"", "budget", "worst", "limit", "where"});
  for (const Budget &budget : budgets) {
    table.row({budget.met() ? "PASS" : "FAIL", budget.what, fmt::format("{:.4g}", budget.value),
               fmt::format("{} {:g}", budget.at_most ? "<=" : ">=", budget.limit), budget.where});
  }
  return table;
}

std::string machine_text(const Json &results) {
  const auto m = results.at("machine").get<Machine>();
  const auto cpu = results.at("machine").at("pinned_cpu").get<std::optional<int>>();
  const std::string commit = results.value("commit", "");
  return fmt::format("{}{}, {} CPUs, {:.0f} GB; {}{}{}; {}\n{}; transparent huge pages: {}; commit {}; {}\n",
                     m.processor.empty() ? "unknown processor" : m.processor, m.virtual_machine ? " (virtual)" : "",
                     m.cpus, static_cast<double>(m.memory) / 1e9, fmt::join(m.caches, ", "),
                     m.caches.empty() ? "" : "; ", m.kernel, m.compiler,
                     cpu ? fmt::format("pinned to CPU {}", *cpu) : "not pinned to a CPU", m.huge_pages,
                     commit.empty() ? "unknown" : commit.substr(0, 12), results.value("command", ""));
}

std::string details_text(const Json &results) {
  std::string text = machine_text(results);
  for (const Measurement *const measurement : all_measurements()) {
    const Json &rows = rows_in(results, measurement->name);
    if (rows.empty()) {
      continue;
    }
    for (const TextTable &table : measurement->tables(rows)) {
      text += table.text_with_title();
    }
  }
  if (const Json &notes = rows_in(results, "notes"); !notes.empty()) {
    text += "\nNotes\n";
    for (const Json &note : notes) {
      text += "  " + note.get<std::string>() + '\n';
    }
  }
  if (const std::vector<Budget> budgets = budgets_of(results); !budgets.empty()) {
    text += budgets_table(budgets).text_with_title();
  }
  return text;
}

} // namespace avrankmap::bench
