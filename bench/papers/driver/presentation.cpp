// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/presentation.h"

#include "papers/conclusions/conclusions.h"
#include "papers/driver/sources.h"
#include "papers/experiment/text.h"
#include "papers/texts/texts.h"
#include "support/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string_view>

namespace avrankmap::bench {
namespace {

// Parts of the document: how their ids begin, and their headings.
constexpr const char *kParts[][2] = {
    {"bytes", "The first picture in README.md"},
    {"whole", "The second picture in README.md"},
    {"000", "000: Memory Compression Techniques for Network Address Management in MPI (the AV-Rankmap paper)"},
    {"001", "001: An earlier text of the same paper"},
    {"002", "002: Space Performance Tradeoffs in Compressing MPI Group Data Structures"},
    {"003", "003: Why Is MPI So Slow?"},
    {"004", "004: Noncollective Communicator Creation in MPI"},
};

using Link = std::function<std::optional<std::string>(const std::string &, const Plot &)>;

/// Escapes the characters that have a meaning in Markdown.
std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("|*_<").find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
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

/// The sentences behind a table: its note, the conclusions, and what is missing.
std::string prose(const Stored &stored) {
  const Result &result = stored.result;
  std::string text = result.note;
  for (const auto &sentences : {conclude(stored.id, result), result.omissions}) {
    for (const std::string &sentence : sentences) {
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", sentence, sentence.ends_with('.') ? "" : ".");
    }
  }
  return text;
}

std::string section(const Stored &stored, const Link &link) {
  std::string text = fmt::format("### {}: {}\n\n", stored.id, stored.title);
  std::string pictures;
  for (const Plot &plot : stored.result.plots) {
    if (const auto path = link(stored.id, plot)) {
      pictures += fmt::format("![{}]({})\n", plot.title, *path);
    }
  }
  text += pictures.empty() ? "" : pictures + "\n";
  const std::string table = markdown_table(stored.result.table);
  text += table.empty() ? "" : table + "\n";
  if (!stored.result.listings.empty()) {
    text += "```\n" + side_by_side(stored.result.listings) + "```\n\n";
  }
  return text + escaped(prose(stored)) + "\n" + recorded_line(stored.id, stored.sources) + "\n";
}

/// The numbers of a paper's text; empty for a part that is no paper.
std::string text_section(const std::string &paper, const Results &results) {
  const std::string table = markdown_table(table_of(statements_of(paper), results));
  return table.empty()
             ? ""
             : "#### Numbers of its text\n\nThose that its tables print stand above. A value here is computed "
               "from the results above; `" +
                   std::string(kNotInResults) + "` if they lack it.\n\n" + table + "\n";
}

/// The least and greatest load, and sums, of all results in a document.
class Totals {
public:
  void add(const Stored &stored) {
    conditions_.insert(conditions_text(stored.conditions));
    quick_ = quick_ || stored.conditions.effort != Effort::kFull;
    least_ = std::min(least_, stored.load);
    most_ = std::max(most_, stored.load);
    seconds_ += stored.seconds;
    processor_seconds_ += stored.processor_seconds;
    peak_ = std::max(peak_, stored.peak_resident);
  }

  [[nodiscard]] std::string text() const {
    if (conditions_.empty()) {
      return "There is no result yet.\n\n";
    }
    std::string text;
    for (const std::string &line : conditions_) {
      text += line + ".\n\n";
    }
    text += fmt::format("All experiments together took {:.0f} minutes, {:.0f} minutes of processor time and at most "
                        "{:.1f} GB of memory. Before they began, the load (processes that wanted a CPU, average over "
                        "a minute, those of earlier experiments included) was {:.1f} to {:.1f}.",
                        seconds_ / 60, processor_seconds_ / 60, static_cast<double>(peak_) / 1e9, least_, most_);
    text += most_ > 1.5 ? " A load above 1.5 makes times and rates noisy; counts and bytes stay exact." : "";
    text += quick_ ? " Some results are of a quick run (`--quick`): fewer sizes and fewer repetitions." : "";
    return text + "\n\n";
  }

private:
  std::set<std::string> conditions_;
  bool quick_ = false;
  double least_ = 1e9;
  double most_ = 0;
  double seconds_ = 0;
  double processor_seconds_ = 0;
  std::uint64_t peak_ = 0;
};

} // namespace

std::string markdown_table(const Table &table) {
  if (table.rows.empty()) {
    return {};
  }
  std::string head = fmt::format("| {} |", escaped(table.corner));
  std::string line = "|---|";
  for (const std::string &column : table.columns) {
    head += fmt::format(" {} |", escaped(column));
    line += "--:|";
  }
  std::string text = head + '\n' + line + '\n';
  for (const Row &row : table.rows) {
    text += fmt::format("| {} |", escaped(row.label));
    for (const Cell &cell : row.cells) {
      text += fmt::format(" {} |", escaped(cell_text(cell)));
    }
    text += '\n';
  }
  return text;
}

std::string side_by_side(const std::vector<Listing> &listings) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 0;
  for (const Listing &listing : listings) {
    auto &column = columns.emplace_back();
    column.push_back(fmt::format("{}: {}", listing.title, cell_text(listing.instructions)));
    std::istringstream text(listing.text);
    for (std::string line; std::getline(text, line);) {
      column.push_back(line);
    }
    height = std::max(height, column.size());
  }
  TextTable table(columns.size());
  for (std::size_t i = 0; i < height; ++i) {
    std::vector<std::string> row;
    for (const auto &column : columns) {
      row.push_back(i < column.size() ? column[i] : "");
    }
    table.row(std::move(row));
  }
  return table.text();
}

std::string terminal_text(const Stored &stored) {
  std::string text = fmt::format("\n{}  {}\n{}\n\n", stored.id, stored.title, conditions_text(stored.conditions));
  const Table &table = stored.result.table;
  if (!table.rows.empty()) {
    TextTable aligned(1);
    std::vector<std::string> head{table.corner};
    head.insert(head.end(), table.columns.begin(), table.columns.end());
    aligned.row(std::move(head));
    for (const Row &row : table.rows) {
      std::vector<std::string> cells{row.label};
      for (const Cell &cell : row.cells) {
        cells.push_back(cell_text(cell));
      }
      aligned.row(std::move(cells));
    }
    text += aligned.text() + '\n';
  }
  if (!stored.result.listings.empty()) {
    text += side_by_side(stored.result.listings) + '\n';
  }
  return text + prose(stored) + '\n';
}

std::string document(const std::vector<Experiment> &experiments,
                     const std::function<std::optional<Stored>(const std::string &id)> &find, const Link &link) {
  Totals totals;
  const StoredResults results(find);
  std::string sections;
  for (const auto &[beginning, heading] : kParts) {
    sections += fmt::format("## {}\n\n", heading);
    std::vector<std::string> missing;
    for (const Experiment &experiment : experiments) {
      if (experiment.id.rfind(beginning, 0) != 0) {
        continue;
      }
      const std::optional<Stored> stored = experiment.run == nullptr ? std::nullopt : find(experiment.id);
      if (stored) {
        sections += section(*stored, link);
        totals.add(*stored);
      } else {
        missing.push_back(fmt::format("{} ({})", experiment.id,
                                      experiment.run == nullptr ? experiment.reason : "no result in this run"));
      }
    }
    sections += text_section(beginning, results);
    sections += missing.empty() ? "" : escaped(fmt::format("Not shown: {}.\n\n", fmt::join(missing, "; ")));
  }
  return "<!-- Written by bench/paper. Do not edit: run it again. -->\n\n"
         "# Tables and figures of the papers, on this machine\n\n"
         "`bench/paper all` runs each experiment with our real structures and with the schemes that we compare with, "
         "and writes this page. A table has the rows and columns that the paper prints; further ones of ours follow. A "
         "cell has this machine's value, with the paper's in brackets behind it: `12.3 (11.9)`. `-` stands for a value "
         "that cannot be measured here; without brackets, the paper's text states no value. Plots show what was "
         "measured here; ours is the bold line or the filled bar. *Strict* is the AV-Rankmap scheme as published, with "
         "step 3; 000/table2 and 000/figure13 have it without, too; "
         "*ours* has all forms. `bench/paper stale` tells which results are of other sources than the "
         "tree.\n\n" +
         totals.text() + sections;
}

} // namespace avrankmap::bench
