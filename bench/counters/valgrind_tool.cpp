// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/valgrind_tool.h"

#include "counters/subprocess.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace avrankmap::counters {

Result<std::string> run_valgrind_tool(std::string_view tool, const std::vector<std::string> &options,
                                      const std::vector<std::string> &command) {
  if (command.empty())
    return failed("empty command");
  const std::optional<std::string> valgrind = find_program("valgrind");
  if (!valgrind)
    return unavailable("valgrind is not installed");
  const std::optional<std::string> program = find_program(command[0]);
  if (!program)
    return failed("no such program: " + command[0]);
  Result<ScratchFolder> scratch = ScratchFolder::create();
  if (!scratch)
    return scratch.failure();

  // By process, so that the children which a program forks do not overwrite its own file. Options
  // from the environment and from files would change what is simulated.
  const std::string file = "counts.";
  std::vector<std::string> line = {*valgrind, "--tool=" + std::string(tool), "--command-line-only=yes",
                                   "--" + std::string(tool) +
                                       "-out-file=" + (scratch->path() / (file + "%p")).string()};
  line.insert(line.end(), options.begin(), options.end());
  line.push_back(*program);
  line.insert(line.end(), command.begin() + 1, command.end());
  const Result<ProcessEnd> end = run_process(line, *scratch);
  if (!end)
    return end.failure();
  const std::string name = command[0] + " under " + std::string(tool);
  if (!end->succeeded())
    return failed(name + ": " + end->describe());
  std::optional<std::string> text = read_file(scratch->path() / (file + std::to_string(end->pid)));
  if (!text)
    return failed(name + " left no counts; " + end->describe());
  return *std::move(text);
}

std::string_view take_line(std::string_view &text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view take_word(std::string_view &line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

std::optional<std::uint64_t> parse_count(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  return value;
}

} // namespace avrankmap::counters
