// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/care.h"

#include "papers/experiment/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace avrankmap::bench {

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

void Quiet::wait() {
  constexpr std::chrono::seconds kStep{5};
  while (left_ >= kStep && load_() >= kQuietLoad) {
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

} // namespace avrankmap::bench
