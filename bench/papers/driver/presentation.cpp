// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/presentation.h"

#include "papers/conclusions/conclusions.h"
#include "papers/conclusions/names.h"
#include "papers/conclusions/verdicts.h"
#include "papers/driver/publication_checks.h"
#include "papers/driver/sources.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/texts/texts.h"
#include "support/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>
#include <string_view>

namespace avrankmap::bench {
namespace {

// Parts of the document: how their ids begin, and their headings.
constexpr const char *kParts[][2] = {
    {"bytes", "The picture in README.md"},
    {"whole", "The picture in bench/COMPARISON.md, and rates"},
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
  std::vector<std::string> parts{machine.processor + (machine.virtual_machine ? " (virtual machine)" : ""),
                                 fmt::format("{} CPUs", machine.cpus),
                                 fmt::format("{:.0f} GB of memory", static_cast<double>(machine.memory) / 1e9)};
  parts.insert(parts.end(), machine.caches.begin(), machine.caches.end());
  parts.insert(parts.end(), {machine.kernel, machine.compiler});
  return fmt::format("{}", fmt::join(parts, ", "));
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

/// Up to the first full stop that ends a sentence.
std::string first_sentence(const std::string &text) {
  return text.substr(0, text.find(". ")) + (text.find(". ") == std::string::npos ? "" : ".");
}

std::string capitalised(std::string word) {
  word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  return word;
}

/// A line behind a table, "*RESULTS.json has 3 more columns and 12 more rows.*"; empty if all is
/// shown.
std::string left_out(const Table &table, const Table &shown) {
  std::vector<std::string> parts;
  if (const std::size_t columns = table.columns.size() - shown.columns.size(); columns != 0) {
    parts.push_back(fmt::format("{} more column{}", columns, columns == 1 ? "" : "s"));
  }
  if (const std::size_t rows = table.rows.size() - shown.rows.size(); rows != 0) {
    parts.push_back(fmt::format("{} more row{}", rows, rows == 1 ? "" : "s"));
  }
  return parts.empty() ? "" : fmt::format("*RESULTS.json has {}.*\n\n", fmt::join(parts, " and "));
}

/// What a reader of times must know, if anything.
std::string care_text(const Stored &stored) {
  std::string text;
  if (stored.foreign >= kQuietForeign) {
    text += fmt::format(" **Other processes used {:.1f} processors.**", stored.foreign);
  } else if (stored.foreign < 0 && stored.load >= kQuietLoad) {
    text += fmt::format(" **Load {:.1f}.**", stored.load);
  }
  if (stored.spread > kMostSpread) {
    text += fmt::format(" **One number in ten differs by {:.0f} % or more from run to run.**", 100 * stored.spread);
  }
  return text;
}

using Find = std::function<std::optional<Stored>(const std::string &id)>;

/// Figures 15 and 16 have rows of the same creations, measured at other times: by how much these
/// differ. Empty for other experiments.
std::string same_creations_text(const Stored &stored, const Find &find) {
  const std::string other_id = stored.id == "000/figure15"   ? "000/figure16"
                               : stored.id == "000/figure16" ? "000/figure15"
                                                             : "";
  const std::optional<Stored> other = other_id.empty() ? std::nullopt : find(other_id);
  double most = 1;
  for (const Row &row : other ? other->result.table.rows : std::vector<Row>()) {
    const auto here = number_here(stored.result.table, row.label, kWholeCreation);
    const auto there = number_here(other->result.table, row.label, kWholeCreation);
    if (here && there && *here > 0 && *there > 0) {
      most = std::max({most, *here / *there, *there / *here});
    }
  }
  return most == 1 ? ""
                   : fmt::format(" The same whole creation differs by a factor of up to {} in {}.", number_text(most),
                                 other_id);
}

/// @param exact  the numbers do not depend on what else the machine does
std::string section(const Stored &stored, bool exact, const Link &link, const Find &find) {
  std::string text = fmt::format("### {}: {}\n\n", stored.id, stored.title);
  std::string pictures;
  for (const Plot &plot : stored.result.plots) {
    if (const auto path = link(stored.id, plot)) {
      pictures += fmt::format("![{}]({})\n", plot.title, *path);
    }
  }
  text += pictures.empty() ? "" : pictures + "\n";
  const Table shown = shown_part(stored.result.table);
  const std::string table = markdown_table(shown);
  text += table.empty() ? "" : table + "\n" + left_out(stored.result.table, shown);
  if (!stored.result.listings.empty()) {
    text += "```\n" + side_by_side(stored.result.listings) + "```\n\n";
  }
  const Verdict verdict = judge(stored.id, stored.result, stored.spread);
  text += fmt::format("**{}.** {}{}{}{}{}\n", capitalised(verdict.word), escaped(verdict.sentence),
                      verdict.sentence.empty() ? "" : " ", escaped(first_sentence(stored.result.note)),
                      same_creations_text(stored, find), exact ? "" : care_text(stored));
  return text + recorded_line(stored.id, stored.sources) + "\n";
}

/// The least and greatest load, and sums, of all results in a document.
class Totals {
public:
  void add(const Stored &stored) {
    conditions_.insert(conditions_text(stored.conditions));
    quick_ = quick_ || stored.conditions.effort != Effort::kFull;
    least_ = std::min(least_, stored.load);
    most_ = std::max(most_, stored.load);
    if (stored.foreign >= 0) {
      foreign_ = std::max(foreign_, stored.foreign);
    } else {
      has_load_ = true;
    }
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
    text += fmt::format("The runs shown took {:.0f} minutes, {:.0f} minutes of processor time and at most {:.1f} GB of "
                        "memory, without the short runs and repetitions that they are compared with.",
                        seconds_ / 60, processor_seconds_ / 60, static_cast<double>(peak_) / 1e9);
    if (foreign_ >= 0) {
      text += fmt::format(" Other processes used at most {:.1f} processors meanwhile.", foreign_);
    }
    if (has_load_) {
      text += fmt::format(" Before they began, the load (processes that wanted a CPU, average over a minute, those of "
                          "earlier experiments included) was {:.1f} to {:.1f}.",
                          least_, most_);
    }
    text += has_load_ && most_ > kQuietLoad
                ? " A load above 1.5 makes times and rates noisy; counts and bytes stay exact."
                : "";
    text += quick_ ? " Some results are of a quick run (`--quick`): fewer sizes and fewer repetitions." : "";
    return text + "\n\n";
  }

private:
  std::set<std::string> conditions_;
  bool quick_ = false;
  double least_ = 1e9;
  double most_ = 0;
  double foreign_ = -1;
  bool has_load_ = false;
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

Table shown_part(const Table &table) {
  constexpr std::size_t kColumns = 7;
  constexpr std::size_t kRows = 16;
  const auto is_stated = [](const Cell &cell) { return cell.paper.index() != 0; };
  // Whether each is shown: those with a value of the paper's, then the first of the others.
  const auto choose = [](const std::vector<bool> &stated, std::size_t most) {
    std::vector<bool> shown(stated.size());
    std::size_t count = 0;
    for (const bool wanted : {true, false}) {
      for (std::size_t i = 0; i < stated.size(); ++i) {
        if (stated[i] == wanted && count < most) {
          shown[i] = true;
          ++count;
        }
      }
    }
    return shown;
  };
  std::vector<bool> rows;
  std::vector<bool> columns(table.columns.size());
  for (const Row &row : table.rows) {
    rows.push_back(std::any_of(row.cells.begin(), row.cells.end(), is_stated));
    for (std::size_t i = 0; i < std::min(columns.size(), row.cells.size()); ++i) {
      columns[i] = columns[i] || is_stated(row.cells[i]);
    }
  }
  rows = choose(rows, kRows);
  columns = choose(columns, kColumns);
  Table shown{table.corner, {}, {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i]) {
      shown.columns.push_back(table.columns[i]);
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Row part{table.rows[r].label, {}};
    bool empty = true;
    for (std::size_t i = 0; i < std::min(columns.size(), table.rows[r].cells.size()); ++i) {
      if (columns[i]) {
        part.cells.push_back(table.rows[r].cells[i]);
        empty = empty && cell_text(part.cells.back()).empty();
      }
    }
    if (rows[r] && !empty) {
      shown.rows.push_back(std::move(part));
    }
  }
  return shown;
}

std::string document(const std::vector<Experiment> &experiments, const Find &find, const Link &link) {
  Totals totals;
  Table contents{"experiment", {"verdict", "the paper, or the nearest rival", "here"}, {}};
  const auto or_none = [](const std::string &text) { return text.empty() ? "-" : text; };
  std::string sections;
  for (const auto &[beginning, heading] : kParts) {
    std::string part;
    std::vector<std::string> missing;
    for (const Experiment &experiment : experiments) {
      if (experiment.id.rfind(beginning, 0) != 0) {
        continue;
      }
      const std::optional<Stored> stored = experiment.run == nullptr ? std::nullopt : find(experiment.id);
      if (stored) {
        part += section(*stored, experiment.exact, link, find);
        totals.add(*stored);
        const Verdict verdict = judge(stored->id, stored->result, stored->spread);
        contents.rows.push_back({fmt::format("{}: {}", stored->id, stored->title),
                                 {{verdict.word}, {or_none(verdict.paper)}, {or_none(verdict.here)}}});
      } else {
        missing.push_back(fmt::format("{} ({})", experiment.id,
                                      experiment.run == nullptr ? experiment.reason : "no result in this run"));
      }
    }
    part += missing.empty() ? "" : escaped(fmt::format("Not shown: {}.\n\n", fmt::join(missing, "; ")));
    sections += part.empty() ? "" : fmt::format("## {}\n\n{}", heading, part);
  }
  const std::string table = markdown_table(contents);
  return "<!-- Written by bench/paper. Do not edit: run it again. -->\n\n"
         "# Tables and figures of the papers, on this machine\n\n" +
         table + (table.empty() ? "" : "\n") +
         "*Reproduced*: the paper's statement holds here, measured in the same way: for at least nine in ten of its "
         "values, and for counts of instructions within a quarter. *Partly*: some of it holds. *Contradicted*: its "
         "main statement, or the part that the sentence names, does not hold here. *Not measurable here*: this "
         "machine lacks what it needs. "
         "*Ours*: an experiment of no paper.\n\n"
         "A cell has this machine's value, and the paper's in brackets: `12.3 (11.9)`; `-` has no value here. A "
         "ratio to another column or row is the median of the ratios of all rounds, not the quotient of two printed "
         "medians. *Strict* "
         "is our library restricted to the paper's models; unlike the paper's steps it also finds strides below 0 and "
         "scans every table (000/table2); *ours* has all forms, chosen for the fewest bytes (`AVRM_COST_BYTES`) in "
         "figures 9 to 16 and for speed (`AVRM_COST_SPEED`) in figures 17 and 18 and in tables III to V; *on demand* "
         "is a table AV whose peers are "
         "connected at first contact, which our device has wherever real processes run; `ours "
         "(default)` and so on are builds of our device that are named as the "
         "paper's of MPICH/CH4. [RESULTS.json](RESULTS.json) has all rows, notes, load "
         "and spread of each experiment, "
         "[TEXTS.md](TEXTS.md) the numbers of the papers' texts. `bench/paper stale` tells which results are of other "
         "sources than the tree.\n\n" +
         totals.text() + sections;
}

std::string document_of_texts(const std::function<std::optional<Stored>(const std::string &id)> &find) {
  const StoredResults results(find);
  std::string text =
      "<!-- Written by bench/paper. Do not edit: run it again. -->\n\n"
      "# Numbers of the papers' texts\n\n"
      "Those that tables and figures print stand in [RESULTS.md](RESULTS.md). A value here is computed from "
      "its results; `" +
      std::string(kNotInResults) + "` if they lack it.\n";
  for (const auto &[beginning, heading] : kParts) {
    if (const std::string table = markdown_table(table_of(statements_of(beginning), results)); !table.empty()) {
      text += fmt::format("\n## {}\n\n{}", heading, table);
    }
  }
  return text;
}

} // namespace avrankmap::bench
