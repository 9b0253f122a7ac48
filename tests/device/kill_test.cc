// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that is killed at a random moment, in every kind of operation, over all transports.
#include "tests/device/kill.h"

#include "tests/device/job.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

// Of each scenario, spread over the transports.
int repetitions() { return is_long() ? 200 : kSanitized ? 2 : 5; }

class Killed : public testing::TestWithParam<Scenario> {};

TEST_P(Killed, EndsWithAStatusForEverySurvivor) {
  const std::vector<Transport> transports =
      transports_of(Suites::kDevice, [](const Transport &transport) { return !is_left_out(transport); });
  const std::uint32_t seed = static_cast<std::uint32_t>(test::seed());
  std::int64_t longest = 0;
  for (int i = 0; i < repetitions(); ++i) {
    const Transport &transport = transports[(static_cast<std::uint32_t>(i) + seed) % transports.size()];
    SCOPED_TRACE(transport.name);
    const Shared<Blow> blow;
    blow->seed = seed + static_cast<std::uint32_t>(i);
    const Scenario scenario = GetParam();
    const std::function<void(Process &)> body = [&](Process &process) { scenario.run(process, *blow); };
    run_job(transport, std::min(transport.at_a_death, kKilledJob), body, kVictim);
    longest = std::max(longest, blow->longest);
  }
  RecordProperty("longest_ms", std::to_string(longest / 1000000));
}

INSTANTIATE_TEST_SUITE_P(Process, Killed, testing::ValuesIn(kScenarios, kScenarios + kScenarioCount), kByName);

} // namespace
} // namespace avrankmap::test
