// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An ordered set of processes as a list of runs, on which the group algebra works. A strided group
// is one run of any length; a random one has a run for every one or two processes.
#ifndef AVRANKMAP_SRC_GROUP_PROCESS_LIST_H
#define AVRANKMAP_SRC_GROUP_PROCESS_LIST_H

#include <limits>

#include "rankmap/create/runs.h"

namespace avrankmap::detail {

[[nodiscard]] inline std::int64_t low_lpid(const Run &run) noexcept {
  return std::min<std::int64_t>(run.offset, last_lpid(run));
}
[[nodiscard]] inline std::int64_t high_lpid(const Run &run) noexcept {
  return std::max<std::int64_t>(run.offset, last_lpid(run));
}
// Elements from, from + step, ... of a run, `count` of them. The rank in the result has no meaning.
[[nodiscard]] inline Run part_of(const Run &run, std::int64_t from, std::int64_t step, std::int64_t count) noexcept {
  // With two or more elements, the product is a difference of lpids, so it fits.
  const auto stride = count == 1 ? 1 : static_cast<std::int32_t>(step * run.stride);
  return {0, static_cast<std::int32_t>(count), run.pgid, static_cast<std::int32_t>(lpid_at(run, from)), stride};
}

// A list of runs that stores its first error, so that one check after filling it is sufficient.
class ProcessList {
public:
  explicit ProcessList(Memory &memory, std::int64_t most_runs = std::numeric_limits<std::int32_t>::max()) noexcept
      : memory_(memory), runs_(memory, most_runs) {}

  void append(const Run &run) noexcept {
    if (status_ == AVRM_OK) {
      status_ = runs_.push(run);
    }
  }
  void append(const ProcessList &list) noexcept {
    std::for_each(list.begin(), list.end(), [this](const Run &run) { append(run); });
    if (status_ == AVRM_OK) {
      status_ = list.status_;
    }
  }
  // Appends the processes of a map. O(runs), in the worst case O(size).
  void append(const avrm_rankmap_t *map) noexcept {
    if (status_ == AVRM_OK) {
      status_ = for_each_run(map, [this](const Run &run) { return runs_.push(run); });
    }
  }
  // Removes all runs; keeps the memory.
  void clear() noexcept { runs_.clear(); }
  void fail(avrm_status_t status = AVRM_ERR_NO_MEMORY) noexcept { status_ = status; }

  // AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT (more than 2^31 - 1 processes, or too many runs).
  // After an error the list is incomplete.
  [[nodiscard]] avrm_status_t status() const noexcept { return status_; }
  [[nodiscard]] bool failed() const noexcept { return status_ != AVRM_OK; }
  // True if the list has its maximum number of runs.
  [[nodiscard]] bool is_full() const noexcept { return runs_.is_full(); }
  [[nodiscard]] Memory &memory() const noexcept { return memory_; }
  [[nodiscard]] const RunList &runs() const noexcept { return runs_; }
  // Number of processes.
  [[nodiscard]] std::int64_t total() const noexcept { return runs_.size(); }
  // Number of runs.
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(runs_.count()); }
  [[nodiscard]] bool empty() const noexcept { return runs_.count() == 0; }
  [[nodiscard]] const Run *begin() const noexcept { return runs_.begin(); }
  [[nodiscard]] const Run *end() const noexcept { return runs_.end(); }

private:
  Memory &memory_;
  RunList runs_;
  avrm_status_t status_ = AVRM_OK;
};

// The error of the first list or, if it has none, of the second one.
[[nodiscard]] inline avrm_status_t error_of(const ProcessList &first, const ProcessList &second) noexcept {
  return first.failed() ? first.status() : second.status();
}

} // namespace avrankmap::detail

#endif
