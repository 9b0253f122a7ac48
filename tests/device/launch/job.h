// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Forked jobs. The body is a lambda that reports errors and returns their number.
#ifndef AVRANKMAP_TESTS_DEVICE_LAUNCH_JOB_H
#define AVRANKMAP_TESTS_DEVICE_LAUNCH_JOB_H

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "avrankmap/device/boot.h"
#include "tests/support/shared.h"

namespace avrankmap::test {

// For a body whose boot is called `boot`: ends the process with exit code 1 if the condition
// does not hold.
#define AVRM_EXPECT(condition)                                                                                         \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      (void)std::fprintf(stderr, "rank %d: %s:%d: %s\n", avrm_boot_rank(boot), __FILE__, __LINE__, #condition);        \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (false)

struct Job {
  avrm_status_t status = AVRM_OK;
  std::vector<std::int32_t> codes;

  [[nodiscard]] bool passed() const {
    for (const std::int32_t code : codes) {
      if (code != 0) {
        return false;
      }
    }
    return status == AVRM_OK;
  }
};

// A job that hangs ends with AVRM_ERR_TIMEOUT, long after all others have ended.
inline avrm_fork_options_t options_of(std::int32_t size) {
  return {.size = size, .per_node = 0, .timeout_ms = 120000, .kill_on_failure = 0};
}

// `body` is called as body(boot) and returns an exit code. Codes are -1 where the job
// left them alone.
template <typename Body> Job run_job(const avrm_fork_options_t &options, Body body) {
  Job job;
  job.codes.assign(static_cast<std::size_t>(options.size), -1);
  const auto call = [](avrm_boot_t *boot, void *user) { return (*static_cast<Body *>(user))(boot); };
  job.status = avrm_boot_fork_run(&options, call, &body, job.codes.data());
  return job;
}

inline void pause_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

inline void wait_for_failures(avrm_boot_t *boot, std::uint32_t count) {
  while (avrm_boot_failures(boot) < count) {
    pause_a_moment();
  }
}

inline avrm_status_t publish(avrm_boot_t *boot, std::int32_t slot, std::string_view card) {
  return avrm_boot_publish(boot, slot, card.data(), card.size());
}

// Returns the card as text, or the name of the status.
inline std::string fetch(avrm_boot_t *boot, std::int32_t rank, std::int32_t slot) {
  char buffer[AVRM_BOOT_CARD_MAX];
  std::size_t bytes = sizeof buffer;
  const avrm_status_t status = avrm_boot_fetch(boot, rank, slot, buffer, &bytes);
  return status == AVRM_OK ? std::string(buffer, bytes) : avrm_status_name(status);
}

} // namespace avrankmap::test

#endif
