// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cards and nodes of a job, whatever launched it: a part of programs that launchers start.
#ifndef AVRANKMAP_TESTS_DEVICE_LAUNCH_JOB_CARDS_H
#define AVRANKMAP_TESTS_DEVICE_LAUNCH_JOB_CARDS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "avrankmap/device/boot.h"
#include "tests/device/launch/job.h"

namespace avrankmap::test {

inline std::string text_card(std::int32_t rank, std::int32_t slot) {
  return "card of " + std::to_string(rank) + " in " + std::to_string(slot);
}

struct Whereabouts {
  std::uint32_t node;
  std::int32_t local_rank;
  std::int32_t local_size;
};

inline int check_nodes(avrm_boot_t *boot) {
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

inline int check_many_threads(avrm_boot_t *boot) {
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

// Everything that works when nobody dies, on any number of nodes.
inline int cards(avrm_boot_t *boot, std::string_view kind) {
  const std::int32_t size = avrm_boot_size(boot);
  const std::int32_t rank = avrm_boot_rank(boot);
  const std::int32_t last = size - 1;
  AVRM_EXPECT(avrm_boot_kind(boot) == kind);
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

} // namespace avrankmap::test

#endif
