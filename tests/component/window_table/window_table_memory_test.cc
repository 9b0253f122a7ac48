// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of directories: each allocation refused in turn, and nothing left behind.
#include "tests/component/window_table/window_table_twin.h"

namespace avrankmap::test {
namespace {

class DirectoryMemory : public testing::Test {
protected:
  // Differ in all fields from rank 20 on.
  static avrm_part_t part(std::int32_t rank) {
    const auto i = static_cast<std::uint64_t>(rank);
    return {i * i, ~i, rank < 20 ? 64 : 1000 + i, rank < 40 ? 1 : static_cast<std::uint32_t>(rank) * 3000};
  }

  CountingAllocator memory;
  Instance instance{&memory};
};

TEST_F(DirectoryMemory, RefusedAllocationChangesNothing) {
  for (std::uint64_t refused_call = 0; refused_call < 3; ++refused_call) {
    const DirectoryPtr directory = of_nothing(instance, 1000);
    int refusals = 0;
    for (std::int32_t rank = 0; rank < 1000; ++rank) {
      const avrm_part_t learned = part(rank);
      const std::uint64_t bytes = memory.live_bytes();
      memory.refuse_after(refused_call);
      avrm_status_t status = avrm_directory_learn(directory.get(), rank, &learned);
      const bool refused = memory.refused();
      memory.refuse_none();
      if (refused) {
        ++refusals;
        ASSERT_EQ(status, AVRM_ERR_NO_MEMORY);
        ASSERT_EQ(memory.live_bytes(), bytes);
        ASSERT_TRUE(ignores(directory.get(), rank));
        ASSERT_TRUE(rank == 0 || knows(directory.get(), rank - 1, part(rank - 1)));
        status = avrm_directory_learn(directory.get(), rank, &learned);
      }
      ASSERT_EQ(status, AVRM_OK);
      ASSERT_EQ(memory.usage(AVRM_MEM_COMM).live_bytes, avrm_directory_bytes(directory.get()));
    }
    for (std::int32_t rank = 0; rank < 1000; ++rank) {
      ASSERT_TRUE(knows(directory.get(), rank, part(rank)));
    }
    EXPECT_EQ(refusals > 0, refused_call < 2); // a chunk and an index at most
  }
}

TEST_F(DirectoryMemory, RefusedFirstPartDeterminesNoRule) {
  const DirectoryPtr directory = of_nothing(instance, 1000);
  const avrm_directory_t before = *directory;
  const avrm_part_t learned = part(3);
  memory.refuse_all(true);
  ASSERT_EQ(avrm_directory_learn(directory.get(), 3, &learned), AVRM_ERR_NO_MEMORY);
  memory.refuse_all(false);
  EXPECT_EQ(directory->size, before.size);
  EXPECT_EQ(directory->unit, before.unit);
}

TEST_F(DirectoryMemory, RulesAllocateNothing) {
  const std::uint64_t calls = memory.calls();
  const DirectoryPtr rule = of_rule(instance, 1000000, part(1), part(50));
  const DirectoryPtr records = of_nothing(instance, 1000000);
  EXPECT_EQ(memory.calls(), calls);
}

TEST_F(DirectoryMemory, RecordsKeepTheInstanceBusy) {
  avrm_instance_t *own = nullptr;
  require(avrm_instance_create(nullptr, &own));
  avrm_directory_t directory{};
  require(avrm_directory_create(own, 10, &directory));
  const avrm_part_t learned = part(3);
  require(avrm_directory_learn(&directory, 3, &learned));
  EXPECT_EQ(avrm_instance_destroy(own), AVRM_ERR_BUSY);
  avrm_directory_destroy(&directory);
  EXPECT_EQ(directory.instance, nullptr);
  EXPECT_EQ(avrm_instance_destroy(own), AVRM_OK);
}

TEST_F(DirectoryMemory, MovesAsBytes) {
  avrm_directory_t first{};
  require(avrm_directory_create(instance, 100, &first));
  for (std::int32_t rank = 0; rank < 50; ++rank) {
    const avrm_part_t learned = part(rank);
    require(avrm_directory_learn(&first, rank, &learned));
  }
  avrm_directory_t second = first;
  for (std::int32_t rank = 50; rank < 100; ++rank) {
    const avrm_part_t learned = part(rank);
    require(avrm_directory_learn(&second, rank, &learned));
  }
  for (std::int32_t rank = 0; rank < 100; ++rank) {
    EXPECT_TRUE(knows(&second, rank, part(rank)));
  }
  avrm_directory_destroy(&second);
}

} // namespace
} // namespace avrankmap::test
