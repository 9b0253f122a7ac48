// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that is killed at a random moment, in every kind of operation, over all transports.
#include "tests/device/liveness/kill.h"

#include <unistd.h>

#include "tests/device/core/job.h"
#include "tests/device/liveness/kill_tally.h"

namespace avrankmap::test {
namespace {

class Killed : public testing::TestWithParam<Scenario> {};

TEST_P(Killed, EndsWithAStatusForEverySurvivor) {
  const Scenario scenario = GetParam();
  const auto same = [&](const Scenario &other) { return other.run == scenario.run; };
  const auto place = static_cast<int>(std::find_if(kScenarios, kScenarios + kScenarioCount, same) - kScenarios);
  KillTally tally;
  for (int i = 0; i < repetitions(); ++i) {
    const Transport &transport = transport_of(place, i);
    SCOPED_TRACE(transport.name);
    const Shared<KillRecord> kill_record;
    kill_record->seed = static_cast<std::uint32_t>(seed()) + static_cast<std::uint32_t>(i);
    const std::function<void(Process &)> body = [&](Process &process) {
      alarm(kHangsAfterS); // ends a process that hangs
      scenario.run(process, *kill_record);
      process.closed = close_after(process, *kill_record);
    };
    run_job(transport, std::min(transport.at_a_death, kKilledJob), body, kVictim);
    tally.add(transport, *kill_record);
  }
}

INSTANTIATE_TEST_SUITE_P(Process, Killed, testing::ValuesIn(kScenarios, kScenarios + kScenarioCount), kByName);

} // namespace
} // namespace avrankmap::test
