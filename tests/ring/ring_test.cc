// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths that the launcher hides from processes that send nothing to the dead. Those of another
// node are found by the ring alone.
#include <gtest/gtest.h>

#include <unistd.h>

#include "avrankmap/comm.h"
#include "avrankmap/ft.h"
#include "tests/ring/silent_job.h"

namespace avrankmap::test {
namespace {

class HiddenDeaths : public testing::TestWithParam<Transport> {};

// Nobody has contacted anybody.
void wait_for(Process &process, int victim) {
  while (!avrm_boot_has_failed(process.boot, victim)) {
    avrm_progress(process.device);
  }
  Buffer in(8);
  avrm_request_t *request = nullptr;
  const avrm_status_t status = avrm_irecv(process.world, in.data(), in.size(), victim, 1, &request);
  AVRM_MUST(status == AVRM_ERR_PEER || (status == AVRM_OK && avrm_wait(&request, nullptr) == AVRM_ERR_PEER));
}

void leave_together(Process &process) {
  avrm_comm_t *survivors = nullptr;
  AVRM_MUST(avrm_comm_shrink(process.world, &survivors) == AVRM_OK);
  AVRM_MUST(avrm_barrier(survivors) == AVRM_OK);
  AVRM_MUST(avrm_comm_free(survivors) == AVRM_OK);
}

void progress_for(Process &process, int milliseconds) {
  for (int i = 0; i < milliseconds; ++i) {
    usleep(1000);
    avrm_progress(process.device);
  }
}

void lose(const Transport &transport, int size, const std::vector<int> &victims, const char *ring = "yes") {
  SilentJob job{&transport, size, victims, ring};
  job.body = [&](Process &process) {
    if (job.is_victim(process.rank)) {
      progress_for(process, 100); // until it is watched
      die();
    }
    for (const int victim : victims) {
      wait_for(process, victim);
    }
    leave_together(process);
  };
  run_silent_job(job);
}

TEST_P(HiddenDeaths, EndAReceiveOfWhoNeverMetTheDead) { lose(GetParam(), 4, {2}); }
TEST_P(HiddenDeaths, OfAWatcherAndWhomItWatchesAreFound) { lose(GetParam(), 8, {3, 4, 5}); }
TEST_P(HiddenDeaths, OfAllBetweenTwoSurvivorsAreFound) { lose(GetParam(), 8, {1, 2, 3, 5, 6, 7}); }

INSTANTIATE_TEST_SUITE_P(Over, HiddenDeaths, testing::ValuesIn(transports_of(Suites::kAll, has_network)), kByName);

} // namespace
} // namespace avrankmap::test
