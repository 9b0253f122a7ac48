// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/cachegrind.h"

#include "counters/valgrind_tool.h"

#include <array>
#include <cstddef>
#include <map>
#include <optional>

namespace avrankmap::counters {

namespace {

std::string to_text(const CacheGeometry &cache) {
  return std::to_string(cache.size) + "," + std::to_string(cache.ways) + "," + std::to_string(cache.line);
}

// "32768 B, 64 B, 8-way associative"
std::optional<CacheGeometry> parse_geometry(std::string_view line) {
  const std::optional<std::uint64_t> size = parse_count(take_word(line));
  take_word(line);
  const std::optional<std::uint64_t> bytes_per_line = parse_count(take_word(line));
  take_word(line);
  const std::string_view ways_word = take_word(line);
  constexpr std::string_view suffix = "-way";
  if (!size || !bytes_per_line || !ways_word.ends_with(suffix))
    return std::nullopt;
  const std::optional<std::uint64_t> ways = parse_count(ways_word.substr(0, ways_word.size() - suffix.size()));
  if (!ways)
    return std::nullopt;
  return CacheGeometry{*size, *ways, *bytes_per_line};
}

// Which columns of a line of counts hold what we want.
class Columns {
public:
  // "Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw", in any order and with others among them.
  static std::optional<Columns> parse(std::string_view line) {
    Columns columns;
    std::array<bool, names.size()> seen{};
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      std::size_t which = 0;
      while (which < names.size() && names[which].first != word)
        ++which;
      columns.targets_.push_back(which < names.size() ? names[which].second : nullptr);
      if (which < names.size())
        seen[which] = true;
    }
    for (const bool each : seen) {
      if (!each)
        return std::nullopt;
    }
    return columns;
  }

  // Adds a line of counts. False if one is not a number or there are too many; those left out are 0
  // by the format.
  [[nodiscard]] bool add(std::string_view line, CacheCounts &to) const {
    std::size_t column = 0;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line), ++column) {
      const std::optional<std::uint64_t> count = parse_count(word);
      if (!count || column >= targets_.size())
        return false;
      if (targets_[column] != nullptr)
        to.*targets_[column] += *count;
    }
    return true;
  }

private:
  using Member = std::uint64_t CacheCounts::*;
  static constexpr std::array<std::pair<std::string_view, Member>, 7> names = {{
      {"Ir", &CacheCounts::instructions},
      {"Dr", &CacheCounts::data_refs},
      {"Dw", &CacheCounts::data_refs},
      {"D1mr", &CacheCounts::d1_misses},
      {"D1mw", &CacheCounts::d1_misses},
      {"DLmr", &CacheCounts::ll_misses},
      {"DLmw", &CacheCounts::ll_misses},
  }};

  std::vector<Member> targets_;
};

void add(CacheCounts &to, const CacheCounts &counts) {
  to.instructions += counts.instructions;
  to.data_refs += counts.data_refs;
  to.d1_misses += counts.d1_misses;
  to.ll_misses += counts.ll_misses;
}

} // namespace

Result<CachegrindReport> CachegrindReport::parse(std::string_view text) {
  CachegrindReport report;
  std::map<std::string, CacheCounts, std::less<>> functions;
  CacheCounts *current = nullptr;
  std::optional<Columns> columns;
  std::optional<CacheGeometry> d1;
  std::optional<CacheGeometry> ll;
  bool summary_seen = false;

  std::size_t number = 0;
  const auto malformed = [&](const char *what) {
    return failed("cachegrind output, line " + std::to_string(number) + ": " + what);
  };
  while (!text.empty()) {
    ++number;
    const std::string_view line = take_line(text);
    std::string_view rest = line;
    const std::string_view key = take_word(rest);
    if (line.starts_with("fn=")) {
      current = &functions[std::string(line.substr(3))];
    } else if (key == "desc:") {
      const std::string_view cache = take_word(rest);
      take_word(rest);
      if (cache != "D1" && cache != "LL")
        continue;
      const std::optional<CacheGeometry> geometry = parse_geometry(rest);
      if (!geometry)
        return malformed("not a cache's geometry");
      (cache == "D1" ? d1 : ll) = geometry;
    } else if (key == "events:") {
      columns = Columns::parse(rest);
      if (!columns)
        return malformed("the events of the cache simulation are not all there");
    } else if (key == "summary:") {
      if (!columns || !columns->add(rest, report.total_))
        return malformed("not a summary of counts");
      summary_seen = true;
    } else if (!key.empty() && key.front() >= '0' && key.front() <= '9') {
      if (!columns || current == nullptr)
        return malformed("counts before their events or their function");
      if (!parse_count(key) || !columns->add(rest, *current))
        return malformed("not a line of counts");
    } else if (!key.empty() && key != "cmd:" && !line.starts_with("fl=") && !line.starts_with("fi=") &&
               !line.starts_with("fe=") && !line.starts_with("ob=")) {
      return malformed("not known");
    }
  }
  if (!d1 || !ll)
    return failed("cachegrind output without cache geometry");
  if (!summary_seen)
    return failed("cachegrind output without summary: cut short");
  CacheCounts sum;
  for (const auto &[name, counts] : functions)
    add(sum, counts);
  if (sum != report.total_)
    return failed("cachegrind output whose functions do not add up to its summary");
  report.model_ = {*d1, *ll};
  report.functions_.assign(functions.begin(), functions.end());
  return report;
}

Result<CacheCounts> CachegrindReport::function(std::string_view substring) const {
  CacheCounts sum;
  bool found = false;
  for (const auto &[name, counts] : functions_) {
    if (name.find(substring) == std::string::npos)
      continue;
    add(sum, counts);
    found = true;
  }
  if (!found)
    return failed("cachegrind saw no function named like " + std::string(substring));
  return sum;
}

std::string CachegrindReport::source() const {
  return "cachegrind (simulated, D1=" + to_text(model_.d1) + ", LL=" + to_text(model_.ll) + ")";
}

Result<CachegrindReport> run_cachegrind(const std::vector<std::string> &command, const CacheModel &model) {
  const Result<std::string> text = run_valgrind_tool("cachegrind",
                                                     {"--cache-sim=yes", "--branch-sim=no", "--I1=" + to_text(model.d1),
                                                      "--D1=" + to_text(model.d1), "--LL=" + to_text(model.ll)},
                                                     command);
  if (!text)
    return text.failure();
  return CachegrindReport::parse(*text);
}

CachePerIteration per_iteration(const CacheCounts &at_n, const CacheCounts &at_2n, std::uint64_t iterations) {
  const auto each = [&](std::uint64_t n, std::uint64_t two_n) {
    // The difference fits: counts are far from 2^63, and unsigned subtraction keeps its sign
    // through the cast.
    return static_cast<double>(static_cast<std::int64_t>(two_n - n)) / static_cast<double>(iterations);
  };
  CachePerIteration result;
  result.instructions = each(at_n.instructions, at_2n.instructions);
  result.data_refs = each(at_n.data_refs, at_2n.data_refs);
  result.d1_misses = each(at_n.d1_misses, at_2n.d1_misses);
  result.ll_misses = each(at_n.ll_misses, at_2n.ll_misses);
  return result;
}

Result<CachePerIteration>
measure_per_iteration(const std::function<std::vector<std::string>(std::uint64_t)> &command_for,
                      std::uint64_t iterations, std::string_view function, const CacheModel &model) {
  if (iterations == 0)
    return failed("no iterations");
  std::array<CacheCounts, 2> counts;
  std::string source;
  for (std::size_t run = 0; run < counts.size(); ++run) {
    const Result<CachegrindReport> report = run_cachegrind(command_for((run + 1) * iterations), model);
    if (!report)
      return report.failure();
    const Result<CacheCounts> part =
        function.empty() ? Result<CacheCounts>(report->total()) : report->function(function);
    if (!part)
      return part.failure();
    counts[run] = *part;
    source = report->source();
  }
  CachePerIteration result = per_iteration(counts[0], counts[1], iterations);
  result.source = std::move(source);
  return result;
}

} // namespace avrankmap::counters
