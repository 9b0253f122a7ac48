// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/digest.h"

#include "component/memory/memory_use.h"
#include "component/translation/issue_rate.h"
#include "report/registry.h"
#include "report/report.h"
#include "schemes/schemes.h"
#if AVRM_HAVE_DEVICE
#include "device/fastpath/fastpath.h"
#include "device/transports/transports.h"
#endif

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kFew = 16;
constexpr std::int32_t kMany = 786432;

/// The rows of a measurement, typed.
template <class T> std::vector<T> typed_rows(const Json &results, const Measurement &measurement) {
  return rows_of<T>(rows_in(results, measurement.name));
}

/// Million puts per second in some schemes, as "490 / 411 / 493".
std::string rates_cell(const std::vector<IssueRate> &rates, const std::string &mode, std::int32_t peers,
                       const char *order, const std::vector<std::string> &schemes) {
  std::vector<std::string> cells;
  for (const std::string &scheme : schemes) {
    const auto rate = std::find_if(rates.begin(), rates.end(), [&](const IssueRate &r) {
      return r.op == "put" && r.mode == mode && r.peers == peers && r.order == order && r.scheme == scheme;
    });
    cells.push_back(rate == rates.end() ? "-" : fmt::format("{:.0f}", rate->rate / 1e6));
  }
  return fmt::format("{}", fmt::join(cells, " / "));
}

TextTable rates_table(const Json &results) {
  auto rates = typed_rows<IssueRate>(results, kIssueRates);
  std::erase_if(rates, [](const IssueRate &r) { return r.peers != kFew && r.peers != kMany; });
  TextTable table(1, "Million puts per second of one core, null network: ours / VC-VCRT / raw");
  table.row({"communicator", "16 peers", "786,432 in order", "at random", "implicit AV"});
  for (const std::string &mode : distinct(rates, [](const IssueRate &r) { return r.mode; })) {
    const std::vector<std::string> schemes{mode, VcVcrt::kName, Raw::kName};
    table.row({mode, rates_cell(rates, mode, kFew, "rr", schemes), rates_cell(rates, mode, kMany, "rr", schemes),
               rates_cell(rates, mode, kMany, "random", schemes),
               rates_cell(rates, mode, kMany, "random", {AvrankmapImplicit::kName})});
  }
  return table;
}

TextTable bytes_table(const Json &results) {
  TextTable table(1, "Bytes per process");
  table.row({"scheme", "bytes"});
  for (const MemoryUse &use : typed_rows<MemoryUse>(results, kBytesPerProcess)) {
    if (use.application == "split") {
      table.row({use.scheme, grouped(use.bytes)});
    }
  }
  return table;
}

#if AVRM_HAVE_DEVICE
TextTable messages_table(const Json &results) {
  TextTable table(1, "Messages of 8 bytes");
  table.row({"8-byte messages over", "million/s", "over fi_*, ucp_*", "latency us", "over fi_*, ucp_*"});
  for (const TransportRate &row : typed_rows<TransportRate>(results, kTransportRates)) {
    if (row.op == "isend" && row.bytes == 8) {
      table.row({row.transport, fmt::format("{:.3f}", row.rate / 1e6), optional_text(row.rate_ratio, "{:.2f}x"),
                 fmt::format("{:.2f}", row.latency_us), optional_text(row.latency_ratio, "{:.2f}x")});
    }
  }
  return table;
}

std::string fastpath_line(const Json &results) {
  std::vector<std::string> parts;
  for (const FastpathRow &row : typed_rows<FastpathRow>(results, kFastpath)) {
    for (const auto &[name, label] : {std::pair{"default", "default build"},
                                      {"no-err-single-ipo", "inlined"},
                                      {"all, variable count", "all six proposals"},
                                      {"all, constant count", "of a constant count"}}) {
      if (row.name == name && row.put && row.isend) {
        parts.push_back(fmt::format("{} {} / {}", label, *row.put, *row.isend));
      }
    }
  }
  return parts.empty()
             ? ""
             : fmt::format("Instructions of a put / isend without the null network's: {}", fmt::join(parts, ", "));
}
#endif

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

/// A screen that is filled from the top, a blank line between its parts.
class Screen {
public:
  void part(const std::vector<std::string> &lines) {
    if (!lines_.empty() && !lines.empty()) {
      lines_.emplace_back();
    }
    lines_.insert(lines_.end(), lines.begin(), lines.end());
  }
  void part(const std::string &title, const TextTable &table) {
    if (table.rows().size() > 1) {
      std::vector<std::string> lines = lines_of(table.text());
      if (!title.empty()) {
        lines.insert(lines.begin(), title);
      }
      part(lines);
    }
  }
  [[nodiscard]] std::size_t lines() const { return lines_.size(); }
  [[nodiscard]] std::string text() const { return fmt::format("{}\n", fmt::join(lines_, "\n")); }

private:
  std::vector<std::string> lines_;
};

/// 9456416 as "9.5 MB".
std::string short_bytes(std::uint64_t bytes) {
  return bytes < 1000000 ? fmt::format("{:.0f} KB", static_cast<double>(bytes) / 1e3)
                         : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string bytes_line(const Json &results) {
  std::vector<std::string> parts;
  for (const MemoryUse &use : typed_rows<MemoryUse>(results, kBytesPerProcess)) {
    const bool is_shown =
        use.scheme != Raw::kName && use.scheme != Mpich4Ucx::kName && use.scheme != Mpich41OfiEntry::kName;
    if (use.application == "split" && is_shown) {
      parts.push_back(fmt::format("{} {}", use.scheme, short_bytes(use.bytes)));
    }
  }
  return parts.empty() ? "" : fmt::format("Bytes per process: {}", fmt::join(parts, ", "));
}

/// The budgets that fail, as many as there is room for.
std::vector<std::string> budget_lines(const std::vector<Budget> &all, std::size_t room) {
  std::vector<Budget> failed;
  std::copy_if(all.begin(), all.end(), std::back_inserter(failed), [](const Budget &b) { return !b.met(); });
  std::vector<std::string> lines{
      fmt::format("{} of {} budgets are met{}", all.size() - failed.size(), all.size(), failed.empty() ? "" : ":")};
  const std::size_t shown = failed.size() + 1 <= room ? failed.size() : room - 2;
  TextTable table(2);
  for (std::size_t i = 0; i < shown; ++i) {
    table.row({"FAIL", failed[i].what, fmt::format("{:.4g}", failed[i].value),
               fmt::format("{} {:g}", failed[i].at_most ? "<=" : ">=", failed[i].limit), failed[i].where});
  }
  const std::vector<std::string> rows = lines_of(table.text());
  lines.insert(lines.end(), rows.begin(), rows.end());
  if (shown < failed.size()) {
    lines.push_back(fmt::format("  and {} more", failed.size() - shown));
  }
  return lines;
}

/// One generated part, without the markers; empty if the results have nothing for it.
std::string generate(std::string_view name, const Json &results) {
  const auto markdown = [](const TextTable &table) {
    return table.rows().size() > 1 ? table.markdown() : std::string();
  };
  if (name == "machine") {
    return machine_text(results);
  }
  if (name == "rates") {
    return markdown(rates_table(results));
  }
  if (name == "bytes") {
    return markdown(bytes_table(results));
  }
#if AVRM_HAVE_DEVICE
  if (name == "messages") {
    return markdown(messages_table(results));
  }
#endif
  if (name == "budgets") {
    return markdown(budgets_table(budgets_of(results)));
  }
  for (const Measurement *const measurement : all_measurements()) {
    if (name == measurement->name) {
      std::string text;
      const Json &rows = rows_in(results, measurement->name);
      for (const TextTable &table : rows.empty() ? std::vector<TextTable>() : measurement->tables(rows)) {
        text += fmt::format("{}{}:\n\n{}", text.empty() ? "" : "\n", table.title(), table.markdown());
      }
      return text;
    }
  }
  throw std::runtime_error(fmt::format("no part of a document is generated as {}", name));
}

} // namespace

std::string screen_text(const Json &results, const std::string &ending) {
  Screen screen;
  screen.part(lines_of(machine_text(results)));
  const TextTable rates = rates_table(results);
  screen.part(rates.title(), rates);
  std::vector<std::string> lines;
  for (const std::string &line : {
         bytes_line(results),
#if AVRM_HAVE_DEVICE
             fastpath_line(results),
#endif
       }) {
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  screen.part(lines);
#if AVRM_HAVE_DEVICE
  screen.part("", messages_table(results));
#endif
  const std::vector<std::string> last = lines_of(ending);
  const std::vector<Budget> budgets = budgets_of(results);
  if (!budgets.empty()) {
    screen.part(budget_lines(budgets, kScreenLines - screen.lines() - last.size() - 2));
  }
  screen.part(last);
  return screen.text();
}

std::string update_document(const std::string &document, const Json &results) {
  constexpr std::string_view kBegin = "<!-- generated: ";
  constexpr std::string_view kBeginEnd = " -->\n";
  constexpr std::string_view kEnd = "<!-- end -->";
  std::string updated;
  std::size_t at = 0;
  for (std::size_t begin = 0; (begin = document.find(kBegin, at)) != std::string::npos;) {
    const std::size_t name = begin + kBegin.size();
    const std::size_t name_end = document.find(kBeginEnd, name);
    const std::size_t end = document.find(kEnd, begin);
    const std::size_t next = document.find(kBegin, name);
    if (name_end == std::string::npos || end == std::string::npos || end < name_end || next < end) {
      throw std::runtime_error("a generated part of the document does not end");
    }
    const std::string which = document.substr(name, name_end - name);
    const std::string part = generate(which, results);
    if (part.empty()) {
      throw std::runtime_error(fmt::format("nothing was measured for the part {}", which));
    }
    updated += document.substr(at, name_end + kBeginEnd.size() - at) + part;
    at = end;
  }
  return updated + document.substr(at);
}

} // namespace avrankmap::bench
