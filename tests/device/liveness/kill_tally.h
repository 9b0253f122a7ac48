// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How often a test has killed a process, over which transports, and how long survivors took to
// learn of it. The properties of the test's report have it: one per transport.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_KILL_TALLY_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_KILL_TALLY_H

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/device/liveness/kill.h"
#include "tests/support/before_forking.h"
#include "tests/support/seed.h"
#include "tests/support/shared_files.h"

namespace avrankmap::test {

// Of each scenario, spread over the transports.
inline int repetitions() { return is_long() ? 200 : kSanitized ? 2 : 5; }

// That of the `i`th repetition of a scenario. A scenario begins where the one before it ends, so
// that together they go over all transports however few repetitions there are.
inline const Transport &transport_of(int scenario, int i) {
  static const std::vector<Transport> transports =
      transports_of(Suites::kDevice, [](const Transport &transport) { return !is_refused(transport); });
  const auto number = static_cast<std::uint32_t>(seed()) + static_cast<std::uint32_t>(scenario * repetitions() + i);
  return transports[number % transports.size()];
}

// What a survivor may take. The long tests fail above it; on a machine that does other things, too,
// it tells nothing, and the scenarios have a limit of their own against hangs.
inline constexpr std::int64_t kSoonMs = 3000;

class KillTally {
public:
  // After a job in which nobody was killed, nothing.
  void add(const Transport &transport, const KillRecord &kill_record) {
    if (kill_record.killed_at != 0) {
      remove_leftovers(kill_record.killer);
      Row &row = rows_[transport.name];
      const std::int64_t longest = kill_record.longest / 1000000;
      ++row.jobs;
      row.longest_ms = std::max(row.longest_ms, longest);
      row.late += longest > kSoonMs ? 1 : 0;
      EXPECT_TRUE(!is_long() || longest <= kSoonMs) << "a survivor took " << longest << " ms";
    }
  }
  ~KillTally() {
    for (const auto &[name, row] : rows_) {
      testing::Test::RecordProperty(name, std::to_string(row.jobs) + " jobs, slowest survivor " +
                                              std::to_string(row.longest_ms) + " ms, late in " +
                                              std::to_string(row.late));
    }
  }
  KillTally() = default;
  KillTally(const KillTally &) = delete;
  KillTally &operator=(const KillTally &) = delete;

private:
  struct Row {
    int jobs = 0;
    int late = 0;
    std::int64_t longest_ms = 0;
  };
  std::map<std::string, Row> rows_;
};

} // namespace avrankmap::test

#endif
