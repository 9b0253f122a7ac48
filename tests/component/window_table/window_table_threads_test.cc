// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One thread learns, others look up.
#include <array>
#include <atomic>
#include <thread>

#include "tests/component/window_table/window_table_twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kTargets = 5000;

avrm_part_t part_of(std::int32_t rank) {
  const auto i = static_cast<std::uint64_t>(rank);
  return {i << 20, i * 7, rank % 3 == 0 ? i : 4096, rank % 5 == 0 ? static_cast<std::uint32_t>(rank) : 1};
}

// What was announced must be found; the rest may be.
bool is_right(const avrm_directory_t *directory, std::int32_t rank, bool announced) {
  avrm_part_t found{};
  avrm_part_t target{};
  const bool is_found = avrm_directory_find(directory, rank, &found);
  const bool is_target = avrm_directory_target(directory, rank, &target.base, &target.key);
  const std::uint64_t size = avrm_directory_size(directory, rank);
  const std::uint32_t unit = avrm_directory_unit(directory, rank);
  const avrm_part_t part = part_of(rank);
  return (size == 0 || size == part.size) && (unit == 0 || unit == part.unit) && (!is_found || found == part) &&
         (!is_target || (target.base == part.base && target.key == part.key)) &&
         (!announced || (is_found && is_target));
}

TEST(DirectoryThreads, LookUpWhileOneLearns) {
  const Instance instance;
  for (int round = 0; round < 10; ++round) {
    const DirectoryPtr directory = of_nothing(instance, kTargets);
    std::atomic<std::int32_t> learned = 0;
    std::array<bool, 3> right{};
    std::vector<std::thread> readers;
    for (bool &is : right) {
      readers.emplace_back([&is, &directory, &learned, number = &is - right.data()] {
        std::mt19937_64 engine(seed() + static_cast<std::uint64_t>(number));
        is = true;
        for (std::int32_t announced = 0; announced < kTargets;) {
          announced = learned.load(std::memory_order_acquire);
          for (int i = 0; i < 16; ++i) {
            const auto rank = static_cast<std::int32_t>(below(engine, kTargets));
            is = is && is_right(directory.get(), rank, rank < announced);
          }
          is = is && (announced == 0 || is_right(directory.get(), announced - 1, true));
        }
      });
    }
    for (std::int32_t rank = 0; rank < kTargets; ++rank) {
      const avrm_part_t part = part_of(rank);
      require(avrm_directory_learn(directory.get(), rank, &part));
      learned.store(rank + 1, std::memory_order_release);
    }
    for (std::thread &reader : readers) {
      reader.join();
    }
    EXPECT_EQ(right, (std::array<bool, 3>{true, true, true}));
  }
}

} // namespace
} // namespace avrankmap::test
