// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Directories of arrays of parts: each field in the smallest form.
#include "tests/component/window_table/window_table_twin.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

class DirectoryTables : public testing::Test {
protected:
  // `ranks` parts of one key, size and unit; base_of(rank).
  template <typename BaseOf> static Parts with_bases(std::uint64_t ranks, BaseOf base_of) {
    Parts parts;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      parts.push_back({base_of(rank), 77, 4096, 8});
    }
    return parts;
  }

  Instance instance;
};

TEST_F(DirectoryTables, RulesAreFoundInArrays) {
  for (const std::size_t ranks : {0, 1, 2, 3, 100}) {
    const Parts uniform = with_bases(ranks, [](std::uint64_t) { return std::uint64_t{5}; });
    const Parts regular = with_bases(ranks, [](std::uint64_t rank) { return 5 - rank * 64; });
    const DirectoryPtr first = of_parts(instance, uniform);
    EXPECT_EQ(avrm_directory_form(first.get()), AVRM_DIRECTORY_UNIFORM);
    EXPECT_TRUE(agrees(first.get(), uniform));
    const DirectoryPtr second = of_parts(instance, regular);
    EXPECT_EQ(avrm_directory_form(second.get()), ranks > 1 ? AVRM_DIRECTORY_REGULAR : AVRM_DIRECTORY_UNIFORM);
    EXPECT_TRUE(agrees(second.get(), regular));
    EXPECT_EQ(avrm_directory_bytes(first.get()) + avrm_directory_bytes(second.get()), 0U);
  }
}

TEST_F(DirectoryTables, ExceptionsTakeTwelveBytesEach) {
  const auto bytes_with = [&](std::uint64_t exceptions, std::uint64_t step) {
    const Parts parts = with_bases(10000, [=](std::uint64_t rank) {
      return rank % 100 == 7 && rank / 100 < exceptions ? rank * rank * 999999937 : 1000 + rank * step;
    });
    const DirectoryPtr directory = of_parts(instance, parts);
    EXPECT_EQ(avrm_directory_form(directory.get()), AVRM_DIRECTORY_TABLES);
    EXPECT_TRUE(agrees(directory.get(), parts));
    EXPECT_EQ(instance.usage(AVRM_MEM_COMM).live_bytes, avrm_directory_bytes(directory.get()));
    return avrm_directory_bytes(directory.get());
  };
  for (const std::uint64_t step : {0, 64}) {
    EXPECT_EQ(bytes_with(30, step) - bytes_with(10, step), 20 * 12U);
    EXPECT_LE(bytes_with(10, step), 10 * 12 + 320U);
  }
}

TEST_F(DirectoryTables, RunsTakeTwentyBytesEachTwelveWithoutSteps) {
  const auto bytes_with = [&](std::uint64_t runs, std::uint64_t step) {
    const Parts parts = with_bases(10000, [=](std::uint64_t rank) {
      const std::uint64_t run = std::min(rank / 100, runs - 1);
      return (run * run << 40) + rank * step;
    });
    const DirectoryPtr directory = of_parts(instance, parts);
    EXPECT_TRUE(agrees(directory.get(), parts));
    return avrm_directory_bytes(directory.get());
  };
  EXPECT_EQ(bytes_with(40, 0) - bytes_with(20, 0), 20 * 12U);
  EXPECT_EQ(bytes_with(40, 8) - bytes_with(20, 8), 20 * 20U);
}

TEST_F(DirectoryTables, PackedTakesTheBitsThatDiffer) {
  std::mt19937_64 engine = seeded_engine();
  for (const int bits : {1, 7, 31, 32, 33, 63, 64}) {
    const Parts parts = with_bases(
        10000, [&](std::uint64_t) { return (engine() >> (64 - bits)) + (bits < 60 ? std::uint64_t{1} << 60 : 0); });
    const DirectoryPtr directory = of_parts(instance, parts);
    EXPECT_TRUE(agrees(directory.get(), parts));
    EXPECT_LE(avrm_directory_bytes(directory.get()), 10000U * static_cast<unsigned>(bits) / 8 + 336);
  }
}

TEST_F(DirectoryTables, FieldsChooseApart) {
  std::mt19937_64 engine = seeded_engine();
  Parts parts = with_bases(10000, [](std::uint64_t rank) { return rank << 30; });
  for (avrm_part_t &part : parts) {
    part.size = engine();
  }
  const DirectoryPtr directory = of_parts(instance, parts);
  EXPECT_EQ(avrm_directory_form(directory.get()), AVRM_DIRECTORY_REGULAR);
  EXPECT_LE(avrm_directory_bytes(directory.get()), 8 * 10000U + 336);
  EXPECT_TRUE(agrees(directory.get(), parts));
}

TEST_F(DirectoryTables, PartsAreNotLearnedAgain) {
  Parts parts = with_bases(100, [](std::uint64_t rank) { return rank * rank; });
  const DirectoryPtr directory = of_parts(instance, parts);
  EXPECT_EQ(avrm_directory_learn(directory.get(), 9, &parts[9]), AVRM_OK);
  EXPECT_EQ(avrm_directory_learn(directory.get(), 9, &parts[8]), AVRM_ERR_MISMATCH);
  EXPECT_TRUE(agrees(directory.get(), parts));
}

TEST_F(DirectoryTables, ArgumentsAreChecked) {
  const avrm_part_t part{};
  avrm_directory_t none{};
  EXPECT_EQ(avrm_directory_create_parts(nullptr, 1, &part, &none), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_parts(instance, 1, nullptr, &none), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_parts(instance, 1, &part, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_parts(instance, -1, &part, &none), AVRM_ERR_SIZE);
  EXPECT_EQ(none.instance, nullptr);
}

TEST_F(DirectoryTables, RefusedAllocationLeavesNothingBehind) {
  std::mt19937_64 engine = seeded_engine();
  CountingAllocator memory;
  const Instance counted(&memory);
  const Parts parts = random_parts(engine, 50);
  const std::uint64_t bytes = memory.live_bytes();
  avrm_directory_t directory{};
  memory.refuse_after(0);
  EXPECT_EQ(avrm_directory_create_parts(counted, 50, parts.data(), &directory), AVRM_ERR_NO_MEMORY);
  memory.refuse_none();
  EXPECT_EQ(directory.instance, nullptr);
  EXPECT_EQ(memory.live_bytes(), bytes);
}

TEST_F(DirectoryTables, AgreeWithPlainArraysAndAreNoLarger) {
  std::mt19937_64 engine = seeded_engine();
  for (std::int64_t left = twin_checks(); left > 0;) {
    const std::size_t ranks = 1 + below(engine, below(engine, 8) == 0 ? 20000 : 200);
    const Parts parts = random_parts(engine, ranks);
    const DirectoryPtr directory = of_parts(instance, parts);
    ASSERT_TRUE(agrees(directory.get(), parts)) << ranks << " ranks";
    ASSERT_LE(avrm_directory_bytes(directory.get()), ranks * sizeof(avrm_part_t));
    ASSERT_EQ(instance.usage(AVRM_MEM_COMM).live_bytes, avrm_directory_bytes(directory.get()));
    left -= static_cast<std::int64_t>(4 * ranks) + 1;
  }
}

} // namespace
} // namespace avrankmap::test
