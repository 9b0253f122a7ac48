// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An implicit address vector has no table, but two piecewise functions of lpid, for the address
// word and for the node id. The functions are detected while the elements are set in order:
//
//   words   word + (lpid - first) * step                              16 bytes per run
//   nodes   node + ((lpid - first + phase) / block) modulo period     40 bytes per run
//
// A run of nodes is block (processes 0..k-1 on node 0, the next k on node 1: no period), cyclic
// (block 1), or plane (blocks of k > 1, with a period). Other layouts consist of several runs.
//
// All lpids below `filled` are set. Setting an element again to the same value changes nothing.
// Setting the next lpid extends the functions. Any other change breaks the pattern, as does
// exceeding the maximum number of runs: the elements are then written to a table, which is
// permanent. The functions are kept, so that a reader that is still using them finds the values
// from before the pattern broke.
//
// Bound maps and fast-path handles refer to a line (avrankmap/line.h): the function of most lpids,
// with exceptions for the others. Once there is a table, every lpid is an exception.
#ifndef AVRANKMAP_SRC_AV_IMPLICIT_H
#define AVRANKMAP_SRC_AV_IMPLICIT_H

#include <cstdint>
#include <optional>

#include "av/backing.h"
#include "av/multi_address/append_list.h"
#include "av/node_rules.h"
#include "avrankmap/av.h"
#include "avrankmap/line.h"

namespace avrankmap::detail {

struct WordRun {
  std::uint32_t first;
  std::int32_t step; // packed (implicit.cpp); undecided while the run has one element
  std::uint64_t word;
};
static_assert(sizeof(WordRun) == 16);

struct NodeRun {
  std::uint32_t first;
  std::uint32_t node;
  std::uint32_t phase;  // elements of the same node immediately before the run
  std::uint32_t block;  // 0: all elements so far are on one node
  std::uint32_t period; // 0: no period so far
  std::uint64_t by_block;
  std::uint64_t by_period;
};
static_assert(sizeof(void *) != 8 || sizeof(NodeRun) == 40);

// word = base + lpid * step, over a range of lpids.
struct WordLine {
  std::uint64_t base;
  std::int64_t step;
};

class ImplicitVector {
public:
  // Upper bounds: together the functions, including old copies, take at most about 42 KiB, and
  // never more than a table. Each process of the local node takes two runs if processes are
  // distributed cyclically.
  static constexpr std::int32_t kMostWordRuns = 1024;
  static constexpr std::int32_t kMostNodeRuns = 128;

  ImplicitVector(std::int32_t size, const avrm_av_options_t &options) noexcept : size_(size), options_(options) {}

  // For readers, lock-free. 0 for an element that is not set.
  [[nodiscard]] std::uint64_t word(std::int32_t lpid) const noexcept;
  [[nodiscard]] std::uint32_t node(std::int32_t lpid) const noexcept;
  // The rule of the run that contains an lpid, if all elements are set; it then holds as long as
  // the AV is implicit.
  [[nodiscard]] std::optional<NodeIdRule> node_rule(std::int32_t lpid) const noexcept;
  [[nodiscard]] std::int32_t filled() const noexcept { return filled_.load(std::memory_order_acquire); }
  [[nodiscard]] std::int32_t word_runs() const noexcept { return words_.count(); }
  [[nodiscard]] std::int32_t node_runs() const noexcept { return nodes_.count(); }
  // Bytes in addition to the object itself.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  // For the writer, under the instance's lock.

  enum class Outcome { kTaken, kBreaks, kNoMemory };
  // Adds the elements first .. first + count - 1: all of them if it returns kTaken, otherwise none.
  // `publish` must follow; it makes the elements below `end` visible to readers.
  [[nodiscard]] Outcome append(Memory &memory, std::int32_t first, std::int32_t count, const avrm_ave_t *aves) noexcept;
  void publish(std::int32_t end) noexcept;
  // The line that the words of lpids min .. max are on, if there is one, for maps to store.
  [[nodiscard]] std::optional<WordLine> line_of(std::int64_t min, std::int64_t max) const noexcept;
  // Writes all elements that are set into a zero-filled table.
  void write_out(avrm_ave_t *table) const noexcept;

  // The line of all lpids, whose exceptions include those that are not set; null if there is none.
  // While elements are missing, this may be an earlier line with more exceptions.
  [[nodiscard]] const avrm_line_t *line() noexcept;
  // A line without exceptions, for maps that use the function of a run from line_of.
  [[nodiscard]] const avrm_line_t *line_of_a_run() const noexcept { return &of_a_run_; }
  [[nodiscard]] bool has(const avrm_line_t *line) const noexcept;
  // Redirects all readers of the lines to the table, which must exist.
  void close_lines() noexcept;

  void release(Memory &memory) noexcept;
  [[nodiscard]] const avrm_av_options_t &options() const noexcept { return options_; }

  Backing table; // empty until it is needed

private:
  using Room = AppendList<WordRun, kMostWordRuns>::Room;

  [[nodiscard]] Outcome append_word(Memory &memory, std::uint32_t lpid, std::uint64_t word) noexcept;
  [[nodiscard]] Outcome append_node(Memory &memory, std::uint32_t lpid, std::uint32_t node) noexcept;
  [[nodiscard]] std::uint64_t most_bytes() const noexcept;
  [[nodiscard]] std::optional<avrm_line_t> find_line() const noexcept;
  [[nodiscard]] const WordRun &longest_run() const noexcept;
  void count_bytes() noexcept;

  std::int32_t size_;
  avrm_av_options_t options_;
  std::atomic<std::int32_t> filled_{0};
  std::atomic<std::uint64_t> bytes_{0};
  AppendList<WordRun, kMostWordRuns> words_;
  AppendList<NodeRun, kMostNodeRuns> nodes_;
  std::uint32_t last_node_ = 0; // node id of the last element
  std::uint32_t on_node_ = 0;   // number of consecutive elements with this node id
  avrm_line_t of_a_run_{};
  // The lines used before and after the last element was set, created on first use.
  std::optional<avrm_line_t> of_a_part_;
  std::optional<avrm_line_t> of_all_;
};

} // namespace avrankmap::detail

#endif
