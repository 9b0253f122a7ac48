// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that PMI-2 launchers start, several times per job. Its exit code is 0 if this process
// saw what the scenario promises. Usage: pmi2_job SCENARIO
//
//   cards      everything that works when nobody dies, on any number of nodes
//   unmapped   the same, if the launcher does not say which node each is on; all are on one
//   last       a fence is over when the last process has come to it
//   editions   cards that are replaced again and again, by some processes
//   again      a process that has left its job cannot join it again
//   grandchild a program that it starts does not take its place
//   orphaned   the launcher's part on this node dies
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "avrankmap/device/boot.h"
#include "avrankmap/device/device.h"
#include "tests/device/launch/hidden_mapping.h"
#include "tests/device/launch/job.h"
#include "tests/device/launch/job_cards.h"
#include "tests/support/settings.h"

namespace {

using avrankmap::test::cards;
using avrankmap::test::fetch;
using avrankmap::test::publish;

// Each process comes when the one before it has told it to. So who leaves the fence before the last
// has come finds that out by the last one's card.
int last(avrm_boot_t *boot) {
  const std::int32_t size = avrm_boot_size(boot);
  for (std::int32_t late = 0; late < size; ++late) {
    const std::int32_t slot = 10 + late;
    if (avrm_boot_rank(boot) == late) {
      for (int i = 0; i < 20; ++i) { // works while the others wait
        AVRM_EXPECT(publish(boot, slot, std::string(700, 'x')) == AVRM_OK);
        std::this_thread::yield();
      }
      AVRM_EXPECT(publish(boot, slot, "last") == AVRM_OK);
    }
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    AVRM_EXPECT(fetch(boot, late, slot) == "last");
  }
  return 0;
}

int editions(avrm_boot_t *boot) {
  const std::int32_t size = avrm_boot_size(boot);
  const std::int32_t rank = avrm_boot_rank(boot);
  for (std::int32_t round = 0; round < 6; ++round) {
    if (round % (rank + 1) == 0) {
      AVRM_EXPECT(publish(boot, 7, "round " + std::to_string(round)) == AVRM_OK);
    }
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    for (std::int32_t peer = 0; peer < size; ++peer) {
      AVRM_EXPECT(fetch(boot, peer, 7) == "round " + std::to_string(round / (peer + 1) * (peer + 1)));
    }
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
  }
  return 0;
}

int again(avrm_boot_t *boot) {
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
  avrm_boot_close(boot);
  avrm_boot_t *other = nullptr;
  if (avrm_boot_open(&other) != AVRM_ERR_BOOT || std::strstr(avrm_device_open_error(), "again") == nullptr) {
    (void)std::fprintf(stderr, "joined twice: %s\n", avrm_device_open_error());
    return 1;
  }
  return 0;
}

int grandchild(avrm_boot_t *boot, const char *program) {
  const pid_t child = fork();
  if (child == 0) {
    execl(program, program, "is_refused", nullptr);
    _exit(127);
  }
  int status = 0;
  AVRM_EXPECT(waitpid(child, &status, 0) == child && status == 0);
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
  return 0;
}

int is_refused() {
  avrm_boot_t *boot = nullptr;
  const bool refused = avrm_boot_open(&boot) == AVRM_ERR_BOOT && boot == nullptr &&
                       std::strstr(avrm_device_open_error(), "PMI_FD") != nullptr;
  return refused ? 0 : 1;
}

int orphaned(avrm_boot_t *boot) {
  const std::int32_t size = avrm_boot_size(boot);
  const avrm_status_t first = avrm_boot_fence(boot);
  // Rank 0 may leave before the others are answered.
  AVRM_EXPECT(first == AVRM_OK || (first == AVRM_ERR_BOOT && avrm_boot_rank(boot) != 0));
  if (avrm_boot_rank(boot) == 0) {
    (void)kill(getppid(), SIGKILL);
  }
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_BOOT);
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_BOOT);
  AVRM_EXPECT(avrm_boot_failures(boot) == static_cast<std::uint32_t>(size) - 1);
  for (std::int32_t peer = 0; peer < size; ++peer) {
    AVRM_EXPECT(avrm_boot_has_failed(boot, peer) == (peer != avrm_boot_rank(boot)));
  }
  return 0;
}

int run(avrm_boot_t *boot, const char *program, std::string_view scenario) {
  if (scenario == "cards") {
    return cards(boot, "pmi2");
  }
  if (scenario == "unmapped") {
    AVRM_EXPECT(avrm_boot_local_size(boot) == avrm_boot_size(boot));
    AVRM_EXPECT(avrm_boot_local_rank(boot) == avrm_boot_rank(boot) && avrm_boot_node(boot) == 0);
    return cards(boot, "pmi2");
  }
  if (scenario == "last") {
    return last(boot);
  }
  if (scenario == "editions") {
    return editions(boot);
  }
  if (scenario == "grandchild") {
    return grandchild(boot, program);
  }
  if (scenario == "orphaned") {
    return orphaned(boot);
  }
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  alarm(avrankmap::test::kHangsAfterS); // ends a process that hangs
  (void)signal(SIGPIPE, SIG_DFL);       // which writing to a dead launcher raises
  const std::string_view scenario = argc > 1 ? argv[1] : "";
  if (scenario == "is_refused") {
    return is_refused();
  }
  avrankmap::test::hides_mapping = scenario == "unmapped";
  avrm_boot_t *boot = nullptr;
  const avrm_status_t status = avrm_boot_open(&boot);
  if (status != AVRM_OK) {
    (void)std::fprintf(stderr, "avrm_boot_open: %s: %s\n", avrm_status_text(status), avrm_device_open_error());
    return 2;
  }
  if (scenario == "again") {
    return again(boot);
  }
  const int code = run(boot, argv[0], scenario);
  avrm_boot_close(boot);
  return code;
}
