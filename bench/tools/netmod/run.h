// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the checks of a netmod in processes of their own.
#ifndef AVRANKMAP_BENCH_TOOLS_NETMOD_RUN_H
#define AVRANKMAP_BENCH_TOOLS_NETMOD_RUN_H

#include <string>
#include <vector>

#include "tools/netmod/side.h"

namespace avrankmap::netmod_test {

enum class Verdict { kHolds, kBroken, kUntried };

struct Finding {
  Verdict verdict = Verdict::kUntried;
  std::string observation; // of a broken one; why it was not tried, if resources lacked
};

struct Report {
  std::vector<Finding> findings; // one per sentence
  std::string unavailable;       // why the netmod could not be opened
  bool lacks_resources = false;  // memory or descriptors, so that some checks ended early
  [[nodiscard]] int broken() const;
};

// Runs all checks that apply. After a breach it goes on with the next check, in new processes.
[[nodiscard]] Report run_checks(const Settings &settings);

} // namespace avrankmap::netmod_test

#endif
