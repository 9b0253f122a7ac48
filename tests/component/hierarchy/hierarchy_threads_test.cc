// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Threads ask one hierarchy and make equal ones.
#include <algorithm>
#include <array>
#include <thread>

#include "tests/component/hierarchy/hierarchy_twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

TEST(HierarchyThreads, ShareAndAskOne) {
  const Instance instance;
  std::mt19937_64 engine = seeded_engine();
  Keys keys(3000);
  std::generate(keys.begin(), keys.end(), [&] { return below(engine, 100); });
  const HierarchyTwin twin(keys);
  const HierarchyPtr shared = of_keys(instance, keys);
  std::array<bool, 4> is_right{};
  std::vector<std::thread> threads;
  for (bool &right : is_right) {
    threads.emplace_back([&] {
      right = true;
      for (int round = 0; round < 20; ++round) {
        avrm_hierarchy_t copy{};
        require(round % 2 == 0 ? avrm_hierarchy_dup(shared.get(), &copy)
                               : avrm_hierarchy_create_keys(instance, 3000, keys.data(), &copy));
        right = right && copy.shared == shared->shared && twin.agrees(&copy);
        avrm_hierarchy_destroy(&copy);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(is_right, (std::array<bool, 4>{true, true, true, true}));
}

} // namespace
} // namespace avrankmap::test
