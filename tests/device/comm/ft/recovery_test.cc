// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that dies before or after a message of revoking, agreeing or shrinking, at random.
#include "tests/device/liveness/recovery.h"

#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

constexpr int kProcesses = 5;

class Recovery : public testing::TestWithParam<Transport> {};

TEST_P(Recovery, IsUniformWhicheverMessageAProcessDiesAt) {
  const int points = is_long() ? 200 : GetParam().provider == nullptr ? 10 : 3;
  const auto first = static_cast<std::uint32_t>(seed());
  for (std::uint32_t number = first; number < first + static_cast<std::uint32_t>(points); ++number) {
    const int victim = static_cast<int>(number * 2654435761U >> 16) % kProcesses;
    SCOPED_TRACE("seed " + std::to_string(number));
    run_job(
        GetParam(), kProcesses,
        [=](Process &process) {
          check_messages(process.world, process.rank, everyone(process));
          recover_from_a_death(
              process, victim, number, [](void *) {}, nullptr);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Over, Recovery,
                         testing::ValuesIn(transports_of(Suites::kAll, [](const Transport &) { return true; })),
                         kByName);

} // namespace
} // namespace avrankmap::test
