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
#include <pmix.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "avrankmap/device/boot.h"
#include "tests/device/launch/job.h"

namespace {

using avrankmap::test::fetch;
using avrankmap::test::publish;
using avrankmap::test::wait_for_failures;

std::string text_card(std::int32_t rank, std::int32_t slot) {
  return "card of " + std::to_string(rank) + " in " + std::to_string(slot);
}

struct Whereabouts {
  std::uint32_t node;
  std::int32_t local_rank;
  std::int32_t local_size;
};

int check_nodes(avrm_boot_t *boot) {
  const std::int32_t size = avrm_boot_size(boot);
  const std::int32_t rank = avrm_boot_rank(boot);
  std::int32_t on_node = 0;
  std::int32_t lower_on_node = 0;
  for (std::int32_t peer = 0; peer < size; ++peer) {
    Whereabouts there = {};
    std::size_t bytes = sizeof there;
    AVRM_EXPECT(avrm_boot_fetch(boot, peer, 0, &there, &bytes) == AVRM_OK);
    AVRM_EXPECT(bytes == sizeof there);
    if (there.node == avrm_boot_node(boot)) {
      AVRM_EXPECT(there.local_rank == lower_on_node + (peer >= rank ? on_node - lower_on_node : 0));
      AVRM_EXPECT(there.local_size == avrm_boot_local_size(boot));
      lower_on_node += peer < rank;
      ++on_node;
    }
  }
  AVRM_EXPECT(on_node == avrm_boot_local_size(boot));
  AVRM_EXPECT(lower_on_node == avrm_boot_local_rank(boot));
  return 0;
}

int check_many_threads(avrm_boot_t *boot) {
  const std::int32_t size = avrm_boot_size(boot);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  threads.reserve(wrong.size());
  for (int &result : wrong) {
    threads.emplace_back([boot, size, &result] {
      for (std::int32_t i = 0; i < 10 * size; ++i) {
        result += fetch(boot, i % size, 1) != text_card(i % size, 1);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const int result : wrong) {
    AVRM_EXPECT(result == 0);
  }
  return 0;
}

int cards(avrm_boot_t *boot) {
  const std::int32_t size = avrm_boot_size(boot);
  const std::int32_t rank = avrm_boot_rank(boot);
  const std::int32_t last = size - 1;
  AVRM_EXPECT(avrm_boot_kind(boot) == std::string_view("pmix"));
  const Whereabouts here = {avrm_boot_node(boot), avrm_boot_local_rank(boot), avrm_boot_local_size(boot)};
  AVRM_EXPECT(avrm_boot_publish(boot, 0, &here, sizeof here) == AVRM_OK);
  AVRM_EXPECT(publish(boot, 1, text_card(rank, 1)) == AVRM_OK);
  AVRM_EXPECT(publish(boot, 2, "") == AVRM_OK);
  const std::string longest(AVRM_BOOT_CARD_MAX, static_cast<char>('a' + rank % 26));
  AVRM_EXPECT(publish(boot, 255, longest) == AVRM_OK);
  AVRM_EXPECT(publish(boot, 3, longest + "!") == AVRM_ERR_SIZE);
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);

  AVRM_EXPECT(check_nodes(boot) == 0);
  AVRM_EXPECT(check_many_threads(boot) == 0);
  for (std::int32_t peer = 0; peer < size; ++peer) {
    AVRM_EXPECT(fetch(boot, peer, 2).empty());
    AVRM_EXPECT(fetch(boot, peer, 255) == std::string(AVRM_BOOT_CARD_MAX, static_cast<char>('a' + peer % 26)));
    AVRM_EXPECT(fetch(boot, peer, 4) == "AVRM_ERR_PEER");
  }
  char small[4];
  std::size_t room = sizeof small;
  AVRM_EXPECT(avrm_boot_fetch(boot, last, 1, small, &room) == AVRM_ERR_SIZE && room == sizeof small);

  // One card is new after other cards of its process were fetched, one is replaced, and one stays.
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
  AVRM_EXPECT(publish(boot, 4, text_card(rank, 4)) == AVRM_OK);
  AVRM_EXPECT(publish(boot, 1, text_card(rank, 1001)) == AVRM_OK);
  AVRM_EXPECT(avrm_boot_fence_start(boot) == AVRM_OK);
  for (bool done = false; !done;) {
    AVRM_EXPECT(avrm_boot_fence_test(boot, &done) == AVRM_OK);
  }
  for (std::int32_t peer = 0; peer < size; ++peer) {
    AVRM_EXPECT(fetch(boot, peer, 1) == text_card(peer, 1001));
    AVRM_EXPECT(fetch(boot, peer, 4) == text_card(peer, 4));
    AVRM_EXPECT(fetch(boot, peer, 2).empty());
    AVRM_EXPECT(fetch(boot, peer, 9) == "AVRM_ERR_PEER");
  }
  AVRM_EXPECT(avrm_boot_failures(boot) == 0);
  AVRM_EXPECT(!avrm_boot_has_failed(boot, last));
  AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
  return 0;
}

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

int orphaned(avrm_boot_t *boot) {
  const avrm_status_t first = avrm_boot_fence(boot);
  // Rank 0 may leave before the others are answered.
  AVRM_EXPECT(first == AVRM_OK || avrm_boot_rank(boot) != 0);
  if (avrm_boot_rank(boot) == 0) {
    (void)kill(getppid(), SIGKILL);
  }
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
    return cards(boot);
  }
  if (scenario == "dies") {
    return dies(boot, argument);
  }
  if (scenario == "told") {
    return told(boot);
  }
  if (scenario == "orphaned") {
    return orphaned(boot);
  }
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  alarm(120);                     // ends a process that hangs
  (void)signal(SIGPIPE, SIG_IGN); // output goes through the launcher, which may be gone
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
