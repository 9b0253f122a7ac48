// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Simulated cache misses: a command runs under valgrind's cachegrind with a stated cache geometry,
// and the counts of the whole program and of each of its functions are read back. They are exact
// and repeatable for that model (two levels, LRU, no prefetch, no TLB, virtual addresses), and they
// are no measurement of this machine: the label says so.
//
// A function's count is its own, without its callees, and compiled-in code counts for the function
// that it was compiled into. To have the cost of one iteration of a loop without start-up and cold
// misses, run the program at N and 2N iterations and take the difference: measure_per_iteration.
#pragma once

#include "counters/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avrankmap::counters {

struct CacheGeometry {
  std::uint64_t size = 0; // bytes
  std::uint64_t ways = 0;
  std::uint64_t line = 0; // bytes

  friend bool operator==(const CacheGeometry &, const CacheGeometry &) = default;
};

// Fixed, so that results compare between machines: a common L1, and one share of a server's last
// level. The instruction cache is as the D1.
struct CacheModel {
  CacheGeometry d1{32768, 8, 64};
  CacheGeometry ll{8388608, 16, 64};

  friend bool operator==(const CacheModel &, const CacheModel &) = default;
};

struct CacheCounts {
  std::uint64_t instructions = 0;
  std::uint64_t data_refs = 0; // reads and writes
  std::uint64_t d1_misses = 0;
  std::uint64_t ll_misses = 0; // of data

  friend bool operator==(const CacheCounts &, const CacheCounts &) = default;
};

class CachegrindReport {
public:
  // From the text of a cachegrind output file. Fails, with the line number, on anything that is not
  // one, and on one whose functions do not add up to its summary.
  static Result<CachegrindReport> parse(std::string_view text);

  [[nodiscard]] const CacheCounts &total() const { return total_; }

  // Sum over the functions whose (demangled) name contains the substring; failed if there is none.
  [[nodiscard]] Result<CacheCounts> function(std::string_view substring) const;

  // The geometry that the file states.
  [[nodiscard]] const CacheModel &model() const { return model_; }

  // "cachegrind (simulated, D1=32768,8,64, LL=8388608,16,64)": bytes, ways, bytes per line.
  [[nodiscard]] std::string source() const;

private:
  CachegrindReport() = default;

  CacheModel model_;
  CacheCounts total_;
  std::vector<std::pair<std::string, CacheCounts>> functions_;
};

// Runs the command (command[0] is searched in PATH, no shell) and reports. Unavailable without
// valgrind; failed when the program does not end with status 0.
Result<CachegrindReport> run_cachegrind(const std::vector<std::string> &command, const CacheModel &model = {});

// Cost of one iteration: (counts at 2N - counts at N) / N.
struct CachePerIteration {
  double instructions = 0;
  double data_refs = 0;
  double d1_misses = 0;
  double ll_misses = 0;
  std::string source;
};

// Precondition: iterations > 0. A difference may be negative where misses outside the loop differ
// between the runs.
CachePerIteration per_iteration(const CacheCounts &at_n, const CacheCounts &at_2n, std::uint64_t iterations);

// Runs command_for(iterations) and command_for(2 * iterations), and takes the difference of the
// functions whose name contains `function`, or of the whole program where that is empty.
Result<CachePerIteration>
measure_per_iteration(const std::function<std::vector<std::string>(std::uint64_t)> &command_for,
                      std::uint64_t iterations, std::string_view function = {}, const CacheModel &model = {});

} // namespace avrankmap::counters
