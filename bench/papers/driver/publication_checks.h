// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What makes a published result worth its page: one clean commit, a quiet machine, and numbers that
// agree when they are measured again.
#ifndef AVRANKMAP_BENCH_PAPERS_DRIVER_PUBLICATION_CHECKS_H
#define AVRANKMAP_BENCH_PAPERS_DRIVER_PUBLICATION_CHECKS_H

#include "papers/driver/store.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A load above this makes times and rates noisy: an experiment on one processor, and a half.
inline constexpr double kQuietLoad = 1.5;
/// The same of the processors that other processes use, without the experiment's own.
inline constexpr double kQuietForeign = 0.5;
/// Results whose numbers differ by more from run to run are measured again.
inline constexpr double kMostSpread = 0.1;

/// Average over the last minute of the processes that wanted a CPU; 0 if it is not known.
double load_average();

/// Processor time since some moment, in seconds.
struct Used {
  double all = 0; ///< of all processes of the machine, interrupts and a hypervisor's theft included
  double own = 0; ///< of this process and of those that it waited for
};

/// Reads the line "cpu ..." of /proc/stat, with `ticks` a second: all fields but the idle ones, and
/// those of guests, which user and nice have. 0 if it is no such line.
double busy_seconds(const std::string &stat, double ticks);

/// Processor time that this machine and this program have used up to now.
Used processor_time();

/// The processors that other processes used on average between two moments; unlike the load
/// average it has no memory of experiments that ended before. Never below 0.
double foreign_processors(const Used &before, const Used &after, double seconds);

/// Those of the second that follows, in which this program sleeps.
double foreign_now();

/// Waits for a quiet machine, five minutes in all.
class Quiet {
public:
  /// @param load   the processors that others use at present
  /// @param pause  sleeps
  Quiet(std::function<double()> load, std::function<void(std::chrono::seconds)> pause)
      : load_(std::move(load)), pause_(std::move(pause)) {}

  /// Returns once it is below kQuietForeign, or all calls together have waited for five minutes.
  void wait();

private:
  std::function<double()> load_;
  std::function<void(std::chrono::seconds)> pause_;
  std::chrono::seconds left_{300};
};

/// By how much nine of ten of the numbers that both tables have differ at most, of the larger one;
/// below 0 if they have none in common.
double spread_of(const Table &one, const Table &other);

/// Why these results may not be published together; empty if they may: all are of one commit
/// without changed files.
std::string reason_not_to_publish(const std::vector<Stored> &results);

/// Removes the pictures (.svg) in a folder whose names are not wanted.
void remove_other_pictures(const std::filesystem::path &folder, const std::set<std::string> &wanted);

} // namespace avrankmap::bench

#endif
