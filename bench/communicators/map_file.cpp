// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicators/map_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr std::int64_t kLastPgid = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLastLpid = kLastPgid - 1; // so that an AV that ends with it has a size
constexpr std::size_t kMostRanks = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kQuotedAtMost = 40;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The text in quotes, fit to be shown on a terminal.
std::string quoted(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, kQuotedAtMost)) {
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return shown + (text.size() > kQuotedAtMost ? "...'" : "'");
}

/// One number of a line, into `value`; else what is wrong with it.
std::optional<std::string> parse_number(std::string_view text, std::string_view what, std::int64_t last,
                                        std::string_view line, std::int32_t &value) {
  // A sign is read, so that a negative number is said to be out of range, which is what its
  // author has to hear.
  std::int64_t number = 0;
  const char *const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument || stop != end) {
    return fmt::format("expected an lpid or pgid:lpid, found {}", quoted(line));
  }
  if (error == std::errc::result_out_of_range || number < 0 || number > last) {
    return fmt::format("{} {} is outside 0..{}", what, quoted(text), last);
  }
  value = static_cast<std::int32_t>(number);
  return std::nullopt;
}

std::optional<std::string> parse_process(std::string_view line, avrm_gpid_t &process) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    process.pgid = 0;
    return parse_number(line, "lpid", kLastLpid, line, process.lpid);
  }
  if (auto wrong = parse_number(trimmed(line.substr(0, colon)), "pgid", kLastPgid, line, process.pgid)) {
    return wrong;
  }
  return parse_number(trimmed(line.substr(colon + 1)), "lpid", kLastLpid, line, process.lpid);
}

/// The first line with a process that an earlier line has, if there is one.
std::optional<MapFileError> first_duplicate(const std::vector<avrm_gpid_t> &ranks,
                                            const std::vector<std::int64_t> &lines) {
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto process = [&](std::size_t rank) { return std::pair(ranks[rank].pgid, ranks[rank].lpid); };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(process(a), a) < std::pair(process(b), b); });
  std::optional<MapFileError> found;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t rank = order[i];
    if (process(order[i - 1]) == process(rank) && (!found || lines[rank] < found->line)) {
      found = MapFileError{lines[rank], fmt::format("process {}:{} is on line {} already", ranks[rank].pgid,
                                                    ranks[rank].lpid, lines[order[i - 1]])};
    }
  }
  return found;
}

} // namespace

MapFileResult parse_map(std::string_view text) {
  std::vector<avrm_gpid_t> ranks;
  std::vector<std::int64_t> lines; // of the ranks
  std::int64_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) {
      continue;
    }
    if (ranks.size() == kMostRanks) {
      return MapFileError{number, fmt::format("more than {} ranks", kMostRanks)};
    }
    avrm_gpid_t process;
    if (auto wrong = parse_process(line, process)) {
      return MapFileError{number, std::move(*wrong)};
    }
    ranks.push_back(process);
    lines.push_back(number);
  }
  if (ranks.empty()) {
    return MapFileError{0, "no ranks in it"};
  }
  if (auto twice = first_duplicate(ranks, lines)) {
    return std::move(*twice);
  }
  return ranks;
}

MapFileResult read_map_file(const std::string &path) {
  const auto unreadable = [] { return MapFileError{0, fmt::format("cannot be read: {}", std::strerror(errno))}; };
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return unreadable();
  }
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
  }
  if (std::ferror(file.get())) {
    return unreadable();
  }
  return parse_map(text);
}

std::string describe(const MapFileError &error, std::string_view path) {
  return error.line > 0 ? fmt::format("{}:{}: {}", path, error.line, error.text)
                        : fmt::format("{}: {}", path, error.text);
}

} // namespace avrankmap::bench
