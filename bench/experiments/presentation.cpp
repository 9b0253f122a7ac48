// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/presentation.h"

#include "harness/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace avrankmap::bench {
namespace {

constexpr const char *kPapers[][2] = {
    {"000", "Memory Compression Techniques for Network Address Management in MPI (the AV-Rankmap paper)"},
    {"001", "An earlier text of the same paper"},
    {"002", "Space Performance Tradeoffs in Compressing MPI Group Data Structures"},
    {"003", "Why Is MPI So Slow?"},
    {"004", "Noncollective Communicator Creation in MPI"},
};

/// Text that Markdown takes as text in a table.
std::string cell(const std::string &text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' || c == '*' || c == '_' || c == '<' ? std::string("\\") + c : std::string(1, c);
  }
  return escaped;
}

std::string machine_text(const Machine &machine) {
  return fmt::format("{}{}, {} CPUs, {:.0f} GB of memory, {}, {}, {}", machine.processor,
                     machine.virtual_machine ? " (virtual machine)" : "", machine.cpus,
                     static_cast<double>(machine.memory) / 1e9, fmt::join(machine.caches, ", "), machine.kernel,
                     machine.compiler);
}

std::string conditions_text(const Conditions &conditions) {
  return fmt::format("{}; effort: {}; commit {}", machine_text(conditions.machine), label(conditions.effort),
                     conditions.commit.empty() ? "not known" : conditions.commit);
}

std::string rows_as_markdown(const std::vector<Row> &rows) {
  if (rows.empty()) {
    return {};
  }
  std::string text = "| what | unit | paper | here | how, and what differs |\n|---|---|--:|--:|---|\n";
  for (const Row &row : rows) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(row.what), cell(row.unit), cell(value_text(row.paper)),
                        cell(value_text(row.here)), cell(row.differs));
  }
  return text + "\n";
}

std::string section(const Stored &stored,
                    const std::function<std::optional<std::string>(const std::string &, const Plot &)> &link) {
  std::string text = fmt::format("### {}: {}\n\n", stored.id, stored.title);
  text += rows_as_markdown(stored.result.rows);
  for (const Plot &plot : stored.result.plots) {
    if (const auto path = link(stored.id, plot)) {
      text += fmt::format("![{}]({})\n\n", plot.title, *path);
    }
  }
  for (const Listing &listing : stored.result.listings) {
    text += fmt::format("{}:\n\n```\n{}```\n\n", listing.title, listing.text);
  }
  for (const std::string &paragraph : stored.result.reading) {
    text += paragraph + "\n\n";
  }
  for (const std::string &note : stored.result.notes) {
    text += fmt::format("Note: {}\n\n", note);
  }
  return text + fmt::format("{:.0f} s, load {:.1f} before, {:.0f} MB at most.\n\n", stored.seconds, stored.load,
                            static_cast<double>(stored.peak_resident) / 1e6);
}

} // namespace

std::string number_text(double number) {
  if (!std::isfinite(number)) {
    return fmt::format("{}", number);
  }
  const bool whole = number == std::floor(number);
  if (!whole && std::abs(number) < 1000) {
    return fmt::format("{:.3g}", number);
  }
  std::string digits = fmt::format("{:.0f}", std::abs(number));
  for (std::size_t place = digits.size(); place > 3; place -= 3) {
    digits.insert(place - 3, ",");
  }
  return (number < 0 ? "-" : "") + digits;
}

std::string value_text(const Value &value) {
  if (const auto *number = std::get_if<double>(&value)) {
    return number_text(*number);
  }
  if (const auto *text = std::get_if<std::string>(&value)) {
    return *text;
  }
  return "-";
}

std::string terminal_text(const Stored &stored) {
  std::string text = fmt::format("\n{}  {}\n{}\n\n", stored.id, stored.title, conditions_text(stored.conditions));
  TextTable table(2);
  std::size_t widest = 0;
  for (const Row &row : stored.result.rows) {
    widest = std::max(widest, row.differs.size());
  }
  const auto left = [&](const std::string &differs) { return fmt::format("{:<{}}", differs, widest); };
  table.row({"what", "unit", "paper", "here", left("how, and what differs")});
  for (const Row &row : stored.result.rows) {
    table.row({row.what, row.unit, value_text(row.paper), value_text(row.here), left(row.differs)});
  }
  text += stored.result.rows.empty() ? "" : table.text() + "\n";
  for (const Listing &listing : stored.result.listings) {
    text += fmt::format("{}:\n{}\n", listing.title, listing.text);
  }
  for (const std::string &paragraph : stored.result.reading) {
    text += paragraph + "\n";
  }
  for (const std::string &note : stored.result.notes) {
    text += fmt::format("Note: {}\n", note);
  }
  return text;
}

std::string document(const std::vector<Experiment> &experiments,
                     const std::function<std::optional<Stored>(const std::string &id)> &find,
                     const std::function<std::optional<std::string>(const std::string &id, const Plot &plot)> &link) {
  std::string sections;
  std::string missing;
  std::set<std::string> conditions;
  double least = 1e9;
  double most = 0;
  double seconds = 0;
  std::uint64_t peak = 0;
  for (const auto &[paper, title] : kPapers) {
    std::string part;
    std::string reasons;
    for (const Experiment &experiment : experiments) {
      if (experiment.id.substr(0, 3) != paper) {
        continue;
      }
      const std::optional<Stored> stored = experiment.run == nullptr ? std::nullopt : find(experiment.id);
      if (stored) {
        part += section(*stored, link);
        conditions.insert(conditions_text(stored->conditions));
        least = std::min(least, stored->load);
        most = std::max(most, stored->load);
        seconds += stored->seconds;
        peak = std::max(peak, stored->peak_resident);
      } else {
        reasons += fmt::format("- {}, {}: {}\n", experiment.id, experiment.title,
                               experiment.run == nullptr ? experiment.reason : "no result in this run");
      }
    }
    sections += fmt::format("## {}: {}\n\n", paper, title) + part;
    sections += reasons.empty() ? "" : "Not here:\n\n" + reasons + "\n";
  }

  std::string text =
      "<!-- Written by bench/paper. Do not edit: run it again. -->\n\n# The papers' tables and figures, here\n\n";
  text +=
      "`bench/paper all` runs each experiment with our real structures and with the schemes that we compare with, and "
      "writes "
      "this. A row has the paper's value beside ours, and says how ours came about and what differs; \"-\" is a value "
      "that "
      "the paper's text does not state, or that does not exist. Plots are of what was measured here; ours is the bold "
      "line or the filled bar.\n\n";
  if (conditions.empty()) {
    return text + "There is no result yet.\n\n" + sections;
  }
  for (const std::string &line : conditions) {
    text += line + ".\n\n";
  }
  text += fmt::format(
      "Load before the experiments (processes that wanted a CPU, average over a minute, ours included): {:.1f} to "
      "{:.1f}. {:.0f} minutes in all, {:.1f} GB of memory at most.\n\n",
      least, most, seconds / 60, static_cast<double>(peak) / 1e9);
  if (text.find("effort: quick") != std::string::npos) {
    text += "This is a quick run (`--quick`): fewer sizes and fewer repetitions.\n\n";
  }
  if (most > 1.5) {
    text += "Others used the machine meanwhile: times and rates are noisy, counts and bytes are not.\n\n";
  }
  return text + sections;
}

} // namespace avrankmap::bench
