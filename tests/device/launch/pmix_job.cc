// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that PMIx launchers start, several times per job. Its exit code is 0 if this process
// saw what the scenario promises. Usage: pmix_job SCENARIO [ARGUMENT]
//
//   cards         everything that works when nobody dies, on any number of nodes
//   dies HOW      the last process ends by "exit" or "kill"
//   told          an event says that the last process has died
//   orphaned      the launcher dies
//   unanswered    the launcher dies, and PMIx forgets what was just requested
#include <pmix.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "avrankmap/device/boot.h"
#include "launch/pmix/value.h"
#include "tests/device/launch/job.h"
#include "tests/device/launch/job_cards.h"
#include "tests/device/launch/unanswered_requests.h"
#include "tests/support/settings.h"

namespace {

using avrankmap::test::cards;
using avrankmap::test::fetch;
using avrankmap::test::publish;
using avrankmap::test::wait_for_failures;

int dies(avrm_boot_t *boot, std::string_view how) {
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
  if (avrm_boot_rank(boot) == avrm_boot_size(boot) - 1) {
    if (how == "kill") {
      (void)kill(getpid(), SIGKILL);
    }
    _exit(3);
  }
  // The launcher ends the other processes, but may first complete a fence that they are in.
  const avrm_status_t second = avrm_boot_fence(boot);
  AVRM_EXPECT(second == AVRM_ERR_PEER || second == AVRM_OK);
  return 0;
}

// Reports this process's own death, as a launcher does when it sees a process die. The
// process lives on.
int announce_death(avrm_boot_t *boot) {
  pmix_proc_t self = {};
  AVRM_EXPECT(PMIx_Init(&self, nullptr, 0) == PMIX_SUCCESS);
  pmix_info_t info = {};
  PMIX_INFO_LOAD(&info, PMIX_EVENT_AFFECTED_PROC, &self, PMIX_PROC);
  AVRM_EXPECT(PMIx_Notify_event(PMIX_ERR_PROC_ABORTED, &self, PMIX_RANGE_LOCAL, &info, 1, nullptr, nullptr) ==
              PMIX_SUCCESS);
  PMIX_INFO_DESTRUCT(&info);
  AVRM_EXPECT(PMIx_Finalize(nullptr, 0) == PMIX_SUCCESS); // inits are counted
  return 0;
}

int told(avrm_boot_t *boot) {
  const std::int32_t last = avrm_boot_size(boot) - 1;
  AVRM_EXPECT(publish(boot, 0, "present") == AVRM_OK);
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
  if (avrm_boot_rank(boot) == last) {
    AVRM_EXPECT(announce_death(boot) == 0); // reaches this process, too
  }
  wait_for_failures(boot, 1);
  AVRM_EXPECT(avrm_boot_failures(boot) == 1);
  for (std::int32_t peer = 0; peer <= last; ++peer) {
    AVRM_EXPECT(avrm_boot_has_failed(boot, peer) == (peer == last));
    AVRM_EXPECT(fetch(boot, peer, 0) == (peer == last ? "AVRM_ERR_PEER" : "present"));
  }
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_PEER);
  return 0;
}

// Of a value that does not exist.
pmix_status_t request_value() {
  pmix_proc_t self{};
  PMIX_LOAD_PROCID(&self, std::getenv("PMIX_NAMESPACE"), 0);
  avrankmap::detail::PmixBytes bytes;
  return avrankmap::detail::get_bytes_in(std::chrono::seconds(1), self, "avrm.absent", nullptr, 0, &bytes);
}

int orphaned(avrm_boot_t *boot, bool is_answered) {
  const avrm_status_t first = avrm_boot_fence(boot);
  avrankmap::test::forgets_requests = !is_answered;
  // Rank 0 may leave before the others are answered.
  AVRM_EXPECT(first == AVRM_OK || avrm_boot_rank(boot) != 0);
  if (avrm_boot_rank(boot) == 0) {
    (void)kill(getppid(), SIGKILL);
  }
  AVRM_EXPECT(is_answered || request_value() == PMIX_ERR_TIMEOUT);
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_BOOT);
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_BOOT);
  const std::int32_t size = avrm_boot_size(boot);
  wait_for_failures(boot, static_cast<std::uint32_t>(size) - 1);
  for (std::int32_t peer = 0; peer < size; ++peer) {
    AVRM_EXPECT(avrm_boot_has_failed(boot, peer) == (peer != avrm_boot_rank(boot)));
  }
  return 0;
}

int run(avrm_boot_t *boot, std::string_view scenario, std::string_view argument) {
  if (scenario == "cards") {
    return cards(boot, "pmix");
  }
  if (scenario == "dies") {
    return dies(boot, argument);
  }
  if (scenario == "told") {
    return told(boot);
  }
  if (scenario == "orphaned") {
    return orphaned(boot, true);
  }
  if (scenario == "unanswered") {
    return orphaned(boot, false);
  }
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  alarm(avrankmap::test::kHangsAfterS); // ends a process that hangs
  (void)signal(SIGPIPE, SIG_IGN);       // output goes through the launcher, which may be gone
  avrm_boot_t *boot = nullptr;
  const avrm_status_t status = avrm_boot_open(&boot);
  if (status != AVRM_OK) {
    (void)std::fprintf(stderr, "avrm_boot_open: %s\n", avrm_status_text(status));
    return 2;
  }
  const int code = run(boot, argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
  avrm_boot_close(boot);
  return code;
}
