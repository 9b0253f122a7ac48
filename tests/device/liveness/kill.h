// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scenarios in which processes die at a random moment, for every launcher. The processes that
// survive must learn of it from the operation that they are in.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_KILL_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_KILL_H

#include <cstdint>

#include "tests/device/core/process.h"

namespace avrankmap::test {

// In memory that all processes of a job share.
struct KillRecord {
  std::uint32_t seed;
  std::int32_t survivors; // that ended well
  std::int64_t killed_at; // nanoseconds of the system's clock; 0: not yet
  std::int64_t longest;   // nanoseconds that a survivor took to learn of it
  std::int32_t killer;    // process that killed: itself, or its parent
  std::int32_t ready;     // steps of processes up to the kill, where messages do not say so
};

struct Scenario {
  const char *name;
  // Runs in all processes. Rank kVictim ends by SIGKILL.
  void (*run)(Process &process, KillRecord &kill_record);
};

inline constexpr int kVictim = 1;
inline constexpr int kKilledJob = 3; // processes

extern const Scenario kScenarios[];
extern const std::size_t kScenarioCount;
[[nodiscard]] const Scenario &scenario_named(const char *name);

// Closes the device of a survivor, which is told of the death.
[[nodiscard]] avrm_status_t close_after(Process &process, KillRecord &kill_record);

// Rank 0 kills the launcher, while all processes wait for one another.
void lose_the_launcher(Process &process, KillRecord &kill_record);

// Processes 0 and 1 end by SIGKILL, which are all of their host. The others have never met them.
void lose_a_host(Process &process, KillRecord &kill_record);

} // namespace avrankmap::test

#endif
