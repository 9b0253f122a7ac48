// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps as lists of runs: ranges of ranks whose processes are in one group and a constant distance
// apart. Compositions and set operations work on runs, so that their cost depends on the pattern
// and not on the number of ranks.
//
// Every map has one canonical list: in order of rank, each run is as long as possible. No other
// list of the map is shorter, and two maps are equal if and only if their lists are.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_RUNS_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_RUNS_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "rankmap/map.h"

namespace avrankmap::detail {

// Ranks first_rank .. first_rank + count - 1: rank first_rank + i is lpid offset + i * stride of
// process group pgid.
struct Run {
  std::int32_t first_rank = 0;
  std::int32_t count = 1; // at least 1
  std::int32_t pgid = 0;
  std::int32_t offset = 0;
  std::int32_t stride = 1; // may be 0 (a process occurs several times); 1 if count is 1

  friend bool operator==(const Run &, const Run &) = default;
};

[[nodiscard]] inline std::int64_t lpid_at(const Run &run, std::int64_t i) noexcept {
  return run.offset + i * run.stride;
}
[[nodiscard]] inline std::int64_t last_lpid(const Run &run) noexcept { return lpid_at(run, run.count - 1); }

// Ranks first .. first + count - 1 of a run, counted within the run.
[[nodiscard]] inline Run part_of(const Run &run, std::int32_t first, std::int32_t count) noexcept {
  return {run.first_rank + first, count, run.pgid, static_cast<std::int32_t>(lpid_at(run, first)),
          count == 1 ? 1 : run.stride};
}

// The part of a run that begins at `rank`, which is one of its ranks.
[[nodiscard]] inline Run rest_of(const Run &run, std::int32_t rank) noexcept {
  const std::int32_t passed = rank - run.first_rank;
  return part_of(run, passed, run.count - passed);
}

// True for maps whose runs are known; tables are scanned for runs.
[[nodiscard]] bool knows_runs(const avrm_rankmap_t *map) noexcept;

// A run that contains `rank`. In a map whose runs are known: the whole map, its block, its row or
// its segment, in O(1) or O(log segments). In a table: the longest run that begins at `rank`.
[[nodiscard]] Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept;

// Same as run_at, but of a table only ranks before `end` are read: the longest run of ranks
// rank .. end - 1. O(length of the run) for tables.
[[nodiscard]] Run run_before(const avrm_rankmap_t *map, std::int32_t rank, std::int64_t end) noexcept;

// The longest run that begins at `rank`.
[[nodiscard]] Run longest_run_from(const avrm_rankmap_t *map, std::int32_t rank) noexcept;

// The longest run within ranks 0 .. size - 1 that begins at `rank`, found by requesting each
// process.
template <typename GpidAt> Run scan_run(std::int32_t rank, std::int32_t size, GpidAt gpid_at) noexcept {
  const avrm_gpid_t first = gpid_at(rank);
  Run run{rank, 1, first.pgid, first.lpid, 1};
  if (rank + 1 == size) {
    return run;
  }
  const avrm_gpid_t second = gpid_at(rank + 1);
  if (second.pgid != first.pgid) {
    return run;
  }
  run.stride = second.lpid - first.lpid;
  std::int32_t lpid = second.lpid;
  for (run.count = 2; rank + run.count != size; ++run.count) {
    const avrm_gpid_t next = gpid_at(rank + run.count);
    if (next.pgid != first.pgid || next.lpid - lpid != run.stride) {
      break;
    }
    lpid = next.lpid;
  }
  return run;
}

// Calls visit(const Run &) for each canonical run of a map, in order of rank, until it returns an
// error, and returns this error. Cost: O(runs), where a blocked map has one run per block and a
// cart one per row; O(size) for tables.
template <typename Visit> avrm_status_t for_each_run(const avrm_rankmap_t *map, Visit visit) noexcept {
  for (std::int64_t rank = 0; rank < map->size;) {
    const Run run = longest_run_from(map, static_cast<std::int32_t>(rank));
    const avrm_status_t status = visit(run);
    if (status != AVRM_OK) {
      return status;
    }
    rank += run.count;
  }
  return AVRM_OK;
}

// A growing list of runs, kept canonical, in scratch memory of the instance.
class RunList {
public:
  // Holds at most `limit` runs, and at most 2^29.
  RunList(Memory &memory, std::int64_t limit) noexcept : memory_(memory), limit_(limit) {}
  ~RunList();
  RunList(const RunList &) = delete;
  RunList &operator=(const RunList &) = delete;

  // Appends a run after the ranks in the list; ignores its first_rank.
  // @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT (more than `limit` runs, or more than 2^31
  //         - 1 ranks); after an error the list must not be used
  // Amortised O(1).
  [[nodiscard]] avrm_status_t push(const Run &run) noexcept;

  // `push` for a run that does not continue the last one. The ranks of all runs must be below 2^31.
  [[nodiscard]] avrm_status_t append(const Run &run) noexcept {
    if (is_full()) {
      return AVRM_ERR_LIMIT;
    }
    if (count_ == capacity_ && !grow()) {
      return AVRM_ERR_NO_MEMORY;
    }
    runs_[count_] = {static_cast<std::int32_t>(size_), run.count, run.pgid, run.offset, run.stride};
    ++count_;
    size_ += run.count;
    return AVRM_OK;
  }

  // Removes all runs; keeps the memory.
  void clear() noexcept {
    size_ = 0;
    count_ = 0;
  }

  [[nodiscard]] const Run *begin() const noexcept { return runs_; }
  [[nodiscard]] const Run *end() const noexcept { return runs_ + count_; }
  [[nodiscard]] std::int32_t count() const noexcept { return count_; }
  // Number of ranks.
  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(size_); }
  // True if the list has its maximum number of runs.
  [[nodiscard]] bool is_full() const noexcept {
    return count_ == limit_ || count_ > std::numeric_limits<std::int32_t>::max() / 4;
  }

private:
  [[nodiscard]] bool grow() noexcept;

  Memory &memory_;
  std::int64_t limit_;
  std::int64_t size_ = 0;
  std::int32_t count_ = 0;
  std::int32_t capacity_ = 0;
  Run *runs_ = nullptr;
};

// Creates the canonical list of runs of rank -> parent(inner(rank)). All values of `inner` must be
// ranks of the parent, and must be contiguous if the parent is a table.
// @return AVRM_OK, or the error of RunList::push
// O(runs of the result before they are merged * log segments); O(size) for tables.
[[nodiscard]] avrm_status_t compose_runs(const avrm_rankmap_t *parent, const Regular &inner, RunList *runs) noexcept;

// A list of runs as a regular map of one process group, if it is one.
[[nodiscard]] std::optional<Regular> regular_from(const RunList &runs) noexcept;

// Creates the map of a list of at least one run, in the form that the instance's cost class
// demands. lpids must be in 0 .. kMaxLpid and pgids at least 0.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY
// O(runs); O(size) if the map takes a table.
[[nodiscard]] avrm_status_t map_from_runs(avrm_instance_t *instance, const RunList &runs, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
