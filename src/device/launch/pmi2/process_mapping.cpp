// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmi2/process_mapping.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <utility>

namespace avrankmap::detail {

namespace {

// Reads a mapping's text from the left.
class Reader {
public:
  explicit Reader(std::string_view text) noexcept : left_(text) {}

  bool take(std::string_view word) noexcept {
    skip_blanks();
    if (!left_.starts_with(word)) {
      return false;
    }
    left_.remove_prefix(word.size());
    return true;
  }
  bool take(std::int32_t *number) noexcept {
    skip_blanks();
    const char *const end = left_.data() + left_.size();
    const auto [stop, error] = std::from_chars(left_.data(), end, *number);
    left_ = {stop, static_cast<std::size_t>(end - stop)};
    return error == std::errc();
  }
  bool is_at_end() noexcept {
    skip_blanks();
    return left_.empty();
  }

private:
  void skip_blanks() noexcept { left_.remove_prefix(std::min(left_.find_first_not_of(' '), left_.size())); }

  std::string_view left_;
};

// Reads a block of the text, as a run that starts at process 0.
bool take_block(Reader *text, avrm_node_run_t *block) noexcept {
  block->first = 0;
  return text->take("(") && text->take(&block->node) && text->take(",") && text->take(&block->nodes) &&
         text->take(",") && text->take(&block->block) && text->take(")") && block->node >= 0 && block->nodes >= 1 &&
         block->block >= 1 && block->nodes - 1 <= INT32_MAX - block->node;
}

bool parse_blocks(std::string_view text, std::vector<avrm_node_run_t> *blocks) {
  Reader reader(text);
  if (!reader.take("(") || !reader.take("vector")) {
    return false;
  }
  while (reader.take(",")) {
    avrm_node_run_t block;
    if (!take_block(&reader, &block)) {
      return false;
    }
    blocks->push_back(block);
  }
  return !blocks->empty() && reader.take(")") && reader.is_at_end();
}

std::int64_t processes_of(const avrm_node_run_t &run) noexcept { return std::int64_t{run.block} * run.nodes; }

// Extends `run`, which ends before process `next.first`, by the processes of `next`, if one run can
// describe all of them. `last` is the number of processes of `next` if it is the job's last block,
// otherwise 0.
bool extend(avrm_node_run_t *run, const avrm_node_run_t &next, std::int32_t last) noexcept {
  if (run->nodes == 1 && next.nodes == 1 && run->node == next.node) {
    return true;
  }
  // Continues with the following nodes. The last node of the job may have fewer processes.
  const bool goes_on = next.first - run->first == processes_of(*run) && next.node == run->node + run->nodes;
  if (goes_on && (next.block == run->block || (last != 0 && next.nodes == 1 && last <= run->block))) {
    run->nodes += next.nodes;
    return true;
  }
  return false;
}

// True if the last run, which ends before process `end`, only repeats the run before it. Unless the
// job ends there, the last run may still be extended, so it must be a complete repetition.
bool repeats(const std::vector<avrm_node_run_t> &runs, std::int32_t end, bool is_end) noexcept {
  if (runs.size() < 2) {
    return false;
  }
  const avrm_node_run_t &before = runs[runs.size() - 2];
  const avrm_node_run_t &last = runs.back();
  return (last.first - before.first) % processes_of(before) == 0 && last.node == before.node &&
         last.block == before.block &&
         (last.nodes == before.nodes ||
          (is_end && last.nodes < before.nodes && end - last.first <= processes_of(last)));
}

} // namespace

bool ProcessMapping::parse(std::string_view text, std::int32_t size) {
  std::vector<avrm_node_run_t> blocks;
  if (!parse_blocks(text, &blocks)) {
    return false;
  }
  std::vector<avrm_node_run_t> runs;
  std::size_t at = 0;
  for (std::int32_t first = 0; first < size; at = (at + 1) % blocks.size()) {
    avrm_node_run_t next = blocks[at];
    next.first = first;
    const std::int64_t count = blocks.size() == 1 ? size : processes_of(next); // repeats itself
    const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(size, first + count));
    if (runs.empty() || !extend(&runs.back(), next, end == size ? end - first : 0)) {
      runs.push_back(next);
    }
    if (repeats(runs, end, end == size)) {
      runs.pop_back();
    }
    first = end;
  }
  runs_ = std::move(runs);
  size_ = size;
  return true;
}

std::int64_t ProcessMapping::nodes() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges; // from, to
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const avrm_node_run_t &run = runs_[i];
    const std::int64_t blocks = (std::int64_t{end_of(i)} - run.first + run.block - 1) / run.block;
    ranges.emplace_back(run.node, run.node + std::min<std::int64_t>(run.nodes, blocks));
  }
  std::sort(ranges.begin(), ranges.end());
  std::int64_t count = 0;
  std::int64_t end = 0;
  for (const auto &[from, to] : ranges) {
    count += std::max<std::int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return count;
}

std::uint32_t ProcessMapping::node_of(std::int32_t rank) const noexcept {
  const auto behind = std::upper_bound(runs_.begin(), runs_.end(), rank,
                                       [](std::int32_t r, const avrm_node_run_t &run) { return r < run.first; });
  const avrm_node_run_t &run = *std::prev(behind);
  return static_cast<std::uint32_t>(run.node + (rank - run.first) / run.block % run.nodes);
}

std::vector<std::int32_t> ProcessMapping::ranks_of(std::uint32_t node) const {
  std::vector<std::int32_t> ranks;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const avrm_node_run_t &run = runs_[i];
    const std::int64_t behind = std::int64_t{node} - run.node;
    if (behind < 0 || behind >= run.nodes) {
      continue;
    }
    const std::int64_t end = end_of(i);
    for (std::int64_t first = run.first + behind * run.block; first < end; first += processes_of(run)) {
      for (std::int64_t rank = first; rank < std::min(end, first + run.block); ++rank) {
        ranks.push_back(static_cast<std::int32_t>(rank));
      }
    }
  }
  return ranks;
}

} // namespace avrankmap::detail
