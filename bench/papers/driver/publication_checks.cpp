// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/publication_checks.h"

#include "counters/subprocess.h"
#include "papers/experiment/tables.h"

#include <fmt/format.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace avrankmap::bench {

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

double busy_seconds(const std::string &stat, double ticks) {
  std::istringstream text(stat);
  std::string name;
  text >> name;
  double busy = 0;
  double field = 0;
  constexpr int kIdle = 3;
  constexpr int kWaitsForDisks = 4;
  constexpr int kGuest = 8;
  for (int i = 0; name == "cpu" && i < kGuest && text >> field; ++i) {
    busy += i == kIdle || i == kWaitsForDisks ? 0 : field;
  }
  return busy / ticks;
}

Used processor_time() {
  Used used;
  used.all = busy_seconds(counters::read_file("/proc/stat").value_or(""), static_cast<double>(sysconf(_SC_CLK_TCK)));
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage use{};
    (void)getrusage(whose, &use);
    for (const timeval &time : {use.ru_utime, use.ru_stime}) {
      used.own += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
  }
  return used;
}

double foreign_processors(const Used &before, const Used &after, double seconds) {
  return std::max(0.0, (after.all - before.all - (after.own - before.own)) / seconds);
}

double foreign_now() {
  const auto start = std::chrono::steady_clock::now();
  const Used before = processor_time();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const Used after = processor_time();
  return foreign_processors(before, after,
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void Quiet::wait() {
  constexpr std::chrono::seconds kStep{5};
  while (left_ >= kStep && load_() >= kQuietForeign) {
    pause_(kStep);
    left_ -= kStep;
  }
}

double spread_of(const Table &one, const Table &other) {
  std::vector<double> differences;
  for (const Row &row : one.rows) {
    for (const std::string &column : one.columns) {
      const auto here = number_here(one, row.label, column);
      const auto there = number_here(other, row.label, column);
      if (here && there) {
        const double larger = std::max(std::abs(*here), std::abs(*there));
        differences.push_back(larger == 0 ? 0 : std::abs(*here - *there) / larger);
      }
    }
  }
  if (differences.empty()) {
    return -1;
  }
  const auto tenth = differences.begin() + static_cast<std::ptrdiff_t>((differences.size() - 1) * 9 / 10);
  std::nth_element(differences.begin(), tenth, differences.end());
  return *tenth;
}

std::string reason_not_to_publish(const std::vector<Stored> &results) {
  for (const Stored &result : results) {
    const std::string &commit = result.conditions.commit;
    if (commit.empty() || commit.find("-dirty") != std::string::npos) {
      return fmt::format("{} was not measured at a commit without changed files ({})", result.id,
                         commit.empty() ? "not known" : commit);
    }
    if (commit != results.front().conditions.commit) {
      return fmt::format("{} is of {}, {} of {}", results.front().id, results.front().conditions.commit, result.id,
                         commit);
    }
  }
  return {};
}

void remove_other_pictures(const std::filesystem::path &folder, const std::set<std::string> &wanted) {
  std::vector<std::filesystem::path> others;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".svg" && wanted.count(entry.path().filename().string()) == 0) {
      others.push_back(entry.path());
    }
  }
  for (const std::filesystem::path &other : others) {
    std::filesystem::remove(other);
  }
}

} // namespace avrankmap::bench
